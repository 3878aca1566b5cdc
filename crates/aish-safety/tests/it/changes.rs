//! What commands change, as far as their text names it.

use aish_safety::Surroundings;
use aish_safety::change::{GitChange, How, PathText, Reach, Target};

use crate::analysed::{explain, judge_command};

fn around() -> Surroundings {
    Surroundings {
        folder: Some("/work/project".into()),
        home: Some("/home/ana".into()),
        variables: [("TMPDIR".into(), "/tmp/ana".into())].into(),
        ..Surroundings::default()
    }
}

fn path(path: &PathText) -> String {
    let folder = path.folder.as_ref().map_or(String::new(), |folder| format!("[{folder}]"));
    format!("{folder}{}{}", path.text, if path.pattern { "~" } else { "" })
}

fn paths(list: &[PathText]) -> String {
    list.iter().map(path).collect::<Vec<_>>().join(",")
}

fn show(target: &Target) -> String {
    let word = |how: &How, reach: &Reach| {
        let how = match how {
            How::Attributes => "attributes",
            How::Move => "move",
            How::Remove => "remove",
            How::Write => "write",
        };
        format!("{how}{}", if *reach == Reach::Tree { "*" } else { "" })
    };
    match target {
        Target::Path { path: at, how, reach, names } if names.is_empty() => {
            format!("{} {}", word(how, reach), path(at))
        }
        Target::Path { path: at, how, reach, names } => {
            format!("{} {} named {}", word(how, reach), path(at), names.join(","))
        }
        Target::Into { destination, sources, how, reach } => {
            format!("{} {} <- {}", word(how, reach), path(destination), paths(sources))
        }
        Target::Git { folder, what } => match what {
            GitChange::Tracked { against, paths: of } => {
                format!("git {} tracked {} of {}", path(folder), paths(of), against.as_deref().unwrap_or("-"))
            }
            GitChange::Untracked { ignored, paths: of } => {
                format!("git {} untracked {ignored} {}", path(folder), paths(of))
            }
            GitChange::Records { refs } => format!("git {} records {}", path(folder), refs.join(",")),
        },
    }
}

#[track_caller]
fn check(command: &str, expected: &[&str]) {
    let found = explain(command, &around()).changes;
    let mut shown: Vec<String> = found.targets.iter().map(show).collect();
    shown.extend(found.unnamed.iter().map(|text| format!("? {text}")));
    assert_eq!(shown, expected, "{command}");
}

#[test]
fn deletions_and_moves() {
    check("rm a 'b c'", &["remove a", "remove b c"]);
    check("rm -rf src *.log", &["remove* src", "remove* *.log~"]);
    check("rm '*.log'", &["remove *.log"]);
    check("mv a b", &["move* a", "remove* b <- a"]);
    check("mv -t old a b", &["move* a", "move* b", "remove* old <- a,b"]);
    check("mv -T a b", &["move* a", "remove* b"]);
    check("rmdir old && unlink x", &["remove old", "remove x"]);
    check("find . -name '*.o' -delete", &["remove* . named *.o"]);
    check("find a b -type f -delete", &["remove* a", "remove* b"]);
    check("find src -name '*.o' -exec rm {} +", &["remove* src named *.o"]);
}

#[test]
fn writes() {
    check("echo hi > notes.txt", &["write notes.txt"]);
    check("echo hi >| a 2>/dev/null; echo b >> c", &["write a", "write c"]);
    check("cat x | tee -a y z > /dev/null", &["write y", "write z"]);
    check("cp a b", &["write b <- a"]);
    check("cp -r src/. dest", &["write* dest <- src/."]);
    check("sed -i s/a/b/ x y", &["write x", "write y"]);
    check("sed -Ei.bak -e s/a/b/ x", &["write x"]);
    check("sed s/a/b/ x", &[]);
    check("perl -pi -e s/a/b/ x y", &["write x", "write y"]);
    check("perl -i.bak -ne print x", &["write x"]);
    check("perl -ne print x", &[]);
    check("gawk -i inplace '{print}' x", &["write x"]);
    check("truncate -s 0 log; dd if=/dev/zero of=disk bs=1 count=1", &["write log", "write disk"]);
    check("ln -sf a b", &["remove b <- a"]);
    check("install -m 644 a /etc/a", &["write /etc/a <- a"]);
    check("curl -so page.html https://x.example", &["write page.html"]);
    check("tar czf out.tgz src", &["write out.tgz"]);
    check("patch src/main.rs fix.diff", &["write src/main.rs"]);
    check("rsync -a --delete src/ dest/", &["write* dest/"]);
}

#[test]
fn modes() {
    check("chmod -R 644 src", &["attributes* src"]);
    check("chmod -x run.sh", &["attributes run.sh"]);
    check("sudo chown ana:ana a", &["attributes a"]);
}

