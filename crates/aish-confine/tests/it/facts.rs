//! What changed, as facts.

use aish_confine::Caches;
use aish_confine::ChangeKind::{Changed, Deleted, New};

use crate::place::Place;

/// Lists changes as `kind path files bytes`.
fn facts(place: &Place, line: &str) -> Vec<String> {
    let ran = place.run(line);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let changes = ran.layer.changes(Caches::LeftOut).unwrap();
    let mut lines: Vec<String> = changes
        .changes
        .iter()
        .map(|c| {
            let mode = c.mode.map(|(old, new)| format!(" {old:o}>{new:o}")).unwrap_or_default();
            let (files, bytes) = c.gone;
            let gone = if files == 0 { String::new() } else { format!(" without {files} {bytes}") };
            format!("{} {} {} {}{gone}{mode}", c.kind.as_str(), c.path.display(), c.files, c.bytes)
        })
        .collect();
    lines.extend(changes.refused.iter().map(|r| format!("refused {}: {}", r.path.display(), r.why)));
    lines
}

#[test]
fn every_kind_of_change_is_told() {
    let place = Place::new();
    place.write("changed", "old\n");
    place.write("gone/a", "12");
    place.write("gone/b/c", "345");
    place.write("untouched", "x");
    place.write("mode", "x");
    place.write("was-file", "x");
    place.write("replaced/a", "x");
    let line = "echo new > changed; rm -r gone; mkdir -p new/deep; echo 123 > new/deep/f; chmod 700 mode; rm was-file; \
                mkdir was-file; echo > was-file/x; rm -r replaced; mkdir replaced; echo b > replaced/b; cat untouched; \
                : >> untouched; touch -r untouched untouched; echo x > t; rm t; ln -s changed link; touch 'a b'";
    let expected = [
        "new a b 1 0",
        "changed changed 1 4 without 1 4",
        "deleted gone 2 5 without 2 5",
        "new link 1 7",
        "changed mode 1 1 644>700",
        "new new 1 4",
        "changed replaced 1 2 without 1 1",
        "changed was-file 1 1 without 1 1 644>755",
    ];
    assert_eq!(facts(&place, line), expected);
    assert_eq!((New.as_str(), Changed.as_str(), Deleted.as_str()), ("new", "changed", "deleted"));
}

#[test]
fn what_must_not_come_into_a_tree_is_refused() {
    let place = Place::new();
    place.write("a", "x");
    let line = "mkfifo f; mkdir d; mkfifo d/f; ln -s /etc/shadow out; ln -s ../../x out2; ln -s /usr/bin/env fine; \
                ln -s a fine2; cp /bin/true s; chmod u+s s; python3 -c \"import socket;socket.socket(1).bind('d/s')\"";
    let found = facts(&place, line);
    let refused: Vec<&str> = found.iter().filter_map(|line| line.strip_prefix("refused ")?.split(':').next()).collect();
    assert_eq!(refused, ["d/f", "d/s", "f", "out", "out2", "s"]);
    let others: Vec<&String> = found.iter().filter(|line| !line.starts_with("refused")).collect();
    assert_eq!(others, ["new d 2 0", "new fine 1 12", "new fine2 1 1"]);
}

#[test]
fn links_that_lead_out_by_other_links_are_refused() {
    let place = Place::new();
    place.write("a/b/c", "x");
    let out = place.home.join("out");
    std::fs::create_dir(&out).unwrap();
    std::os::unix::fs::symlink(&out, place.tree.join("persons")).unwrap();
    std::os::unix::fs::symlink("..", place.tree.join("a/up")).unwrap();
    let tree = place.tree.display().to_string();
    for target in ["a/up/../out", "persons", "persons/x", "two", "./a/../b", &format!("{tree}/persons/x")] {
        let line = format!("ln -s a/up up2; ln -s persons/x two 2>/dev/null; ln -s '{target}' l");
        let found = facts(&place, &line);
        assert!(found.iter().any(|line| line.starts_with("refused l:")), "{target}: {found:?}");
        assert!(found.iter().any(|line| line.starts_with("new up2")), "{target}: {found:?}");
    }
    for target in ["a/up/a/b/c", "missing/x", &format!("{tree}/a/up/a"), "/usr/bin/env", "a", "round", "l"] {
        let found = facts(&place, &format!("ln -s round round; ln -s '{target}' l"));
        assert!(
            found.iter().all(|line| line.starts_with("new l ") || line.starts_with("new round ")),
            "{target}: {found:?}"
        );
    }
}

#[test]
fn the_mode_of_a_folder_is_a_change() {
    let place = Place::new();
    place.write("d/a", "x");
    assert_eq!(facts(&place, "chmod 700 d; echo >> d/a"), ["changed d 1 0 755>700", "changed d/a 1 2 without 1 1"]);
    assert_eq!(facts(&place, "chmod 700 ."), ["changed  1 0 755>700"]);
    assert_eq!(facts(&place, "mkdir x; rmdir x; cp -a d e; rm -r e"), [""; 0]);
}
