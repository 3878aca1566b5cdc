//! `aish hook` as agents and people start it.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};

mod brought;
mod changes;

/// A home and a project in folders of their own.
struct Place {
    root: tempfile::TempDir,
    project: &'static str,
}

impl Place {
    fn new() -> Self {
        Self::with_project("project")
    }

    fn with_project(project: &'static str) -> Self {
        let root = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(root.path().join("home")).unwrap();
        std::fs::create_dir_all(root.path().join(project).join(".git")).unwrap();
        Self { root, project }
    }

    fn home(&self) -> PathBuf {
        self.root.path().join("home")
    }

    fn project(&self) -> PathBuf {
        self.root.path().join(self.project)
    }

    fn configure(&self, text: &str) {
        std::fs::create_dir_all(self.home().join(".config/aish")).unwrap();
        std::fs::write(self.home().join(".config/aish/config.toml"), text).unwrap();
    }

    fn start(&self, arguments: &[&str], input: &[u8]) -> Output {
        let mut child = Command::new(env!("CARGO_BIN_EXE_aish"))
            .args(arguments)
            .current_dir(self.project())
            .env_clear()
            .env("HOME", self.home())
            .env("PATH", std::env::var_os("PATH").unwrap())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // A program that refuses its input closes it.
        let _ = child.stdin.take().unwrap().write_all(input);
        child.wait_with_output().unwrap()
    }

    fn before(&self, agent: &str, command: &str) -> (Option<i32>, String, String) {
        let folder = self.project();
        let (event, payload) = match agent {
            "gemini" => (
                "BeforeTool",
                json!({"session_id": "s", "cwd": folder, "hook_event_name": "BeforeTool",
                "tool_name": "run_shell_command", "tool_input": {"command": command}}),
            ),
            "cursor" => ("beforeShellExecution", json!({"conversation_id": "s", "command": command, "cwd": folder})),
            "crush" => (
                "PreToolUse",
                json!({"event": "PreToolUse", "session_id": "s", "cwd": folder, "tool_name": "bash", "tool_input": {"command": command}}),
            ),
            _ => (
                "PreToolUse",
                json!({"session_id": "s", "cwd": folder, "hook_event_name": "PreToolUse",
                "permission_mode": "default", "tool_name": "Bash", "tool_input": {"command": command}, "tool_use_id": "t1"}),
            ),
        };
        let output = self.start(&["hook", "run", agent, event], payload.to_string().as_bytes());
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        (output.status.code(), text(output.stdout), text(output.stderr))
    }

    fn audit(&self) -> Vec<Value> {
        let text = std::fs::read_to_string(self.home().join(".local/state/aish/audit.jsonl")).unwrap();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }
}

#[test]
fn what_destroys_is_denied_in_the_agents_words_and_written_down() {
    let place = Place::new();
    let (code, said, _) = place.before("claude", "sudo rm -rf /srv");
    assert_eq!(code, Some(0));
    let answer: Value = serde_json::from_str(&said).unwrap();
    assert_eq!(answer["hookSpecificOutput"]["permissionDecision"], "deny");
    let reason = answer["hookSpecificOutput"]["permissionDecisionReason"].as_str().unwrap();
    assert!(reason.starts_with("aish: files.") && reason.contains("/srv"), "{reason}");
    let line = &place.audit()[0];
    assert_eq!(
        (&line["source"], &line["answer"], &line["approved"]),
        (&json!("hook:claude"), &json!("deny"), &json!(false))
    );
    assert_eq!((&line["event"], &line["context"]["call"]), (&json!("PreToolUse"), &json!("t1")));
}

#[test]
fn what_does_not_destroy_is_left_to_the_agent() {
    let place = Place::new();
    for agent in ["claude", "codex", "gemini", "cursor"] {
        for command in ["ls -la", "make test", "rm notes.txt"] {
            assert_eq!(place.before(agent, command), (Some(0), String::new(), String::new()), "{agent}: {command}");
        }
    }
}

#[test]
fn what_a_command_deletes_is_put_aside_for_undo() {
    let place = Place::new();
    let notes = place.project().join("notes.txt");
    std::fs::write(&notes, "kept\n").unwrap();
    assert_eq!(place.before("claude", "rm notes.txt").0, Some(0));
    std::fs::remove_file(&notes).unwrap();
    let undone = place.start(&["undo"], b"");
    assert!(undone.status.success(), "{undone:?}");
    assert_eq!(std::fs::read_to_string(&notes).unwrap(), "kept\n");
}

