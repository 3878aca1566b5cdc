//! What runs in the terminal: scenarios, each a few reads or a question, whose outcome is printed.

use std::io::{IsTerminal as _, Write as _};
use std::sync::Arc;
use std::time::Duration;

use aish_safety::{Approver as _, Judgement, Question, Subject, Verdict};
use aish_term::{
    Candidate, Capabilities, ColorPolicy, EditorOptions, Facts, HistoryEntry, KeyMode, LineEditor, MemoryHistory,
    PromptView, Route, TerminalApprover, Wholeness,
};

/// Does nothing unless a test started it in a terminal.
#[test]
fn scenario() {
    let Ok(name) = std::env::var("AISH_TERM_SCENARIO") else { return };
    let dumb = std::env::var("TERM").is_ok_and(|term| term == "dumb");
    let mut stdout = std::io::stdout();
    // The test harness has written to the screen already.
    write!(stdout, "{}", if dumb { "\n" } else { "\u{1b}[2J\u{1b}[H" }).unwrap();
    stdout.flush().unwrap();
    tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(run(&name));
    say(&format!("MODES {}", modes()));
    std::process::exit(0);
}

fn modes() -> &'static str {
    use rustix::termios::{LocalModes, tcgetattr};
    let modes = tcgetattr(std::io::stdin()).unwrap().local_modes;
    if modes.contains(LocalModes::ECHO | LocalModes::ICANON | LocalModes::ISIG) { "cooked" } else { "raw" }
}

fn say(text: &str) {
    let mut stdout = std::io::stdout();
    writeln!(stdout, "{text}").unwrap();
    stdout.flush().unwrap();
}

fn entry(line: &str, folder: &str, status: i32) -> HistoryEntry {
    HistoryEntry {
        id: 0,
        line: line.into(),
        folder: Some(folder.into()),
        status: Some(status),
        duration: None,
        session: Some("s".into()),
        started_ms: 0,
    }
}

fn options(history: &Arc<MemoryHistory>) -> EditorOptions {
    let size = crossterm::terminal::size().ok();
    let facts = Facts::gather(std::io::stderr().is_terminal(), size, |name| std::env::var(name).ok());
    let capabilities = Capabilities::detect(&facts, ColorPolicy::Auto);
    let mut options = EditorOptions::new(
        capabilities,
        std::io::stdin().is_terminal(),
        facts.term.as_deref(),
        Arc::clone(history) as _,
    );
    options.session = Some("s".into());
    options.route = Some(Box::new(|line: &str| match line.split(' ').next() {
        Some("what" | "why") => Route::Model,
        Some(word) if word.starts_with(':') => Route::Meta,
        _ => Route::Shell,
    }));
    options.completer = Some(Box::new(|line: &str, cursor: usize| {
        let start = line[..cursor].rfind(' ').map_or(0, |at| at + 1);
        ["cargo", "cat", "status", "stash"]
            .iter()
            .filter(|name| name.starts_with(&line[start..cursor]))
            .map(|name| Candidate {
                value: (*name).into(),
                display: None,
                description: Some(format!("the {name} word")),
                span: start..cursor,
                space_after: true,
            })
            .collect()
    }));
    options.wholeness = Some(Box::new(|line: &str| {
        if line.starts_with("if") && !line.ends_with("fi") { Wholeness::Unfinished } else { Wholeness::Whole }
    }));
    options
}

async fn run(name: &str) {
    let history = Arc::new(MemoryHistory::new());
    for (line, folder, status) in [
        ("git commit -m first", "/a", 0),
        ("cargo test --all", "/b", 101),
        ("echo in a", "/a", 0),
        ("echo in b", "/b", 0),
    ] {
        history.append(entry(line, folder, status));
    }
    let mut options = options(&history);
    if name == "vi" {
        options.keys = KeyMode::Vi;
    }
    if name == "many" {
        options.completer = Some(Box::new(|line: &str, cursor: usize| {
            let candidate = |number: usize| Candidate {
                value: format!("name-{number:02}"),
                display: None,
                description: None,
                span: 0..cursor,
                space_after: true,
            };
            (0..100).map(candidate).filter(|candidate| candidate.value.starts_with(&line[..cursor])).collect()
        }));
    }
    let editor = Arc::new(LineEditor::start(options).unwrap());
    match name {
        "cancel" => cancel(&editor).await,
        "printer" => printer(&editor).await,
        "said" => said(&editor).await,
        "unfold" => unfold(&editor).await,
        "choose" => {
            let chosen = editor.choose("[s]hell  [a]i  [c]ancel? ", &['s', 'a', 'c']).await;
            say(&format!("CHOSEN {chosen:?}"));
        }
        "ahead-gate" | "ahead-pages" | "ahead-halt" | "ahead-choice" => {
            say("TYPE AHEAD");
            until_input_is_read().await;
            say(&format!("ANSWER {}", asked(&editor, name).await));
            lines(&editor, &history).await;
        }
        "ahead-end" => {
            say("TYPE AHEAD");
            until_input_is_read().await;
            lines(&editor, &history).await;
        }
        "question" | "question-long" => question(&editor, name).await,
        "question-while-typing" => question_while_typing(&editor).await,
        "initial" => {
            let view = PromptView { initial: "typed ahead".into(), ..PromptView::plain("> ") };
            say(&format!("GOT {:?}", editor.read(view).await.unwrap()));
        }
        "ahead" => {
            for initial in ["one\nif two\nfi\nre", "st", ""] {
                let view = PromptView { initial: initial.into(), ..PromptView::plain("> ") };
                say(&format!("GOT {:?}", editor.read(view).await.unwrap()));
            }
        }
        _ => lines(&editor, &history).await,
    }
}

