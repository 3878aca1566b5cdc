//! `aish init`: what a person's own shell reads at its start, and what came of it there.
//!
//! The scripts bind keys and completions and nothing else: no trap, no hook of a prompt, no alias. A key starts
//! `aish line`; the shell's own line editor takes what that prints.

mod keys;

use std::path::Path;

use crate::arguments::{InitFlags, InitTarget, LineShell};
use crate::base::Base;
use crate::command::line::screen;
use crate::exit::ExitCode;
use crate::failure::{Failure, ResultExt as _};
use crate::run::complain;
use keys::Chord;

const BASH: &str = include_str!("init/bash.bash");
const ZSH: &str = include_str!("init/zsh.zsh");
const FISH: &str = include_str!("init/fish.fish");

/// The keys of a shell: to ask and to explain.
struct Keys {
    ask: Option<Chord>,
    explain: Option<Chord>,
}

/// Prints a shell's script, or the state of the shell that this is called from.
///
/// # Errors
/// When the path of this program is not known, or keys are named that cannot be bound.
pub fn run(base: &Base, flags: &InitFlags, print: &mut dyn FnMut(&str)) -> Result<ExitCode, Failure> {
    let shell = match flags.target {
        InitTarget::Bash => LineShell::Bash,
        InitTarget::Zsh => LineShell::Zsh,
        InitTarget::Fish => LineShell::Fish,
        InitTarget::Status => return Ok(status(base, print)),
    };
    let keys = match chosen(base, flags, shell) {
        Ok(keys) => keys,
        Err(error) => {
            complain(&error.to_string());
            return Ok(ExitCode::Usage);
        }
    };
    let program = std::env::current_exe().at(|| "the path of this program is not known")?;
    print(script(shell, &program, &keys).trim_end());
    Ok(ExitCode::Ok)
}

fn chosen(base: &Base, flags: &InitFlags, shell: LineShell) -> Result<Keys, keys::KeyError> {
    let configured = &base.config.key;
    let key = |flag: Option<&String>, configured: &str, usual: &str| {
        let written = flag.map_or(configured, String::as_str).trim();
        match written {
            _ if flags.no_keys => Ok(None),
            "" | "none" => Ok(None),
            "default" => Chord::parse(usual).map(Some),
            written => Chord::parse(written).map(Some),
        }
    };
    // Ctrl-X is taken in fish, and it would have to wait for a second key.
    let (ask, explain) = match shell {
        LineShell::Bash | LineShell::Zsh => ("ctrl-x ctrl-a", "ctrl-x ctrl-w"),
        LineShell::Fish => ("ctrl-o ctrl-a", "ctrl-o ctrl-w"),
    };
    Ok(Keys {
        ask: key(flags.key_ask.as_ref(), &configured.ask, ask)?,
        explain: key(flags.key_explain.as_ref(), &configured.explain, explain)?,
    })
}

/// Fills a shell's script in.
fn script(shell: LineShell, program: &Path, keys: &Keys) -> String {
    let (text, program) = match shell {
        LineShell::Bash => (BASH, quoted(program)),
        LineShell::Zsh => (ZSH, quoted(program)),
        LineShell::Fish => (FISH, quoted_for_fish(program)),
    };
    let text = filled(text, shell, "ASK", keys.ask.as_ref());
    let text = filled(&text, shell, "EXPLAIN", keys.explain.as_ref());
    text.replace("@AISH@", &program)
}

/// Fills the keys of one part in; a part without keys is a comment.
fn filled(text: &str, shell: LineShell, part: &str, chord: Option<&Chord>) -> String {
    let place = |what: &str| format!("@{part}{what}@");
    let Some(chord) = chord else {
        let text = text.replace(&place(""), "# ").replace(&place("_NAME"), "no-key");
        let rest = ["_KEYS", "_FIRST", "_BLE", "_FISH", "_FISH_FIRST"];
        return rest.iter().fold(text, |text, what| text.replace(&place(what), "-"));
    };
    let first = chord.first();
    let (keys, first_key) = match shell {
        LineShell::Bash => (chord.readline(), first.readline()),
        LineShell::Zsh => (chord.zsh(), first.zsh()),
        LineShell::Fish => (chord.fish_3(), first.fish_3()),
    };
    text.replace(&place(""), "")
        .replace(&place("_KEYS"), &keys)
        .replace(&place("_FIRST"), &first_key)
        .replace(&place("_BLE"), &chord.ble())
        .replace(&place("_FISH"), &chord.fish_4())
        .replace(&place("_FISH_FIRST"), &first.fish_4())
        .replace(&place("_NAME"), &chord.name())
}

