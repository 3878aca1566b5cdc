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

/// Writes the tree of a person with files around it, from the home folder, and says which of some lines are asked about.
fn kept(files: &[(&str, &str)], links: &[(&str, &str)], lines: &[&str]) -> Vec<String> {
    let place = Place::new();
    place.write(".git/HEAD", "ref: refs/heads/main\n");
    for (path, text) in files {
        let path = place.home.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text.replace("~/", &format!("{}/", place.home.display()))).unwrap();
    }
    for (target, link) in links {
        let link = place.home.join(link);
        fs::create_dir_all(link.parent().unwrap()).unwrap();
        symlink(place.home.join(target), link).unwrap();
    }
    let is_kept = |line: &&&str| guarded(&place, line).is_empty();
    lines.iter().filter(is_kept).map(|line| (*line).to_owned()).collect()
}

const NONE: [String; 0] = [];

#[test]
fn a_link_whose_name_is_a_pattern_leads_to_settings() {
    let links = [
        ("tree/tools/h.yml", "tree/lefthook.yml"),
        ("tree/tools/agent", "tree/opencode.json"),
        ("tree/tools/work", "tree/x.code-workspace"),
    ];
    let lines =
        ["mkdir tools; echo x > tools/h.yml", "mkdir tools; echo x > tools/agent", "mkdir tools; echo x > tools/work"];
    assert_eq!(kept(&[], &links, &lines), NONE);
}

#[test]
fn a_link_of_the_home_is_found_beside_much_data() {
    let many: Vec<String> = (0..40).map(|number| format!(".local/share/icons/{number}/a/b/c/d/e/f/g/h/i")).collect();
    let mut files: Vec<(&str, &str)> = many.iter().map(|path| (path.as_str(), "")).collect();
    files.push(("tree/a.vim", ""));
    let links = [("tree/a.vim", ".vim/pack/x/start/y/plugin/z/a/b/c/a.vim")];
    assert_eq!(kept(&files, &links, &["echo x > a.vim"]), NONE);
}

#[test]
fn all_of_a_tree_in_a_hidden_folder_of_the_home_is_guarded() {
    let place = Place::new();
    for (tree, line, is_asked) in [
        (".config/fish", "mkdir conf.d; echo x > conf.d/a.fish", true),
        (".vim", "echo x > vimrc", true),
        (".local/bin", "echo x > ls", true),
        (".config/systemd/user", "echo x > x.service", true),
        ("work/.worktrees/topic", "echo x > a.c", false),
        (".cache/build", "echo x > a.c", false),
        ("work/plain", "echo x > a.c", false),
    ] {
        let tree = place.home.join(tree);
        fs::create_dir_all(&tree).unwrap();
        let at = Place {
            tree,
            home: place.home.clone(),
            layers: place.layers.clone(),
            _folder: tempfile::tempdir().unwrap(),
        };
        assert_eq!(!guarded(&at, line).is_empty(), is_asked, "{line} in {}", at.tree.display());
    }
}

#[test]
fn loops_and_folders_in_what_acts_by_itself_lead_on() {
    for (path, text, line) in [
        (".bashrc", "for f in ~/tree/bash/*.sh; do . \"$f\"; done\n", "echo x > bash/a.sh"),
        (".bashrc", "for f in ~/tree/*.sh; do . \"$f\"; done\n", "echo x > a.sh"),
        (".bashrc", ". ~/tree/{bash,y}/x.sh\n", "echo x > bash/x.sh"),
        (".bashrc", "cd ~/tree && . bash/x.sh\n", "echo x > bash/x.sh"),
        (".bashrc", "PATH=~/tree/bin:$PATH\n", "mkdir bin; cp /bin/true bin/ls"),
        (".zshenv", "ZDOTDIR=~/.config/zsh\n", "mkdir bin; cp /bin/true bin/zsh"),
        (".bashrc", "for f in ~/.bashrc.more/*; do . $f; done\n", "echo x > bash/x.sh"),
        (".profile", "export GIT_CONFIG_GLOBAL=~/own/git\n", "mkdir hk; echo x > hk/pre-commit"),
        ("tree/.envrc", "PATH_add bin\n", "mkdir bin; cp /bin/true bin/ls"),
        ("tree/.git/hooks/pre-commit", "for f in bash/*.sh; do sh \"$f\"; done\n", "echo x > bash/a.sh"),
        ("tree/.git/hooks/pre-commit", "run-parts bash\n", "echo x > bash/a.sh"),
        ("tree/.git/hooks/pre-commit", "find bash -exec sh {} \\;\n", "echo x > bash/a.sh"),
        ("tree/.git/config", "[core]\n\tfsmonitor = ./bin/mon\n", "mkdir bin; cp /bin/true bin/mon"),
        ("tree/.git/config", "[core]\n\tsshCommand = ssh -o ProxyCommand=bash/x.sh\n", "echo x > bash/x.sh"),
        (
            "tree/.git/config",
            "[diff \"x\"]\n\ttextconv = sh \\\"$(git rev-parse --show-toplevel)/bash/x.sh\\\"\n",
            "echo x > bash/x.sh",
        ),
    ] {
        let files = [
            (path, text),
            ("tree/bash/x.sh", ""),
            ("tree/src/a.c", ""),
            (".config/zsh/.zshrc", "path+=~/tree/bin\n"),
            (".bashrc.more/one", ". ~/tree/bash/x.sh\n"),
            ("own/git", "[core]\n\thooksPath = hk\n"),
        ];
        assert_eq!(kept(&files, &[], &[line]), NONE, "{text}");
        if !text.contains("tree/*") && !text.contains("tree/{") {
            assert_eq!(kept(&files, &[], &["echo x > src/a.c"]).len(), 1, "{text}");
        }
    }
}

