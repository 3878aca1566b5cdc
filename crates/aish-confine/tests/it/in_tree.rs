//! Secrets that lie in a tree stay out of sight under every name and in every folder.

use std::fs;
use std::os::unix::fs::{MetadataExt as _, symlink};
use std::path::Path;
use std::process::Command;

use aish_confine::{Caches, Dotenv, OnConflict};

use crate::place::Place;
use crate::veiled::run;

fn git(place: &Place, at: &Path, words: &[&str]) {
    let mut git = Command::new("git");
    git.arg("-C").arg(at).args(words).env("HOME", &place.home);
    assert!(git.status().unwrap().success(), "{words:?}");
}

/// Asserts that a line shows no secret under the lock, and returns what it said.
fn shows_nothing(place: &Place, line: &str) -> String {
    let before = place.picture();
    let (layer, said) = run(place, line, Dotenv::Locked);
    assert!(!said.contains("s3cret"), "{line}: {said}");
    let changes = layer.changes(Caches::LeftOut).unwrap();
    assert!(changes.changes.is_empty() && changes.refused.is_empty(), "{changes:?}");
    layer.keep(Caches::LeftOut, OnConflict::Stop).unwrap();
    assert_eq!(place.picture(), before);
    said
}

#[test]
fn folders_called_as_secret_files_show_no_secrets_and_environments_of_programs_work() {
    let place = Place::new();
    place.write(".env/production", "DB_PASSWORD=s3cret99\n");
    place.write("pk/.env.d/API_TOKEN", "s3cret\n");
    place.write("pk/.env.d/COLOUR", "blue\n");
    place.write("py/.env/pyvenv.cfg", "home = /usr/bin\n");
    place.write("py/.env/lib/settings.py", "password = 'open-s-cret'\n");
    let said = shows_nothing(&place, "grep -rs . .env pk py || true; cat .env/production pk/.env.d/* || true");
    assert!(said.contains("blue") && said.contains("open-s-cret"), "{said}");
}

#[test]
fn settings_of_every_repository_in_the_tree_have_no_secrets() {
    let place = Place::new();
    git(&place, &place.tree, &["init", "-q"]);
    for (at, bare) in [("vendor/x", false), ("store/y.git", true)] {
        let at = place.tree.join(at);
        fs::create_dir_all(&at).unwrap();
        git(&place, &at, if bare { &["init", "-q", "--bare"] } else { &["init", "-q"] });
        git(&place, &at, &["remote", "add", "origin", "https://ana:s3cret@example.org/a.git"]);
    }
    let tree = &place.tree;
    git(&place, tree, &["config", "user.email", "a@example.org"]);
    git(&place, tree, &["config", "user.name", "ana"]);
    git(&place, tree, &["commit", "-q", "--allow-empty", "-m", "a"]);
    git(&place, tree, &["worktree", "add", "-q", "linked"]);
    git(&place, tree, &["config", "extensions.worktreeConfig", "true"]);
    git(&place, &tree.join("linked"), &["config", "--worktree", "http.extraheader", "AUTHORIZATION: basic s3cret"]);
    git(&place, tree, &["config", "sendemail.smtpPass", "s3cret"]);
    git(&place, tree, &["config", "credential.https://b.example.helper", "!f() { echo password=s3cret; }; f"]);
    git(&place, tree, &["config", "include.path", "more"]);
    place.write(".git/more", "[http]\n\textraheader = AUTHORIZATION: basic s3cret\n");
    place.write("pk/.npmrc", "//registry.npmjs.org/:_authToken=s3cret\n");
    place.write("pk/.npmrc~", "//registry.npmjs.org/:_authToken=s3cret\n");
    place.write("pk/.yarnrc.yml", "npmAuthToken: \"s3cret\"\n");
    let said = shows_nothing(
        &place,
        "export GIT_OPTIONAL_LOCKS=0; grep -rIs . vendor/x/.git store/y.git .git/config* .git/worktrees .git/more pk || true; \
         git config -l; git -C vendor/x remote -v; git -C store/y.git remote -v; git -C linked config -l; git -C linked status; \
         printf 'protocol=https\\nhost=b.example\\n\\n' | GIT_TERMINAL_PROMPT=0 git credential fill || true; \
         git log --oneline; echo whole",
    );
    assert!(said.contains("hidden-by-aish-1@example.org/a.git (fetch)") && said.contains("whole\n"), "{said}");
}

#[test]
fn a_password_in_a_log_of_a_repository_is_a_word_and_the_log_goes_on() {
    let place = Place::new();
    let tree = &place.tree;
    git(&place, tree, &["init", "-q", "-b", "main"]);
    git(&place, tree, &["config", "user.email", "a@example.org"]);
    git(&place, tree, &["config", "user.name", "ana"]);
    git(&place, tree, &["commit", "-q", "--allow-empty", "-m", "a"]);
    let logs = ["HEAD", "refs/heads/main"].map(|log| tree.join(".git/logs").join(log));
    for log in &logs {
        // As `git pull` writes it.
        let text = fs::read_to_string(log).unwrap();
        let line = text.replace("commit (initial): a", "pull https://ana:s3cret@example.org/a.git main: Fast-forward");
        fs::write(log, text + &line).unwrap();
    }
    let said = shows_nothing(&place, "git reflog; cat .git/logs/HEAD .git/logs/refs/heads/main");
    assert!(said.contains("pull https://hidden-by-aish-1@example.org/a.git"), "{said}");
    let before = logs.each_ref().map(|log| fs::read_to_string(log).unwrap());
    let (layer, _) = run(&place, "git commit -q --allow-empty -m b", Dotenv::Locked);
    layer.keep(Caches::LeftOut, OnConflict::Stop).unwrap();
    for (log, before) in logs.iter().zip(before) {
        let after = fs::read_to_string(log).unwrap();
        assert!(after.starts_with(&before) && after.ends_with("commit: b\n"), "{after}");
    }
}

