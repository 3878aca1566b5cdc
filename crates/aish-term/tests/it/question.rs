//! The gate's question in a terminal.

use crate::pty::Terminal;

fn asked() -> Terminal {
    let terminal = Terminal::start("question");
    terminal.see("TYPE AHEAD");
    terminal.send("yyy\r");
    terminal.see("yyy");
    terminal.signal();
    terminal.see("[y]es  [n]o  [e]dit  [a]lways  [?]why");
    terminal
}

fn check(keys: &str, expected: &str) {
    let terminal = asked();
    terminal.send(keys);
    let shown = terminal.end();
    assert!(shown.contains(&format!("ANSWER {expected}")), "{keys:?}: {shown}");
    assert!(shown.ends_with("MODES cooked"), "{shown}");
}

#[test]
fn what_hides_is_shown() {
    let terminal = asked();
    let shown = terminal.see("[y]es");
    assert!(shown.contains("$ touch \\e[2J\\u{202e}x"), "{shown}");
    assert!(shown.contains("writes a file (files.write)"), "{shown}");
}

#[test]
fn only_a_yes_is_a_yes() {
    check("y", "Yes");
    for no in ["n", "\r", "\u{1b}", "\u{4}", "n\r"] {
        check(no, "No");
    }
    check("\u{3}", "Stop");
}

#[test]
fn why_says_more_and_asks_again() {
    let terminal = asked();
    terminal.send("?");
    terminal.see("rule:    files.write");
    // What is typed before the question stands there again is thrown away, too.
    terminal.wait("the question again", |screen| screen.contents().matches("[y]es").count() == 2);
    terminal.send("n");
    assert!(terminal.end().contains("ANSWER No"));
}

#[test]
fn edit_opens_the_line() {
    let terminal = asked();
    terminal.send("e");
    terminal.see("edit: ");
    // What was there goes; the cursor stands at its end.
    terminal.send("\u{15}ls\r");
    assert!(terminal.end().contains("ANSWER Edit(\"ls\")"));
}

#[test]
fn an_edit_given_up_goes_back_to_the_question() {
    let terminal = asked();
    terminal.send("e");
    terminal.see("edit: ");
    terminal.send("\u{3}");
    terminal.wait("the question again", |screen| screen.contents().matches("[y]es").count() == 2);
    terminal.send("n");
    assert!(terminal.end().contains("ANSWER No"));
}

#[test]
fn always_lets_the_prefix_be_changed() {
    let terminal = asked();
    terminal.send("a");
    terminal.see("always allow, and what begins so: touch *");
    // What does not cover the command at hand would never be found again.
    // The second Enter was typed before that was known, and agrees to nothing.
    terminal.send("\u{7f}/tmp/*\r\r");
    terminal.see("that does not cover it");
    // At once: what is typed before the line stands there is for it.
    terminal.send("\u{7f}\u{7f}\r");
    let shown = terminal.end();
    assert!(shown.contains("ANSWER Always(\"touch\")"), "{shown}");
    assert!(shown.ends_with("MODES cooked"), "{shown}");
}

#[test]
fn a_long_command_is_paged_whole() {
    let terminal = Terminal::start("question-long");
    for shown in [8, 16, 24, 32, 40] {
        terminal.see(&format!("-- {shown} of 42 lines"));
        terminal.send(" ");
    }
    terminal.see("[y]es");
    terminal.send("y");
    let shown = terminal.end();
    assert_eq!(shown.matches("line").count() - shown.matches("lines;").count(), 40, "{shown}");
    assert!(shown.contains("ANSWER Yes"), "{shown}");
}

#[test]
fn a_question_puts_the_line_aside() {
    let terminal = Terminal::start("question-while-typing");
    terminal.see("> ");
    terminal.send("half");
    terminal.see("> half");
    terminal.signal();
    terminal.see("[y]es");
    terminal.send("y");
    terminal.see("ANSWER Yes");
    terminal.see("> half");
    terminal.send(" done\r");
    assert!(terminal.end().contains("text: \"half done\""));
}
