//! Tokens in the settings of a repository are kept from what runs in a layer over it, and are still there afterwards.

use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use aish_confine::{Caches, Caller, Dotenv, Layer, OnConflict, Settings, Surroundings};

use crate::place::{Place, command};

/// Runs a line over a layer as it is made for a caller, and returns what it said.
pub(crate) fn run(place: &Place, line: &str, dotenv: Dotenv) -> (Layer, String) {
    let caller = Caller { folder: &place.tree, home: Some(&place.home), own: &[], layers: &place.layers };
    let surroundings = Surroundings::of(&caller, &Settings { dotenv, ..Settings::default() }).unwrap();
    let layer = surroundings.layer(line, None).unwrap();
    let words = ["bash", "--norc", "--noprofile", "-ec", line].map(OsString::from).into();
    let output = command(&surroundings.plan(&layer, words)).env("HOME", &place.home).output().unwrap();
    let said = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    assert!(output.status.success(), "{line}: {said}");
    (layer, said)
}

fn repository() -> Place {
    let place = Place::new();
    let git = |words: &[&str]| {
        let mut git = std::process::Command::new("git");
        git.arg("-C").arg(&place.tree).args(words).env("HOME", &place.home);
        assert!(git.status().unwrap().success(), "{words:?}");
    };
    git(&["init", "-q"]);
    git(&["remote", "add", "origin", "https://ana:s3cret@example.org/a.git"]);
    git(&["config", "http.https://example.org/.extraheader", "AUTHORIZATION: basic s3cret"]);
    place.write(".npmrc", "//registry.npmjs.org/:_authToken=s3cret\n");
    place
}

#[test]
fn tokens_of_a_repositorys_settings_are_read_after_a_yes_alone() {
    let place = repository();
    let before = place.picture();
    let line = "export GIT_OPTIONAL_LOCKS=0; cat .git/config .npmrc; git remote -v; git config -l; git status; cp .git/config c; cat c; rm c";
    let (layer, said) = run(&place, line, Dotenv::Locked);
    assert!(!said.contains("s3cret") && said.contains("hidden-by-aish-1@example.org"), "{said}");
    let changes = layer.changes(Caches::LeftOut).unwrap();
    assert!(changes.changes.is_empty() && changes.refused.is_empty(), "{changes:?}");
    layer.discard().unwrap();
    let (layer, said) = run(&place, line, Dotenv::Readable);
    assert!(said.contains("s3cret"), "{said}");
    layer.discard().unwrap();
    assert_eq!(place.picture(), before);
}

#[test]
fn settings_that_a_command_changes_keep_their_tokens() {
    let place = repository();
    let before = place.picture();
    let (layer, _) =
        run(&place, "git config user.name Ana; git remote add b https://example.org/b.git", Dotenv::Locked);
    layer.keep(Caches::LeftOut, OnConflict::Stop).unwrap();
    let config = fs::read_to_string(place.tree.join(".git/config")).unwrap();
    for part in ["url = https://ana:s3cret@example.org/a.git\n", "basic s3cret\n", "name = Ana", "b.git"] {
        assert!(config.contains(part), "{config}");
    }
    assert!(!config.contains("hidden-by-aish"), "{config}");
    layer.take_back(OnConflict::Stop).unwrap();
    assert_eq!(place.picture(), before);
}

#[test]
fn a_token_goes_to_no_other_host_by_the_word_in_its_place() {
    let place = repository();
    let line =
        "sed -i s/example.org/elsewhere.example/ .git/config; sed -i s/registry.npmjs.org/elsewhere.example/ .npmrc";
    let (layer, _) = run(&place, line, Dotenv::Locked);
    layer.keep(Caches::LeftOut, OnConflict::Stop).unwrap();
    let settings = [".git/config", ".npmrc"].map(|path| fs::read_to_string(place.tree.join(path)).unwrap()).concat();
    assert!(settings.contains("elsewhere.example") && !settings.contains("s3cret"), "{settings}");
}

#[test]
fn a_folder_that_cannot_be_looked_into_is_not_opened_for_a_command() {
    // Root looks into every folder.
    if crate::place::is_root() {
        return;
    }
    let place = Place::new();
    place.write("shut/.env", "s3cret");
    fs::set_permissions(place.tree.join("shut"), fs::Permissions::from_mode(0o300)).unwrap();
    let said = run(&place, "chmod 700 shut || cat shut/.env || echo end", Dotenv::Locked).1;
    fs::set_permissions(place.tree.join("shut"), fs::Permissions::from_mode(0o700)).unwrap();
    assert!(!said.contains("s3cret") && said.contains("end"), "{said}");
}

#[test]
fn settings_with_several_names_stay_one_file() {
    use std::os::unix::fs::MetadataExt as _;
    let place = repository();
    fs::hard_link(place.tree.join(".npmrc"), place.home.join("npmrc")).unwrap();
    let before = place.picture();
    let (layer, _) = run(&place, "cat .npmrc; echo new > n", Dotenv::Locked);
    layer.keep(Caches::LeftOut, OnConflict::Stop).unwrap();
    let inode = |path: std::path::PathBuf| fs::metadata(path).unwrap().ino();
    assert_eq!(inode(place.tree.join(".npmrc")), inode(place.home.join("npmrc")));
    layer.take_back(OnConflict::Stop).unwrap();
    assert_eq!(place.picture(), before);
    let (layer, _) = run(&place, "echo a=b >> .npmrc", Dotenv::Locked);
    let kept = layer.keep(Caches::LeftOut, OnConflict::Stop);
    assert!(matches!(kept, Err(aish_confine::KeepError::Conflicts(_))), "{kept:?}");
    assert_eq!(place.picture(), before);
}

