//! All tests once more as an ordinary user, where they run as root.

use std::os::unix::fs::PermissionsExt as _;
use std::process::Command;

use crate::place::{is_root, launcher};

#[test]
fn all_tests_hold_for_an_ordinary_user() {
    if !is_root() {
        return;
    }
    let folder = tempfile::Builder::new().prefix("confine-").tempdir_in("/home").unwrap();
    std::fs::set_permissions(folder.path(), std::fs::Permissions::from_mode(0o777)).unwrap();
    // Their home, though HOME may say otherwise.
    std::os::unix::fs::chown(folder.path(), Some(4242), Some(4242)).unwrap();
    let (tests, run) = (folder.path().join("tests"), folder.path().join("launcher"));
    std::fs::copy(std::env::current_exe().unwrap(), &tests).unwrap();
    std::fs::copy(launcher(), &run).unwrap();
    let output = Command::new("setpriv")
        .args(["--reuid", "4242", "--regid", "4242", "--clear-groups"])
        .arg(&tests)
        .args(["--test-threads", "4"])
        .env("CONFINE_LAUNCHER", &run)
        .env("CONFINE_BASE", folder.path())
        .env("HOME", folder.path())
        .current_dir(folder.path())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stderr));
    assert!(said.contains("all_tests_hold_for_an_ordinary_user ... ok"), "{said}");
}