#[test]
fn through_the_shell() {
    check("cd sub && rm x", &["remove [sub]x"]);
    check("cd /srv; (cd data; rm x); rm y", &["remove [/srv/data]x", "remove [/srv]y"]);
    check("f() { rm \"$1\"; }; f notes.txt", &["remove notes.txt"]);
    check("x=old; rm $x/a $TMPDIR/b", &["remove old/a", "remove /tmp/ana/b"]);
    check("for f in a b; do rm \"$f\"; done", &["remove a", "remove b"]);
    // Each round has another name of those that the pattern finds: all of them are meant, quoted or not.
    for line in [
        "for f in *.txt; do rm \"$f\"; done",
        "for f in *.txt; do rm $f; done",
        "for f in *.txt; do rm -- \"${f}\"; done",
        "set -- *.txt; rm \"$@\"",
        "set -- *.txt; while [ $# -gt 0 ]; do rm \"$1\"; shift; done",
        "files=(*.txt); rm \"${files[@]}\"",
        "clean() { rm \"$@\"; }; clean *.txt",
    ] {
        check(line, &["remove *.txt~"]);
    }
    check("for f in [a-c]og*; do rm \"$f\"; done", &["remove *og*~"]);
    check("x='*.txt'; rm \"$x\"", &["remove *.txt"]);
    check("bash -c 'rm a' && nohup timeout 5 rm b", &["remove a", "remove b"]);
    check("rm ~/notes {a,b}.txt", &["remove ~/notes", "remove a.txt", "remove b.txt"]);
    check("mkdir -p a/b && echo x > a/b/c", &["attributes a", "attributes a/b", "write a/b/c"]);
    check("echo x > log-$(date +%F).txt", &["write log-*.txt~"]);
    check("printf 'a\\nb\\n' | xargs rm", &["remove a", "remove b"]);
}

#[test]
fn git() {
    check("git checkout -- .", &["git . tracked . of -", "git . records "]);
    check("git reset --hard HEAD~2", &["git . tracked  of HEAD~2", "git . records "]);
    check("git -C sub restore --source=main a b", &["git sub tracked a,b of main", "git sub records "]);
    check("cd sub; git clean -fdx", &["git [sub]. untracked true "]);
    check("git clean -n", &[]);
    check("git stash drop", &["git . records stash"]);
    check("git branch -D old", &["git . records heads/old"]);
    check("git rm -r src", &["remove* src", "git . records "]);
    check("git status && git commit -m x", &[]);
}

#[test]
fn what_cannot_be_named_is_said() {
    check("rm \"$UNKNOWN\"", &["? what `rm …` changes: its names are not known before it runs"]);
    check("git ls-files | xargs rm", &["? what `rm …` changes: its names are not known before it runs"]);
    check("tar xf a.tar", &["? what `tar xf a.tar` changes: its names are not known before it runs"]);
    check("kubectl delete ns prod", &["? what `kubectl delete ns prod` changes"]);
    check("ssh host rm -rf /srv", &["? what `rm -rf /srv` changes"]);
    check("git push --force", &["? what `git push --force` changes"]);
    check("ls -la && cat x", &[]);
}

/// What undo puts aside and what is judged are the same command, variables included.
#[test]
fn the_judgement_and_the_changes_come_from_one_walk() {
    let variables = [("DATA".to_owned(), "/srv/data".to_owned())].into();
    let analysis = explain("rm -rf \"$DATA\"", &Surroundings { variables, ..around() });
    assert!(analysis.judgement.reason.contains("/srv/data"), "{:?}", analysis.judgement);
    let targets: Vec<String> = analysis.changes.targets.iter().map(show).collect();
    assert_eq!(targets.len(), 1);
    assert!(targets[0].contains("/srv/data"), "{targets:?}");
}

/// Repeated commands are judged once, and what they change is written down all the same.
#[test]
fn what_a_repeated_command_changes_is_written_down_each_time() {
    let changes = explain("rm a; rm b; rm a; rm b; (cd /srv; rm a)", &around()).changes;
    let targets: Vec<String> = changes.targets.iter().map(show).collect();
    assert_eq!(targets.len(), 5, "{targets:?}");
    assert!(targets[4].contains("/srv"), "{targets:?}");
}

#[test]
fn an_editor_in_place_changes_its_operands_and_not_its_script() {
    for command in [
        "sed -i s/a/b/ f",
        "sed -i.bak s/a/b/ f",
        "sed --in-place=.bak s/a/b/ f",
        "sed -n -i p f",
        "sed -ni p f",
        "sed -i -e s/a/b/ f",
        "sed -i --expression=s/a/b/ f",
        "sed -e s/a/b/ -i f",
        "gsed -i s/a/b/ f",
    ] {
        check(command, &["write f"]);
        let judgement = judge_command(command, &around());
        assert_eq!(judgement.reason, "changes f in place", "{command}");
    }
    for command in ["sed -i '' s/a/b/ f", "sed -i -f x.sed f", "perl -pi -e s/a/b/ f", "perl -i.bak -pe s/a/b/ f"] {
        check(command, &["write f"]);
    }
    for command in [
        "sed -i s/a/b/ /etc/hosts",
        "sed -i -e s/a/b/ /etc/hosts",
        "perl -pi -e s/a/b/ /etc/hosts",
        "gawk -i inplace '{print}' /etc/hosts",
    ] {
        let judgement = judge_command(command, &around());
        assert_eq!(judgement.reason, "changes the system file /etc/hosts in place", "{command}");
    }
}

#[test]
fn a_file_is_no_script_where_an_option_gives_the_script() {
    for command in ["sed -e s/a/b/ f", "sed -n -e 1,5p -e 9p f", "sed --expression=p notes.txt"] {
        let judgement = judge_command(command, &around());
        assert_eq!(judgement.rule.to_string(), "read.sed", "{command}");
    }
    for command in
        ["sed -e '1e rm -rf /srv/data' f", "sed '1e rm -rf /srv/data' f", "sed -i '' '1e rm -rf /srv/data' f"]
    {
        assert_eq!(judge_command(command, &around()).verdict, aish_safety::Verdict::Halt, "{command}");
    }
}
