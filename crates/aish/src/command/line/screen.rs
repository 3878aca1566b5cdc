//! What the last command wrote, as far as the terminal can tell. Nothing is recorded in the background for it.

use std::process::Stdio;
use std::time::Duration;

/// How long a terminal may take to answer.
const PATIENCE: Duration = Duration::from_millis(300);
/// The most that is read of it, in bytes.
const MOST: u64 = 1024 * 1024;

/// A terminal that can be asked for its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// Its name, for people.
    pub name: &'static str,
    program: &'static str,
    arguments: Vec<String>,
    /// Whether it gives the last command's output alone, and not all of the screen.
    exact: bool,
}

/// Finds the terminal that can be asked, by the environment.
pub fn source(variable: &dyn Fn(&str) -> Option<String>) -> Option<Source> {
    let set = |name: &str| variable(name).filter(|value| !value.is_empty());
    let source = |name, program, arguments: &[&str], exact| Source {
        name,
        program,
        arguments: arguments.iter().map(|&argument| argument.to_owned()).collect(),
        exact,
    };
    // Inside tmux and zellij the outer terminal shows them and not this shell.
    if set("TMUX").is_some() {
        let pane = set("TMUX_PANE")?;
        return Some(source("tmux's screen", "tmux", &["capture-pane", "-p", "-J", "-t", &pane, "-S", "-2000"], false));
    }
    if set("ZELLIJ").is_some() {
        return Some(source("zellij's screen", "zellij", &["action", "dump-screen", "--full", "/dev/stdout"], false));
    }
    // Far away the sockets of these are not here.
    if set("SSH_CONNECTION").is_some() {
        return None;
    }
    if set("KITTY_WINDOW_ID").is_some() {
        return Some(source("kitty", "kitten", &["@", "get-text", "--self", "--extent", "last_cmd_output"], true));
    }
    let pane = set("WEZTERM_PANE")?;
    Some(source(
        "WezTerm's screen",
        "wezterm",
        &["cli", "get-text", "--pane-id", &pane, "--start-line", "-2000"],
        false,
    ))
}

/// Asks a terminal for the output of the last command; none where it does not tell.
pub(super) async fn output(source: &Source, command: &str) -> Option<String> {
    use tokio::io::AsyncReadExt as _;
    let mut child = tokio::process::Command::new(source.program)
        .args(&source.arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .kill_on_drop(true)
        .spawn()
        .ok()?;
    let out = child.stdout.take()?;
    let mut bytes = Vec::new();
    let read = async {
        out.take(MOST).read_to_end(&mut bytes).await.ok()?;
        child.wait().await.ok().filter(std::process::ExitStatus::success)
    };
    tokio::time::timeout(PATIENCE, read).await.ok()??;
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let text = if source.exact { text } else { behind(&text, command)? };
    Some(text.trim_matches('\n').to_owned()).filter(|text| !text.trim().is_empty())
}

/// Cuts what stands behind the last line that ends with the command, down to a line that is the prompt again.
fn behind(screen: &str, command: &str) -> Option<String> {
    let first = command.lines().next().map(str::trim_end).filter(|first| !first.is_empty())?;
    let lines: Vec<&str> = screen.trim_end().lines().map(str::trim_end).collect();
    let at = lines.iter().rposition(|line| line.ends_with(first))?;
    let prompt = lines.get(at)?.strip_suffix(first)?.trim_end();
    let mut rest = lines.get(at + 1..)?;
    // The lines of a command that has several are drawn behind the first.
    for line in command.lines().skip(1) {
        rest = rest.split_first().filter(|(shown, _)| shown.ends_with(line.trim_end())).map_or(rest, |(_, rest)| rest);
    }
    if let Some((last, before)) = rest.split_last()
        && !prompt.is_empty()
        && last.strip_prefix(prompt).is_some_and(|typed| typed.is_empty() || typed.starts_with(' '))
    {
        rest = before;
    }
    Some(rest.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_output_is_what_stands_between_the_command_and_the_prompt() {
        let screen = "$ make\nold\n$ make\ncc -c a.c\na.c:1: error\nmake: *** [a.o] Error 1\n$ \n\n\n";
        for (screen, command, expected) in [
            (screen, "make", Some("cc -c a.c\na.c:1: error\nmake: *** [a.o] Error 1")),
            ("~/x ❯ ls /nope\nls: cannot access\n~/x ❯ git st", "ls /nope", Some("ls: cannot access")),
            ("~/x ❯ ls /nope\nls: cannot access\n~/x ❯", "ls /nope", Some("ls: cannot access")),
            (
                "$ for i in 1; do\n> nope\n> done\nnope: not found\n$",
                "for i in 1; do\nnope\ndone",
                Some("nope: not found"),
            ),
            ("$ clear\n", "make", None),
            ("$ false\n", "false", Some("")),
            ("", "ls", None),
            ("ls\n", "", None),
        ] {
            assert_eq!(behind(screen, command).as_deref(), expected, "{command}");
        }
    }

    #[test]
    fn the_innermost_terminal_is_asked_and_none_from_afar() {
        let named = |set: &[(&str, &str)]| {
            let found = source(&|name| set.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned()));
            found.map(|source| source.name)
        };
        assert_eq!(named(&[("KITTY_WINDOW_ID", "1"), ("TMUX", "/tmp/t"), ("TMUX_PANE", "%1")]), Some("tmux's screen"));
        assert_eq!(named(&[("KITTY_WINDOW_ID", "1")]), Some("kitty"));
        assert_eq!(named(&[("KITTY_WINDOW_ID", "1"), ("SSH_CONNECTION", "a b")]), None);
        assert_eq!(named(&[("WEZTERM_PANE", "3")]), Some("WezTerm's screen"));
        assert_eq!(named(&[]), None);
    }
}
