//! `:last` and `:again`: the last command and what it showed.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::whole;
use crate::repl::{Flow, Repl};

/// Bytes that go to a terminal's clipboard at most: many take no more.
const CLIPBOARD: usize = 74_000;

pub(super) async fn run(repl: &mut Repl, rest: &str) -> Flow {
    let Some(last) = repl.live.remembered().last else {
        repl.complain("no command has run yet");
        return Flow::Go;
    };
    let (word, rest) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
    match (word, rest.trim()) {
        ("", _) => {
            repl.print(&format!("$ {}  [{}]", last.command.trim(), last.status));
            repl.print(&last.output);
        }
        ("copy", _) if last.output.len() > CLIPBOARD => {
            repl.complain("it is too long for a clipboard; `:last save FILE`")
        }
        ("copy", _) => {
            // The terminal puts it there, also from afar.
            let asked = format!("\u{1b}]52;c;{}\u{7}", STANDARD.encode(&last.output));
            let _ = std::io::Write::write_all(&mut std::io::stderr().lock(), asked.as_bytes());
            repl.say("copied, where the terminal lets programs do so (OSC 52)");
        }
        ("page", _) => whole::page(repl, &last.output),
        ("save", file) => whole::save(repl, &last.output, ":last", file),
        ("ask", "") => repl.complain(":last ask takes a question"),
        ("ask", question) => {
            let output = aish_types::head_and_tail(last.output.trim_end(), repl.base.config.shell.output_bytes);
            repl.live.take_pending();
            let command = aish_types::mask_named(last.command.trim());
            repl.attach(format!("[exec: {command}]\n{}\n[exit code: {}]", output.text, last.status));
            repl.ask(question).await;
        }
        _ => repl.complain(":last takes `copy`, `page`, `save FILE`, `ask QUESTION`, or nothing"),
    }
    Flow::Go
}

/// Runs the last command again.
pub(super) async fn again(repl: &mut Repl) -> Flow {
    match repl.live.remembered().last {
        Some(last) => {
            repl.print(&format!("$ {}", last.command.trim()));
            repl.command(last.command.trim(), last.command.trim()).await
        }
        None => {
            repl.complain("no command has run yet");
            Flow::Go
        }
    }
}