#[test]
fn nothing_takes_a_commands_place_where_no_person_is_asked_or_a_rule_is_about_its_words() {
    let place = Place::new();
    let replaced = |command: &str| place.before("claude", command).1.contains("updatedInput");
    assert!(!replaced("rm notes.txt"), "it is off by default");
    place.configure("[hooks]\ntransactions = true\n");
    assert!(replaced("rm notes.txt"));
    for command in ["ls", "cd src && make", "curl http://example.com", "sudo rm -rf /srv", "rm /etc/hosts", "sleep 9 &"]
    {
        assert!(!replaced(command), "{command}");
    }
    for agent in ["codex", "gemini", "cursor"] {
        assert!(!place.before(agent, "rm notes.txt").1.contains("try --agent"), "{agent}");
    }
    let settings = place.home().join(".claude/settings.json");
    std::fs::create_dir_all(settings.parent().unwrap()).unwrap();
    for (text, expected) in [
        (r#"{"permissions": {"allow": ["Bash(make:*)"]}}"#, true),
        (r#"{"permissions": {"deny": ["Bash(rm:*)"]}}"#, false),
        ("{", false),
    ] {
        std::fs::write(&settings, text).unwrap();
        assert_eq!(replaced("rm notes.txt"), expected, "{text}");
    }
}

#[test]
fn a_program_that_waits_for_typed_text_is_denied_under_codex() {
    let place = Place::new();
    for command in ["python3", "bash", "env A=1 sh", "psql"] {
        let (_, said, _) = place.before("codex", command);
        assert!(said.contains("hook.typed-input"), "{command}: {said}");
    }
    for command in ["python3 x.py", "bash -c ls", "make", "git status"] {
        assert_eq!(place.before("codex", command).1, "", "{command}");
    }
}

#[test]
fn a_command_that_changes_the_hooks_themselves_is_denied() {
    let place = Place::new();
    for command in ["echo '{}' > ~/.claude/settings.json", "rm .codex/hooks.json", "sed -i s/a/b/ ~/.codex/hooks.json"]
    {
        let (_, said, _) = place.before("gemini", command);
        assert!(said.contains("protected."), "{command}: {said}");
    }
}

#[test]
fn the_project_as_a_whole_is_no_hook() {
    for folder in ["project", "home/src/project"] {
        the_project_is_no_hook_in(Place::with_project(folder));
    }
}

fn the_project_is_no_hook_in(place: Place) {
    for command in [
        "git add .",
        "docker build -t app .",
        "zip -r x.zip .",
        "cp -r . ../copy",
        "rsync -a . host:b",
        "tar czf ../all.tgz .",
        "npm install .",
    ] {
        assert_eq!(place.before("claude", command).1, "", "{command}");
    }
    for command in ["cp -r evil/. .claude", "cp evil .claude/settings.json", "mv .codex x", "tar xf x.tar -C .gemini"] {
        assert!(place.before("claude", command).1.contains("protected."), "{command}");
    }
}

#[test]
fn what_is_not_understood_blocks_before_a_command_and_nothing_after_it() {
    let place = Place::new();
    let big = vec![b' '; (1 << 20) + 10];
    let inputs: [&[u8]; 6] =
        [b"", b"{", b"\xff", b"{} {}", b"{\"hook_event_name\":\"PreToolUse\",\"tool_name\":\"Bash\"}", &big];
    for input in inputs {
        let output = place.start(&["hook", "run", "claude", "PreToolUse"], input);
        assert_eq!((output.status.code(), output.stdout.as_slice()), (Some(2), &b""[..]));
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(said.starts_with("aish: ") && said.lines().count() == 1, "{said}");
        assert_eq!(place.start(&["hook", "run", "claude", "PostToolUse"], input).status.code(), Some(0));
    }
    assert!(place.audit().iter().all(|line| line["answer"] == "deny" && line["fault"].is_string()));
    assert_eq!(place.start(&["hook", "run", "claude", "Unheard"], b"{}").status.code(), Some(0));
    assert_eq!(place.start(&["hook", "run", "nobody", "PreToolUse"], b"{}").status.code(), Some(2));
}

#[test]
fn where_nothing_can_be_written_down_only_the_harmless_is_left_to_the_agent() {
    let place = Place::new();
    let state = place.home().join(".local/state/aish");
    std::fs::create_dir_all(&state).unwrap();
    std::fs::create_dir(state.join("audit.jsonl")).unwrap();
    assert_eq!(place.before("claude", "ls").1, "");
    assert!(place.before("claude", "make test").1.contains("audit.unwritable"));
}

#[test]
fn settings_come_back_byte_by_byte() {
    let place = Place::new();
    let aish = env!("CARGO_BIN_EXE_aish");
    let file = place.home().join(".claude/settings.json");
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    let before = "{\"model\":\"opus\",\n\"hooks\":{ } }";
    std::fs::write(&file, before).unwrap();
    let start = |arguments: &[&str]| {
        let output = place.start(arguments, b"");
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    assert!(start(&["hook", "install", "claude", "--program", aish, "--dry-run"]).contains("+"));
    assert_eq!(std::fs::read_to_string(&file).unwrap(), before);
    start(&["hook", "install", "claude", "--program", aish]);
    let installed = std::fs::read_to_string(&file).unwrap();
    assert!(installed.contains("\"onFailure\": \"block\""), "{installed}");
    assert!(start(&["hook", "install", "claude", "--program", aish]).contains("already"));
    assert_eq!(std::fs::read_to_string(&file).unwrap(), installed);
    assert!(start(&["hook", "status", "claude"]).contains("hooked for the user"));
    start(&["hook", "uninstall", "claude"]);
    assert_eq!(std::fs::read_to_string(&file).unwrap(), before);
    // What others wrote in the meantime stays.
    start(&["hook", "install", "claude", "--program", aish]);
    let changed = std::fs::read_to_string(&file).unwrap().replace("opus", "sonnet");
    std::fs::write(&file, changed).unwrap();
    start(&["hook", "uninstall", "claude"]);
    let rest: Value = serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
    assert_eq!(rest, json!({"model": "sonnet"}));
    // A file that was not there is not there again.
    start(&["hook", "install", "goose", "--program", aish]);
    assert!(place.home().join(".agents/plugins/aish/plugin.json").exists());
    start(&["hook", "uninstall", "goose"]);
    assert!(!place.home().join(".agents/plugins/aish/plugin.json").exists());
}

#[test]
fn a_program_that_will_not_stay_is_refused_and_a_dead_one_is_told() {
    let place = Place::new();
    let fleeting = place.home().join(".cache/uv/archive-v0/x/aish");
    std::fs::create_dir_all(fleeting.parent().unwrap()).unwrap();
    std::fs::copy("/bin/true", &fleeting).unwrap();
    let refused = place.start(&["hook", "install", "claude", "--program", fleeting.to_str().unwrap()], b"");
    assert_eq!(refused.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("will not stay"), "{refused:?}");
    let settings = json!({"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [
        {"type": "command", "command": "/gone/aish hook run claude PreToolUse"}]}]}});
    let file = place.home().join(".claude/settings.json");
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    std::fs::write(&file, settings.to_string()).unwrap();
    let told = place.start(&["hook", "status", "claude"], b"");
    assert_eq!(told.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&told.stdout).contains("/gone/aish is gone"), "{told:?}");
}

