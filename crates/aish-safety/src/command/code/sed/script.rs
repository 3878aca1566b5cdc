//! Scripts of a stream editor, read where every such editor reads the same; what one of them may read otherwise is not
//! understood.

use alloc::vec::Vec;

use super::pattern::{addresses, delimited, pattern};

/// The longest script that is read, in bytes.
const MAX_BYTES: usize = 64 * 1024;

/// Commands that take nothing behind them and stay inside the stream.
const PLAIN: &str = "=}dDgGhHnNpPxzF";

/// What a script does beside editing the stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step<'s> {
    /// Runs a command, or the lines of its input where it is empty.
    Run(&'s str),
    /// Runs what it replaces.
    RunReplaced(&'s str),
    Read(&'s str),
    Write(&'s str),
}

/// A script as far as it is understood.
#[derive(Debug)]
pub(super) struct Script<'s> {
    pub(super) steps: Vec<Step<'s>>,
    /// What is not understood, from the command in doubt on.
    pub(super) rest: Option<&'s str>,
}

impl Script<'_> {
    /// Says whether the script is understood and runs nothing; what it reads and writes is judged by itself.
    pub(super) fn is_contained(&self) -> bool {
        self.rest.is_none() && self.steps.iter().all(|step| matches!(step, Step::Read(_) | Step::Write(_)))
    }
}

/// Reads a script, command by command.
pub(super) fn read(text: &str) -> Script<'_> {
    let mut reader = Reader { rest: text, steps: Vec::new(), labelled: false };
    loop {
        reader.rest = reader.rest.trim_start_matches([' ', '\t', ';']);
        if let Some(behind) = reader.rest.strip_prefix('\n') {
            (reader.rest, reader.labelled) = (behind, false);
            continue;
        }
        let rest = reader.rest;
        // What ends in a backslash goes on in the next script.
        if rest.is_empty() && !text.ends_with('\\') && text.len() <= MAX_BYTES {
            return Script { steps: reader.steps, rest: None };
        }
        if rest.is_empty() || reader.command().is_none() {
            return Script { steps: reader.steps, rest: Some(rest) };
        }
    }
}

struct Reader<'s> {
    rest: &'s str,
    steps: Vec<Step<'s>>,
    /// Whether a label stands on this line: some editors take the whole line for its name.
    labelled: bool,
}

impl<'s> Reader<'s> {
    /// Reads a command with its addresses.
    fn command(&mut self) -> Option<()> {
        let behind = addresses(self.rest)?;
        let behind = behind.strip_prefix('!').unwrap_or(behind).trim_start_matches([' ', '\t']);
        let command = behind.chars().next()?;
        self.rest = behind.get(command.len_utf8()..)?;
        match command {
            '#' => {
                let comment = self.line();
                return (!comment.ends_with('\\')).then_some(());
            }
            'a' | 'i' | 'c' => return self.text(),
            ':' | 'b' | 't' | 'T' => self.label(command)?,
            'q' | 'Q' | 'l' => {
                let count = self.rest.trim_start_matches([' ', '\t']);
                self.rest = count.trim_start_matches(|letter: char| letter.is_ascii_digit());
            }
            'e' => {
                let line = self.line().trim();
                self.steps.push(Step::Run(line));
                return Some(());
            }
            'r' | 'R' | 'w' | 'W' => {
                let name = self.line();
                return self.file(command, name);
            }
            's' => return self.substitution(),
            'y' => self.translation()?,
            '{' => return Some(()),
            _ if PLAIN.contains(command) => {}
            _ => return None,
        }
        self.end()
    }

    /// Takes what is left of the line.
    fn line(&mut self) -> &'s str {
        let end = self.rest.find('\n').unwrap_or(self.rest.len());
        let (line, behind) = self.rest.split_at_checked(end).unwrap_or((self.rest, ""));
        self.rest = behind;
        line
    }

    /// Says whether the command ends here.
    fn end(&mut self) -> Option<()> {
        self.rest = self.rest.trim_start_matches([' ', '\t']);
        (self.rest.is_empty() || self.rest.starts_with([';', '\n', '}', '#'])).then_some(())
    }

    fn file(&mut self, command: char, name: &'s str) -> Option<()> {
        let name = name.trim_start_matches([' ', '\t']);
        (!name.is_empty() && !name.ends_with('\\')).then_some(())?;
        self.steps.push(if matches!(command, 'r' | 'R') { Step::Read(name) } else { Step::Write(name) });
        Some(())
    }

    /// A label; a jump needs none.
    fn label(&mut self, command: char) -> Option<()> {
        let name = self.rest.trim_start_matches([' ', '\t']);
        let behind = name.trim_start_matches(|letter: char| letter.is_ascii_alphanumeric() || "_.-".contains(letter));
        (command != ':' || behind.len() < name.len()).then_some(())?;
        self.rest = behind;
        self.labelled = true;
        Some(())
    }

    /// The text of `a`, `i` and `c`: to the end of its last line; all but the last end in a backslash.
    fn text(&mut self) -> Option<()> {
        (!self.labelled).then_some(())?;
        let rest = self.rest.trim_start_matches([' ', '\t']);
        self.rest = match rest.strip_prefix('\\') {
            Some(behind) if behind.starts_with('\n') => behind.get(1..)?,
            // Blanks alone behind the backslash are in doubt.
            Some(behind) => Some(behind).filter(|behind| !behind.trim_start_matches([' ', '\t']).starts_with('\n'))?,
            None => Some(rest).filter(|rest| !rest.starts_with('\n'))?,
        };
        (!self.rest.is_empty()).then_some(())?;
        loop {
            let line = self.line();
            if !line.ends_with('\\') {
                return Some(());
            }
            // Two are one that is meant.
            (!line.ends_with("\\\\")).then_some(())?;
            self.rest = self.rest.strip_prefix('\n')?;
        }
    }

    fn substitution(&mut self) -> Option<()> {
        let mark = self.rest.chars().next().filter(|mark| super::pattern::is_mark(*mark))?;
        let behind = pattern(self.rest.get(1..)?, mark)?;
        let replaced = delimited(behind, mark)?;
        let replacement = behind.get(..behind.len() - replaced.len() - 1)?;
        (!(self.labelled && replacement.contains('\n'))).then_some(())?;
        let end = replaced.find(|letter: char| !(letter.is_ascii_digit() || "gpeiImM".contains(letter)));
        let (flags, rest) = replaced.split_at_checked(end.unwrap_or(replaced.len()))?;
        self.rest = rest;
        if flags.contains('e') {
            self.steps.push(Step::RunReplaced(replacement));
        }
        if let Some(behind) = rest.strip_prefix('w') {
            self.rest = behind;
            let name = self.line();
            return self.file('w', name);
        }
        self.end()
    }

    /// `y/abc/xyz/`, in which no bracket means anything.
    fn translation(&mut self) -> Option<()> {
        let mark = self.rest.chars().next().filter(|mark| super::pattern::is_mark(*mark))?;
        let from = self.rest.get(1..)?;
        let to = delimited(from, mark)?;
        let behind = delimited(to, mark)?;
        (!from.get(..from.len() - behind.len())?.contains('\n')).then_some(())?;
        self.rest = behind;
        Some(())
    }
}
