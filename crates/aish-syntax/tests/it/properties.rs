//! What holds for every text.

use aish_syntax::{Role, Scan, scan, scan_language};
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

/// What is completed is what is coloured: where a word is being typed, the scanner already knows what it will be.
#[test]
fn a_word_is_the_same_while_it_is_typed() {
    let mut compared = 0;
    for line in ShellLines::new(29).take(1_000) {
        let whole = scan(&line);
        for word in &whole.words {
            let typed = scan(&line[..word.end]);
            // Until it is closed, `((` may be a sum.
            let Some(found) = typed.end.word.map(|index| typed.words[index]).filter(|_| !whole.end.is_broken) else {
                continue;
            };
            compared += 1;
            assert_eq!(found.start, word.start, "{line:?}");
            match word.role {
                Role::Command | Role::Assignment => assert!(typed.end.is_command, "{line:?}: {word:?}"),
                Role::Target => assert!(typed.end.is_target && !typed.end.is_command, "{line:?}: {word:?}"),
                Role::Name | Role::Argument => {
                    assert!(!typed.end.is_command || line[word.range()].starts_with('-'), "{line:?}: {word:?}");
                }
                Role::Keyword => {}
            }
        }
    }
    assert!(compared > 5_000, "{compared} were compared");
}
