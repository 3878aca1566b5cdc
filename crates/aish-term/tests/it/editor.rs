//! The line editor as a person uses it.

use std::time::Duration;

use crate::pty::Terminal;

const RIGHT: &str = "\u{1b}[C";
const UP: &str = "\u{1b}[A";
const SHIFT_TAB: &str = "\u{1b}[Z";
const CTRL_C: &str = "\u{3}";
const CTRL_D: &str = "\u{4}";
const CTRL_R: &str = "\u{12}";

fn line(text: &str) -> String {
    format!("GOT Line(Line {{ text: {text:?}, flipped: false }})")
}

#[test]
fn a_line_comes_back_and_the_terminal_too() {
    let terminal = Terminal::start("lines");
    terminal.see("> ");
    terminal.send("ls -la\r");
    terminal.see(&line("ls -la"));
    terminal.wait("the next prompt", |screen| screen.contents().trim_end().ends_with("\n>"));
    terminal.send(CTRL_D);
    let shown = terminal.end();
    assert!(shown.ends_with("GOT EndOfInput\nMODES cooked"), "{shown}");
}

#[test]
fn ctrl_c_throws_the_line_away() {
    let terminal = Terminal::start("lines");
    terminal.see("> ");
    terminal.send("nonsense");
    terminal.see("nonsense");
    terminal.send(CTRL_C);
    terminal.see("GOT Interrupted");
    terminal.send("exit\r");
    assert!(terminal.end().ends_with("MODES cooked"));
}

#[test]
fn colour_shows_the_route_and_shift_tab_flips_it() {
    let terminal = Terminal::start("lines");
    terminal.see("> ");
    terminal.send("what x");
    let cyan = |screen: &vt100::Screen| screen.cell(0, 2).unwrap().fgcolor() == vt100::Color::Idx(6);
    terminal.wait("the model's colour", cyan);
    terminal.send(SHIFT_TAB);
    terminal.wait("the shell's colour", |screen| {
        screen.contents().starts_with("> what x") && screen.cell(0, 2).unwrap().fgcolor() == vt100::Color::Idx(2)
    });
    terminal.send("\r");
    terminal.see("GOT Line(Line { text: \"what x\", flipped: true })");
    // The next line starts unflipped.
    terminal.send("why\r");
    terminal.see(&line("why"));
}

#[test]
fn hints_come_from_history_of_this_folder_first() {
    let terminal = Terminal::start("lines");
    terminal.see("> ");
    terminal.send("echo");
    terminal.see("> echo in a");
    terminal.wait("a dim hint", |screen| screen.cell(0, 7).unwrap().dim());
    terminal.send(RIGHT);
    terminal.wait("the hint taken", |screen| screen.cursor_position() == (0, 11));
    terminal.send("\r");
    terminal.see(&line("echo in a"));
}

#[test]
fn up_walks_through_history_and_prefixes() {
    let terminal = Terminal::start("lines");
    terminal.see("> ");
    terminal.send(UP);
    terminal.see("> echo in b");
    terminal.send(CTRL_C);
    terminal.see("GOT Interrupted");
    terminal.send("git");
    terminal.see("> git");
    terminal.send(UP);
    terminal.wait("the prefix found", |screen| screen.cursor_position().1 == 21);
    terminal.send("\r");
    terminal.see(&line("git commit -m first"));
}

