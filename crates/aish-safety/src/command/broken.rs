//! Lines that certainly do not parse, told by their tokens.
//!
//! The parser goes through such a line a second time to find out what it would have wanted, which nobody asks here.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use brush_parser::Token;

/// A construct of several commands, by its words.
struct Construct {
    begins: &'static [&'static str],
    inside: &'static [&'static str],
    ends: &'static str,
}

const CONSTRUCTS: &[Construct] = &[
    Construct { begins: &["{"], inside: &[], ends: "}" },
    Construct { begins: &["if"], inside: &["then", "elif", "else"], ends: "fi" },
    Construct { begins: &["for", "while", "until", "select"], inside: &["do"], ends: "done" },
    Construct { begins: &["case"], inside: &[], ends: "esac" },
    Construct { begins: &["[["], inside: &[], ends: "]]" },
];

/// Says whether something is opened and never closed, closed and never opened, or lacks what belongs behind it.
pub(super) fn is_broken(tokens: &[Token]) -> bool {
    let count = |text: &str| tokens.iter().filter(|token| is_operator(token, &[text])).count();
    let (opened, closed) = (count("("), count(")"));
    // The patterns of `case` close what nothing opened.
    if opened > closed || closed > opened && !tokens.iter().any(|token| is_word(token, &["case"])) {
        return true;
    }
    let last = tokens.iter().rfind(|token| !is_operator(token, &["\n"]));
    if last.is_some_and(|last| is_operator(last, &["&&", "||", "|", "|&"])) {
        return true;
    }
    // In arithmetic any word may be a variable.
    if tokens.windows(2).any(|pair| pair.iter().all(|token| is_operator(token, &["("]))) {
        return false;
    }
    let starts = starts(tokens);
    CONSTRUCTS.iter().any(|construct| {
        let first = tokens.iter().position(|token| is_word(token, construct.begins)).unwrap_or(tokens.len());
        let last = tokens.iter().rposition(|token| is_word(token, &[construct.ends]));
        starts.iter().any(|(at, token)| {
            is_word(token, construct.begins) && last < Some(*at)
                || first > *at && (is_word(token, construct.inside) || is_word(token, &[construct.ends]))
        })
    })
}

/// Returns how deep subshells, arithmetic and `case` stand in one another.
pub(super) fn nesting(tokens: &[Token]) -> u32 {
    let (mut brackets, mut cases, mut deepest) = (0_u32, 0_u32, 0);
    for token in tokens {
        match token {
            Token::Operator(operator, _) if operator == "(" => brackets = brackets.saturating_add(1),
            Token::Operator(operator, _) if operator == ")" => brackets = brackets.saturating_sub(1),
            Token::Word(word, _) if word == "case" => cases = cases.saturating_add(1),
            Token::Word(word, _) if word == "esac" => cases = cases.saturating_sub(1),
            Token::Operator(..) | Token::Word(..) => {}
        }
        deepest = deepest.max(brackets.saturating_add(cases));
    }
    deepest
}

/// Words that open a construct where a command begins.
const OPENERS: &[&str] = &["if", "for", "while", "until", "case", "select", "coproc", "time", "!", "[["];
/// Words that close one.
const CLOSERS: &[&str] = &["fi", "done", "esac", "]]"];
/// Words behind which a command begins.
const BEFORE: &[&str] = &["if", "while", "until", "then", "else", "elif", "do", "{", "!", "time", "coproc", "in"];
/// Words whose own name or option may stand before the command.
const NAMED: &[&str] = &["function", "coproc", "time"];

/// Returns how deep the parser may come to nest: it sees words where a scan of letters sees a quote that does not close.
pub(super) fn depth(tokens: &[Token]) -> usize {
    // Of each kind, so that one never closes another.
    let (mut round, mut curly, mut words, mut chain, mut deepest) = (0_usize, 0_usize, 0_usize, 0_usize, 0);
    let mut before: [Option<&Token>; 2] = [None; 2];
    for token in tokens {
        let [last, one_before] = before;
        let begins = last.is_none_or(|last| matches!(last, Token::Operator(..)) || is_word(last, BEFORE))
            || one_before.is_some_and(|token| is_word(token, NAMED));
        match token {
            Token::Operator(operator, _) if operator == "(" => round += 1,
            Token::Operator(operator, _) if operator == ")" => round = round.saturating_sub(1),
            Token::Word(word, _) if word == "{" => curly += 1,
            Token::Word(word, _) if word == "}" => curly = curly.saturating_sub(1),
            // These nest without a word that closes them.
            Token::Word(word, _) if begins && matches!(word.as_str(), "coproc" | "time" | "!") => chain += 1,
            Token::Word(word, _) if begins && OPENERS.contains(&word.as_str()) => words += 1,
            Token::Word(word, _) if CLOSERS.contains(&word.as_str()) => words = words.saturating_sub(1),
            Token::Operator(operator, _) if matches!(operator.as_str(), ";" | "&" | "\n") => chain = 0,
            Token::Operator(..) | Token::Word(..) => {}
        }
        deepest = deepest.max(round + curly + words + chain);
        before = [Some(token), last];
    }
    deepest
}

