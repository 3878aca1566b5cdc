//! What other agents and repositories bring that must not stay or must not hold anybody.

use super::Place;

#[test]
fn a_key_in_a_command_is_not_written_down() {
    let place = Place::new();
    std::fs::write(place.project().join("notes.txt"), "kept\n").unwrap();
    for command in [
        "curl -H 'Authorization: Bearer hunter2-canary' https://h",
        "API_TOKEN=hunter2-canary rm notes.txt",
        "git clone https://me:hunter2-canary@h/x",
        "sudo rm -rf /srv --token hunter2-canary",
    ] {
        assert_eq!(place.before("claude", command).0, Some(0), "{command}");
    }
    let lines = place.audit();
    assert_eq!(lines[0]["command"], "curl -H 'Authorization: Bearer [redacted]' https://h");
    let state = place.home().join(".local/state/aish");
    let listed = place.start(&["undo", "list"], b"");
    let kept = format!("{lines:?}{}", String::from_utf8_lossy(&listed.stdout));
    assert!(lines.len() == 4 && kept.contains("notes.txt") && !kept.contains("hunter2"), "{kept}");
    let undo = std::fs::read_to_string(state.join("undo/undo.jsonl")).unwrap();
    assert!(!undo.contains("hunter2"), "{undo}");
}

#[test]
fn settings_without_an_end_hold_nobody() {
    let place = Place::new();
    std::fs::create_dir_all(place.project().join(".claude")).unwrap();
    // As a repository may bring them.
    for (name, target) in [
        (".claude/settings.json", "/dev/zero"),
        (".claude/settings.local.json", "/dev/zero"),
        (".mcp.json", "/dev/zero"),
    ] {
        std::os::unix::fs::symlink(target, place.project().join(name)).unwrap();
    }
    let program = std::env::current_exe().unwrap();
    for (arguments, code) in [
        (&["hook", "status"][..], 0),
        (&["hook", "install", "claude", "--project", "--program", program.to_str().unwrap()], 1),
        (&["hook", "uninstall", "claude", "--project"], 1),
        (&["mcp", "uninstall", "claude", "--project"], 1),
        (&["mcp", "import", ".mcp.json"], 1),
        (&["self", "uninstall"], 1),
    ] {
        let ended = place.start(arguments, b"");
        assert_eq!(ended.status.code(), Some(code), "{arguments:?}: {ended:?}");
    }
}