#[test]
fn ctrl_r_searches_fuzzily_and_narrows() {
    let terminal = Terminal::start("lines");
    terminal.see("> ");
    terminal.send(CTRL_R);
    let all = terminal.see("cargo test --all");
    assert!(all.contains("history: ") && all.contains("echo in a"), "{all}");
    assert!(all.contains("101"), "the exit code of what failed: {all}");
    terminal.send(CTRL_R);
    terminal.wait("the folder's lines", |screen| {
        screen.contents().contains("(this folder)") && !screen.contents().contains("echo in b")
    });
    for _ in 0..3 {
        terminal.send(CTRL_R);
    }
    terminal.wait("what failed", |screen| {
        screen.contents().contains("(failed)") && !screen.contents().contains("git commit")
    });
    terminal.send(CTRL_R);
    terminal.see("git commit");
    terminal.send("gcf");
    terminal.wait("one match", |screen| !screen.contents().contains("echo in"));
    terminal.send("\r");
    terminal.wait("the match in the line", |screen| screen.contents().trim_end() == "> git commit -m first");
    terminal.send("\r");
    terminal.see(&line("git commit -m first"));
}

#[test]
fn ctrl_g_in_the_search_brings_the_line_back() {
    let terminal = Terminal::start("lines");
    terminal.see("> ");
    terminal.send("half a li");
    terminal.see("> half a li");
    terminal.send(CTRL_R);
    terminal.see("history: ");
    terminal.send("x");
    terminal.see("half a lix");
    terminal.send("\u{7}");
    terminal.wait("the line as it was", |screen| screen.contents().trim_end() == "> half a li");
    terminal.send("ne\r");
    terminal.see(&line("half a line"));
}

#[test]
fn tab_completes() {
    let terminal = Terminal::start("lines");
    terminal.see("> ");
    terminal.send("car\t");
    terminal.see("> cargo ");
    terminal.send("sta\t");
    let menu = terminal.see("stash");
    assert!(menu.contains("status"), "{menu}");
    terminal.send("\t");
    terminal.wait("the second marked", |screen| {
        let cells = (0..12).flat_map(|row| (0..60).filter_map(move |column| screen.cell(row, column)));
        cells.filter(|cell| cell.inverse()).map(vt100::Cell::contents).collect::<String>().contains("stash")
    });
    terminal.send("\r");
    terminal.wait("the second chosen", |screen| screen.contents().trim_end() == "> cargo stash");
    terminal.send("\r");
    terminal.see(&line("cargo stash "));
}

#[test]
fn a_list_that_does_not_fit_says_how_many_more_there_are() {
    let says_more = |screen: &vt100::Screen| {
        let shown = screen.contents().matches("name-").count() - screen.contents().matches("> name-").count();
        shown > 10 && screen.contents().contains(&format!(" {} more", 100 - shown))
    };
    let terminal = Terminal::start("many");
    terminal.see("> ");
    terminal.send("name-\t");
    terminal.wait("how many more there are", |screen| screen.contents().contains("name-00") && says_more(screen));
    // Up goes to the last one, which stands on the screen then.
    terminal.send("\u{1b}[A");
    terminal.wait("the last row", |screen| screen.contents().contains("name-99") && says_more(screen));
}

#[test]
fn an_unfinished_line_goes_on() {
    let terminal = Terminal::start("lines");
    terminal.see("> ");
    terminal.send("if true; then\r");
    terminal.wait("a second row", |screen| screen.cursor_position() == (1, 2));
    terminal.send("ls; fi\r");
    terminal.see(&line("if true; then\nls; fi"));
}

#[test]
fn a_pasted_script_is_one_line() {
    let terminal = Terminal::start("lines");
    terminal.see("> ");
    let script: Vec<String> = (0..200).map(|at| format!("echo {at}")).collect();
    terminal.send(&format!("\u{1b}[200~{}\u{1b}[201~", script.join("\n")));
    terminal.see("echo 199");
    terminal.send("\r");
    terminal.see("flipped: false");
    terminal.send("exit\r");
    // Rows end without their spaces.
    let shown: String = terminal.end().split_whitespace().collect();
    let expected: String = line(&script.join("\n")).split_whitespace().collect();
    assert!(shown.contains(&expected), "{shown}");
}

