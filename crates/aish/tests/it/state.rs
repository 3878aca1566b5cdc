//! `aish state delete` and `export`: all that is kept and nothing else.

use std::collections::BTreeSet;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use aish_testkit::model_server::{Expect, ModelServer, OpenAiStream, Script};

use crate::person::{HUNG, Home};

/// What is typed sooner was typed before the question, and is no answer to it.
const ANSWERED_AFTER: Duration = Duration::from_millis(600);

/// Makes a home in which a question was asked, a file was kept for undo and links lead out of the state.
fn used() -> (Home, PathBuf, ModelServer) {
    let script = Script::new().always(Expect::chat(), OpenAiStream::answer("Paris.").reply());
    let server = ModelServer::start(script).unwrap();
    let home = Home::new().with("OPENAI_BASE_URL", &server.url()).with("OPENAI_MODEL", "scripted");
    assert!(home.aish(&["ask", "capital of France?"]).status.success());
    let state = home.path(".local/state/aish");
    std::fs::create_dir_all(home.path("outside/sub")).unwrap();
    std::fs::write(home.path("outside/sub/precious.txt"), "gold").unwrap();
    symlink(home.path("outside"), state.join("link-to-a-folder")).unwrap();
    symlink(home.path("outside/sub/precious.txt"), state.join("link-to-a-file")).unwrap();
    std::fs::create_dir_all(state.join("mcp-tokens")).unwrap();
    std::fs::write(state.join("mcp-tokens/server.json"), "token-of-a-server").unwrap();
    std::fs::create_dir_all(home.path(".config/aish")).unwrap();
    std::fs::write(home.path(".config/aish/config.toml"), "[ui]\nmarkdown = true\n").unwrap();
    (home, state, server)
}

fn names(folder: &Path) -> BTreeSet<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

fn outside_is_whole(home: &Home) {
    assert_eq!(std::fs::read_to_string(home.path("outside/sub/precious.txt")).unwrap(), "gold");
    assert_eq!(std::fs::read_to_string(home.path(".config/aish/config.toml")).unwrap(), "[ui]\nmarkdown = true\n");
}

#[test]
fn nothing_is_deleted_without_a_yes() {
    let (home, state, _server) = used();
    let before = names(&state);
    let output = home.aish(&["state", "delete"]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        !output.status.success() && said.contains("--yes deletes") && said.contains("nothing was deleted"),
        "{said}"
    );
    assert_eq!(names(&state), before);
    for answer in ["\r", "yes\r", "y\r", "\u{4}", "\u{3}"] {
        let mut session = home.terminal(Path::new(env!("CARGO_BIN_EXE_aish")), &["state", "delete"]);
        let asks = |screen: &str| screen.contains("Type `delete` to do it");
        assert!(session.wait_until(HUNG, asks), "{}", session.contents());
        std::thread::sleep(ANSWERED_AFTER);
        session.type_bytes(answer.as_bytes()).unwrap();
        assert_ne!(session.exit_code(HUNG), Some(0), "{answer:?}");
        assert_eq!(names(&state), before, "{answer:?}");
    }
}

#[test]
fn what_goes_is_told_and_all_of_it_goes_and_nothing_else() {
    let (home, state, _server) = used();
    let files = |folder: &Path| -> u64 {
        let mut count = 0;
        let mut open = vec![folder.to_owned()];
        while let Some(folder) = open.pop() {
            for entry in std::fs::read_dir(folder).unwrap() {
                let entry = entry.unwrap();
                let kind = entry.file_type().unwrap();
                count += u64::from(kind.is_file());
                open.extend(kind.is_dir().then(|| entry.path()));
            }
        }
        count
    };
    let expected = format!("{} files (", files(&state));
    let mut session = home.terminal(Path::new(env!("CARGO_BIN_EXE_aish")), &["state", "delete"]);
    let asks = |screen: &str| {
        let whole = screen.replace('\n', " ");
        ["sessions", "memory", "undo", "tokens of servers", &expected, "Type `delete`"]
            .iter()
            .all(|part| whole.contains(part))
    };
    assert!(session.wait_until(HUNG, asks), "{expected}: {}", session.contents());
    std::thread::sleep(ANSWERED_AFTER);
    session.type_bytes(b"delete\r").unwrap();
    assert_eq!(session.exit_code(HUNG), Some(0));
    assert_eq!(names(&home.path(".local/state")), BTreeSet::new());
    outside_is_whole(&home);
    let again = home.aish(&["state", "delete", "--yes"]);
    assert!(!again.status.success());
    assert!(String::from_utf8_lossy(&again.stderr).contains("nothing is kept"));
}

#[test]
fn a_state_folder_that_is_a_link_is_not_deleted() {
    let (home, state, _server) = used();
    let real = home.path("elsewhere");
    std::fs::rename(&state, &real).unwrap();
    symlink(&real, &state).unwrap();
    let before = names(&real);
    let output = home.aish(&["state", "delete", "--yes"]);
    assert!(!output.status.success() && String::from_utf8_lossy(&output.stderr).contains("is a link"));
    assert_eq!(names(&real), before);
}

