//! What bash expands before it reads a line: `!!`, `!$`, `!-2`, `!text`, `^old^new`.

/// What came of a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Expanded {
    /// There was nothing to expand.
    Same,
    /// The line as it is run.
    To(String),
    /// An event that is not there.
    NotFound(String),
}

/// Expands a line as bash does without `histverify`. `earlier` gives earlier command lines, the newest first. At the
/// beginning of a line `!name` sends it to the shell and is left alone.
pub(super) fn expanded(line: &str, earlier: &dyn Fn(&EventDesignator<'_>) -> Option<String>) -> Expanded {
    if let Some(rest) = line.strip_prefix('^') {
        return quick(line, rest, earlier);
    }
    let chars: Vec<char> = line.chars().collect();
    let mut out = String::new();
    let mut changed = false;
    let mut quoted = false;
    let mut at = 0;
    while let Some(&c) = chars.get(at) {
        match c {
            '\\' => {
                out.push(c);
                out.extend(chars.get(at + 1));
                at += 2;
                continue;
            }
            '\'' if !quoted => {
                let end = chars.iter().skip(at + 1).position(|&c| c == '\'').map_or(chars.len(), |end| at + end + 2);
                out.extend(chars.get(at..end).unwrap_or_default());
                at = end;
                continue;
            }
            '"' => quoted = !quoted,
            // `$!`, `${!name}` and `[!a]` are bash's own.
            '!' if at > 0 && chars.get(at - 1).is_some_and(|before| matches!(before, '$' | '{' | '[')) => {}
            '!' => {
                let rest: String = chars.get(at + 1..).unwrap_or_default().iter().collect();
                if let Some((wanted, length)) = event(&rest, at == 0, quoted) {
                    let Some(found) = earlier(&wanted.0).and_then(|line| wanted.1.of(&line)) else {
                        return Expanded::NotFound(format!("!{}", rest.chars().take(length).collect::<String>()));
                    };
                    out.push_str(&found);
                    changed = true;
                    at += 1 + length;
                    continue;
                }
            }
            _ => {}
        }
        out.push(c);
        at += 1;
    }
    if changed { Expanded::To(out) } else { Expanded::Same }
}

/// Which earlier line is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EventDesignator<'a> {
    /// So many lines back; 1 is the last one.
    Back(usize),
    /// The newest that begins so.
    Begins(&'a str),
    /// The newest that has this.
    Has(&'a str),
}

/// Which words of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Words {
    All,
    First,
    Last,
    Arguments,
}

impl Words {
    fn of(self, line: &str) -> Option<String> {
        let words: Vec<&str> = line.split_whitespace().collect();
        match self {
            Self::All => Some(line.to_owned()),
            Self::First => words.get(1).map(|word| (*word).to_owned()),
            Self::Last => words.last().map(|word| (*word).to_owned()),
            Self::Arguments => Some(words.get(1..).unwrap_or_default().join(" ")),
        }
    }
}

/// Reads an event behind its `!`, and says how many characters it has.
fn event(rest: &str, begins_line: bool, quoted: bool) -> Option<((EventDesignator<'_>, Words), usize)> {
    let last = EventDesignator::Back(1);
    let mut chars = rest.chars();
    Some(match chars.next()? {
        '!' => ((last, Words::All), 1),
        '$' => ((last, Words::Last), 1),
        '^' => ((last, Words::First), 1),
        '*' => ((last, Words::Arguments), 1),
        '-' => {
            let digits: String = chars.take_while(char::is_ascii_digit).collect();
            let back = digits.parse().ok().filter(|back| *back > 0)?;
            ((EventDesignator::Back(back), Words::All), 1 + digits.len())
        }
        '?' if !begins_line => {
            let text = rest.get(1..)?;
            let end = text.find(['?', '\n']).unwrap_or(text.len());
            let closing = usize::from(text.get(end..).is_some_and(|rest| rest.starts_with('?')));
            let length = 1 + text.get(..end)?.chars().count() + closing;
            ((EventDesignator::Has(text.get(..end).filter(|text| !text.is_empty())?), Words::All), length)
        }
        c if !begins_line && (c.is_alphanumeric() || matches!(c, '_' | '.' | '/')) => {
            let end = rest.find(|c: char| c.is_whitespace() || ";|&()<>\"'".contains(c)).unwrap_or(rest.len());
            // The end of a sentence in quotes is none.
            if quoted && rest.get(end..).is_none_or(str::is_empty) {
                return None;
            }
            let text = rest.get(..end)?;
            ((EventDesignator::Begins(text), Words::All), text.chars().count())
        }
        _ => return None,
    })
}

/// `^old^new^rest`: the last line with its first `old` replaced.
fn quick(line: &str, rest: &str, earlier: &dyn Fn(&EventDesignator<'_>) -> Option<String>) -> Expanded {
    let mut parts = rest.splitn(3, '^');
    let (Some(old), Some(new)) = (parts.next().filter(|old| !old.is_empty()), parts.next()) else {
        return Expanded::Same;
    };
    let behind = parts.next().unwrap_or_default();
    match earlier(&EventDesignator::Back(1)).filter(|last| last.contains(old)) {
        Some(last) => Expanded::To(format!("{}{behind}", last.replacen(old, new, 1))),
        None => Expanded::NotFound(line.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_expanded_as_bash_does() {
        let lines = ["cp a.txt /tmp/b", "git status", "make -j4 all"];
        let earlier = |wanted: &EventDesignator<'_>| -> Option<String> {
            let found = match wanted {
                EventDesignator::Back(back) => lines.get(back - 1).copied(),
                EventDesignator::Begins(text) => lines.iter().copied().find(|line| line.starts_with(text)),
                EventDesignator::Has(text) => lines.iter().copied().find(|line| line.contains(text)),
            };
            found.map(str::to_owned)
        };
        let to = |text: &str| Expanded::To(text.to_owned());
        for (line, expected) in [
            ("!!", to("cp a.txt /tmp/b")),
            ("sudo !!", to("sudo cp a.txt /tmp/b")),
            ("ls !$", to("ls /tmp/b")),
            ("ls \"!$\" x", to("ls \"/tmp/b\" x")),
            ("cat !^ !*", to("cat a.txt a.txt /tmp/b")),
            ("!-2 -s", to("git status -s")),
            ("time !mak; ls", to("time make -j4 all; ls")),
            ("echo !?stat? x", to("echo git status x")),
            ("^a.txt^c.txt", to("cp c.txt /tmp/b")),
            ("^a.txt^c.txt^ -v", to("cp c.txt /tmp/b -v")),
            ("!ls", Expanded::Same),
            ("!ls !$", to("!ls /tmp/b")),
            ("echo '!!' \\!! x != y ! z", Expanded::Same),
            ("echo \"done!\" \"so good !yes\"", Expanded::NotFound("!yes".into())),
            ("echo \"hello!", Expanded::Same),
            ("echo !nothing", Expanded::NotFound("!nothing".into())),
            ("^q^y", Expanded::NotFound("^q^y".into())),
            ("sleep 1 & echo job-$!.; ls [!a]* ${!x}", Expanded::Same),
            ("^_^", Expanded::NotFound("^_^".into())),
            ("plain", Expanded::Same),
        ] {
            assert_eq!(expanded(line, &earlier), expected, "{line}");
        }
    }
}