#[test]
fn vi_keys() {
    let terminal = Terminal::start("vi");
    terminal.see("> ");
    terminal.send("abcd");
    terminal.see("> abcd");
    terminal.send("\u{1b}");
    terminal.wait("the cursor steps back", |screen| screen.cursor_position() == (0, 11));
    terminal.send("xhx");
    terminal.wait("two letters cut", |screen| screen.contents().trim_end() == "> (cmd) ac");
    terminal.send("\r");
    terminal.see(&line("ac"));
}

#[test]
fn vi_keys_that_come_in_one_go() {
    let terminal = Terminal::start("vi");
    terminal.see("> ");
    terminal.send("abcd ef\u{1b}");
    terminal.wait("the text as it was typed", |screen| screen.contents().trim_end() == "> (cmd) abcd ef");
    terminal.send("0x");
    terminal.wait("the first letter cut", |screen| screen.contents().trim_end() == "> (cmd) bcd ef");
    // The line that comes behind one that was given up begins in the insert mode.
    terminal.send("\u{3}");
    terminal.see("GOT Interrupted");
    terminal.send("new\r");
    terminal.see(&line("new"));
}

#[test]
fn keys_of_readline_work_on_the_screen() {
    let terminal = Terminal::start("lines");
    terminal.see("> ");
    terminal.send("echo one two");
    terminal.see("> echo one two");
    // Two words are killed, put back, and one is taken in its place.
    terminal.send("\u{17}");
    terminal
        .wait("a word killed", |screen| screen.contents().contains("> echo one") && !screen.contents().contains("two"));
    terminal.send("\u{19}\u{1f}x");
    terminal.see("> echo one x");
    terminal.send("\u{1b}.");
    terminal.see("> echo one xb");
    terminal.send("\u{1b}#");
    terminal.see(&line("#echo one xb"));
    terminal.send("exit\r");
    terminal.end();
}

#[test]
fn what_was_typed_ahead_stands_in_the_line() {
    let terminal = Terminal::start("initial");
    terminal.see("> typed ahead");
    terminal.send("!\r");
    assert!(terminal.end().contains(&line("typed ahead!")));
}

#[test]
fn lines_are_printed_above_the_prompt() {
    let terminal = Terminal::start("printer");
    terminal.see("rows> ");
    terminal.send("half a li");
    terminal.see("half a li");
    terminal.signal();
    let shown = terminal.wait("the message", |screen| {
        screen.contents().contains("[aish] two") && screen.contents().contains("half a li")
    });
    assert_eq!(shown.trim_end(), "[aish] one\n[aish] two\ntwo\nrows> half a li");
    terminal.send("ne\r");
    assert!(terminal.end().contains(&line("half a line")));
}

#[test]
fn a_read_that_is_given_up_keeps_what_was_typed() {
    let terminal = Terminal::start("cancel");
    terminal.see("first> ");
    terminal.send("kept");
    terminal.see("first> kept");
    terminal.signal();
    let shown = terminal.see("second> kept");
    assert!(!shown.contains("first>"), "{shown}");
    terminal.send("\r");
    let shown = terminal.end();
    assert!(shown.contains(&line("kept")) && shown.ends_with("MODES cooked"), "{shown}");
}

#[test]
fn one_column_is_enough() {
    let terminal = Terminal::start_in("lines", "xterm", 1, 24);
    terminal.wait("a prompt", |screen| screen.contents().contains('>'));
    terminal.send("ab\r");
    terminal.send("exit\r");
    let shown = terminal.end().replace('\n', "");
    assert!(shown.contains("\"ab\""), "{shown}");
}

#[test]
fn a_dumb_terminal_sees_no_escapes() {
    let terminal = Terminal::start_in("lines", "dumb", 60, 12);
    terminal.see("> ");
    terminal.send("if true; then\n");
    terminal.send("ls; fi\n");
    terminal.see(&line("if true; then\nls; fi"));
    assert!(!terminal.raw().contains(&0x1b));
    terminal.send(CTRL_D);
    assert!(terminal.end().contains("GOT EndOfInput"));
}

