//! The editor, a streamed reply and the gate's question, by hand: `cargo run -p aish-term --example terminal`.
//!
//! `?` before a line shows a reply, `!` asks the question, `:quit` ends.

use std::io::{IsTerminal as _, Write as _};
use std::sync::Arc;
use std::time::{Duration, Instant};

use aish_safety::{Approver as _, Judgement, Question, Subject, Verdict};
use aish_term::{
    Capabilities, ColorPolicy, EditorOptions, Facts, HistoryEntry, Input, LineEditor, Markdown, MemoryHistory,
    PromptView, Route, TerminalApprover, Theme,
};

const REPLY: &str = "\
## A reply

Some *text* with **markup**, `code` and a [link](https://example.org).

1. A step
   ```sh
   ls -la | head
   ```
2. Another

| Name | Use |
|------|-----|
| ls   | lists files |

```rust
fn main() {
    println!(\"hello\");
}
```
";

fn capabilities(is_terminal: bool) -> Capabilities {
    let facts = Facts::gather(is_terminal, crossterm::terminal::size().ok(), |name| std::env::var(name).ok());
    Capabilities::detect(&facts, ColorPolicy::Auto)
}

fn stream(out: &mut dyn std::io::Write) -> std::io::Result<()> {
    let started = Instant::now();
    let mut markdown = Markdown::new(Theme::dark(), capabilities(std::io::stdout().is_terminal()));
    for piece in REPLY.split_inclusive(' ') {
        let mut text = String::new();
        markdown.push(piece, started.elapsed(), &mut text);
        out.write_all(text.as_bytes())?;
        out.flush()?;
        std::thread::sleep(Duration::from_millis(30));
    }
    let mut text = String::new();
    markdown.finish(&mut text);
    out.write_all(text.as_bytes())
}

async fn converse() -> Result<(), Box<dyn std::error::Error>> {
    let history = Arc::new(MemoryHistory::new());
    let mut options = EditorOptions::new(
        capabilities(std::io::stderr().is_terminal()),
        std::io::stdin().is_terminal(),
        std::env::var("TERM").ok().as_deref(),
        Arc::clone(&history) as _,
    );
    options.route = Some(Box::new(|line: &str| match line.chars().next() {
        Some('?') => Route::Model,
        Some(':') => Route::Meta,
        _ => Route::Shell,
    }));
    let editor = Arc::new(LineEditor::start(options)?);
    let approver = TerminalApprover::new(Arc::clone(&editor), || {});
    let mut out = std::io::stdout();
    loop {
        let line = match editor.read(PromptView::plain("aish> ")).await? {
            Input::Line(line) => line,
            Input::Interrupted | Input::HostCommand(_) => continue,
            Input::EndOfInput => return Ok(()),
        };
        history.append(HistoryEntry {
            id: 0,
            line: line.text.clone(),
            folder: None,
            status: None,
            duration: None,
            session: None,
            started_ms: 0,
        });
        if line.text == ":quit" {
            return Ok(());
        } else if line.text.starts_with('?') {
            stream(&mut out)?;
        } else if let Some(command) = line.text.strip_prefix('!') {
            let question = Question {
                tool: "shell".into(),
                subject: Subject::Command { text: command.into() },
                arguments: serde_json::Value::Null,
                judgement: Judgement::new(Verdict::Ask, "example", "the example asks about everything"),
                confirm_message: None,
                drift: None,
                always: None,
                can_try: false,
                way_back: aish_safety::WayBack::Nothing,
                notes: Vec::new(),
            };
            writeln!(out, "{:?}", approver.ask(&question).await)?;
        } else {
            writeln!(out, "{line:?}")?;
        }
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    tokio::runtime::Builder::new_current_thread().build()?.block_on(converse())
}