#[test]
fn a_session_that_is_open_keeps_all_of_it() {
    let (home, state, _server) = used();
    let person = home.sit_down();
    person.runs("?capital of France", "Paris.");
    let before = names(&state.join("sessions"));
    let output = home.aish(&["state", "delete", "--yes"]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!output.status.success() && said.contains("is open in another aish"), "{said}");
    assert_eq!(names(&state.join("sessions")), before);
    assert_eq!(person.leaves(":quit\r"), Some(0));
    assert!(home.aish(&["state", "delete", "--yes"]).status.success());
    outside_is_whole(&home);
}

#[test]
fn an_export_has_all_but_tokens_and_what_links_lead_to() {
    let (home, state, _server) = used();
    let before = names(&state);
    let copy = home.work().join("copy");
    let output = home.aish(&["state", "export", "copy"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(names(&state), before);
    let left = ["mcp-tokens", "link-to-a-folder", "link-to-a-file", "aish.db-wal", "aish.db-shm"];
    let expected: BTreeSet<String> = before.into_iter().filter(|name| !left.contains(&name.as_str())).collect();
    assert_eq!(names(&copy), expected);
    assert_eq!(std::fs::metadata(&copy).unwrap().permissions().mode() & 0o777, 0o700);
    let session = std::fs::read_dir(copy.join("sessions")).unwrap().next().unwrap().unwrap().path();
    assert!(std::fs::read_to_string(session).unwrap().contains("capital of France?"));
    // The copy is a state that aish can use.
    std::fs::create_dir(home.path("moved")).unwrap();
    std::fs::rename(&copy, home.path("moved/aish")).unwrap();
    let moved = Home::new().with("XDG_STATE_HOME", &home.path("moved").display().to_string());
    let listed = moved.aish(&["sessions", "list"]);
    let said = String::from_utf8_lossy(&listed.stdout).into_owned();
    assert!(said.contains("capital-france"), "{said}");
    let cost = moved.aish(&["cost", "--by", "model"]);
    assert!(String::from_utf8_lossy(&cost.stdout).contains("scripted"), "{}", String::from_utf8_lossy(&cost.stdout));
    // A folder that is there is not written into.
    std::fs::create_dir(&copy).unwrap();
    let inside = state.join("sessions/copy").display().to_string();
    for (folder, hint) in [
        ("copy", "a folder that is not there yet"),
        ("no/such/copy", "has to be there"),
        (inside.as_str(), "a folder outside of it"),
    ] {
        let again = home.aish(&["state", "export", folder]);
        let said = String::from_utf8_lossy(&again.stderr).into_owned();
        assert!(!again.status.success() && said.contains("hint: ") && said.contains(hint), "{said}");
    }
    assert_eq!(names(&copy), BTreeSet::new());
    // Nor is a copy made of itself, or of a database that cannot be read as if it were empty.
    let inside = home.aish(&["state", "export", &state.join("copy").display().to_string()]);
    let said = String::from_utf8_lossy(&inside.stderr).into_owned();
    assert!(!inside.status.success() && said.contains("lies in what is to be copied"), "{said}");
    for suffix in ["", "-wal", "-shm"] {
        std::fs::write(state.join(format!("aish.db{suffix}")), [b'x'; 4096]).unwrap();
    }
    for arguments in [&["state", "export", "other"][..], &["cost"], &["memory", "add", "tea"], &["cost", "--json"]] {
        let failed = home.aish(arguments);
        let said = String::from_utf8_lossy(&failed.stderr).into_owned();
        assert_eq!((failed.status.code(), failed.stdout.as_slice()), (Some(1), &b""[..]), "{arguments:?}: {said}");
        assert!(said.contains("aish.db cannot be used: "), "{said}");
    }
    assert!(!home.work().join("other").exists());
}

#[test]
fn folders_that_are_closed_to_their_owner_hold_nothing_up() {
    let (home, state, _server) = used();
    // As overlayfs leaves one beside each layer.
    let closed = state.join("layers/1/work-0/work");
    std::fs::create_dir_all(&closed).unwrap();
    std::fs::set_permissions(&closed, std::fs::Permissions::from_mode(0o0)).unwrap();
    // Root is held up by nothing. A user cannot start a program below the home of root.
    let is_root = std::fs::metadata("/proc/self").unwrap().uid() == 0;
    let program = home.path("aish");
    std::fs::copy(env!("CARGO_BIN_EXE_aish"), &program).unwrap();
    if is_root {
        assert!(Command::new("chown").args(["-R", "4242:4242"]).arg(home.path("")).status().unwrap().success());
    }
    for arguments in [&["state", "export", "copy"][..], &["state", "delete", "--yes"]] {
        let mut command = if is_root { Command::new("setpriv") } else { Command::new(&program) };
        if is_root {
            command.args(["--reuid", "4242", "--regid", "4242", "--clear-groups"]).arg(&program);
        }
        let output = command.args(arguments).env_clear().envs(home.all_variables()).current_dir(home.work()).output();
        let output = output.unwrap();
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    }
    assert!(home.work().join("copy/layers/1/work-0").is_dir() && !state.exists());
    outside_is_whole(&home);
}
