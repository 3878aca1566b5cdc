//! What guarded names lead to, at any depth of the tree and from the home folder, is guarded as they are.

use std::fs;
use std::os::unix::fs::symlink;

use aish_confine::{Caches, Settings};

use crate::place::Place;

/// A tree in which guarded names lead to ordinary ones in every way that is known.
fn place() -> Place {
    let place = Place::new();
    for (path, text) in [
        (".git/HEAD", "ref: refs/heads/main\n"),
        (".git/hooks/pre-push", "#!/bin/sh\nexec sh tools/check\n"),
        (".husky/keep", ""),
        (".envrc", "source \"$PWD/tools/inc.sh\"\n"),
        ("tools/inc.sh", ". \"$(dirname \"$0\")\"/more\n"),
    ] {
        place.write(path, text);
    }
    for path in ["tools/h.sh", "tools/check", "tools/more", "tools/other", "docs/guide.md", "docs/guide2.md"] {
        place.write(path, "");
    }
    for path in ["dot/init.el", "dot/x.service", "dot/a.fish", "dot/claude.md", "dot/tasks.json", "docs/style.md"] {
        place.write(path, "");
    }
    fs::write(place.tree.join("CLAUDE.md"), b"caf\xe9\n@docs/style.md\n").unwrap();
    let config = b"[author]\n\tname = Jos\xe9\n[core]\n\thooksPath = .husky\n";
    fs::write(place.tree.join(".git/config"), config).unwrap();
    for (target, link) in [
        ("../tools/h.sh", ".husky/pre-commit"),
        ("guide.md", "docs/AGENTS.md"),
        ("../docs/guide2.md", ".claude/CLAUDE.md"),
        ("../dot/tasks.json", ".vscode/tasks.json"),
    ] {
        fs::create_dir_all(place.tree.join(link).parent().unwrap()).unwrap();
        symlink(target, place.tree.join(link)).unwrap();
    }
    for (target, link) in [
        ("dot/init.el", ".emacs.d/init.el"),
        ("dot/x.service", ".config/systemd/user/x.service"),
        ("dot/a.fish", ".config/fish/conf.d/a.fish"),
        ("dot/claude.md", ".claude/CLAUDE.md"),
    ] {
        fs::create_dir_all(place.home.join(link).parent().unwrap()).unwrap();
        symlink(place.tree.join(target), place.home.join(link)).unwrap();
    }
    place
}

fn guarded(place: &Place, line: &str) -> Vec<String> {
    let ran = place.run(line);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let settings = Settings { home: Some(place.home.clone()), ..Settings::default() };
    let found = ran.layer.guarded(&ran.layer.changes(Caches::LeftOut).unwrap(), &settings);
    found.into_iter().map(|one| one.path.display().to_string()).collect()
}

#[test]
fn what_guarded_names_lead_to_is_guarded() {
    let place = place();
    for path in [
        "tools/h.sh",
        "docs/guide.md",
        "docs/guide2.md",
        "dot/tasks.json",
        "dot/init.el",
        "dot/x.service",
        "dot/a.fish",
        "dot/claude.md",
        "tools/check",
        "tools/inc.sh",
        "tools/more",
        "docs/style.md",
    ] {
        assert_eq!(guarded(&place, &format!("echo y >> {path}")), [path]);
    }
    for path in ["tools/other", "docs/other.md", "dot/other"] {
        assert_eq!(guarded(&place, &format!("echo y >> {path}")), [""; 0], "{path}");
    }
}

#[test]
fn a_byte_that_is_no_utf_8_hides_no_folder_of_hooks() {
    let place = place();
    let config = b"[author]\n\tname = Jos\xe9\n[core]\n\thooksPath = tools/hooks\n";
    fs::write(place.tree.join(".git/config"), config).unwrap();
    place.write("tools/hooks/pre-commit", "");
    assert_eq!(guarded(&place, "echo y >> tools/hooks/pre-commit"), ["tools/hooks/pre-commit"]);
}