#[test]
fn files_of_logins_in_the_tree_cannot_be_opened() {
    let place = Place::new();
    git(&place, &place.tree, &["init", "-q"]);
    git(&place, &place.tree, &["config", "credential.helper", "store --file=.git/credentials"]);
    git(&place, &place.tree, &["config", "http.cookieFile", "../kept/cookies"]);
    let secrets = [
        ".git/credentials",
        "deep/.netrc",
        "deep/.netrc~",
        "deep/.pgpass",
        ".git-credentials",
        "deep/.cargo/credentials.toml",
        "deep/.cargo/.credentials.toml.swp",
        "deep/..env.un~",
    ];
    for path in secrets {
        place.write(path, "https://ana:s3cret@example.org\n");
    }
    fs::create_dir(place.home.join("kept")).unwrap();
    fs::write(place.home.join("kept/cookies"), "s3cret").unwrap();
    let line = format!("cat {} ../kept/cookies || true; GIT_OPTIONAL_LOCKS=0 git status --short", secrets.join(" "));
    let said = shows_nothing(&place, &line);
    assert_eq!(said.matches("Permission denied").count(), secrets.len() + 1, "{said}");
    // What whoever has the repository has anyway is open.
    place.write("tests/.netrc", "machine example.org password s3cret\n");
    git(&place, &place.tree, &["add", "-f", "tests/.netrc"]);
    let said = run(&place, "cat tests/.netrc", Dotenv::Locked).1;
    assert!(said.contains("s3cret"), "{said}");
}

#[test]
fn what_a_link_leads_to_cannot_be_opened_wherever_it_lies() {
    let place = Place::new();
    let elsewhere = place.home.join("elsewhere");
    fs::create_dir_all(elsewhere.join("folder")).unwrap();
    fs::write(elsewhere.join("prod.env"), "s3cret").unwrap();
    fs::write(elsewhere.join("folder/x"), "s3cret").unwrap();
    symlink("prod.env", elsewhere.join("between")).unwrap();
    symlink("../elsewhere/between", place.tree.join(".env")).unwrap();
    symlink(elsewhere.join("folder"), place.tree.join(".env.d")).unwrap();
    // None of these is a secret, and each would be missed.
    symlink("..", place.tree.join(".env.home")).unwrap();
    symlink("/usr", place.tree.join(".env.usr")).unwrap();
    symlink("/dev/null", place.tree.join(".env.null")).unwrap();
    let said = shows_nothing(
        &place,
        "cat .env ../elsewhere/prod.env ../elsewhere/between .env.d/x ../elsewhere/folder/x || true; cat .env.null; \
         test -d .env.usr/bin; test -d .env.home/elsewhere; echo whole",
    );
    assert!(said.contains("cat: .env: Permission denied") && said.contains("whole\n"), "{said}");
    let (_, said) = run(&place, "cat .env .env.d/x", Dotenv::Readable);
    assert_eq!(said, "s3crets3cret");
}

#[test]
fn other_names_of_a_secret_in_the_tree_cannot_be_opened_either() {
    let place = Place::new();
    place.write("sub/.env", "s3cret");
    place.write("other/deep/x", "");
    place.write(".npmrc", "//registry.npmjs.org/:_authToken=s3cret\n");
    fs::write(place.home.join(".netrc"), "s3cret").unwrap();
    for (from, to) in [
        (place.tree.join("sub/.env"), "sub/hardlinked"),
        (place.tree.join("sub/.env"), "other/deep/again"),
        (place.tree.join(".npmrc"), "other/npm"),
        (place.home.join(".netrc"), "other/login"),
    ] {
        fs::hard_link(from, place.tree.join(to)).unwrap();
    }
    let said = shows_nothing(&place, "cat sub/.env sub/hardlinked other/deep/again other/login || true; cat other/npm");
    assert_eq!(said.matches("Permission denied").count(), 4, "{said}");
    assert!(said.contains("_authToken= hidden-by-aish-1"), "{said}");
    assert_eq!(fs::metadata(place.tree.join("other/npm")).unwrap().nlink(), 2);
}

#[test]
fn what_holds_a_key_by_its_name_and_its_content_cannot_be_opened_but_what_git_has() {
    let place = Place::new();
    git(&place, &place.tree, &["init", "-q"]);
    let secrets = ["server.key", "conf/prod.env", "tokens.json", "id_rsa.bak", "db/credentials", "prod.tfvars"];
    for name in secrets {
        place.write(name, "api_token = \"s3cretA1b2c3\"\n");
    }
    symlink("server.key", place.tree.join("plain")).unwrap();
    let open = ["cacert.pem", "tests/example.key", "token.rs", "secrets.txt", "node_modules/x/test.key"];
    for name in open {
        let text = if name.ends_with("pem") { "-----BEGIN CERTIFICATE-----" } else { "token = \"0penA1b2c3d4\"" };
        place.write(name, if name == "secrets.txt" { "none yet\n" } else { text });
    }
    git(&place, &place.tree, &["add", "tests"]);
    let said = shows_nothing(&place, "grep -rs . --exclude-dir=.git . || true; cat plain *.json || true; echo whole");
    assert!(said.contains("whole"), "{said}");
    for name in open {
        assert!(said.contains(&format!("./{name}:")), "{name}: {said}");
    }
    let (_layer, said) = run(&place, "cat server.key conf/prod.env", Dotenv::Readable);
    assert_eq!(said.matches("s3cret").count(), 2, "{said}");
}
