//! Whether the shell would read on: open quotes, open blocks, a line that ends in an operator.

use alloc::string::String;
use alloc::vec::Vec;

/// Says whether a shell line is unfinished, so that the editor opens another line.
pub fn is_unfinished(text: &str) -> bool {
    if trailing_backslash(text) {
        return true;
    }
    let Scan { open_quote, depth, last_operator, keywords, heredoc_open } = scan(text);
    open_quote || depth > 0 || last_operator || heredoc_open || open_blocks(&keywords) > 0
}

fn trailing_backslash(text: &str) -> bool {
    text.chars().rev().take_while(|&c| c == '\\').count() % 2 == 1
}

#[derive(Default)]
struct Scan {
    open_quote: bool,
    depth: usize,
    last_operator: bool,
    /// Words that stand where a command starts.
    keywords: Vec<String>,
    heredoc_open: bool,
}

fn scan(text: &str) -> Scan {
    let mut scan = Scan::default();
    let mut chars = text.chars().peekable();
    let mut word = String::new();
    let mut at_start = true;
    let mut heredocs: Vec<String> = Vec::new();
    let mut waiting_for_tag = false;
    while let Some(c) = chars.next() {
        let ends_word = c.is_whitespace() || matches!(c, ';' | '|' | '&' | '(' | ')' | '<' | '>');
        if ends_word && !word.is_empty() {
            end_word(&mut scan, &mut word, &mut at_start, &mut waiting_for_tag, &mut heredocs);
        }
        match c {
            '\\' => {
                chars.next();
                word.push('\\');
            }
            '\'' | '"' => {
                let mut closed = false;
                while let Some(inner) = chars.next() {
                    if inner == c {
                        closed = true;
                        break;
                    }
                    if c == '"' && inner == '\\' {
                        chars.next();
                    }
                    word.push(inner);
                }
                if !closed {
                    scan.open_quote = true;
                    return scan;
                }
                scan.last_operator = false;
            }
            '#' if word.is_empty() => while chars.next_if(|&c| c != '\n').is_some() {},
            '\n' if !heredocs.is_empty() => {
                skip_bodies(&mut chars, &mut heredocs);
                scan.heredoc_open = !heredocs.is_empty();
                at_start = true;
            }
            '<' if chars.next_if_eq(&'<').is_some() => {
                if chars.next_if_eq(&'<').is_none() {
                    chars.next_if_eq(&'-');
                    waiting_for_tag = true;
                }
            }
            '|' | '&' => {
                let doubled = chars.next_if_eq(&c).is_some();
                scan.last_operator = c == '|' || doubled;
                at_start = true;
            }
            ';' => {
                scan.last_operator = false;
                at_start = true;
                if chars.next_if_eq(&';').is_some() {
                    scan.keywords.push(String::from(";;"));
                }
            }
            '\n' => at_start = true,
            '(' => {
                scan.depth += 1;
                at_start = true;
            }
            ')' => scan.depth = scan.depth.saturating_sub(1),
            c if c.is_whitespace() => {}
            c => {
                scan.last_operator = false;
                word.push(c);
            }
        }
    }
    if !word.is_empty() {
        end_word(&mut scan, &mut word, &mut at_start, &mut waiting_for_tag, &mut heredocs);
    }
    scan.heredoc_open |= !heredocs.is_empty();
    scan
}

fn end_word(scan: &mut Scan, word: &mut String, at_start: &mut bool, waiting: &mut bool, heredocs: &mut Vec<String>) {
    let word = core::mem::take(word);
    if *waiting {
        *waiting = false;
        heredocs.push(word.replace('\\', ""));
        return;
    }
    let keyword = matches!(
        word.as_str(),
        "if" | "then"
            | "else"
            | "elif"
            | "fi"
            | "for"
            | "while"
            | "until"
            | "select"
            | "do"
            | "done"
            | "case"
            | "esac"
            | "{"
            | "}"
            | "function"
    );
    if *at_start && keyword {
        // Behind these a command starts again.
        *at_start = matches!(word.as_str(), "if" | "then" | "else" | "elif" | "while" | "until" | "do" | "{");
        scan.keywords.push(word);
    } else {
        *at_start = false;
    }
}

fn skip_bodies(chars: &mut core::iter::Peekable<core::str::Chars<'_>>, heredocs: &mut Vec<String>) {
    let mut line = String::new();
    while let Some(tag) = heredocs.first() {
        let Some(c) = chars.next() else {
            if line.trim_start_matches('\t') == tag {
                heredocs.remove(0);
            }
            return;
        };
        if c == '\n' {
            if line.trim_start_matches('\t') == tag {
                heredocs.remove(0);
            }
            line.clear();
        } else {
            line.push(c);
        }
    }
}

fn open_blocks(keywords: &[String]) -> usize {
    let mut open: Vec<&str> = Vec::new();
    for word in keywords {
        match word.as_str() {
            "if" => open.push("fi"),
            "for" | "while" | "until" | "select" => open.push("done"),
            "case" => open.push("esac"),
            "{" => open.push("}"),
            "fi" | "done" | "esac" | "}" if open.last() == Some(&word.as_str()) => {
                open.pop();
            }
            _ => {}
        }
    }
    open.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn open_input_reads_on() {
        for text in [
            "echo \"open",
            "echo 'open",
            "for i in 1 2 3",
            "for i in 1 2; do",
            "if true; then",
            "cat <<EOF",
            "cat <<EOF\nline",
            "ls |",
            "ls &&",
            "echo \\",
            "f() {",
            "( cd /tmp",
            "case $x in",
            "while read -r l; do echo; ",
            "echo $(ls",
            "{ echo a;",
        ] {
            assert!(is_unfinished(text), "{text:?}");
        }
    }

    #[test]
    fn finished_input_runs() {
        for text in [
            "ls",
            "echo 'a' \"b\"",
            "for i in 1 2; do echo $i; done",
            "if true; then echo; fi",
            "cat <<EOF\nline\nEOF",
            "sleep 1 &",
            "echo if",
            "f() { echo; }",
            "(cd /tmp)",
            "case $x in a) echo;; esac",
            "echo done",
            "cat <<< word",
            "echo \\\\",
            "{ echo a; }",
            "cat <<-'E'\n\tx\n\tE\necho after",
            "# it's a comment",
        ] {
            assert!(!is_unfinished(text), "{text:?}");
        }
    }
}
