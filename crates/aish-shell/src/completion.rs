//! Bash's programmable completion, asked in the live shell.

use aish_syntax::{Kind, Role, Word};

/// A completion of the word before the cursor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Completion {
    /// The byte of the line where the word begins that is replaced.
    pub start: usize,
    /// What comes in its place; unquoted, and without a blank at its end.
    pub text: String,
    /// Whether it is done: a blank may follow.
    pub done: bool,
}

/// Characters that end a word for completion though they are no blanks (`COMP_WORDBREAKS`).
const BREAKS: &str = "=:><;|&(@\"'";

/// A question about a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Query {
    line: String,
    words: Vec<String>,
    start: usize,
}

impl Query {
    /// Splits the last simple command before the cursor into words as readline does; `None` where a command's own
    /// name is being typed, which the caller completes better.
    pub(crate) fn new(line: &str, point: usize) -> Option<Self> {
        let before = line.get(..point)?;
        let (words, command_start) = split(before);
        let (start, _) = words.last()?;
        if words.len() < 2 {
            return None;
        }
        Some(Self {
            start: command_start + start,
            line: before.get(command_start..)?.to_owned(),
            words: words.into_iter().map(|(_, word)| word).collect(),
        })
    }

    /// The script that sets the variables of a completion function, finds the specification (loading it if there is a
    /// loader), and prints what it offers: the specification's options, then the words, NUL after each.
    pub(crate) fn script(&self) -> String {
        let words: Vec<String> = self.words.iter().map(|word| quote(word)).collect();
        let current = self.words.len() - 1;
        let previous = self.words.get(current.wrapping_sub(1)).map_or("", String::as_str);
        format!(
            "__aish_complete() {{\n\
             \\builtin local COMP_LINE={line} COMP_POINT={point} COMP_CWORD={current} COMP_TYPE=9 COMP_KEY=9\n\
             \\builtin local -a COMP_WORDS\nCOMP_WORDS=({words})\n\
             \\builtin local __aish_cmd={command} __aish_cur={cur} __aish_prev={prev}\n\
             {body}\n}}\n__aish_complete\n\\builtin unset -f __aish_complete\n",
            line = quote(&self.line),
            point = self.line.len(),
            words = words.join(" "),
            command = quote(self.words.first().map_or("", String::as_str)),
            cur = quote(self.words.get(current).map_or("", String::as_str)),
            prev = quote(previous),
            body = include_str!("complete.bash"),
        )
    }

    /// Reads what the script printed.
    pub(crate) fn read(&self, answer: &[u8]) -> Vec<Completion> {
        let text = String::from_utf8_lossy(answer);
        let Some((options, list)) = text.split_once('\0') else { return Vec::new() };
        let no_space = options.split_whitespace().any(|option| option == "nospace");
        let filenames = options.split_whitespace().any(|option| option == "filenames");
        let mut seen = std::collections::BTreeSet::new();
        list.split('\0')
            .filter(|word| !word.is_empty() && seen.insert(*word))
            .map(|word| {
                let text = word.trim_end_matches(' ');
                let done = text.len() < word.len() || !(no_space || filenames && word.ends_with('/'));
                Completion { start: self.start, text: text.to_owned(), done }
            })
            .collect()
    }
}

fn quote(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// Splits the simple command that a line ends in into words with their starts, relative to where that command starts. The
/// word at the end may be empty.
fn split(line: &str) -> (Vec<(usize, String)>, usize) {
    let scan = aish_syntax::scan(line);
    let is_own = |word: &&Word| word.command == scan.end.command;
    let command = scan.words.iter().filter(is_own).find(|word| word.role == Role::Command);
    let command_start = command.map_or(line.len(), |word| word.start);
    let mut own = scan.words.iter().filter(is_own).peekable();
    let mut words: Vec<(usize, String)> = Vec::new();
    let mut is_open = false;
    for token in scan.tokens.iter().filter(|token| token.start >= command_start) {
        while own.next_if(|word| word.end <= token.start).is_some() {}
        let is_inside = own.peek().is_some_and(|word| word.start <= token.start);
        if !is_inside && matches!(token.kind, Kind::Blank | Kind::Newline | Kind::Comment | Kind::Heredoc) {
            is_open = false;
            continue;
        }
        let text = line.get(token.range()).unwrap_or_default();
        let at = token.start - command_start;
        let breaks = !is_inside || token.kind == Kind::Text && scan.word_of(token).as_ref().is_some_and(is_own);
        for (offset, letter) in text.char_indices() {
            let ends = breaks && BREAKS.contains(letter);
            match words.last_mut().filter(|_| is_open && !ends) {
                Some((_, word)) => word.push(letter),
                None => words.push((at + offset, letter.to_string())),
            }
            is_open = !ends;
        }
    }
    if !is_open {
        words.push((line.len() - command_start, String::new()));
    }
    (words, command_start)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_command_is_split() {
        let words = |line: &str| {
            let (words, start) = split(line);
            (words.into_iter().map(|(_, word)| word).collect::<Vec<_>>().join("|"), start)
        };
        for (line, expected) in [
            ("git ch", ("git|ch", 0)),
            ("git ", ("git|", 0)),
            ("git", ("git", 0)),
            ("cd x && git  ch", ("git|ch", 8)),
            ("a 'b c' d\\ e", ("a|'b c'|d\\ e", 0)),
            ("dd if=/de", ("dd|if|=|/de", 0)),
            ("ls | grep -", ("grep|-", 5)),
            ("echo \"$(git ch", ("git|ch", 8)),
            ("if git ch", ("git|ch", 3)),
            ("A=1 git ch", ("git|ch", 4)),
            ("git \"$(date) ch", ("git|\"$(date) ch", 0)),
            ("git $(ls a=b) ch", ("git|$(ls a=b)|ch", 0)),
            ("", ("", 0)),
        ] {
            assert_eq!(words(line), (expected.0.to_owned(), expected.1), "{line:?}");
        }
        assert_eq!(Query::new("git", 3), None);
        assert_eq!(Query::new("x; git ch", 9).map(|query| query.start), Some(7));
    }

    #[test]
    fn answers_are_read_once_each() {
        let query = Query::new("git ch", 6).unwrap();
        let done = |text: &str, done| Completion { start: 4, text: text.into(), done };
        assert_eq!(query.read(b"\0checkout \0cherry\0cherry\0"), [done("checkout", true), done("cherry", true)]);
        assert_eq!(query.read(b"nospace filenames\0a/\0b\0"), [done("a/", false), done("b", false)]);
        assert_eq!(query.read(b""), []);
    }
}
