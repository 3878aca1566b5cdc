//! Guarded places: what is told beside a change, and what is ordinary.

use aish_confine::{Caches, Change, Settings};

use crate::place::Place;

fn guarded(line: &str) -> Vec<String> {
    let place = Place::new();
    place.write("src/main.rs", "fn main() {}\n");
    place.write("run", "#!/bin/sh\n");
    place.write("package.json", "{\"scripts\":{\"test\":\"x\"}}");
    place.write(".git/config", "[core]\n\tbare = false\n");
    place.write(".git/HEAD", "ref: refs/heads/main\n");
    place.write(".git/refs/heads/main", "");
    place.write(".git/objects/ab/0123456789abcdef0123456789abcdef012345", "");
    let ran = place.run(line);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let changes = ran.layer.changes(Caches::LeftOut).unwrap().changes;
    let settings = Settings {
        is_settings_file: |name| ["Makefile.local", "mise/config.toml", "mise/conf.d"].contains(&name),
        ordinary: vec![".config/fine/**".to_owned()],
        ..Settings::default()
    };
    let is_guarded = |change: &&Change| ran.layer.guard(change, &settings).is_some();
    changes.iter().filter(is_guarded).map(|change| change.path.display().to_string()).collect()
}

#[test]
fn places_that_act_later_are_guarded() {
    for (line, path) in [
        ("echo x > .envrc", ".envrc"),
        ("mkdir .vscode; echo {} > .vscode/tasks.json", ".vscode"),
        ("mkdir -p a/b; echo x > a/b/.npmrc", "a"),
        ("mkdir .git/hooks; echo x > .git/hooks/post-checkout", ".git/hooks"),
        ("printf '[core]\\n\\tfsmonitor = x\\n' >> .git/config", ".git/config"),
        ("mkdir -p .git/objects/info; echo /x > .git/objects/info/alternates", ".git/objects/info"),
        ("echo x > AGENTS.md", "AGENTS.md"),
        ("mkdir -p skills/x; echo x > skills/x/SKILL.md", "skills"),
        ("chmod +x run", "run"),
        ("printf '#!/bin/sh\\n' > new; chmod +x new", "new"),
        ("echo '{\"scripts\":{\"test\":\"y\"}}' > package.json", "package.json"),
        ("echo x > Makefile.local", "Makefile.local"),
        ("mkdir -p a/mise; echo x > a/mise/config.toml", "a"),
        ("mkdir -p mise/conf.d; echo x > mise/conf.d/a.toml", "mise"),
        // Git takes what looks like a repository for one, in a built folder and under any name.
        ("mkdir -p target/x/.git; printf '[core]\\n\\tfsmonitor = x\\n' > target/x/.git/config", "target"),
        ("mkdir -p deep; echo 'gitdir: ../kept' > deep/.git", "deep"),
        ("mkdir -p b/objects b/refs; echo x > b/HEAD; printf '[alias]\\n\\tx = !y\\n' > b/config", "b"),
        ("mkdir -p b/hooks; echo ../.git > b/commondir; echo x > b/HEAD; echo x > b/hooks/update", "b"),
        ("echo /elsewhere > .git/commondir", ".git/commondir"),
        ("mkdir -p out; echo x > out/AGENTS.md", "out"),
        ("echo x > '--checkpoint-action=exec=sh x'", "--checkpoint-action=exec=sh x"),
        ("mkdir -p a; echo x > a/-rf", "a"),
        ("echo x > \"$(printf 'a\\nb')\"", "a\nb"),
        ("rm -r .git", ".git"),
        ("rm -r .git; echo 'gitdir: kept' > .git", ".git"),
        // A file is no folder of results, whatever its name is, and the shell runs a text without its first line.
        ("printf '#!/bin/sh\\n' > build; chmod +x build", "build"),
        ("echo ls > new; chmod +x new", "new"),
        ("touch new; chmod +x new", "new"),
        ("printf '\\177ELF\\nls\\n' > new; chmod +x new", "new"),
        ("rm -r src; printf '#!/bin/sh\\n' > src; chmod +x src", "src"),
        ("ln -s run l; rm l; echo ls > l; chmod 755 l", "l"),
        // A folder of git's that leads elsewhere.
        ("mkdir evil; rm -rf .git/hooks; ln -s ../evil .git/hooks", ".git/hooks"),
        ("mkdir -p evil .git/modules; ln -s ../../evil .git/modules/x", ".git/modules"),
        ("printf '[branch \"x\"]\\n\\tpushremote = https://example.org\\n' >> .git/config", ".git/config"),
        ("echo x > CLAUDE.local.md", "CLAUDE.local.md"),
        ("mkdir docs; echo x > docs/AGENTS.override.md", "docs"),
        ("echo x > flake.nix", "flake.nix"),
        ("chmod 666 src/main.rs", "src/main.rs"),
        ("chmod 777 src", "src"),
        ("echo '{\"scripts\":{\"test\":\"x\"},\"packageManager\":\"x@1\"}' > package.json", "package.json"),
        // Keys that stand beside their section, and what redirects a push without an address in the settings.
        ("printf '[core] fsmonitor = \"touch x\" # ]\\n' >> .git/config", ".git/config"),
        (
            "printf '[branch \"m\"]\\n\\tremote = evil\\n[remote \"evil\"]\\n\\tfetch = x\\n' >> .git/config",
            ".git/config",
        ),
        ("mkdir .git/branches; echo /elsewhere > .git/branches/evil", ".git/branches"),
        ("mkdir .git/remotes; echo 'URL: /elsewhere' > .git/remotes/evil", ".git/remotes"),
        // What only looks like a repository hides nothing.
        ("mkdir -p x/refs x/objects/app; echo x > x/HEAD; echo x > x/objects/app/CLAUDE.md", "x"),
        ("mkdir -p x/refs x/objects x/logs; echo x > x/HEAD; echo ls > x/logs/run; chmod +x x/logs/run", "x"),
        ("echo 'Run x' > .git/refs/heads/x", ".git/refs/heads/x"),
        ("touch .git/objects/ab/run", ".git/objects/ab/run"),
        ("mkdir -p x/refs x/objects; echo 'ref: refs/heads/m' > x/HEAD; echo x > x/.envrc", "x"),
        // Everybody can change it.
        ("mkdir -m 777 open", "open"),
        ("mkdir open; touch open/x; chmod 666 open/x", "open"),
        ("rm -r src; mkdir src; chmod 777 src", "src"),
        ("mkdir -p q .git/modules; printf 'gitdir: ../.git/modules/x\\n/../../../kept\\n' > q/.git", "q"),
        ("echo x > Agents.md", "Agents.md"),
        ("echo x > AmazonQ.md", "AmazonQ.md"),
        ("echo {} > opencode.json", "opencode.json"),
        ("echo x > lefthook-local.toml", "lefthook-local.toml"),
        ("echo x > devenv.local.nix", "devenv.local.nix"),
        ("echo x > lint-staged.config.mjs", "lint-staged.config.mjs"),
        ("echo x > Jenkinsfile", "Jenkinsfile"),
        ("mkdir ci; echo x > ci/azure-pipelines.yml", "ci"),
        ("echo {} > x.code-workspace", "x.code-workspace"),
        ("echo {} > binding.gyp", "binding.gyp"),
    ] {
        assert_eq!(guarded(line), [path], "{line}");
    }
    // A folder that was there becomes a repository, and what is in it a hook.
    let found = guarded("mkdir src/refs src/objects; echo 'ref: refs/heads/m' > src/HEAD");
    assert_eq!(found, ["src/HEAD", "src/objects", "src/refs"]);
}

