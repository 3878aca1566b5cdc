//! What is hidden is hidden by every path that leads to it, in every home, and where variables say that it lies.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use aish_confine::{Caller, Settings, Surroundings};

use crate::place::{Place, base, command, is_root};

/// The home folder of a test that was started anew, as another process.
const AGAIN: &str = "CONFINE_AGAIN";

/// Runs a line over a layer of `HOME/tree`, and returns what it said.
fn run(home: &Path, line: &str) -> String {
    let (tree, layers) = (home.join("tree"), home.join("state/layers"));
    let own = [home.join("state")];
    let caller = Caller { folder: &tree, home: Some(home), own: &own, layers: &layers };
    let surroundings = Surroundings::of(&caller, &Settings::default()).unwrap();
    let layer = surroundings.layer(line, None).unwrap();
    let words = ["bash", "--norc", "--noprofile", "-c", line].map(OsString::from).into();
    let output = command(&surroundings.plan(&layer, words)).output().unwrap();
    layer.discard().unwrap();
    String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned()
}

/// Starts one of these tests in another process, by way of a program with arguments.
fn again(name: &str, home: &Path, by: &[&str], variables: &[(&str, PathBuf)]) {
    let tests = std::env::current_exe().unwrap();
    let name = format!("homes::{name}");
    let words: Vec<OsString> = by.iter().map(OsString::from).chain([tests.into()]).collect();
    let mut test = Command::new(&words[0]);
    test.args(&words[1..]).args(["--exact", &name, "--nocapture"]).env(AGAIN, home);
    let output = test.envs(variables.iter().cloned()).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stderr));
    assert!(said.contains("1 passed"), "{said}");
}

fn write(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

#[test]
fn what_is_hidden_is_hidden_below_other_mounts_too() {
    if let Some(home) = std::env::var_os(AGAIN).map(PathBuf::from) {
        let line = "cat ../../other/.ssh/id ../../other/.netrc ../../other/tree/.env ../../other/tree/.npmrc ../../keys/id; \
                    ls ../../keys ../../other/state; cat ../../other/plain";
        let said = run(&home, line);
        assert!(!said.contains("s3cret") && said.contains("open") && !said.contains("layers"), "{said}");
        return;
    }
    let place = Place::new();
    let home = place.home.join("home");
    for (path, text) in [
        (".ssh/id", "s3cret"),
        (".netrc", "s3cret"),
        (".gnupg/id", "s3cret"),
        ("plain", "open"),
        ("tree/.env", "s3cret"),
        ("tree/.npmrc", "//registry.npmjs.org/:_authToken=s3cret\n"),
        ("state/layers/x", ""),
    ] {
        write(&home.join(path), text);
    }
    let (other, keys) = (place.home.join("other"), place.home.join("keys"));
    fs::create_dir(&other).unwrap();
    fs::create_dir(&keys).unwrap();
    let line = format!(
        "mount --bind '{0}' '{1}' && mount --bind '{0}/.gnupg' '{2}' && exec \"$@\"",
        home.display(),
        other.display(),
        keys.display()
    );
    let spaces = if is_root() { "-m" } else { "-Urm" };
    let by = ["unshare", spaces, "--propagation", "private", "bash", "-ec", &line, "bash"];
    again("what_is_hidden_is_hidden_below_other_mounts_too", &home, &by, &[]);
}

#[test]
fn places_that_variables_name_are_hidden() {
    if let Some(home) = std::env::var_os(AGAIN).map(PathBuf::from) {
        let said = run(&home, "grep -r . ../elsewhere; echo end");
        assert!(!said.contains("s3cret") && said.contains("plain:open") && said.contains("end"), "{said}");
        return;
    }
    let place = Place::new();
    let at = |path: &str| place.home.join("elsewhere").join(path);
    for path in [
        "cargo/credentials.toml",
        "config/gh/hosts.yml",
        "config/new/auth.json",
        "data/keyrings/login",
        "state/tool/session.key",
        "gnupg/private",
        "aws",
        "aws-config",
        "kube/a",
        "kube/b",
        "docker/config.json",
        "npmrc",
        "netrc",
        "pgpass",
        "history",
        "store/x.gpg",
        "gcloud/x",
        "azure/x",
        "gh/hosts.yml",
        "google.json",
        "signing",
    ] {
        write(&at(path), "s3cret");
    }
    write(&at("plain"), "open");
    let kube = PathBuf::from(format!("{}:{}", at("kube/a").display(), at("kube/b").display()));
    let variables = [
        ("CARGO_HOME", at("cargo")),
        ("XDG_CONFIG_HOME", at("config")),
        ("XDG_DATA_HOME", at("data")),
        ("XDG_STATE_HOME", at("state")),
        ("GNUPGHOME", at("gnupg")),
        ("AWS_SHARED_CREDENTIALS_FILE", at("aws")),
        ("AWS_CONFIG_FILE", at("aws-config")),
        ("KUBECONFIG", kube),
        ("DOCKER_CONFIG", at("docker")),
        ("NPM_CONFIG_USERCONFIG", at("npmrc")),
        ("NETRC", at("netrc")),
        ("PGPASSFILE", at("pgpass")),
        ("HISTFILE", at("history")),
        ("PASSWORD_STORE_DIR", at("store")),
        ("CLOUDSDK_CONFIG", at("gcloud")),
        ("AZURE_CONFIG_DIR", at("azure")),
        ("GH_CONFIG_DIR", at("gh")),
        ("GOOGLE_APPLICATION_CREDENTIALS", at("google.json")),
        ("RELEASE_SIGNING_KEY_FILE", at("signing")),
        // These would hide what all work is in, or a device.
        ("LESSHISTFILE", PathBuf::from("/dev/null")),
        ("WEECHAT_HOME", place.home.clone()),
        ("FLY_CONFIG_DIR", PathBuf::from("/")),
    ];
    again("places_that_variables_name_are_hidden", &place.home, &["env"], &variables);
}

#[test]
fn the_home_of_the_table_of_users_is_looked_at_too() {
    // As root the homes of others are hidden as a whole; as another user the tests lie in a folder of theirs in `/home`.
    if is_root() || base().parent() != Some(Path::new("/home")) {
        return;
    }
    let place = Place::new();
    write(&base().join(".ssh/id_rsa"), "s3cret");
    write(&base().join("plain"), "open");
    let said = run(&place.home, "cat ../../.ssh/id_rsa ../../plain");
    assert!(!said.contains("s3cret") && said.contains("open"), "{said}");
}