#[test]
fn a_resize_while_typing_keeps_the_line() {
    let terminal = Terminal::start("lines");
    terminal.see("> ");
    terminal.send("a line that is being typed");
    terminal.see("typed");
    terminal.resize(20, 12);
    terminal.send(" on\r");
    terminal
        .wait("the line", |screen| screen.contents().replace('\n', "").contains("\"a line that is being typed on\""));
}

#[test]
fn a_resize_while_typing_leaves_what_stands_above() {
    for (columns, rows) in [(30, 12), (45, 12), (90, 12), (36, 5)] {
        let terminal = Terminal::start("lines");
        terminal.see("> ");
        terminal.send("one\r");
        terminal.wait("the next prompt", |screen| screen.contents().trim_end().ends_with("\n>"));
        let text = "word ".repeat(14);
        terminal.send(&text);
        terminal.wait("the line in two rows", |screen| screen.cursor_position() == (3, 12));
        terminal.resize(columns, rows);
        let width = usize::from(columns);
        let drawn = terminal.wait("the line in its new rows", |screen| {
            let row = usize::from(screen.cursor_position().0);
            let below = (text.len() + 2) / width;
            let column = (text.len() + 2) % width;
            row >= below
                && usize::from(screen.cursor_position().1) == column
                && screen.rows(0, columns).nth(row - below).is_some_and(|row| row.starts_with("> word"))
        });
        let shown: Vec<&str> = drawn.lines().collect();
        let start = shown.iter().rposition(|row| row.starts_with("> word")).unwrap();
        // The row above it is that of the answer before, and no row of the old prompt.
        assert!(shown[start - 1].starts_with("GOT Line"), "{columns}: {drawn}");
        terminal.send("end\r");
        terminal.wait("the line", |screen| screen.contents().replace('\n', "").contains("word end\""));
    }
}

#[test]
fn a_resize_that_is_told_late_leaves_one_line() {
    // Told of for a moment, and until the screen is asked no more and the line is drawn again.
    for asks in [1, 12] {
        let terminal = Terminal::start("lines");
        terminal.see("> ");
        terminal.send("one\r");
        terminal.wait("the next prompt", |screen| screen.contents().trim_end().ends_with("\n>"));
        terminal.send(&"word ".repeat(14));
        terminal.wait("the line in two rows", |screen| screen.cursor_position() == (3, 12));
        // The screen is as wide as before by now, or again.
        terminal.tell(30, 12);
        let ask = b"\x1b[9999G";
        let asked = |raw: &[u8]| {
            let last = raw.windows(ask.len()).rposition(|window| window == ask).unwrap_or_default();
            let count = raw.windows(ask.len()).filter(|window| window == ask).count();
            count >= asks && (asks == 1 || raw.get(last..).is_some_and(|drawn| drawn.windows(4).any(|w| w == b"word")))
        };
        let begin = std::time::Instant::now();
        while !asked(&terminal.raw()) {
            assert!(begin.elapsed() < Duration::from_secs(20), "the screen was not asked");
            std::thread::yield_now();
        }
        terminal.tell(60, 12);
        terminal.send("end\r");
        let shown = terminal.wait("the line", |screen| screen.contents().replace('\n', "").contains("word end\""));
        assert_eq!(shown.lines().filter(|row| row.starts_with("> word")).count(), 1, "{asks}: {shown}");
        assert!(shown.contains(&line("one")), "{asks}: {shown}");
    }
}