/// Finds what may be the second bracket of an arithmetic command, and its closing one, which touches the next.
pub(super) fn arithmetic(tokens: &[Token]) -> BTreeMap<usize, usize> {
    let mut open = Vec::new();
    let mut found = BTreeMap::new();
    for (at, token) in tokens.iter().enumerate() {
        if is_operator(token, &["("]) {
            open.push(at);
        } else if is_operator(token, &[")"])
            && let Some(opened) = open.pop()
            && let Some(next) = tokens.get(at + 1).filter(|next| is_operator(next, &[")"]))
            && token.location().end.index == next.location().start.index
        {
            found.insert(opened, at);
        }
    }
    found
}

/// Finds the words that certainly stand where a command begins, with their places.
fn starts(tokens: &[Token]) -> Vec<(usize, &Token)> {
    let begins = |at: usize| match tokens.get(..at) {
        None | Some([]) => true,
        Some([.., last]) if is_operator(last, &[";", "&"]) => true,
        Some([.., open, close]) => is_operator(open, &["("]) && is_operator(close, &[")"]),
        Some(_) => false,
    };
    tokens.iter().enumerate().filter(|(at, token)| matches!(token, Token::Word(..)) && begins(*at)).collect()
}

fn is_operator(token: &Token, texts: &[&str]) -> bool {
    matches!(token, Token::Operator(operator, _) if texts.contains(&operator.as_str()))
}

fn is_word(token: &Token, texts: &[&str]) -> bool {
    matches!(token, Token::Word(word, _) if texts.contains(&word.as_str()))
}

#[cfg(test)]
mod tests {
    use brush_parser::ParserOptions;

    use super::super::syntax::tests::lines;
    use super::*;

    fn tokens(text: &str) -> Vec<Token> {
        brush_parser::uncached_tokenize_str(text, &ParserOptions::default().tokenizer_options()).unwrap_or_default()
    }

    #[test]
    fn the_depth_of_what_the_parser_sees_is_counted() {
        for (text, expected) in [
            ("ls | grep if", 0),
            ("if a; then b; fi; if a; then b; fi", 1),
            ("(a; { b; })", 2),
            ("function f if a; then b; fi", 1),
            ("time -p ! if a; then b; fi", 3),
            ("coproc x { a; }", 2),
        ] {
            assert_eq!(depth(&tokens(text)), expected, "{text}");
        }
        assert_eq!(depth(&tokens(&"if do ".repeat(500))), 500);
    }

    #[test]
    fn what_is_broken_is_told_from_what_parses() {
        for line in [
            "( a",
            "( a; b",
            "a )",
            "{ a; b",
            "a; }",
            "if a; then b",
            "a; fi",
            "while a; do b",
            "done",
            "case a in b) c",
            "a &&",
            "a |\n",
            "[[ a",
            "f() { a",
            "a; then b; fi",
            "a & esac",
        ] {
            assert!(is_broken(&tokens(line)), "{line}");
        }
        for line in [
            "a",
            "(a)",
            "{ a; }",
            "echo } fi done",
            "if a; then b; fi",
            "case a in b) c;; if) d;; esac",
            "a=(b c)",
            "for ((i=0; if; i++)); do a; done",
            "[[ a =~ (b) ]]",
            "f() { a; }",
            "for x in do; do a; done",
            "a && b",
        ] {
            assert!(!is_broken(&tokens(line)), "{line}");
        }
    }

    #[test]
    fn nothing_that_parses_is_broken() {
        let options = ParserOptions::default();
        let mut broken = 0;
        for line in lines() {
            for (at, _) in line.match_indices([' ', ';', '\n']) {
                for part in [&line[..at], &line[at + 1..]] {
                    let tokens = tokens(part);
                    if is_broken(&tokens) {
                        broken += 1;
                        assert!(brush_parser::parse_tokens(&tokens, &options).is_err(), "{part}");
                    }
                }
            }
        }
        assert!(broken > 200, "{broken} were broken");
    }
}