#[test]
fn settings_that_a_person_deletes_or_edits_meanwhile_do_not_come_back() {
    let place = repository();
    place.write("sub/.npmrc", "//registry.npmjs.org/:_authToken=s3cret2\n");
    let (layer, _) = run(&place, "echo new > n", Dotenv::Locked);
    fs::remove_file(place.tree.join(".npmrc")).unwrap();
    fs::remove_dir_all(place.tree.join("sub")).unwrap();
    let mine = place.read(".git/config") + "[user]\n\tname = Mine\n";
    place.write(".git/config", &mine);
    let changes = layer.changes(Caches::LeftOut).unwrap();
    assert_eq!(changes.changes.iter().map(|one| one.path.to_str().unwrap()).collect::<Vec<_>>(), ["n"]);
    layer.keep(Caches::LeftOut, OnConflict::Stop).unwrap();
    assert!(!place.tree.join(".npmrc").exists() && !place.tree.join("sub").exists());
    assert_eq!(place.read(".git/config"), mine);
}

#[test]
fn settings_that_a_person_deletes_and_a_command_changes_are_a_conflict() {
    for path in [".npmrc", "sub/.npmrc"] {
        let place = repository();
        place.write("sub/.npmrc", "//registry.npmjs.org/:_authToken=s3cret2\n");
        let (layer, _) = run(&place, &format!("echo a=b >> {path}"), Dotenv::Locked);
        fs::remove_file(place.tree.join(path)).unwrap();
        let _ = fs::remove_dir(place.tree.join("sub"));
        let kept = layer.keep(Caches::LeftOut, OnConflict::Stop);
        assert!(matches!(kept, Err(aish_confine::KeepError::Conflicts(_))), "{path}: {kept:?}");
        assert!(!place.tree.join(path).exists());
    }
}

#[test]
fn settings_that_are_moved_keep_their_tokens_or_are_asked_about() {
    let text = "//registry.npmjs.org/:_authToken=s3cret2\n";
    let asked = |line: &str| {
        let place = Place::new();
        place.write("sub/.npmrc", text);
        place.write("sub/a", "a\n");
        let before = place.picture();
        let (layer, _) = run(&place, line, Dotenv::Locked);
        let guarded = layer.guarded(&layer.changes(Caches::LeftOut).unwrap(), &Settings::default());
        layer.keep(Caches::LeftOut, OnConflict::Stop).unwrap();
        let kept: Vec<String> = ["sub2/.npmrc", "sub/n2", "sub/.npmrc"]
            .iter()
            .filter_map(|path| fs::read_to_string(place.tree.join(path)).ok())
            .collect();
        layer.take_back(OnConflict::Stop).unwrap();
        assert_eq!(place.picture(), before);
        (kept.concat(), guarded.iter().any(|one| one.why.contains("where a secret was")))
    };
    assert_eq!(asked("mv sub sub2"), (text.to_owned(), false));
    let (kept, is_asked) = asked("mv sub/.npmrc sub/n2");
    assert!(is_asked && !kept.contains("s3cret2"), "{kept}");
    let (kept, is_asked) = asked("head -c 2000000 /dev/zero | tr '\\0' '#' | fold >> sub/.npmrc");
    assert!(!is_asked && kept.starts_with(text) && !kept.contains("hidden-by-aish"), "{}", kept.len());
}

#[test]
fn a_token_that_others_may_read_from_now_on_is_asked_about() {
    let place = repository();
    let config = place.tree.join(".git/config");
    fs::set_permissions(&config, fs::Permissions::from_mode(0o600)).unwrap();
    for (line, expected) in [("chmod 640 .git/config", true), ("git config user.name Ana", false)] {
        let (layer, _) = run(&place, line, Dotenv::Locked);
        let guarded = layer.guarded(&layer.changes(Caches::LeftOut).unwrap(), &Settings::default());
        assert_eq!(
            guarded.iter().any(|one| one.why.contains("others on this machine")),
            expected,
            "{line}: {guarded:?}"
        );
        layer.discard().unwrap();
    }
}

#[test]
fn no_other_name_and_no_link_shows_a_token_to_the_next_command() {
    let after = |line: &str| {
        let place = repository();
        let before = place.picture();
        let (layer, _) = run(&place, line, Dotenv::Locked);
        let guarded = layer.guarded(&layer.changes(Caches::LeftOut).unwrap(), &Settings::default());
        layer.keep(Caches::LeftOut, OnConflict::Stop).unwrap();
        let (next, said) = run(&place, "cat .git/config .npmrc; find . -type f | xargs cat", Dotenv::Locked);
        next.discard().unwrap();
        assert!(!said.contains("s3cret"), "{line}: {said}");
        let npmrc = place.read(".npmrc");
        layer.take_back(OnConflict::Stop).unwrap();
        assert_eq!(place.picture(), before, "{line}");
        (guarded.into_iter().map(|one| one.path.display().to_string()).collect::<Vec<_>>(), npmrc)
    };
    let npmrc = "//registry.npmjs.org/:_authToken=s3cret\n".to_owned();
    assert_eq!(after("ln .git/config c; ln .npmrc n"), (vec!["c".to_owned(), "n".to_owned()], npmrc.clone()));
    assert_eq!(after("mkdir q; ln .npmrc q/x; rm .npmrc; ln q/x .npmrc"), (vec!["q/x".to_owned()], npmrc.clone()));
    assert_eq!(after("chmod 600 .git/config; touch .git/config"), (vec![], npmrc.clone()));
    let (guarded, kept) = after("mkdir d; cp .git/config d; mv .git g; ln -s d .git");
    assert!(guarded.contains(&"d/config".to_owned()) && kept == npmrc, "{guarded:?}");
}
