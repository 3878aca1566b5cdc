//! `CMD:` lines: shell commands that the model proposes in its own text.
//!
//! A command that its line leaves open (a loop, a quote, a here-document, a backslash at the end) goes on in the lines behind
//! it until bash would run it. Where it does not come to its end it is the one line, and what follows is prose.

use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

/// The mark at the start of a line.
pub const MARK: &str = "CMD:";

/// Lines of one command at most.
const MOST_LINES: usize = 100;
/// Bytes of one command at most.
const MOST_BYTES: usize = 16 * 1024;

/// What lines of an answer are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece {
    /// A line that proposes nothing, with its end.
    Prose(String),
    /// A command that is proposed, without the mark.
    Command(String),
}

/// Reads an answer line by line and tells its proposals from its prose.
#[derive(Debug, Default)]
pub struct CommandReader {
    /// The command so far, where its last line leaves it open.
    open: Option<Open>,
}

/// A command that is not finished.
#[derive(Debug)]
struct Open {
    command: String,
    /// The lines behind the first, as they stand in the answer.
    behind: Vec<String>,
}

impl CommandReader {
    /// Says whether the next line may belong to a command.
    pub fn is_open(&self) -> bool {
        self.open.is_some()
    }

    /// Takes the next line, with its end, and returns what is settled by it, in order.
    pub fn line(&mut self, line: &str) -> Vec<Piece> {
        let Some(mut open) = self.open.take() else { return self.begin(line) };
        let bare = line.trim_end_matches(['\n', '\r']);
        let ends = bare.trim().is_empty() || bare.starts_with(MARK) || bare.trim_start().starts_with("```");
        let command = [open.command.as_str(), bare].join("\n");
        let fits = open.behind.len() + 2 <= MOST_LINES && command.len() <= MOST_BYTES;
        let end = aish_syntax::scan(&command).end;
        if ends || !fits || end.is_broken {
            let mut pieces = open.given_up();
            pieces.extend(self.begin(line));
            return pieces;
        }
        if !end.is_unfinished {
            return vec![Piece::Command(command)];
        }
        open.behind.push(line.into());
        self.open = Some(Open { command, ..open });
        Vec::new()
    }

    /// Ends the answer, and returns what was open.
    pub fn end(&mut self) -> Vec<Piece> {
        self.open.take().map(Open::given_up).unwrap_or_default()
    }

    fn begin(&mut self, line: &str) -> Vec<Piece> {
        let command = line.strip_prefix(MARK).map(str::trim).unwrap_or_default();
        if command.is_empty() {
            return vec![Piece::Prose(line.into())];
        }
        if !aish_syntax::is_unfinished(command) {
            return vec![Piece::Command(command.into())];
        }
        self.open = Some(Open { command: command.into(), behind: Vec::new() });
        Vec::new()
    }
}

impl Open {
    /// Leaves the command at its first line; the others are prose.
    fn given_up(self) -> Vec<Piece> {
        let first = self.command.lines().next().unwrap_or_default();
        let command = Piece::Command(first.into());
        core::iter::once(command).chain(self.behind.into_iter().map(Piece::Prose)).collect()
    }
}

/// Returns the commands that a text proposes, in order: what follows `CMD:` at the start of a line, without the blanks around it,
/// and the lines behind it that finish it.
///
/// Only the assistant's own text may be given to this; results of tools never are.
pub fn proposed_commands(text: &str) -> Vec<String> {
    let mut reader = CommandReader::default();
    let mut pieces: Vec<Piece> = text.split_inclusive('\n').flat_map(|line| reader.line(line)).collect();
    pieces.extend(reader.end());
    let command = |piece| match piece {
        Piece::Command(command) => Some(command),
        Piece::Prose(_) => None,
    };
    pieces.into_iter().filter_map(command).collect()
}

#[cfg(test)]
mod tests {
    use alloc::format;

    use super::*;

    #[test]
    fn only_the_start_of_a_line_counts() {
        let text = "I will look.\nCMD: ls -la\nthen CMD: rm x\n  CMD: indented\nCMD:\nCMD:echo hi  \r\n> CMD: quoted";
        assert_eq!(proposed_commands(text), ["ls -la", "echo hi"]);
    }

    #[test]
    fn a_command_goes_on_until_it_is_finished() {
        for (text, expected) in [
            ("CMD: for f in a b; do\n  echo $f\ndone\nThat lists them.", vec!["for f in a b; do\n  echo $f\ndone"]),
            ("CMD: cat > x <<EOF\none\ntwo\nEOF\nCMD: ls", vec!["cat > x <<EOF\none\ntwo\nEOF", "ls"]),
            ("CMD: ls \\\r\n  -la\r\nDone.", vec!["ls \\\n  -la"]),
            ("CMD: python3 -c 'import os\nprint(os.name)'", vec!["python3 -c 'import os\nprint(os.name)'"]),
            ("CMD: make &&\nmake test", vec!["make &&\nmake test"]),
            // What does not come to its end is the one line.
            ("CMD: for f in *; do\n\necho $f\ndone", vec!["for f in *; do"]),
            ("CMD: for f in *; do\nCMD: echo $f\nCMD: done", vec!["for f in *; do", "echo $f", "done"]),
            ("CMD: echo 'a\nNo more.", vec!["echo 'a"]),
            ("CMD: echo \"a\n```\ncode\"\n```", vec!["echo \"a"]),
            ("CMD: if true; then\n)\nfi", vec!["if true; then"]),
            // What is wrong in its first line is no other command with the next.
            ("CMD: )\nls", vec![")"]),
        ] {
            assert_eq!(proposed_commands(text), expected, "{text:?}");
        }
    }

    #[test]
    fn a_command_is_bounded() {
        let within = format!("CMD: echo '{}'", "x\n".repeat(MOST_LINES - 1));
        assert_eq!(proposed_commands(&within), [within.trim_start_matches("CMD: ")]);
        let lines = format!("CMD: echo '{}'", "x\n".repeat(MOST_LINES));
        assert_eq!(proposed_commands(&lines), ["echo 'x"]);
        let bytes = format!("CMD: echo '\n{}'", "x".repeat(MOST_BYTES));
        assert_eq!(proposed_commands(&bytes), ["echo '"]);
    }

    #[test]
    fn what_is_given_up_is_prose_as_it_stood() {
        let mut reader = CommandReader::default();
        assert!(reader.line("CMD: echo 'a\r\n").is_empty() && reader.is_open());
        assert!(reader.line("It is so.\r\n").is_empty() && reader.is_open());
        let settled =
            [Piece::Command("echo 'a".into()), Piece::Prose("It is so.\r\n".into()), Piece::Prose("\n".into())];
        assert_eq!(reader.line("\n"), settled);
        assert!(!reader.is_open() && reader.end().is_empty());
    }
}
