//! The keys of `aish init` in the person's own shell: real bash, zsh and fish in a pseudo-terminal.

use std::path::Path;
use std::time::Duration;

use aish_testkit::model_server::{Expect, ModelServer, OpenAiStream, Script};
use aish_testkit::terminal::TerminalSession;

use crate::person::{HUNG, Home};

/// A request that no shell takes for a command.
const REQUEST: &str = "please show me the word";
/// A command that shows on the screen in another form than it is written.
const COMMAND: &str = "printf '%s-%s\\n' disk 42";

/// A shell with its keys.
#[derive(Clone, Copy)]
pub(crate) struct Kind {
    pub(crate) name: &'static str,
    pub(crate) ask: &'static str,
    explain: &'static str,
}

pub(crate) const BASH: Kind = Kind { name: "bash", ask: "\x18\x01", explain: "\x18\x17" };
pub(crate) const ZSH: Kind = Kind { name: "zsh", ask: "\x18\x01", explain: "\x18\x17" };
pub(crate) const FISH: Kind = Kind { name: "fish", ask: "\x0f\x01", explain: "\x0f\x17" };
const ALL: [Kind; 3] = [BASH, ZSH, FISH];

/// A person at a shell of their own.
pub(crate) struct Desk {
    session: TerminalSession,
    _home: Home,
}

impl Desk {
    /// Starts a shell with lines of its rc file before and behind ours.
    pub(crate) fn start(kind: Kind, server: &ModelServer, before: &str, behind: &str) -> Option<Self> {
        if aish_testkit::is_missing("the keys", kind.name) {
            return None;
        }
        let mut home = Home::new().with("OPENAI_BASE_URL", &server.url()).with("OPENAI_MODEL", "scripted");
        home.size = (90, 40);
        std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_aish"), home.path("bin/aish")).unwrap();
        let (file, first, line, arguments) = match kind.name {
            "bash" => (".bashrc", "PS1='READY> '", "eval \"$(aish init bash)\"", vec!["-i"]),
            "zsh" => (".zshrc", "PROMPT='READY> '", "eval \"$(aish init zsh)\"", vec!["-i"]),
            _ => {
                let prompt = "set -g fish_greeting\nset -g fish_autosuggestion_enabled 0\n\
                    function fish_prompt; echo -n 'READY> '; end\nfunction fish_right_prompt; end";
                (".config/fish/config.fish", prompt, "aish init fish | source", vec!["-i"])
            }
        };
        let path = home.path(file);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, format!("{first}\n{before}\n{line}\n{behind}\n")).unwrap();
        let session = home.terminal(Path::new(kind.name), &arguments);
        let desk = Self { session, _home: home };
        desk.prompt("");
        Some(desk)
    }

    pub(crate) fn types(&self, keys: &str) -> &Self {
        self.session.type_bytes(keys.as_bytes()).unwrap();
        self
    }

    pub(crate) fn screen(&self) -> String {
        self.session.contents()
    }

    pub(crate) fn waits(&self, what: &str, condition: impl Fn(&str) -> bool) -> &Self {
        assert!(self.session.wait_until(HUNG, condition), "no {what} on the screen:\n{}", self.screen());
        self
    }

    pub(crate) fn sees(&self, text: &str) -> &Self {
        self.waits(&format!("{text:?}"), |screen| screen.contains(text))
    }

    /// Waits until the last line of the screen is the prompt with this text behind it.
    pub(crate) fn prompt(&self, text: &str) -> &Self {
        self.waits(&format!("prompt with {text:?}"), |screen| {
            let last = screen.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or_default();
            let behind = last.split_once("READY>").map(|(_, behind)| behind.trim().trim_end_matches("right").trim());
            behind == Some(text)
        })
    }

    /// Waits until a whole line of the screen is this.
    pub(crate) fn line(&self, text: &str) -> &Self {
        self.waits(&format!("line {text:?}"), |screen| screen.lines().any(|line| line.trim_end() == text))
    }
}

pub(crate) fn answering(answer: &str) -> ModelServer {
    ModelServer::start(Script::new().always(Expect::chat(), OpenAiStream::answer(answer).reply())).unwrap()
}

#[test]
fn a_line_becomes_a_command_that_the_person_runs() {
    let server = answering(COMMAND);
    for kind in ALL {
        let Some(desk) = Desk::start(kind, &server, "", "") else { continue };
        desk.types(REQUEST).prompt(REQUEST).types(kind.ask).prompt(COMMAND);
        let verdict = if kind.name == "fish" { "ask: is for fish" } else { "allow" };
        assert!(desk.screen().contains(verdict), "{}: {}", kind.name, desk.screen());
        assert!(!desk.screen().contains("disk-42"), "{} ran it: {}", kind.name, desk.screen());
        desk.types("\r").line("disk-42").prompt("");
        if kind.name != "fish" {
            desk.types("fc -l | grep -c 'show me the wor[d]'\r").line("1");
        }
    }
}

#[test]
fn what_was_typed_comes_to_the_model_as_it_stands() {
    let typed = "what is \"a b\" $HOME * 'über' \\n";
    let server = ModelServer::start(Script::new().always(
        Expect::chat().contains("what is \\\"a b\\\" $HOME * 'über' \\\\n"),
        OpenAiStream::answer(COMMAND).reply(),
    ))
    .unwrap();
    for kind in ALL {
        let Some(desk) = Desk::start(kind, &server, "", "") else { continue };
        // As a terminal pastes it.
        desk.types(&format!("\x1b[200~{typed}\x1b[201~")).prompt(typed).types(kind.ask).prompt(COMMAND);
    }
}

