//! Compound commands of the shell go to the shell, and what is routed is cut where the scanner cuts.

use aish_route::token::tokenize;
use aish_route::{Names, Route, decide};
use aish_syntax::{Kind, Role, scan};
use aish_testkit::shell_lines::ShellLines;

#[test]
fn compound_commands_go_to_the_shell() {
    let mut lines = ShellLines::new(7);
    for _ in 0..2_000 {
        let line = lines.compound_line();
        if aish_syntax::is_compound(&line) {
            assert_eq!(decide(&line, &Names::default()).route, Route::Shell, "{line:?}");
        }
    }
}

/// Words that are not joined by a substitution or a parenthesis are the same here and there.
#[test]
fn words_are_the_scanners() {
    let (mut lines, mut compared) = (ShellLines::new(3), 0);
    for round in 0..4_000 {
        let line = match round % 3 {
            0 => lines.broken(),
            1 => lines.cut(),
            _ => lines.next().unwrap(),
        };
        let (routed, scanned) = (tokenize(&line), scan(&line));
        if routed.contractions > 0 {
            continue;
        }
        assert_eq!(routed.open_quote, scanned.end.quote.is_some(), "{line:?}");
        let joins = |kind: Kind, text: &str| match kind {
            Kind::Substitution | Kind::Arithmetic | Kind::Variable | Kind::Comment | Kind::Heredoc => true,
            Kind::Operator => text.contains(['(', ')']),
            _ => false,
        };
        if scanned.tokens.iter().any(|token| joins(token.kind, &line[token.range()])) {
            continue;
        }
        compared += 1;
        let ends: Vec<usize> = scanned.words.iter().map(|word| word.end).collect();
        assert_eq!(routed.words.len(), ends.len(), "{line:?}: {:?}", routed.words);
        for (routed, word) in routed.words.iter().zip(&scanned.words) {
            assert_eq!(routed.redirected, word.role == Role::Target, "{line:?}: {}", routed.text);
            if word.role == Role::Command && routed.first {
                continue;
            }
            let is_first = matches!(word.role, Role::Command | Role::Keyword | Role::Assignment);
            assert!(!routed.first || is_first || word.role == Role::Argument, "{line:?}: {}", routed.text);
        }
    }
    assert!(compared > 500, "{compared} were compared");
}