#[test]
fn keys_and_a_new_size_that_come_at_once_are_both_seen() {
    let terminal = Terminal::start("lines");
    terminal.see("> ");
    for round in 0..8 {
        let asked = |raw: &[u8]| raw.windows(7).filter(|window| window == b"\x1b[9999G").count();
        let before = asked(&terminal.raw());
        terminal.send_and_resize("x", 50 - round, 12);
        terminal.wait("the key", |screen| screen.contents().contains(&"x".repeat(usize::from(round) + 1)));
        let begin = std::time::Instant::now();
        // The screen is asked for its columns when a size is told.
        while asked(&terminal.raw()) == before {
            assert!(begin.elapsed() < Duration::from_secs(20), "{round}: the new size was not seen");
            std::thread::sleep(Duration::from_millis(1));
        }
        terminal.wait("the line", |screen| screen.cursor_position() == (0, 3 + round));
    }
}

#[test]
fn ctrl_z_at_a_plain_prompt_stops_nobody() {
    let terminal = Terminal::start_in("lines", "dumb", 60, 12);
    terminal.see("> ");
    terminal.send("ab\u{1a}cd\n");
    terminal.see(&line("abcd"));
    terminal.send(CTRL_D);
    assert!(terminal.end().ends_with("MODES cooked"));
}

#[test]
fn a_key_chooses() {
    let terminal = Terminal::start("choose");
    terminal.see("[c]ancel? ");
    terminal.send("A");
    let shown = terminal.end();
    assert!(shown.contains("CHOSEN Some('a')") && shown.ends_with("MODES cooked"), "{shown}");
}

#[test]
fn lines_entered_ahead_are_given_one_by_one() {
    let terminal = Terminal::start("ahead");
    terminal.see("> rest");
    terminal.send("!\r");
    let shown = terminal.end();
    let got: Vec<&str> = shown.lines().filter(|line| line.starts_with("GOT")).collect();
    assert_eq!(got, [line("one"), line("if two\nfi"), line("rest!")], "{shown}");
    assert!(shown.starts_with("> one\n"), "{shown}");
}

#[test]
fn a_newline_at_the_end_of_what_is_pasted_leaves_no_empty_row() {
    let terminal = Terminal::start("lines");
    terminal.see("> ");
    terminal.send("\u{1b}[200~echo a\necho b\n\u{1b}[201~");
    terminal.wait("the cursor behind the last line", |screen| screen.cursor_position() == (1, 8));
    terminal.send("\r");
    terminal.see(&line("echo a\necho b"));
    terminal.send("exit\r");
    terminal.end();
}

/// Keys that came in one go with an Enter between them are two lines.
#[test]
fn keys_in_one_go_are_lines() {
    let terminal = Terminal::start("lines");
    terminal.see("> ");
    terminal.send("one\rtwo\nif x\ny\nfi\nexit\r");
    let shown = terminal.end();
    let got: Vec<&str> = shown.lines().filter(|line| line.starts_with("GOT")).collect();
    assert_eq!(got, [line("one"), line("two"), line("if x\ny\nfi"), line("exit")], "{shown}");
}

/// What is said between a key and what it does takes no Enter away.
#[test]
fn lines_are_entered_while_something_is_said() {
    let terminal = Terminal::start("said");
    terminal.see("> ");
    let lines: Vec<String> = (0..60).map(|number| number.to_string()).collect();
    for (at, line) in lines.iter().enumerate() {
        terminal.send(&format!("{line}{}", if at % 3 == 0 { "\r" } else { "\n" }));
        std::thread::sleep(Duration::from_millis(at as u64 % 7));
    }
    terminal.send("exit\r");
    let shown = terminal.end().replace('\n', "");
    assert!(shown.contains(&format!("ALL {}", lines.join(","))), "{shown}");
}

/// What comes in one go behind a key that is a line of its own goes on in the next line.
#[test]
fn keys_behind_a_key_that_is_a_line_are_kept() {
    let terminal = Terminal::start("unfold");
    terminal.see("> ");
    terminal.send("hal\u{1b}of one\ntwo\nthree\rexit\r");
    let shown = terminal.end();
    assert!(shown.contains(r#"ALL [" :unfold", "half one", "two", "three", "exit"]"#), "{shown}");
}
