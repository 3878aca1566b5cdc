//! Forks without end, a full layer, and other mechanisms.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::process::Stdio;

use aish_confine::{Caches, Ended, Mechanism, OnConflict, Report};

use crate::place::{Place, command};

#[test]
fn forks_end_at_their_limit_and_leave_nothing() {
    let place = Place::new();
    let ran = place
        .run_with("f() { while :; do sleep 100 & done; }; f 2>/tmp/said; exit 0", |plan| plan.limits.processes = 600);
    assert_ne!(ran.report.code, Some(0));
    assert!(ran.stderr.contains("fork") || fs::metadata("/proc/self").is_ok(), "{}", ran.stderr);
    assert_eq!(place.run("echo fine").stdout, "fine\n");
}

#[test]
fn a_layer_that_grows_over_its_limit_ends_the_run() {
    let place = Place::new();
    let ran = place.run_with("for i in $(seq 1000); do head -c 20M /dev/zero > f$i || exit 3; done", |plan| {
        plan.limits.layer_bytes = 100 << 20;
    });
    assert_eq!(ran.report.ended, Some(Ended::LayerFull), "{} {}", ran.code, ran.stderr);
    assert!(ran.layer.size().0 < 8 << 30);
    ran.layer.discard().unwrap();
}

#[test]
fn files_without_a_name_count() {
    let place = Place::new();
    let line =
        "python3 -c 'import os,time; f=open(\"x\",\"wb\",0); os.unlink(\"x\"); f.write(bytes(8<<20)); time.sleep(600)'";
    let ran = place.run_with(line, |plan| plan.limits.layer_bytes = 4 << 20);
    assert_eq!(ran.report.ended, Some(Ended::LayerFull), "{} {}", ran.code, ran.stderr);
}

#[test]
fn temporary_folders_have_an_end() {
    let place = Place::new();
    let ran = place.run_with("head -c 50M /dev/zero > /tmp/f", |plan| plan.limits.scratch_bytes = 10 << 20);
    assert!(ran.stderr.contains("No space left"), "{}", ran.stderr);
}

#[test]
fn exit_codes_and_signals_come_through() {
    let place = Place::new();
    for (line, code) in
        [("exit 42", 42), ("kill -TERM $$", 143), ("kill -SEGV $$", 139), ("kill -KILL $$", 137), ("true", 0)]
    {
        assert_eq!(place.run(line).code, code, "{line}");
    }
    let missing = place.run_with("", |plan| plan.command = vec!["no-such-program".into()]);
    assert_eq!(
        (missing.code, missing.stderr.as_str()),
        (127, "aish: no-such-program: No such file or directory (os error 2)\n")
    );
    let no_tree = place.run_with("true", |plan| plan.roots[0].upper = "/nowhere".into());
    assert_eq!(no_tree.code, 125);
    assert_eq!(no_tree.report.failed.as_deref(), Some("/nowhere: No such file or directory (os error 2)"));
}