#[test]
fn what_acts_under_another_name_and_sources_in_built_folders_are_guarded() {
    let of = |line: &str| {
        let place = Place::new();
        let set_up = "git init -q && mkdir -p tools/hooks build docs && echo x > build/main.c && echo x > tools/check \
            && echo x > docs/guide && echo x > tools/hooks/pre-push && git add . && ln -s docs/guide CLAUDE.md \
            && ln -s ../../tools/check .git/hooks/pre-commit && git config core.hooksPath tools/hooks \
            && mkdir settings && echo '[include] path = inner' > settings/git && touch settings/inner \
            && git config --add include.path ../settings/git && git config --add include.path ../settings/later";
        let done = std::process::Command::new("sh").args(["-c", set_up]).current_dir(&place.tree).status().unwrap();
        assert!(done.success());
        let ran = place.run(line);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        let changes = ran.layer.changes(Caches::LeftOut).unwrap().changes;
        let guards = ran.layer.guards(&changes, &Settings::default());
        let found = changes.iter().zip(guards).filter(|(_, paths)| !paths.is_empty());
        found.map(|(change, _)| change.path.display().to_string()).collect::<Vec<_>>()
    };
    for (line, path) in [
        ("echo y >> tools/check", "tools/check"),
        ("echo y >> tools/hooks/pre-push", "tools/hooks/pre-push"),
        ("echo y > tools/hooks/post-merge", "tools/hooks/post-merge"),
        ("mv tools gone; mkdir tools; cp -r gone/* tools", "tools"),
        ("echo y > docs/guide", "docs/guide"),
        ("echo y > settings/git", "settings/git"),
        ("echo y > settings/inner", "settings/inner"),
        ("echo y > settings/later", "settings/later"),
        ("echo y > build/.envrc", "build/.envrc"),
        ("printf '#!/bin/sh\\n' > build/new; chmod +x build/new", "build/new"),
    ] {
        let found = of(line);
        assert!(found.iter().any(|found| found == path), "{line}: {found:?}");
    }
    for line in
        ["echo y > build/main.c", "echo y > docs/other", "echo y > settings/other", "mkdir dist; echo y > dist/.stamp"]
    {
        assert_eq!(of(line), [""; 0], "{line}");
    }
}

