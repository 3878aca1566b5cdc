//! What holds for every line.

use aish_route::{Line, Names, Route, decide, parse_line};
use proptest::prelude::*;

fn names() -> Names {
    let set = |words: &str| words.split(' ').map(str::to_owned).collect();
    Names { commands: set("ls cat find grep make git test kill sudo time"), files: set("src README.md") }
}

proptest! {
    #[test]
    fn no_line_panics(line in any::<String>()) {
        let decision = decide(&line, &names());
        prop_assert!(!decision.reason.is_empty());
        let _ = parse_line(&line);
    }

    #[test]
    fn no_shell_like_line_panics(line in "[a-z'\"`$(){};|&<> \\\\#\n*?!:=~./é日-]{0,60}") {
        let _ = (decide(&line, &names()), parse_line(&line));
    }

    #[test]
    fn the_same_line_goes_the_same_way(line in "[a-z ?]{0,40}") {
        prop_assert_eq!(decide(&line, &names()), decide(&line, &names()));
        prop_assert_eq!(decide(&line, &names()).route, decide(&format!("  {line}  "), &names()).route);
    }

    #[test]
    fn a_forced_prefix_wins(line in "[a-z0-9][a-z0-9 ?'$|-]{0,40}") {
        let (shell, question) = (format!("!{line}"), format!("?{line}"));
        prop_assert_eq!(parse_line(&shell), Line::Shell(line.trim()));
        prop_assert_eq!(parse_line(&question), Line::Question(line.trim()));
    }

    #[test]
    fn a_colon_is_meta_only_before_a_letter(rest in "[^a-zA-Z].{0,20}") {
        let line = format!(":{rest}");
        prop_assert!(!matches!(parse_line(&line), Line::Meta(..)));
    }
}

#[test]
fn exit_is_never_a_question() {
    for line in ["exit", " exit ", "exit 0", "exit 1", "exit $?", "exit; ls", "exit && ls", "logout"] {
        for names in [names(), Names::default()] {
            assert_eq!(decide(line, &names).route, Route::Shell, "{line}");
        }
    }
}

#[test]
fn odd_input_is_safe() {
    let huge = [
        "a ".repeat(200_000),
        "'".repeat(200_000),
        "(".repeat(200_000),
        "ls \0\0 \u{202e}x \u{feff}".repeat(1000),
        "x".repeat(1_000_000),
        "\\".repeat(100_001),
        "`$(\"".repeat(50_000),
        "git ".repeat(100_000),
        "sudo ".repeat(100_000),
        "echo 'a\u{301}\u{1f468}\u{200d}\u{1f469}'".repeat(2000),
    ];
    for line in &huge {
        let _ = decide(line, &names());
    }
}
