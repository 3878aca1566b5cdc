//! Names as the shell reads them: outside quotes and inside the quote that is open.

/// Writes a name outside quotes.
pub(super) fn escaped(name: &str) -> String {
    let mut text = String::with_capacity(name.len());
    for (at, c) in name.chars().enumerate() {
        // A tilde before a slash is the home folder, and both mean something only where a word begins.
        let first = at == 0 && (c == '#' || c == '~' && !name.starts_with("~/"));
        if c.is_control() {
            // Behind a backslash a line feed would be taken away.
            text.push_str(&control(c));
            continue;
        }
        if first || " \t\\'\"$`&|;()<>*?[]{}!".contains(c) {
            text.push('\\');
        }
        text.push(c);
    }
    text
}

/// Writes a name inside a quote that stays open.
pub(super) fn quoted(name: &str, quote: char) -> String {
    let mut text = String::with_capacity(name.len());
    for c in name.chars() {
        match c {
            c if c.is_control() => text.push_str(&format!("{quote}{}{quote}", control(c))),
            '\'' if quote == '\'' => text.push_str(r"'\''"),
            // A backslash would not keep the history from being expanded.
            '!' if quote == '"' => text.push_str("\"'!'\""),
            '"' | '$' | '`' | '\\' if quote == '"' => text.extend(['\\', c]),
            c => text.push(c),
        }
    }
    text
}

/// Takes away what is escaped, as the shell does at that place.
pub(super) fn unquoted(text: &str, quote: Option<char>) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        let takes = |next: char| match quote {
            None => true,
            Some('"') => "\"$`\\".contains(next),
            Some(_) => false,
        };
        let next = if c == '\\' { rest.next_if(|&next| takes(next)) } else { None };
        // Outside quotes one at the end is half of what will be escaped.
        if next.is_some() || c != '\\' || quote.is_some() {
            out.push(next.unwrap_or(c));
        }
    }
    out
}

fn control(c: char) -> String {
    match c {
        '\n' => r"$'\n'".to_owned(),
        '\t' => r"$'\t'".to_owned(),
        c => format!(r"$'\u{:04x}'", u32::from(c)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_shell_would_take_apart_is_escaped() {
        for (name, expected) in [
            ("a b", r"a\ b"),
            ("~/x", "~/x"),
            ("~x", r"\~x"),
            ("a~", "a~"),
            ("#x", r"\#x"),
            ("a\nb", r"a$'\n'b"),
            ("a\u{1b}b", r"a$'\u001b'b"),
        ] {
            assert_eq!(escaped(name), expected);
        }
    }

    /// Bash itself reads what is written.
    #[test]
    fn bash_reads_the_name_that_was_meant() {
        let names = [
            "a b",
            "it's",
            "q\"x",
            "$HOME",
            "`id`",
            "a\\b",
            "\\",
            "a!b",
            "new\nline",
            "t\tb",
            "e\u{1b}",
            "ü",
            "*?[x]{a,b}",
        ];
        for name in names {
            let ways = [escaped(name), format!("'{}'", quoted(name, '\'')), format!("\"{}\"", quoted(name, '"'))];
            for written in ways {
                let mut bash = std::process::Command::new("bash");
                bash.args(["-c", &format!("printf %s {written}")]).env("LC_ALL", "C.UTF-8");
                let read = String::from_utf8(bash.output().unwrap().stdout).unwrap();
                assert_eq!(read, name, "{written}");
            }
        }
    }

    #[test]
    fn what_was_typed_is_read_back() {
        for (text, quote, expected) in [
            (r"a\ b", None, "a b"),
            (r"a\\b", None, r"a\b"),
            (r"a\", None, "a"),
            (r"a\$b", Some('"'), "a$b"),
            (r"a\b", Some('"'), r"a\b"),
            (r"a\$b", Some('\''), r"a\$b"),
        ] {
            assert_eq!(unquoted(text, quote), expected);
        }
    }
}
