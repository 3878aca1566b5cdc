//! `scripts/build-failure.sh`: a build that fails says its own cause.

use std::path::Path;
use std::process::Command;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

/// Runs bash in the root with the two files of functions, in a clean environment.
fn bash(script: &str, variables: &[(&str, &str)]) -> String {
    let output = Command::new("bash")
        .args(["-o", "pipefail", "-uc", &format!(". scripts/say.sh; . scripts/build-failure.sh; {script}")])
        .current_dir(ROOT)
        .env("CARGO_TERM_COLOR", "never")
        .envs(variables.iter().copied())
        .output()
        .unwrap();
    String::from_utf8(output.stdout).unwrap()
}

/// Builds a package with cargo and returns its exit code and the explanation.
fn build(folder: &Path, dependency: &str, source: &str, variables: &[(&str, &str)]) -> String {
    let manifest =
        format!("[package]\nname = \"probe\"\nedition = \"2024\"\n[workspace]\n[dependencies]\n{dependency}\n");
    std::fs::write(folder.join("Cargo.toml"), manifest).unwrap();
    std::fs::create_dir(folder.join("src")).unwrap();
    std::fs::write(folder.join("src/main.rs"), source).unwrap();
    let script = format!(
        "cd {0}; build_with_cargo {0}/build.log build; echo $?; explain_build_failure {0}/build.log",
        folder.display()
    );
    let target = folder.join("target");
    let mut all = vec![("CARGO_TARGET_DIR", target.to_str().unwrap())];
    all.extend(variables);
    bash(&script, &all)
}

#[test]
fn an_error_of_the_compiler_is_named_whatever_its_line_speaks_of() {
    let folder = tempfile::tempdir().unwrap();
    let said = build(folder.path(), "", "fn main() { failed_to_download(\"connection refused\"); }\n", &[]);
    assert!(
        said.starts_with("101\nThe first error was: error[E0425]: cannot find function `failed_to_download`"),
        "{said}"
    );
}

#[test]
fn a_registry_that_cannot_be_reached_is_named_with_what_cargo_said() {
    let folder = tempfile::tempdir().unwrap();
    let home = tempfile::tempdir().unwrap();
    let variables = [
        ("CARGO_HOME", home.path().to_str().unwrap()),
        ("CARGO_HTTP_PROXY", "http://127.0.0.1:1"),
        ("CARGO_NET_RETRY", "0"),
    ];
    let said = build(folder.path(), "serde = \"1\"", "fn main() {}\n", &variables);
    assert!(said.starts_with("101\nThe package registry could not be reached: "), "{said}");
    assert!(said.contains("127.0.0.1"), "{said}");
}

#[test]
fn a_build_that_succeeds_is_passed_on_as_such() {
    let folder = tempfile::tempdir().unwrap();
    assert!(build(folder.path(), "", "fn main() {}\n", &[]).starts_with("0\n"));
}

/// What cargo, rustup and compilers print, and the beginning of what is said then.
const PRINTED: &[(&str, &str)] = &[
    (
        "error: rustup could not choose a version of cargo to run, because one wasn't specified explicitly, and no default is \
         configured.\nhelp: run 'rustup default stable' to download the latest stable release of Rust and set it as your default \
         toolchain.\n",
        "rustup has no toolchain to build with.\nChoose one: rustup default stable\n",
    ),
    (
        "   Compiling aish-types v0.1.0\nerror: failed to write `target/debug/deps/x.rmeta`\n\nCaused by:\n  \
         No space left on device (os error 28)\n",
        "The disk is full.\n",
    ),
    (
        "error: failed to run custom build command for `llama-cpp-sys-2 v0.1.161`\n\nCaused by:\n  process didn't exit \
         successfully\n  --- stderr\n  /tmp/ccX.s: fatal error: error writing to /tmp/ccY.s: No space left on device\n",
        "The disk is full.\n",
    ),
    (
        "error: failed to parse lock file at: /x/Cargo.lock\n\nCaused by:\n  lock file version `4` was found, but this version of \
         Cargo does not understand this lock file\n",
        "This Rust is too old: ",
    ),
    (
        "error: rustc 1.80.0 is not supported by the following packages:\n  aish requires rustc 1.95\n",
        "This Rust is too old: ",
    ),
    (
        "error: could not compile `aish-safety` (lib)\n\nCaused by:\n  process didn't exit successfully: `rustc` (signal: 9, \
         SIGKILL: kill)\n",
        "The machine had too little memory.\n",
    ),
    (
        "error: failed to create directory `/usr/src/aish/target/release/.fingerprint`\n\nCaused by:\n  Permission denied (os \
         error 13)\n",
        "A file or folder cannot be written: ",
    ),
    (
        "warning: spurious network error (3 tries remaining): [6] Could not resolve hostname\n   Compiling x v0.1.0\n\
         error[E0308]: mismatched types\n  --> src/lib.rs:1:1\n   |\n1  | let a = \"no space left on device\";\n   |\n\
         error: could not compile `x` (lib) due to 1 previous error\n",
        "The first error was: error[E0308]: mismatched types\n",
    ),
    (
        "error: failed to run custom build command for `llama-cpp-sys-2 v0.1.161`\n\nCaused by:\n  --- stderr\n  thread 'main' \
         panicked\n  failed to execute command: No such file or directory (os error 2)\n  is `cmake` not installed?\n",
        "A tool of the build is missing: ",
    ),
    (
        "    Updating crates.io index\nwarning: spurious network error (1 try remaining): [28] Timeout was reached\nerror: failed \
         to get `serde` as a dependency of package `x`\n\nCaused by:\n  download of config.json failed\n\nCaused by:\n  [28] \
         Timeout was reached (Connection timed out after 30000 milliseconds)\n",
        "The package registry could not be reached: [28] Timeout was reached",
    ),
    ("Segmentation fault\n", "cargo said: Segmentation fault\n"),
];

#[test]
fn each_cause_is_told_from_the_others() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("build.log");
    for (printed, expected) in PRINTED {
        std::fs::write(&log, printed).unwrap();
        let said = bash(&format!("explain_build_failure {}", log.display()), &[]);
        assert!(said.starts_with(expected), "{printed}\nsaid: {said}");
        assert_eq!(said.lines().count() >= 2, !printed.starts_with("Segm"), "says what to do next: {said}");
    }
}
