//! Generated trees, generated changes: what is kept is what the run saw, and taking it back gives every byte and attribute
//! back, whether layer and tree are on one mount or not.

use std::ffi::OsString;
use std::fs;
use std::process::Command;

use aish_confine::{Caches, Layer, OnConflict};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;

use crate::place::{Place, picture};

/// Names that trees are made of; some are no text.
const NAMES: &[&str] =
    &["a", "b", "d", "e", "a b", "\u{202e}x", ".h", "%ff", "x", "long-name-that-is-longer-than-others"];

/// One step: what is done, to which paths, with which number.
type Step = (u8, Vec<u8>, Vec<u8>, u16);

/// What makes a tree, and then changes it: a step that cannot be done is passed over.
const PROGRAM: &str = r#"
import os, shutil, sys
NAMES = [os.fsencode(name).replace(b'%ff', b'\xff\xfe') for name in sys.argv[2].split('/')]
def path(parts): return b'/'.join(NAMES[part % len(NAMES)] for part in parts)
def acl(number):
    entries = [(1, 7, 0xffffffff), (2, number % 8, os.getuid()), (4, 4, 0xffffffff), (16, 7, 0xffffffff), (32, 4, 0xffffffff)]
    return (2).to_bytes(4, 'little') + b''.join(
        tag.to_bytes(2, 'little') + bits.to_bytes(2, 'little') + who.to_bytes(4, 'little') for tag, bits, who in entries)
def write(p, number, how):
    with open(p, how) as file: file.write(bytes([number % 251]) * (number % 9000))
def step(kind, p, q, number):
    kind %= 20
    if kind < 4: os.makedirs(os.path.dirname(p) or b'.', exist_ok=True); write(p, number, 'wb')
    elif kind == 4: os.makedirs(p, exist_ok=True)
    elif kind == 5: write(p, number, 'ab')
    elif kind == 6: os.symlink(q, p)
    elif kind == 7: os.link(p, q)
    elif kind == 8: os.chmod(p, ([0o755, 0o711, 0o555, 0o700] if os.path.isdir(p) else [0o644, 0o755, 0o600, 0o444])[number % 4])
    elif kind == 9: os.utime(p, ns=(number, number * 1000003), follow_symlinks=False)
    elif kind == 10: os.setxattr(p, b'user.' + NAMES[number % 4].replace(b' ', b'_'), b'v%d' % number, follow_symlinks=False)
    elif kind == 11: os.setxattr(p, 'system.posix_acl_access', acl(number))
    elif kind == 12: os.truncate(p, number * 100)
    elif kind == 13: os.unlink(p)
    elif kind == 14: shutil.rmtree(p)
    elif kind == 15: os.rename(p, q)
    elif kind == 16: shutil.copytree(p, q, symlinks=True)
    elif kind == 17: os.unlink(p); os.mkdir(p); write(os.path.join(p, b'in'), number, 'wb')
    elif kind == 18: shutil.rmtree(p); os.mkdir(p)
    elif kind == 19:
        for name in os.listxattr(p, follow_symlinks=False): os.removexattr(p, name, follow_symlinks=False)
for line in sys.argv[1].split(';'):
    if not line: continue
    kind, p, q, number = line.split(',')
    try: step(int(kind), path(map(int, p.split('.'))), path(map(int, q.split('.'))), int(number))
    except OSError: pass
    except shutil.Error: pass
"#;

/// Lists what a tree is seen as, from inside or outside.
const LIST: &str = r#"
import hashlib, os
def line(p):
    s = os.lstat(p)
    kind = s.st_mode
    body = os.readlink(p) if os.path.islink(p) else b''
    if os.path.isfile(p) and not os.path.islink(p):
        try: body = hashlib.sha1(open(p, 'rb').read()).hexdigest()
        except OSError as e: body = 'closed'
    names = sorted(n for n in os.listxattr(p, follow_symlinks=False) if not n.startswith('user.overlay.'))
    extended = [(n, os.getxattr(p, n, follow_symlinks=False)) for n in names]
    print(p, oct(kind), s.st_uid, s.st_gid, s.st_mtime_ns, 0 if os.path.isdir(p) and not os.path.islink(p) else s.st_size, body, extended)
found = [b'.']
for top, folders, files in os.walk(b'.'):
    found += [os.path.join(top, name) for name in folders + files]
for p in sorted(found): line(p)
"#;

fn steps(most: usize) -> impl Strategy<Value = Vec<Step>> {
    let path = || proptest::collection::vec(0..10_u8, 1..4);
    proptest::collection::vec((any::<u8>(), path(), path(), any::<u16>()), 1..most)
}

fn spell(steps: &[Step]) -> String {
    let parts = |path: &[u8]| path.iter().map(u8::to_string).collect::<Vec<_>>().join(".");
    steps.iter().map(|(kind, p, q, number)| format!("{kind},{},{},{number};", parts(p), parts(q))).collect()
}

fn python(program: &str, arguments: &[&str]) -> Vec<OsString> {
    let words = ["python3", "-I", "-c", program].into_iter().chain(arguments.iter().copied());
    words.map(OsString::from).collect()
}