#[test]
fn what_guarded_settings_name_is_guarded() {
    for (path, text, line) in [
        (
            "tree/.pre-commit-config.yaml",
            "repos:\n- hooks:\n  - {id: x, entry: sh tools/x.sh}\n",
            "echo x > tools/x.sh",
        ),
        ("tree/lefthook.yml", "pre-commit:\n  commands:\n    x:\n      run: sh tools/x.sh\n", "echo x > tools/x.sh"),
        ("tree/lefthook.yml", "extends: [tools/base.yml]\n", "echo x > tools/base.yml"),
        ("tree/lefthook.yml", "extends: [tools/base.yml]\n", "echo x > tools/deep.sh"),
        ("tree/mise.toml", "[env]\n_.source = \"./tools/x.sh\"\n", "echo x > tools/x.sh"),
        ("tree/flake.nix", "imports = [ ./tools/a.nix ];\n", "echo x > tools/a.nix"),
        ("tree/.claude/settings.json", "{\"command\": \"$CLAUDE_PROJECT_DIR/tools/x.sh\"}", "echo x > tools/x.sh"),
        (".claude/settings.json", "{\"command\": \"~/tree/tools/x.sh\"}", "echo x > tools/x.sh"),
        (".config/systemd/user/x.service", "[Service]\nExecStart=%h/tree/tools/x.sh\n", "echo x > tools/x.sh"),
        (".vimrc", "source ~/tree/tools/a.vim\n", "echo x > tools/a.vim"),
        ("tree/.gitignore", "src/a.c\n", ""),
        ("tree/.github/workflows/x.yml", "run: sh src/a.c\n", ""),
        (".bash_history", "vi ~/tree/src/a.c\n", ""),
    ] {
        let files = [
            (path, text),
            ("tree/tools/x.sh", ""),
            ("tree/tools/a.nix", ""),
            ("tree/tools/a.vim", ""),
            ("tree/tools/base.yml", "run: sh tools/deep.sh\n"),
            ("tree/tools/deep.sh", ""),
            ("tree/src/a.c", ""),
        ];
        if !line.is_empty() {
            assert_eq!(kept(&files, &[], &[line]), NONE, "{path}: {text}");
        }
        assert_eq!(kept(&files, &[], &["echo x > src/a.c"]).len(), 1, "{path}: {text}");
    }
}

#[test]
fn modules_that_interpreters_find_are_guarded() {
    for (path, text, line) in [
        ("tree/.git/hooks/pre-commit", "exec \"$PYTHON\" -mpre_commit hook\n", "echo x > pre_commit.py"),
        ("tree/.git/hooks/pre-commit", "exec \"$PYTHON\" -mpre_commit hook\n", "echo x > json.py"),
        (
            "tree/.git/config",
            "[filter \"x\"]\n\tclean = \\\"/bin/python3\\\" -m nbstripout\n",
            "echo x > nbstripout.py",
        ),
        ("tree/.git/hooks/pre-commit", "python3 tools/check.py\n", "echo x > tools/json.py"),
        ("tree/.git/hooks/pre-commit", "python3 -m tools.check\n", "echo x > tools/check.py"),
        ("tree/.git/hooks/pre-commit", "tools/run\n", "echo x > tools/helper.py"),
        ("tree/.git/hooks/pre-commit", "node tools\n", "echo x > tools/index.js"),
        ("tree/.git/hooks/pre-commit", "node tools/one\n", "echo x > tools/one.js"),
        ("tree/.git/hooks/pre-commit", "node tools/one\n", "echo x > lib/x.js"),
        ("tree/.git/hooks/pre-commit", "node tools/later\n", "echo x > tools/later.js"),
    ] {
        let files = [
            (path, text),
            ("tree/tools/check.py", "import helper\n"),
            ("tree/tools/run", "#!/usr/bin/env python3\nimport helper\n"),
            ("tree/tools/one.js", "require('../lib/x')\n"),
            ("tree/lib/x.js", ""),
            ("tree/src/a.py", ""),
        ];
        assert_eq!(kept(&files, &[], &[line]), NONE, "{text}: {line}");
        assert_eq!(kept(&files, &[], &["echo x > src/a.py", "echo x > main.py"]).len(), 2, "{text}");
    }
}