/// The module for opencode, loaded by a real JavaScript runtime.
#[test]
fn the_module_throws_what_is_denied_and_when_the_program_is_gone() {
    if !Path::new("/usr/bin/node").exists() && which("node").is_none() {
        aish_testkit::skip("the_module_throws_what_is_denied_and_when_the_program_is_gone", "node is missing");
        return;
    }
    let place = Place::new();
    let installed = place.start(&["hook", "install", "opencode", "--program", env!("CARGO_BIN_EXE_aish")], b"");
    assert!(installed.status.success(), "{installed:?}");
    let module = place.home().join(".config/opencode/plugins/aish.js");
    let copy = place.root.path().join("aish.mjs");
    let broken = place.root.path().join("broken.mjs");
    let text = std::fs::read_to_string(&module).unwrap();
    std::fs::write(&copy, &text).unwrap();
    std::fs::write(&broken, text.replace(env!("CARGO_BIN_EXE_aish"), "/gone/aish")).unwrap();
    let script = "
        const [good, bad, folder] = process.argv.slice(1)
        const attempt = async (file, command, tool = 'bash') => {
            const hooks = await (await import(file)).AishHook({ directory: folder })
            try {
                await hooks['tool.execute.before']({ tool, sessionID: 's', callID: 'c' }, { args: { command } })
                await hooks['tool.execute.after']({ tool, sessionID: 's', callID: 'c' })
                return 'ran'
            } catch (error) { return error.message.slice(0, 5) }
        }
        console.log(await attempt(good, 'ls'), await attempt(good, 'sudo rm -rf /srv'), await attempt(good, 'x', 'read'), await attempt(bad, 'ls'))
    ";
    let output = Command::new("node")
        .args(["--input-type=module", "-e", script])
        .args([copy.as_os_str(), broken.as_os_str(), place.project().as_os_str()])
        .env("HOME", place.home())
        .output()
        .unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stdout).trim(), "ran aish: ran aish:", "{output:?}");
}