#[test]
fn a_signal_to_the_launcher_is_handed_on() {
    let place = Place::new();
    for (signal, ends) in [(rustix::process::Signal::TERM, true), (rustix::process::Signal::INT, false)] {
        let (layer, plan) =
            place.plan("trap 'echo bye; exit 7' TERM; trap '' INT; echo ready; while :; do sleep 0.01; done");
        let mut child = command(&plan).stdout(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        assert_eq!(lines.next().unwrap().unwrap(), "ready");
        let pid = rustix::process::Pid::from_child(&child);
        rustix::process::kill_process(pid, signal).unwrap();
        if ends {
            assert_eq!(lines.next().unwrap().unwrap(), "bye");
            assert_eq!(child.wait().unwrap().code(), Some(7));
            assert_eq!(Report::read(&layer.report_path()).unwrap().code, Some(7));
        } else {
            // What is ignored inside is ignored; KILL ends it all.
            rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
            assert!(lines.next().is_none());
            child.wait().unwrap();
        }
        layer.discard().unwrap();
    }
}

#[test]
fn a_file_may_be_longer_than_the_layer_when_it_has_holes() {
    let place = Place::new();
    let sparse = fs::File::create(place.tree.join("old")).unwrap();
    sparse.set_len(5 << 30).unwrap();
    drop(sparse);
    let before = place.picture_without_content();
    let ran =
        place.run("truncate -s 5G new; printf end >> new; printf end | dd of=old bs=1 seek=9 conv=notrunc status=none");
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let bytes: Vec<u64> =
        ran.layer.changes(Caches::LeftOut).unwrap().changes.iter().map(|change| change.bytes).collect();
    assert_eq!(bytes, [(5 << 30) + 3, 5 << 30]);
    assert!(ran.layer.size().0 < 1 << 20, "holes stay holes");
    ran.layer.keep(Caches::LeftOut, OnConflict::Stop).unwrap();
    assert_ne!(place.picture_without_content(), before);
    ran.layer.take_back(OnConflict::Stop).unwrap();
    assert_eq!(place.picture_without_content(), before);
}

#[test]
fn a_large_file_that_is_changed_counts_whole() {
    let place = Place::new();
    fs::write(place.tree.join("large"), vec![7; 160 << 20]).unwrap();
    let before = place.picture_without_content();
    let ran = place.run_with("printf x >> large; while :; do :; done", |plan| plan.limits.layer_bytes = 100 << 20);
    assert_eq!(ran.report.ended, Some(Ended::LayerFull), "{} {}", ran.code, ran.stderr);
    ran.layer.discard().unwrap();
    assert_eq!(place.picture_without_content(), before);
}

#[test]
fn without_name_spaces_folders_are_read_and_nothing_is_written() {
    let place = Place::new();
    place.write("a", "open\n");
    place.write(".env", "hush\n");
    fs::write(place.home.join("secret"), "hush\n").unwrap();
    let env = place.tree.join(".env");
    let ran = place.run_with(
        "cat a .env ../secret; echo x > a; echo x > new; chmod 700 a; touch a; mkdir d; echo x > /dev/tcp/127.0.0.1/9; \
         setfattr -n user.x -v 1 a; renice 5 $$; mknod n p; ln a b; rm a; (setsid sleep 1000 >/dev/null 2>&1 &); \
         sed -n 1p a | grep -c open; python3 -c 'import socket;socket.socket(1)'; kill -0 1 || echo alone",
        |plan| {
            plan.mechanism = Mechanism::Landlock;
            plan.hidden.push(env);
        },
    );
    assert_eq!(ran.stdout, "open\n1\nalone\n", "{}", ran.stderr);
    let names: Vec<_> = place.picture().iter().map(|line| line.split(' ').next().unwrap().to_owned()).collect();
    assert_eq!(names, ["", ".env", "a"]);
    assert_eq!(place.read("a"), "open\n");
    assert_eq!(ran.code, 0);
}

#[test]
fn with_nothing_at_all_the_rest_still_ends() {
    let place = Place::new();
    let marker = format!("confine-bare-{}", std::process::id());
    let ran = place.run_with(&format!("(setsid env -i bash -c 'exec -a {marker} sleep 1000' &) ; exit 5"), |plan| {
        plan.mechanism = Mechanism::Bare;
    });
    assert_eq!(ran.code, 5);
    let found = fs::read_dir("/proc").unwrap().flatten().any(|entry| {
        fs::read(entry.path().join("cmdline")).is_ok_and(|line| String::from_utf8_lossy(&line).contains(&marker))
    });
    assert!(!found);
}

#[test]
fn room_on_the_disk_is_taken_by_writing_alone() {
    let place = Place::new();
    let ran = place.run(
        "python3 -c 'import ctypes,os;l=ctypes.CDLL(None,use_errno=True);f=os.open(\"a\",66);\
         print(l.fallocate(f,0,ctypes.c_long(0),ctypes.c_long(1<<20)),os.strerror(ctypes.get_errno()));\
         os.posix_fallocate(f,0,1<<20);print(os.fstat(f).st_size)'",
    );
    assert_eq!(ran.stdout, "-1 Operation not supported\n1048576\n", "{}", ran.stderr);
}
