//! What was typed before a question is shown never answers it, and waits for the prompt.

use std::time::Duration;

use crate::pty::Terminal;

/// A question: its scenario, the last thing that it shows, a key that answers it, and the answer.
const QUESTIONS: &[(&str, &str, &str, &str)] = &[
    ("ahead-gate", "[y]es  [n]o", "n", "ANSWER No"),
    ("ahead-pages", "space for more", "n", "ANSWER No"),
    ("ahead-halt", "[r]un anyway", "s", "ANSWER Skip"),
    ("ahead-choice", "[c]ancel?", "a", "ANSWER Some('a')"),
];

/// Text that has every key that answers one of the questions.
const LINES: &[&str] = &["yes rm -f * a scary line", "cd sub; ls | y", "a s c e r n"];

/// Types the lines in pieces of so many bytes with a pause between them, and begins the question behind the first.
fn type_in_pieces(terminal: &Terminal, enter: &str, size: usize, pause: Duration) {
    let text = LINES.iter().map(|line| format!("{line}{enter}")).collect::<String>();
    for (at, piece) in text.as_bytes().chunks(size).enumerate() {
        terminal.send(std::str::from_utf8(piece).unwrap());
        if at == 0 {
            terminal.signal();
        }
        std::thread::sleep(pause);
    }
}

/// Answers the question, and looks for the lines at the prompt, one by one.
fn answer_and_enter(terminal: Terminal, key: &str, answer: &str) {
    assert!(!terminal.raw().windows(7).any(|bytes| bytes == b"ANSWER "), "answered by what was typed before");
    terminal.send(key);
    terminal.see(answer);
    for line in LINES {
        terminal.see(&format!("> {line}"));
        terminal.send("\r");
        terminal.see(&format!("GOT Line(Line {{ text: {line:?}"));
    }
    terminal.send("exit\r");
    let shown = terminal.end();
    assert_eq!(shown.matches("GOT").count(), LINES.len() + 1, "{shown}");
    assert!(shown.contains("typed before the question and not run"), "{shown}");
}

#[test]
fn a_burst_answers_no_question() {
    for (scenario, shows, key, answer) in QUESTIONS {
        for enter in ["\r", "\n"] {
            let terminal = Terminal::start_in(scenario, "xterm-256color", 76, 20);
            terminal.see("TYPE AHEAD");
            type_in_pieces(&terminal, enter, 4096, Duration::ZERO);
            terminal.see(shows);
            answer_and_enter(terminal, key, answer);
        }
    }
}

#[test]
fn a_burst_that_comes_in_pieces_answers_no_question() {
    for (scenario, shows, key, answer) in QUESTIONS {
        for (size, pause) in [(1, 5), (7, 60), (13, 120)] {
            let terminal = Terminal::start_in(scenario, "xterm-256color", 76, 20);
            terminal.see("TYPE AHEAD");
            type_in_pieces(&terminal, "\r", size, Duration::from_millis(pause));
            terminal.see(shows);
            answer_and_enter(terminal, key, answer);
        }
    }
}

#[test]
fn text_behind_the_question_is_no_answer_either() {
    for (scenario, shows, key, answer) in QUESTIONS {
        let terminal = Terminal::start_in(scenario, "xterm-256color", 76, 20);
        terminal.see("TYPE AHEAD");
        terminal.signal();
        terminal.see(shows);
        terminal.send(&LINES.iter().map(|line| format!("{line}\r")).collect::<String>());
        // A key of its own comes after a pause.
        std::thread::sleep(Duration::from_millis(400));
        answer_and_enter(terminal, key, answer);
    }
}

#[test]
fn an_end_typed_before_the_read_counts() {
    let terminal = Terminal::start("ahead-end");
    terminal.see("TYPE AHEAD");
    terminal.send("\u{4}");
    terminal.signal();
    assert!(terminal.end().contains("GOT EndOfInput"));
    // The key that the terminal makes of it elsewhere is no end.
    let terminal = Terminal::start("ahead-end");
    terminal.see("TYPE AHEAD");
    terminal.signal();
    terminal.see("> ");
    terminal.send("a\u{0}\u{8}");
    std::thread::sleep(Duration::from_millis(400));
    terminal.send("\u{0}exit\r");
    assert!(terminal.end().contains("exit"));
}

#[test]
fn an_interrupt_typed_ahead_counts() {
    let terminal = Terminal::start("ahead-gate");
    terminal.see("TYPE AHEAD");
    terminal.signal();
    terminal.see("A command wants to run");
    terminal.send("y y y\u{3}");
    terminal.see("ANSWER Stop");
    terminal.send("exit\r");
    terminal.end();
}

#[test]
fn ctrl_c_drops_the_lines_that_wait() {
    let terminal = Terminal::start_in("ahead-choice", "xterm-256color", 76, 20);
    terminal.see("TYPE AHEAD");
    terminal.send("one\rtwo\rthree\r");
    terminal.signal();
    terminal.see("[c]ancel?");
    terminal.send("c");
    terminal.see("2 more lines wait");
    terminal.see("> one");
    terminal.send("\u{3}");
    terminal.see("dropped too: 2 more");
    terminal.send("exit\r");
    assert!(!terminal.end().contains("> two"));
}