fn outside(place: &Place, words: &[OsString]) -> String {
    let output = Command::new(&words[0]).args(&words[1..]).current_dir(&place.tree).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// Compares two pictures, and shows the lines that differ.
fn same(left: &[String], right: &[String], what: &str) {
    let only = |one: &[String], other: &[String]| -> Vec<String> {
        let lines = one.iter().filter(|line| !other.contains(line));
        lines.map(|line| line.chars().take(300).collect()).take(4).collect()
    };
    assert!(left == right, "{what}:\n{:#?}\n{:#?}", only(left, right), only(right, left));
}

/// Makes a tree, changes it in a layer, keeps that, and takes it back.
fn round(place: &Place, before: &[Step], change: &[Step]) {
    let names = NAMES.join("/");
    outside(place, &python(PROGRAM, &[&spell(before), &names]));
    let picture_before = picture(&place.tree);
    let both = format!("{PROGRAM}\n{LIST}");
    let ran = place.run_with("", |plan| plan.command = python(&both, &[&spell(change), &names]));
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    same(&picture(&place.tree), &picture_before, "nothing changes before it is kept");
    let refused = ran.layer.changes(Caches::LeftOut).unwrap().refused;
    // A name of several whose others were not written is a conflict; here they are all ours.
    ran.layer.keep(Caches::LeftOut, OnConflict::Replace).unwrap();
    if refused.is_empty() {
        let lines = |text: &str| text.lines().map(str::to_owned).collect::<Vec<_>>();
        same(&lines(&outside(place, &python(LIST, &[]))), &lines(&ran.stdout), "what is kept is what the run saw");
    }
    ran.layer.take_back(OnConflict::Stop).unwrap();
    same(&picture(&place.tree), &picture_before, "taking back is exact");
    ran.layer.discard().unwrap();
}

fn rounds(cases: u32, make: impl Fn() -> Place) {
    let config = ProptestConfig { cases, failure_persistence: None, max_shrink_iters: 60, ..ProptestConfig::default() };
    let mut runner = TestRunner::new_with_rng(
        config,
        proptest::test_runner::TestRng::deterministic_rng(proptest::test_runner::RngAlgorithm::ChaCha),
    );
    let done = runner.run(&(steps(40), steps(25)), |(before, change)| {
        let place = make();
        round(&place, &before, &change);
        Ok(())
    });
    if let Err(why) = done {
        panic!("{why}");
    }
}

#[test]
fn generated_changes_are_kept_and_taken_back_exactly() {
    rounds(32, Place::new);
}

#[test]
fn generated_changes_on_another_file_system_are_so_too() {
    let elsewhere = tempfile::tempdir_in("/dev/shm").unwrap();
    rounds(20, || {
        let mut place = Place::new();
        place.layers = elsewhere.path().to_owned();
        place
    });
}

/// Programs of every kind change the same tree one after the other; each is taken back, the last first.
#[test]
fn what_programs_change_is_taken_back_exactly() {
    if aish_testkit::is_missing("what_programs_change_is_taken_back_exactly", "make")
        || aish_testkit::is_missing("what_programs_change_is_taken_back_exactly", "patch")
    {
        return;
    }
    let place = Place::new();
    for (path, content) in
        [("src/a.c", "int a = 1;\n"), ("src/b.c", "int b;\n"), ("doc/x", "x\n"), ("list", "3\n1\n2\n")]
    {
        place.write(path, content);
    }
    place.write(
        "Makefile",
        "all: out\nout: src/a.c\n\tmkdir -p build && cp src/a.c build/a && touch out\nclean:\n\trm -rf build out\n",
    );
    place.write("p.patch", "--- a/src/a.c\n+++ b/src/a.c\n@@ -1 +1 @@\n-int a = 1;\n+int a = 2;\n");
    let git = "git -c user.name=a -c user.email=a@b.c -c commit.gpgsign=false -c gc.auto=0";
    let lines = [
        "git init -q".to_owned(),
        format!("{git} add -A && {git} commit -qm one"),
        "perl -pi -e 's/int/long/' src/*.c".to_owned(),
        format!("{git} checkout -q -b topic && {git} commit -qam two && {git} checkout -q -"),
        format!("{git} merge -q --no-edit topic && {git} branch -d topic && {git} tag v1"),
        "patch -s -p1 < p.patch || true".to_owned(),
        "make -s; make -s clean; make -s".to_owned(),
        "for f in src/*.c; do mv \"$f\" \"$f.old\"; cp \"$f.old\" \"$f\"; done".to_owned(),
        "tar czf all.tgz src doc && mkdir -p un/packed && tar xzf all.tgz -C un/packed && rm -r doc".to_owned(),
        "sort -o list list && sed -i.bak 1d list && awk '{print $1*2 > \"doubled\"}' list && truncate -s 1M hole"
            .to_owned(),
        "python3 -c \"import sqlite3; c=sqlite3.connect('d.db'); c.execute('create table t(a)'); c.commit()\""
            .to_owned(),
        "find . -name '*.old' -delete; ln -s src/a.c link; ln src/b.c hard; rmdir doc 2>/dev/null; mkfifo p; rm p"
            .to_owned(),
        format!("{git} stash -q -u && {git} stash pop -q; {git} reset -q --hard; {git} clean -qfdx"),
        format!("{git} gc -q --prune=now && {git} rm -q -r src && {git} commit -qm gone && rm -rf .git"),
    ];
    let mut kept: Vec<(Layer, Vec<String>)> = Vec::new();
    for line in &lines {
        let before = place.picture();
        let ran = place.run(line);
        assert_eq!(ran.code, 0, "{line}: {}{}", ran.stdout, ran.stderr);
        ran.layer.keep(Caches::LeftOut, OnConflict::Replace).unwrap();
        assert_ne!(place.picture(), before, "{line}");
        kept.push((ran.layer, before));
    }
    for ((layer, before), line) in kept.iter().zip(&lines).rev() {
        layer.take_back(OnConflict::Stop).unwrap();
        assert_eq!(&place.picture(), before, "{line}");
    }
    assert!(fs::read_dir(&place.tree).unwrap().count() > 3);
}