#[test]
fn what_the_person_and_instructions_name_is_guarded() {
    let place = Place::new();
    std::fs::write(place.home.join(".gitconfig"), "[core]\n\thooksPath = tools/hooks\n").unwrap();
    place.write("CLAUDE.md", "Read @docs/style.md before you begin.\n");
    place.write("docs/style.md", "short\n");
    place.write("src/AGENTS.md", "@notes.txt\n");
    let ran = place.run("mkdir -p tools/hooks docs/new; for f in tools/hooks/pre-commit docs/style.md src/notes.txt docs/new/x src/x; do echo y > $f; done");
    let changes = ran.layer.changes(Caches::LeftOut).unwrap();
    let settings = Settings { home: Some(place.home.clone()), ..Settings::default() };
    let found: Vec<_> = ran.layer.guarded(&changes, &settings).into_iter().map(|one| one.path).collect();
    let expected = ["docs/style.md", "src/notes.txt", "tools"].map(std::path::PathBuf::from);
    assert_eq!(found, expected);
    let found: Vec<_> = ran.layer.guarded(&changes, &Settings::default()).into_iter().map(|one| one.path).collect();
    assert_eq!(found, expected[..2]);
}

#[test]
fn everyday_changes_are_ordinary() {
    for line in [
        "echo x >> src/main.rs; rm run",
        "mkdir -p target/debug/.fingerprint; cp /bin/true target/debug/x; echo x > target/.rustc_info.json",
        "mkdir -p node_modules/.bin; printf '#!/bin/sh\\n' > node_modules/.bin/x; chmod +x node_modules/.bin/x",
        "printf '[branch \"x\"]\\n\\tmerge = refs/heads/x\\n' >> .git/config",
        "git read-tree --empty; mkdir -p .git/logs .git/objects/cd; echo x > .git/objects/cd/0123456789abcdef0123456789abcdef012345; echo 'ref: refs/heads/x' > .git/HEAD",
        "git init -q --bare kept.git && git init -q --object-format=sha256 other",
        "mkdir -p .git/hooks; echo x > .git/hooks/pre-push.sample",
        "mkdir .pytest_cache; echo x > .pytest_cache/x",
        "mkdir -p .config/fine; echo x > .config/fine/x",
        "echo '{\"scripts\":{\"test\":\"x\"},\"version\":\"2\"}' > package.json",
        "cp /bin/true compiled",
        "git init -q sub && mkdir module && echo 'gitdir: ../.git/modules/module' > module/.git",
        "mkdir objects refs; echo x > objects/config",
        "mkdir docs; echo x > docs/claude.md; echo x > README.md; echo x > AGENTS.txt",
        "mkdir build; cp /bin/true build/x; rm -r src",
    ] {
        let found = guarded(line);
        // A folder that is new is judged by what is in it, and by its own name.
        assert!(found.iter().all(|path| path == ".config"), "{line}: {found:?}");
    }
}

#[test]
fn what_is_guarded_is_named_within_a_new_folder() {
    let place = Place::new();
    let ran = place.run(
        "mkdir -p a/b .vscode/c; echo x > a/b/.npmrc; echo x > a/b/plain; echo x > a/AGENTS.md; echo x > .vscode/c/d",
    );
    let settings = Settings { ordinary: vec!["a/AGENTS.md".to_owned()], ..Default::default() };
    let found = ran.layer.guarded(&ran.layer.changes(Caches::LeftOut).unwrap(), &settings);
    let found: Vec<_> = found.iter().map(|one| (one.path.to_str().unwrap(), one.why)).collect();
    let why = "its name begins with a dot: settings are kept there";
    assert_eq!(found, [(".vscode", why), ("a/b/.npmrc", why)]);
}

