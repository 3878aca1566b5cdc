//! What is noted, while a line is walked, of the files that it opens for their content.
//!
//! A program of which it is not known what it opens may open anything, and so may a word that is not written out.

use aish_program_format::tables::{List, Program};

use super::arguments::{Arguments, Role};
use super::syntax::INLINE;
use super::walk::Walker;
use super::word::Word;
use crate::reads::{MAX_NAMED, Reads};
use crate::rules::programs;

/// Files that hold nothing of anybody, or what the line itself feeds.
const NOBODYS: &[&str] = &["/dev/null", "/dev/zero", "/dev/stdin"];

impl Walker<'_> {
    /// Notes what a program opens that is run by a name.
    pub(crate) fn note_opened(&mut self, name: &str, arguments: &[Word]) {
        let Some(program) = programs::find(name) else { return self.opens_anything() };
        let opens = program.facts().opens;
        let sorted = Arguments::new(name, arguments);
        let mut more = program.tables().texts(opens.more).peekable();
        let has_more = more.peek().is_some();
        if more.any(|option| sorted.has(option)) || has_more && arguments.iter().any(|word| !is_written_out(word)) {
            return self.opens_anything();
        }
        if is_among(program, opens.nothing, &sorted) {
            // With sub-commands it opens what belongs to the folder, which is not looked at.
            if !program.tables().holds(opens.nothing, "*") && self.state.folder != self.began_in {
                self.opens_anything();
            }
            return;
        }
        if !is_among(program, opens.named, &sorted) || !arguments.iter().all(is_written_out) {
            return self.opens_anything();
        }
        for (word, role) in sorted.iter() {
            match role {
                Role::Operand { .. } => self.note_read(word),
                Role::Value if is_number(&word.text) => {}
                Role::Value => self.note_read(word),
                Role::Option => {
                    let value = word.text.split_once('=').map(|(_, value)| value).or_else(|| word.text.get(2..));
                    if let Some(value) = value.filter(|value| !value.is_empty() && !is_number(value)) {
                        self.note_read(&Word::literal(value));
                    }
                }
            }
        }
    }

    /// Notes that a file is opened.
    pub(crate) fn note_read(&mut self, word: &Word) {
        let text = word.text.as_str();
        if text == "-" || NOBODYS.contains(&text) || text.starts_with(INLINE) || text.starts_with("/dev/fd/") {
            return;
        }
        // Where a variable may say what a folder's name stands for, only whole paths are known.
        let is_moved = self.state.folder != self.began_in && !text.starts_with('/');
        let path = if is_written_out(word) && !is_moved { self.path_text(word) } else { None };
        match path {
            Some(path) if self.reads.named.len() < MAX_NAMED => self.reads.named.push(path),
            Some(_) | None => self.opens_anything(),
        }
    }

    /// Notes that what is opened is not known.
    pub(crate) fn opens_anything(&mut self) {
        self.reads.known = false;
    }

    /// Returns what was noted of a line: a file is known only where the line holds nothing that a shell expands.
    pub(crate) fn reads_of(&mut self, command: &str) -> Reads {
        let mut reads = core::mem::take(&mut self.reads);
        reads.known &= !self.budget.is_spent() && (reads.named.is_empty() || is_literal(command));
        reads
    }
}

fn is_written_out(word: &Word) -> bool {
    word.is_known() && !word.glob && !word.text.starts_with('~')
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.trim_start_matches(['+', '-']).chars().all(|letter| letter.is_ascii_digit())
}

/// Says whether what a program is told to do is among some sub-commands.
fn is_among(program: Program<'_>, list: List, arguments: &Arguments<'_>) -> bool {
    program.tables().texts(list).any(|path| super::harmless::is_path_of(path, arguments))
}

/// Says whether a shell passes each word of a line on as it is written: no variable, substitution, pattern, brace, tilde,
/// escape, comment or here-document outside quotes that keep them.
fn is_literal(line: &str) -> bool {
    let mut rest = line;
    let mut before = ' ';
    while let Some(letter) = rest.chars().next() {
        let after = rest.get(letter.len_utf8()..).unwrap_or_default();
        rest = match letter {
            '\'' | '"' => {
                let Some((inside, tail)) = after.split_once(letter) else { return false };
                if letter == '"' && inside.contains(['$', '`', '\\', '!']) {
                    return false;
                }
                tail
            }
            '$' | '`' | '\\' | '*' | '?' | '[' | '{' | '~' | '#' | '!' | '^' => return false,
            '<' if after.starts_with('<') => return false,
            '(' if !" \t\n;|&(<>".contains(before) => return false,
            _ => after,
        };
        before = letter;
    }
    true
}

#[cfg(test)]
mod tests {
    use crate::command::{Surroundings, analyse};
    use crate::policy::PolicyRules;

    fn known(command: &str) -> Option<usize> {
        let around = Surroundings {
            folder: Some("/home/ana/work".into()),
            home: Some("/home/ana".into()),
            ..Surroundings::default()
        };
        let reads = analyse(command, &around, &PolicyRules::default()).reads;
        reads.known.then_some(reads.named.len())
    }

    #[test]
    fn files_are_known_where_a_line_writes_them_out() {
        for (command, named) in [
            ("ls -la", 0),
            ("echo \"$X\" *", 0),
            ("find . -name '*.rs' -newer a", 0),
            ("git log --oneline -5", 0),
            ("for f in *; do echo $f; done", 0),
            ("ps aux | head -5", 0),
            ("cat --version", 0),
            ("cat a.txt", 1),
            ("cat 'a b' /etc/hosts", 2),
            ("grep -n main a.c", 2 + 1),
            ("sort < a", 1),
            ("wc -l a | sort -n", 1 + 1),
            ("diff <(sort a) <(sort b)", 2),
            ("cat \"it's\"", 1),
        ] {
            assert_eq!(known(command).map(|count| count >= named.min(1)), Some(true), "{command}");
        }
    }

    #[test]
    fn what_is_not_written_out_may_be_any_file() {
        for command in [
            "cat $X",
            "cat \"$X\"",
            "cat *",
            "cat .[e]nv",
            "cat .e?v",
            "cat {.env,a}",
            "cat ~/notes",
            "cat \\.env",
            "cat $(ls)",
            "cat `ls`",
            "cat < $X",
            "echo $(< $X)",
            "x=a; cat $x",
            "find . -type f -exec cat {} +",
            "find . -type f | xargs cat",
            "xargs -a list cat",
            "ls | while read f; do cat \"$f\"; done",
            "for f in a b; do cat $f; done",
            "cd $X; cat config",
            "cd sub && cat config",
            "CDPATH=/root; cd .ssh; cat config",
            "pushd sub; cat config",
            "grep -r KEY .",
            "grep -rn KEY",
            "grep -d recurse KEY .",
            "rg KEY",
            "git diff",
            "git grep x",
            "git -C /other show",
            "cd /other; git show",
            "sort --files0-from=list",
            "wc --files0-from list",
            "find -files0-from list -name x",
            "diff -r a b",
            "sha256sum -c list",
            "awk 1 a",
            "jq . a.json",
            "tar tf a.tar",
            "eval 'cat a'",
            "bash -c 'cat a'",
            "cat <<E\n'\nE\ncat $X\ncat <<E\n'\nE",
            "cat a # '\ncat $X # '",
            "cat @(a|b)",
            "cat +(a)",
            "cat a $'b'",
            "mystery a",
            "./cat a",
            "cat ^a",
            "f() { cat \"$1\"; }; f a",
        ] {
            assert_eq!(known(command), None, "{command}");
        }
    }
}