#[test]
fn ctrl_c_stops_the_model_and_leaves_the_line() {
    let server = ModelServer::start(
        Script::new()
            .always(Expect::chat(), OpenAiStream::answer("ls").reply().pause_between(Duration::from_secs(3600))),
    )
    .unwrap();
    for kind in ALL {
        for key in ["\x03", "\x1b"] {
            let Some(desk) = Desk::start(kind, &server, "", "") else { continue };
            desk.types(REQUEST).prompt(REQUEST).types(kind.ask).sees("Ctrl-C stops").types(key);
            // zsh and fish leave the old line above.
            let lines = if kind.name == "bash" { 1 } else { 2 };
            desk.waits("prompt again", |screen| screen.matches(&format!("READY> {REQUEST}")).count() == lines);
            desk.prompt(REQUEST);
            assert!(!desk.screen().contains("Ctrl-C stops"), "{}", desk.screen());
            // The terminal is as it was: the line can be edited, runs, and Ctrl-C stops a command.
            desk.types("\x15printf '%s-%s\\n' a live\r").line("a-live").prompt("");
            desk.types("sh -c 'printf \"%s-%s\\n\" be gun; exec sleep 3600'\r").line("be-gun").types("\x03").prompt("");
        }
    }
}

#[test]
fn what_destroys_comes_as_a_comment() {
    let server = answering("sudo rm -rf /srv\nsudo rm -rf /opt");
    for (kind, rc) in [(BASH, ""), (ZSH, "setopt interactivecomments"), (FISH, "")] {
        let Some(desk) = Desk::start(kind, &server, rc, "") else { continue };
        desk.types(REQUEST).prompt(REQUEST).types(kind.ask).sees("# sudo rm -rf /srv").sees("# sudo rm -rf /opt");
        assert!(desk.screen().contains("halt: "), "{}", desk.screen());
        desk.types("\r").prompt("");
    }
    for (kind, rc) in [(BASH, "shopt -u interactive_comments"), (ZSH, "")] {
        let Some(desk) = Desk::start(kind, &server, rc, "") else { continue };
        desk.types(REQUEST).prompt(REQUEST).types(kind.ask).sees("halt: ").sees("sudo rm -rf /opt").prompt(REQUEST);
        assert!(!desk.screen().contains("# sudo"), "{}", desk.screen());
    }
}

#[test]
fn a_failure_is_explained_and_a_mended_line_offered() {
    let server = ModelServer::start(Script::new().always(
        Expect::chat().contains("cat /not/there").contains("Exit status: 1"),
        OpenAiStream::answer(&format!("There is no such file.\nCMD: {COMMAND}")).reply(),
    ))
    .unwrap();
    for kind in ALL {
        let Some(desk) = Desk::start(kind, &server, "", "") else { continue };
        desk.types("cat /not/there\r").sees("No such file").prompt("").types(kind.explain);
        desk.sees("There is no such file.").prompt(COMMAND);
        assert!(!desk.screen().contains("disk-42"), "{}", desk.screen());
        // What is on the line already stays.
        desk.types("\x15cat /not/there\r").prompt("").types("mine").prompt("mine").types(kind.explain);
        desk.waits("a second explanation", |screen| screen.matches("There is no such file.").count() == 2)
            .prompt("mine");
    }
}

#[test]
fn a_command_is_left_alone_unless_the_keys_come_twice() {
    let server = answering(COMMAND);
    for kind in ALL {
        let Some(desk) = Desk::start(kind, &server, "", "") else { continue };
        desk.types("ls -la").prompt("ls -la").types(kind.ask).sees("a command already").prompt("ls -la");
        desk.types(kind.ask).prompt(COMMAND);
    }
}

#[test]
fn keys_that_are_bound_are_left_alone_and_told() {
    let server = answering(COMMAND);
    let own = |kind: Kind| match kind.name {
        "bash" => ["bind '\"\\C-x\\C-a\": beginning-of-line'", "bind -p | grep -F 'C-x\\C-a'", "beginning-of-line"],
        "zsh" => ["bindkey '^X^A' beginning-of-line", "bindkey '^X^A'", "beginning-of-line"],
        _ => ["bind \\co\\ca beginning-of-line", "bind \\co\\ca", "beginning-of-line"],
    };
    for kind in ALL {
        let [binds, shows, function] = own(kind);
        let Some(desk) = Desk::start(kind, &server, binds, "") else { continue };
        desk.types(&format!("{shows}\r")).sees(function).prompt("");
        desk.types("aish init status\r").sees("was left alone").sees("explains the last failure").prompt("");
    }
}

#[test]
fn strict_settings_and_odd_ones_change_nothing() {
    let server = answering(COMMAND);
    let bash = "set -ue; set -o pipefail; IFS=x; alias printf='echo no'; HISTCONTROL=ignoreboth; set -o vi";
    let zsh = "setopt nounset ksharrays errreturn; alias print='echo no'; IFS=x; bindkey -v";
    for (kind, rc, line) in [
        (BASH, bash, "eval \"$(aish init bash)\""),
        (ZSH, zsh, "eval \"$(aish init zsh)\""),
        (
            FISH,
            "fish_vi_key_bindings; function fish_mode_prompt; end; alias printf 'echo no'",
            "aish init fish | source",
        ),
    ] {
        // Read twice, it holds once.
        let Some(desk) = Desk::start(kind, &server, rc, line) else { continue };
        desk.types(REQUEST).prompt(REQUEST).types(kind.ask).prompt(COMMAND);
    }
}