#[test]
fn a_repository_that_goes_with_a_folder_is_told() {
    let place = Place::new();
    for name in ["sub/deep/.git/HEAD", "sub/deep/a", "plain/.config/x"] {
        place.write(name, "x\n");
    }
    let guards = |line: &str| {
        let ran = place.run(line);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        let changes = ran.layer.changes(Caches::LeftOut).unwrap().changes;
        let found = ran.layer.guards(&changes, &Settings::default()).into_iter().flatten();
        found.map(|guarded| guarded.path.display().to_string()).collect::<Vec<_>>()
    };
    for line in ["rm -r sub", "rm -r sub; mkdir sub", "rm -r sub; echo x > sub"] {
        assert_eq!(guards(line), ["sub/deep/.git"], "{line}");
    }
    assert_eq!(guards("rm -r plain"), ["plain/.config"], "as one that is deleted by itself");
    assert_eq!(guards("rm -r sub/deep/a"), [""; 0]);
}

#[test]
fn what_is_only_in_a_repository_is_not_deleted_unasked() {
    let place = Place::new();
    let set_up = "git init -q . && git init -q --bare mirror.git && git config user.name a && git config user.email a@b \
        && for n in 1 2 3; do echo $n > a; git add a; git commit -qm $n; done && git branch other && git tag t \
        && mkdir -p .git/modules && cp -r mirror.git .git/modules/m && git worktree add -q linked && git branch packed";
    let mut shell = std::process::Command::new("sh");
    let done = shell.args(["-c", set_up]).current_dir(&place.tree).env("HOME", &place.home).status().unwrap();
    assert!(done.success());
    let guards = |line: &str| {
        let ran = place.run(line);
        assert_eq!(ran.code, 0, "{line}: {}", ran.stderr);
        let changes = ran.layer.changes(Caches::LeftOut).unwrap().changes;
        let found = ran.layer.guards(&changes, &Settings::default()).into_iter().flatten();
        found.map(|guarded| guarded.path.display().to_string()).collect::<Vec<_>>()
    };
    for (line, path) in [
        ("rm -r .git/objects", ".git/objects"),
        ("rm -r .git/refs", ".git/refs"),
        ("rm -r .git/logs", ".git/logs"),
        ("rm .git/HEAD", ".git/HEAD"),
        ("rm -r .git/modules/m", ".git/modules/m"),
        ("rm -r .git/modules", ".git/modules"),
        ("rm -r mirror.git", "mirror.git"),
        ("rm -rf mirror.git/objects", "mirror.git/objects"),
    ] {
        assert_eq!(guards(line), [path], "{line}");
    }
    let loose = guards("rm -r .git/objects/??");
    assert!(loose.len() > 2 && loose.iter().all(|path| path.starts_with(".git/objects/")), "{loose:?}");
    for line in [
        "git gc -q",
        "git branch -qD other; git tag -d t",
        "git pack-refs --all",
        "git worktree remove linked",
        "echo 5 > a; git commit -qam 5; git stash -q; git reset -q --hard HEAD~1; git rebase -q packed",
        "git checkout -q -b new; git merge -q packed; git branch -qD other",
        "git repack -qad",
        "git reflog expire --expire=now --all; git commit -q --amend -m x; git gc -q --prune=now",
    ] {
        assert_eq!(guards(line), [""; 0], "{line}");
    }
}

#[test]
fn what_git_has_in_a_repository_of_its_own_is_no_result_of_a_build() {
    let place = Place::new();
    let set_up = "git init -q . && mkdir -p nest/build && cd nest && git init -q . && echo x > build/f && git add .";
    let done = std::process::Command::new("sh").args(["-c", set_up]).current_dir(&place.tree).status().unwrap();
    assert!(done.success());
    let ran = place.run("echo x > nest/build/.envrc; mkdir build; echo x > build/.stamp");
    let changes = ran.layer.changes(Caches::LeftOut).unwrap();
    let found = ran.layer.guarded(&changes, &Settings::default());
    let paths: Vec<_> = found.iter().map(|guarded| guarded.path.as_path()).collect();
    assert_eq!(paths, [std::path::Path::new("nest/build/.envrc")]);
}

