//! What holds for every text.

use aish_syntax::{Scan, scan, scan_language};
use aish_testkit::shell_lines::ShellLines;
use proptest::prelude::*;

fn check(text: &str) -> Scan {
    let scan = scan(text);
    let mut at = 0;
    for token in &scan.tokens {
        assert_eq!(token.start, at, "{text:?}");
        assert!(token.end > token.start && text.get(token.range()).is_some(), "{text:?}");
        if let Some(word) = scan.word_of(token) {
            assert!(word.start <= token.start && token.end <= word.end, "{text:?}: {token:?} in {word:?}");
        }
        at = token.end;
    }
    assert_eq!(at, text.len(), "{text:?}");
    assert!(scan.words.windows(2).all(|pair| pair[0].start <= pair[1].start), "{text:?}");
    assert!(scan.words.iter().all(|word| text.get(word.range()).is_some()), "{text:?}");
    assert!(!(scan.end.is_broken && scan.end.is_unfinished), "{text:?}");
    scan
}

proptest! {
    #[test]
    fn any_text_is_covered(text in any::<String>()) {
        check(&text);
    }

    #[test]
    fn any_shell_like_text_is_covered(text in "[a-zin'\"`$(){};|&<> \\\\#\n*?!:=~\\[\\]./é日-]{0,60}") {
        check(&text);
        scan_language(&text, |_, behind| behind.starts_with('s'));
    }

    #[test]
    fn words_of_the_shell_are_covered(words in prop::collection::vec(
        prop::sample::select(vec![
            "if", "then", "fi", "for", "in", "do", "done", "case", "esac", "{", "}", "(", ")", "((", "))", "[[", "]]", "$(",
            "`", "\"", "'", ";", ";;", "|", "&&", "<<E", "\nE\n", "\n", "#", "x", "a=(", "@(", "${", "$((", "function", "coproc",
            "time", "!", "<(", ">", "2>&1", "\\", "a[", "select", "while", "$'", "-p", "=~",
        ]), 0..30)) {
        check(&words.join(" "));
        check(&words.concat());
    }
}

#[test]
fn generated_lines_are_covered() {
    let mut lines = ShellLines::new(1);
    for _ in 0..3_000 {
        check(&lines.next().unwrap());
        check(&lines.broken());
        check(&lines.cut());
    }
}

#[test]
fn what_is_deep_or_long_ends() {
    for part in [
        "(",
        "{ ",
        "$(",
        "\"$(",
        "${",
        "if ",
        "[[ (",
        "`",
        "((",
        "$((",
        "case x in a) ",
        "a[",
        "((a) ",
        "<<E ",
        "'\"",
        "`$(",
    ] {
        let text = part.repeat(20_000);
        check(&text);
        check(&format!("echo {text}"));
    }
}