fn which(program: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(program)).find(|file| file.is_file())
}

/// What comes before and behind one command of Claude Code.
fn around(place: &Place, id: &str, command: &str, run: impl FnOnce()) -> (String, String) {
    let payload = |event: &str| {
        json!({"session_id": "s", "cwd": place.project(), "hook_event_name": event, "permission_mode": "default",
               "tool_name": "Bash", "tool_input": {"command": command}, "tool_use_id": id,
               "tool_response": {"stdout": "", "stderr": "", "interrupted": false}})
    };
    let start = |event: &str| {
        let output = place.start(&["hook", "run", "claude", event], payload(event).to_string().as_bytes());
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    let before = start("PreToolUse");
    run();
    (before, start("PostToolUse"))
}

fn listed(place: &Place) -> String {
    String::from_utf8(place.start(&["undo", "list"], b"").stdout).unwrap()
}

#[test]
fn behind_a_command_it_is_said_what_changed_and_the_list_knows_the_agent() {
    let place = Place::new();
    let notes = place.project().join("notes.txt");
    std::fs::write(&notes, "kept\n").unwrap();
    let (before, behind) = around(&place, "t1", "rm notes.txt", || std::fs::remove_file(&notes).unwrap());
    assert_eq!(before, "");
    let said: Value = serde_json::from_str(&behind).unwrap();
    let context = said["hookSpecificOutput"]["additionalContext"].as_str().unwrap();
    assert!(context.starts_with("aish: this command deleted notes.txt. `aish undo "), "{context}");
    assert_eq!(said["hookSpecificOutput"]["hookEventName"], "PostToolUse");
    assert!(listed(&place).contains("(claude, session s, exit 0) rm notes.txt"), "{}", listed(&place));
    // What nothing came of is not told.
    std::fs::write(&notes, "kept\n").unwrap();
    assert_eq!(around(&place, "t2", "rm notes.txt", || {}).1, "");
    assert_eq!(around(&place, "t3", "ls", || {}).1, "");
}

#[test]
fn two_entries_for_one_call_put_aside_once() {
    let place = Place::new();
    std::fs::write(place.project().join("notes.txt"), "kept\n").unwrap();
    // At once, as the settings of the person and of the project make an agent do it.
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| assert_eq!(place.before("claude", "rm notes.txt").0, Some(0)));
        }
    });
    let notes = place.project().join("notes.txt");
    std::fs::remove_file(&notes).unwrap();
    assert_eq!(listed(&place).matches("rm notes.txt").count(), 1, "{}", listed(&place));
    assert!(listed(&place).contains("may still run"), "{}", listed(&place));
    let undone = place.start(&["undo"], b"");
    assert!(String::from_utf8_lossy(&undone.stdout).contains("it may still run"), "{undone:?}");
    // An agent that names no call: the same command again is the same until something is other.
    for _ in 0..2 {
        assert_eq!(place.before("gemini", "rm notes.txt").0, Some(0));
    }
    std::fs::write(&notes, "other\n").unwrap();
    assert_eq!(listed(&place).matches("gemini, session s").count(), 1, "{}", listed(&place));
    assert_eq!(place.before("gemini", "rm notes.txt").0, Some(0));
    std::fs::remove_file(&notes).unwrap();
    assert_eq!(listed(&place).matches("gemini, session s").count(), 2, "{}", listed(&place));
}