fn quoted(program: &Path) -> String {
    shell_words::quote(&program.to_string_lossy()).into_owned()
}

/// Quotes for fish, which reads `\` and `'` behind a `\` even between single quotes.
fn quoted_for_fish(program: &Path) -> String {
    format!("'{}'", program.to_string_lossy().replace('\\', "\\\\").replace('\'', "\\'"))
}

/// Says whether a shell is one that an aish of this file has started.
fn is_shell_of_aish(shell: u32) -> bool {
    let parent = || {
        let stat = std::fs::read_to_string(format!("/proc/{shell}/stat")).ok()?;
        stat.rsplit_once(')')?.1.split_ascii_whitespace().nth(1)?.parse::<u32>().ok()
    };
    let started = parent().and_then(|parent| std::fs::read_link(format!("/proc/{parent}/exe")).ok());
    started.is_some_and(|started| std::env::current_exe().is_ok_and(|own| own == started))
}

/// Says what is bound in the shell that this was called from; exit code 1 where something is not.
fn status(base: &Base, print: &mut dyn FnMut(&str)) -> ExitCode {
    let told = base.variable("AISH_INIT").unwrap_or_default();
    let mut words = told.split(' ');
    let (shell, process) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    if is_shell_of_aish(std::os::unix::process::parent_id()) {
        print("this is aish: it reads each line itself, and `aish init` is for other shells");
        return ExitCode::Ok;
    }
    if process != std::os::unix::process::parent_id().to_string() {
        print("this shell has not read `aish init`; put `eval \"$(aish init bash)\"`, `eval \"$(aish init zsh)\"` or");
        print("`aish init fish | source` into the last line of its rc file");
        return ExitCode::Error;
    }
    let mut whole = true;
    for (key, what) in words.zip(["turns the line into a command", "explains the last failure"]) {
        let (keys, state) = key.split_once('=').unwrap_or((key, ""));
        let keys = keys.replace('_', " ");
        whole &= state != "taken";
        print(&match state {
            "bound" => format!("{shell}: {keys} {what}"),
            "taken" => format!(
                "{shell}: {keys} is bound to something else and was left alone; `aish init {shell} --key-ask` and \
                 `--key-explain` choose other keys"
            ),
            _ => format!("{shell}: no key {what}"),
        });
    }
    print(&match screen::source(&|name| base.variable(name)) {
        Some(source) => format!("what commands wrote is read from {}", source.name),
        None => "what commands wrote cannot be read from this terminal (tmux, kitty, WezTerm, zellij and screen can)"
            .to_owned(),
    });
    if whole { ExitCode::Ok } else { ExitCode::Error }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(ask: &str, explain: Option<&str>) -> Keys {
        Keys { ask: Some(Chord::parse(ask).unwrap()), explain: explain.map(|keys| Chord::parse(keys).unwrap()) }
    }

    #[test]
    fn every_place_of_a_script_is_filled_in() {
        for shell in [LineShell::Bash, LineShell::Zsh, LineShell::Fish] {
            for keys in [keys("ctrl-x ctrl-a", Some("alt-e")), keys("alt-a", None), Keys { ask: None, explain: None }] {
                let text = script(shell, Path::new("/opt/it's \\ here/aish"), &keys);
                assert!(!text.contains("@A") && !text.contains("@E"), "{text}");
            }
        }
    }

    #[test]
    fn a_path_is_one_word_in_every_shell() {
        let path = Path::new("/opt/it's \\ $HOME/aish");
        assert_eq!(quoted_for_fish(path), "'/opt/it\\'s \\\\ $HOME/aish'");
        assert_eq!(shell_words::split(&quoted(path)).unwrap(), ["/opt/it's \\ $HOME/aish"]);
    }
}