#[test]
fn a_link_replaced_by_a_program_is_a_new_program() {
    let place = Place::new();
    std::os::unix::fs::symlink("nowhere", place.tree.join("l")).unwrap();
    let ran = place.run("rm l; echo ls > l; chmod +x l");
    let changes = ran.layer.changes(Caches::LeftOut).unwrap().changes;
    assert!(ran.layer.guard(&changes[0], &Settings::default()).is_some());
}

#[test]
fn hooks_of_a_linked_work_tree_are_guarded() {
    let place = Place::new();
    let set_up = "git init -q ../main && cd ../main && mkdir hooks && echo x > hooks/pre-push && git add . \
        && git -c user.name=a -c user.email=a@b commit -qm x && git config core.hooksPath hooks && git worktree add -q ../tree";
    let mut shell = std::process::Command::new("sh");
    let done = shell.args(["-c", set_up]).current_dir(&place.tree).env("HOME", &place.home).status().unwrap();
    assert!(done.success());
    let ran = place.run("echo y >> hooks/pre-push; echo y > other");
    let changes = ran.layer.changes(Caches::LeftOut).unwrap();
    let found = ran.layer.guarded(&changes, &Settings::default());
    assert_eq!(
        found.iter().map(|guarded| guarded.path.as_path()).collect::<Vec<_>>(),
        [std::path::Path::new("hooks/pre-push")]
    );
}

#[test]
fn a_fifo_in_a_new_folder_is_not_waited_for() {
    assert_eq!(guarded("mkdir new; mkfifo -m 755 new/fifo; ln -s fifo new/link; echo x > new/file"), [""; 0]);
}

#[test]
fn an_index_carries_nothing_past_the_guard() {
    let place = Place::new();
    let set_up = "git init -q . && mkdir -p build tools .git/hooks && echo x > build/check.sh && echo x > tools/a && echo x > .envrc \
        && echo 'sh build/check.sh' > .git/hooks/pre-push && git add . && git config core.hooksPath .husky";
    let done = std::process::Command::new("sh").args(["-c", set_up]).current_dir(&place.tree).status().unwrap();
    assert!(done.success());
    for (line, is_asked) in [
        ("git update-index --add --cacheinfo 100755,$(echo x | git hash-object -w --stdin),.husky/pre-commit", true),
        ("git update-index --cacheinfo 100644,$(echo z | git hash-object -w --stdin),.envrc", true),
        ("git update-index --add --cacheinfo 100644,$(echo z | git hash-object -w --stdin),build/.envrc", true),
        ("git rm -rq --cached build", true),
        ("echo x > .git/index", true),
        ("git rm -rq --cached tools; git add tools; echo y > tools/a; git add .; git status", false),
        ("git update-index --index-version 4; echo y > new; git add new", false),
    ] {
        let ran = place.run(line);
        assert_eq!(ran.code, 0, "{line}: {}", ran.stderr);
        let found = ran.layer.guarded(&ran.layer.changes(Caches::LeftOut).unwrap(), &Settings::default());
        assert_eq!(!found.is_empty(), is_asked, "{line}: {found:?}");
    }
}

#[test]
fn what_git_stored_is_asked_about_when_it_is_another() {
    let object = ".git/objects/ab/0123456789abcdef0123456789abcdef012345";
    assert_eq!(guarded(&format!("echo x > {object}")), [object]);
    assert_eq!(guarded(": > .git/HEAD; : > .git/refs/heads/x.lock"), [".git/HEAD"]);
    assert!(guarded(&format!("touch -d @5 {object}; touch .git/objects/ab/{}", "0".repeat(38))).is_empty());
}

#[test]
fn what_everybody_may_write_to_later_is_asked_about() {
    // What others may do with what is made in a folder: an access list of four entries.
    let list = |others: u8| {
        let entry = |tag: u8, may: u8| format!("{tag:02x}00{may:02x}00ffffffff");
        format!("02000000{}{}{}", entry(1, 7), entry(4, 5), entry(0x20, others))
    };
    let set = |path: &str, others: u8| {
        let list = list(others);
        format!(
            "python3 -c 'import os; os.setxattr(\"{path}\", \"system.posix_acl_default\", bytes.fromhex(\"{list}\"))'"
        )
    };
    assert_eq!(guarded(&set("src", 7)), ["src"]);
    assert_eq!(guarded(&format!("mkdir new; {}", set("new", 6))), ["new"]);
    assert!(guarded(&set("src", 5)).is_empty());
}