#[test]
fn the_end_of_a_session_ends_what_was_open_in_it() {
    let place = Place::new();
    std::fs::write(place.project().join("notes.txt"), "kept\n").unwrap();
    assert_eq!(place.before("claude", "rm notes.txt").0, Some(0));
    std::fs::remove_file(place.project().join("notes.txt")).unwrap();
    let ended = json!({"session_id": "s", "cwd": place.project(), "hook_event_name": "SessionEnd", "reason": "exit"});
    assert_eq!(
        place.start(&["hook", "run", "claude", "SessionEnd"], ended.to_string().as_bytes()).status.code(),
        Some(0)
    );
    assert!(listed(&place).contains("its end was not told"), "{}", listed(&place));
}

#[test]
fn what_a_rule_wants_asked_is_denied_where_the_agent_cannot_ask() {
    let place = Place::new();
    let rule = "[[policy.rules]]\nmatch = \"make *\"\nverdict = \"ask\"\nreason = \"builds are asked about\"\n";
    place.configure(rule);
    assert!(place.before("claude", "make all").1.contains("\"permissionDecision\":\"ask\""));
    for agent in ["gemini", "codex"] {
        assert!(place.before(agent, "make all").1.contains("deny"), "{agent}");
        assert_eq!(place.before(agent, "rm notes.txt").1, "", "{agent}");
    }
    // A rule may stand in what cannot be read.
    for text in ["[policy]\nrules = \"none\"\n", "[hooks]\nask = \"deni\"\n"] {
        place.configure(text);
        for command in ["ls", "rm notes.txt"] {
            assert!(place.before("codex", command).1.contains("policy.broken"), "{text}: {command}");
        }
    }
}

/// What a folder brings counts where the command runs, not where the hook was started.
#[test]
fn settings_of_the_folder_that_the_agent_names_make_a_question() {
    let place = Place::new();
    let other = place.root.path().join("other");
    place.configure("[hooks]\nallow = true\n");
    std::fs::create_dir_all(&other).unwrap();
    let decided = || {
        let payload = json!({"session_id": "s", "cwd": other, "hook_event_name": "PreToolUse",
            "permission_mode": "default", "tool_name": "Bash", "tool_input": {"command": "go version"}, "tool_use_id": "t1"});
        let output = place.start(&["hook", "run", "claude", "PreToolUse"], payload.to_string().as_bytes());
        String::from_utf8(output.stdout).unwrap()
    };
    assert!(decided().contains("\"allow\""), "{}", decided());
    std::fs::write(other.join("go.mod"), "module x\ntoolchain go1.99\n").unwrap();
    assert!(!decided().contains("\"allow\""), "{}", decided());
}

#[test]
fn a_status_tells_what_keeps_hooks_from_being_started() {
    let place = Place::new();
    let write = |file: &str, text: &str| {
        let path = place.root.path().join(file);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    let status = |agent: &str| {
        let output = place.start(&["hook", "status", agent], b"");
        (output.status.code(), String::from_utf8(output.stdout).unwrap())
    };
    let aish = env!("CARGO_BIN_EXE_aish");
    for agent in ["claude", "gemini", "goose"] {
        for scope in ["--user", "--project"] {
            assert!(
                place.start(&["hook", "install", agent, scope, "--program", aish], b"").status.success(),
                "{agent}"
            );
        }
        let (code, said) = status(agent);
        assert_eq!(code, Some(0), "twice is no fault: {said}");
        assert!(said.contains("note: it is installed more than once") && !said.contains("fault"), "{said}");
    }
    write("project/.claude/settings.json", "{\"disableAllHooks\": true}");
    write("home/.config/goose/settings.json", "{\"disabledPlugins\": [\"aish\"]}");
    let gemini = place.home().join(".gemini/settings.json");
    let with =
        std::fs::read_to_string(&gemini).unwrap().replacen('{', "{ // mine\n\"hooksConfig\": {\"enabled\": false},", 1);
    std::fs::write(&gemini, with).unwrap();
    for (agent, switch) in
        [("claude", "disableAllHooks"), ("gemini", "hooksConfig.enabled"), ("goose", "disabledPlugins")]
    {
        let (code, said) = status(agent);
        assert_eq!(code, Some(1), "{said}");
        assert!(said.contains(&format!("fault: {switch} in ")), "{said}");
    }
}
