//! Which parts of a line bash expands from its history before it reads it: `!!`, `!$:h`, `!-2`, `!text`, `^old^new`. What they
//! stand for bash says itself.

/// What a line says of the history.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Designators<'a> {
    /// What stands before: blanks, and the `!` that sends a line to the shell.
    pub(super) before: &'a str,
    /// The text that bash expands.
    pub(super) text: &'a str,
    /// The first of them.
    pub(super) first: &'a str,
    /// The line is to be shown and not run (`:p`).
    pub(super) shows: bool,
}

/// Looks for what bash may expand in a line; none where nothing is. At the beginning of a line `!name` sends it to the shell.
pub(super) fn designators(line: &str) -> Option<Designators<'_>> {
    if let Some((old, _)) = line.strip_prefix('^').and_then(|rest| rest.split_once('^')) {
        return (!old.is_empty()).then_some(Designators { before: "", text: line, first: line, shows: false });
    }
    let bare = line.trim_start();
    let blanks = line.len() - bare.len();
    let forced = bare.strip_prefix('!').is_some_and(|rest| !begins_event(rest));
    let (before, text) = line.split_at_checked(blanks + usize::from(forced))?;
    let mut found = Designators { before, text, first: "", shows: false };
    let mut chars = text.char_indices().peekable();
    let mut is_quoted = false;
    let mut last = None;
    while let Some((at, c)) = chars.next() {
        match c {
            '\\' => drop(chars.next()),
            '\'' if !is_quoted => drop(chars.find(|(_, c)| *c == '\'')),
            '"' => is_quoted = !is_quoted,
            // `$!`, `${!name}` and `[!a]` are bash's own.
            '!' if last.is_some_and(|last| matches!(last, '$' | '{' | '[')) => {}
            '!' => {
                let is_event = chars.peek().is_some_and(|(_, next)| {
                    !(next.is_whitespace() || matches!(next, '=' | '(') || is_quoted && *next == '"')
                });
                if is_event {
                    let rest = text.get(at..)?;
                    let end = rest.find(|c: char| c.is_whitespace() || ";|&()<>\"'".contains(c)).unwrap_or(rest.len());
                    let event = rest.get(..end)?;
                    if found.first.is_empty() {
                        found.first = event;
                    }
                    found.shows |= event.contains(":p");
                    // The second `!` of `!!` begins nothing.
                    let _ = chars.next_if(|(_, next)| *next == '!');
                }
            }
            _ => {}
        }
        last = Some(c);
    }
    (!found.first.is_empty()).then_some(found)
}

/// Says whether what stands behind a `!` at the beginning of a line is an event and no command.
fn begins_event(rest: &str) -> bool {
    let digits = rest.strip_prefix('-').unwrap_or(rest);
    let behind = digits.trim_start_matches(|c: char| c.is_ascii_digit());
    let is_number =
        behind.len() < digits.len() && !behind.starts_with(|c: char| c.is_alphanumeric() || "-_./".contains(c));
    is_number || rest.starts_with(['!', '$', '^', '*', '#', ':', '?'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_bash_may_expand_is_seen() {
        for (line, expected) in [
            ("!!", Some(("", "!!", "!!"))),
            ("  !$:h x", Some(("  ", "!$:h x", "!$:h"))),
            ("sudo !!; ls", Some(("", "sudo !!; ls", "!!"))),
            ("!ls !$", Some(("!", "ls !$", "!$"))),
            (" !ls !-2:$", Some((" !", "ls !-2:$", "!-2:$"))),
            ("!12:p", Some(("", "!12:p", "!12:p"))),
            ("!-2 -s", Some(("", "!-2 -s", "!-2"))),
            ("!?stat? x", Some(("", "!?stat? x", "!?stat?"))),
            ("ls \"!$\" x", Some(("", "ls \"!$\" x", "!$"))),
            ("echo \"so good !yes\"", Some(("", "echo \"so good !yes\"", "!yes"))),
            ("echo a!b", Some(("", "echo a!b", "!b"))),
            ("^a.txt^c.txt^ -v", Some(("", "^a.txt^c.txt^ -v", "^a.txt^c.txt^ -v"))),
            ("!ls", None),
            ("!7z x a", None),
            ("!./run", None),
            ("!'my prog' \"it is!\"", None),
            ("echo '!!' \\!! x != y ! z", None),
            ("[ ! -f x ] || ls !(a)", None),
            ("sleep 1 & echo job-$!.; ls [!a]* ${!x}", None),
            ("^x", None),
            ("^^", None),
            ("plain", None),
        ] {
            let found = designators(line);
            assert_eq!(found.map(|found| (found.before, found.text, found.first)), expected, "{line}");
            assert_eq!(found.is_some_and(|found| found.shows), line.contains(":p"), "{line}");
        }
    }
}