/// Reads lines until the end of the input or `exit`.
async fn lines(editor: &LineEditor, history: &MemoryHistory) {
    loop {
        let view = PromptView { folder: Some("/a".into()), ..PromptView::plain("> ") };
        let input = editor.read(view).await.unwrap();
        say(&format!("GOT {input:?}"));
        match input {
            aish_term::Input::EndOfInput => return,
            aish_term::Input::Line(line) if line.text == "exit" => return,
            aish_term::Input::Line(line) => {
                history.append(entry(&line.text, "/a", 0));
            }
            aish_term::Input::Interrupted | aish_term::Input::HostCommand(_) => {}
        }
    }
}

async fn cancel(editor: &LineEditor) {
    tokio::select! {
        _ = editor.read(PromptView::plain("first> ")) => panic!("nothing was entered"),
        () = until_input_is_read() => {}
    }
    editor.release().await;
    say("CANCELLED");
    say(&format!("GOT {:?}", editor.read(PromptView::plain("second> ")).await.unwrap()));
}

/// The test creates this file when it has seen what it typed.
async fn until_input_is_read() {
    let path = std::env::var("AISH_TERM_SIGNAL").unwrap();
    while !std::path::Path::new(&path).exists() {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

async fn printer(editor: &LineEditor) {
    let printer = editor.printer();
    let read = editor.read(PromptView::plain("two\nrows> "));
    let print = async {
        until_input_is_read().await;
        printer.print("[aish] one\n[aish] two");
    };
    let (input, ()) = tokio::join!(read, print);
    say(&format!("GOT {:?}", input.unwrap()));
}

/// Reads lines until `exit`, while something is said all the time.
async fn said(editor: &LineEditor) {
    let printer = editor.printer();
    std::thread::spawn(move || {
        loop {
            printer.print("[aish] said");
            std::thread::sleep(Duration::from_micros(700));
        }
    });
    let mut lines = Vec::new();
    loop {
        let input = editor.read(PromptView::plain("> ")).await.unwrap();
        let aish_term::Input::Line(line) = input else { continue };
        if line.text == "exit" {
            break;
        }
        lines.push(line.text);
    }
    say(&format!("ALL {}", lines.join(",")));
}

/// Reads lines until `exit`, and says what they are.
async fn unfold(editor: &LineEditor) {
    let mut lines = Vec::new();
    while lines.last().is_none_or(|line| line != "exit") {
        if let aish_term::Input::Line(line) = editor.read(PromptView::plain("> ")).await.unwrap() {
            lines.push(line.text);
        }
    }
    say(&format!("ALL {lines:?}"));
}

fn the_question(text: String) -> Question {
    Question {
        tool: "shell".into(),
        subject: Subject::Command { text },
        arguments: serde_json::json!({}),
        judgement: Judgement::new(Verdict::Ask, "files.write", "writes a file"),
        confirm_message: None,
        drift: None,
        always: Some("touch *".into()),
        can_try: false,
        way_back: aish_safety::WayBack::Nothing,
        notes: Vec::new(),
    }
}

/// Asks each kind of question once.
async fn asked(editor: &Arc<LineEditor>, name: &str) -> String {
    let approver = TerminalApprover::new(Arc::clone(editor), || {});
    match name {
        "ahead-gate" => format!("{:?}", approver.ask(&the_question("touch x".into())).await),
        "ahead-pages" => format!("{:?}", approver.ask(&the_question(["x"; 16].join("\n"))).await),
        "ahead-halt" => format!("{:?}", editor.halt(the_question("touch x".into())).await),
        _ => format!("{:?}", editor.choose("[s]hell  [a]i  [c]ancel? ", &['s', 'a', 'c']).await),
    }
}

async fn question(editor: &Arc<LineEditor>, name: &str) {
    if name == "question" {
        // What is typed before the question is shown must not answer it.
        say("TYPE AHEAD");
        until_input_is_read().await;
    }
    let approver = TerminalApprover::new(Arc::clone(editor), || {});
    let text = if name == "question" { "touch \u{1b}[2J\u{202e}x".into() } else { vec!["line"; 40].join("\n") };
    let question = the_question(text);
    say(&format!("ANSWER {:?}", approver.ask(&question).await));
}

async fn question_while_typing(editor: &Arc<LineEditor>) {
    let approver = TerminalApprover::new(Arc::clone(editor), || {});
    let question = the_question("touch x".into());
    let ask = async {
        until_input_is_read().await;
        let answer = approver.ask(&question).await;
        // The editor has the terminal again: what is said goes above its line.
        editor.printer().print(&format!("ANSWER {answer:?}"));
    };
    let (input, ()) = tokio::join!(editor.read(PromptView::plain("> ")), ask);
    say(&format!("GOT {:?}", input.unwrap()));
}
