//! Words as the shell would pass them on, as far as they are known.

use alloc::string::String;
use core::ops::BitOr;

/// Stands in a word's text for a part that is not known.
pub(crate) const HOLE: char = '\u{FFFC}';

/// Stands behind a [`HOLE`] of which it is known that it is a number.
pub(crate) const NUMERIC: char = '\u{FFFB}';

/// Says whether all that is not known of a text is numbers.
pub(crate) fn is_numeric(text: &str) -> bool {
    text.split(HOLE).skip(1).all(|rest| rest.starts_with(NUMERIC))
}

/// What stands for names that are not known and are of short life: below a folder for such files, and shown as unknown.
pub(crate) const SHORT_LIVED: &str = "/tmp/\u{FFFC}\u{FFFC}";

/// Where a text comes from, as a set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Taint(u32);

impl Taint {
    /// Nothing special.
    pub(crate) const NONE: Self = Self(0);
    /// Fetched from another machine.
    pub(crate) const REMOTE: Self = Self(1);
    /// Decoded from a form that hides it.
    pub(crate) const DECODED: Self = Self(2);
    /// Read from a place that holds secrets.
    pub(crate) const SECRET: Self = Self(4);

    /// Written by a shell that waits for commands.
    pub(crate) const SHELL: Self = Self(16);
    /// Names that a search found, which are not known.
    pub(crate) const LISTED: Self = Self(32);
    /// Names of what is made again, that a search found.
    pub(crate) const ROUTINE: Self = Self(64);
    /// Nobody's secret, and nobody else's business: the records of a database, the list of accounts.
    pub(crate) const PRIVATE: Self = Self(128);
    /// Names of files of which some may hold secrets: whoever opens what is named may read one.
    pub(crate) const NAMES_SECRETS: Self = Self(256);
    /// Known by a guess: shells make different things of it, or it may be another value by then.
    pub(crate) const GUESSED: Self = Self(512);
    /// Content of a file that is not known.
    pub(crate) const CONTENT: Self = Self(1024);
    /// The value of a variable that may hold an address with a password, or a password by an ordinary name: it may go where it
    /// is for, and is asked about where it is shown.
    pub(crate) const ADDRESS: Self = Self(2048);
    /// Of a variable that may not be set: not each shell has it, or what sets it may not run.
    pub(crate) const UNSET: Self = Self(4096);
    /// Ids of processes, or lines about them, that were chosen by name, port, job or file.
    pub(crate) const CHOSEN: Self = Self(8192);
    /// Lines about processes: their ids are one column.
    pub(crate) const PROCESSES: Self = Self(16384);
    /// Assumed where nothing is known, as the default of a variable is: perhaps it is something else.
    pub(crate) const ASSUMED: Self = Self(32768);
    /// The path of a program that was looked for by name, or nothing where it is not there.
    pub(crate) const LOOKED_FOR: Self = Self(65536);
    /// Quoted by `$'…'` or `$"…"`, and another text to shells to which `$` before a quote is a letter.
    pub(crate) const QUOTED: Self = Self(131_072);
    /// Never ends by itself.
    pub(crate) const ENDLESS: Self = Self(8);

    /// The same without the mark of content: that of a file is content anyhow.
    pub(crate) const fn without_content(self) -> Self {
        self.without(Self::CONTENT)
    }

    /// Says whether it is what the line says, or a guess at it.
    pub(crate) const fn is_of_line(self) -> bool {
        self.without(Self(Self::GUESSED.0 | Self::LOOKED_FOR.0 | Self::QUOTED.0)).0 == 0
    }

    /// The marks of a text that comes out of a variable, or of what a command writes: read as a word it is told apart by itself.
    pub(crate) const fn stored(self) -> Self {
        if self.has(Self::QUOTED) { Self(self.without(Self::QUOTED).0 | Self::GUESSED.0) } else { self }
    }

    /// The same without the marks of `other`.
    pub(crate) const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// The marks of two texts that become one: it is about chosen processes only where both are.
    pub(crate) const fn joined(self, other: Self) -> Self {
        let processes = Self(Self::CHOSEN.0 | Self::PROCESSES.0);
        let both = Self(self.0 | other.0);
        if (self.0 ^ other.0) & processes.0 == 0 { both } else { both.without(processes) }
    }

    /// Says whether any mark of `other` is set.
    pub(crate) const fn has(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// Says whether the text is somebody else's code, or hidden.
    pub(crate) const fn foreign(self) -> bool {
        self.0 & (Self::REMOTE.0 | Self::DECODED.0) != 0
    }
}

impl BitOr for Taint {
    type Output = Self;
    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

/// One argument.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Word {
    /// The text, with [`HOLE`] for each unknown part.
    pub(crate) text: String,
    /// True where `*`, `?`, `[` in the text are a pattern and not letters.
    pub(crate) glob: bool,
    /// Where it comes from.
    pub(crate) taint: Taint,
    /// True where it is one argument whatever the unknown parts stand for: a shell splits none of them.
    pub(crate) whole: bool,
}

impl Word {
    /// Makes a word that is wholly known.
    pub(crate) fn literal(text: impl Into<String>) -> Self {
        Self { text: text.into(), glob: false, taint: Taint::NONE, whole: true }
    }

    /// Makes a word of which nothing is known.
    pub(crate) fn unknown(taint: Taint) -> Self {
        Self { text: String::from(HOLE), glob: false, taint, whole: false }
    }

    /// Makes a word that is a number which is not known.
    pub(crate) fn number(taint: Taint) -> Self {
        Self { text: String::from_iter([HOLE, NUMERIC]), glob: false, taint, whole: false }
    }

    /// Says whether it is a secret by where it comes from, or may be the name of a file that holds one.
    pub(crate) fn may_be_secret(&self) -> bool {
        self.taint.has(Taint::SECRET) || self.taint.has(Taint::NAMES_SECRETS) && (self.glob || !self.is_known())
    }

    /// Says whether every part is known.
    pub(crate) fn is_known(&self) -> bool {
        !self.text.contains(HOLE)
    }

    /// Says whether it comes out as it is written: every part is known, and no names of files are put in its place.
    pub(crate) fn is_fixed(&self) -> bool {
        self.is_known() && !self.taint.has(Taint::LISTED) && !(self.glob && self.text.contains(['*', '?', '[']))
    }
}

/// What flows through a pipe or out of a substitution.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Stream {
    /// The text, where it is known.
    pub(crate) text: Option<String>,
    /// Where it comes from.
    pub(crate) taint: Taint,
    /// True when something is connected at all.
    pub(crate) connected: bool,
}

impl Stream {
    /// Makes a stream of known text.
    pub(crate) fn known(text: impl Into<String>) -> Self {
        Self { text: Some(text.into()), taint: Taint::NONE, connected: true }
    }

    /// Makes a stream of which only the source is known.
    pub(crate) const fn unknown(taint: Taint) -> Self {
        Self { text: None, taint, connected: true }
    }

    /// Returns this and another stream where either or both may be read.
    pub(crate) fn beside(self, other: Self) -> Self {
        let text = match (self.text, other.text) {
            (Some(text), Some(more)) => Some(text + "\n" + &more),
            (text, more) => text.or(more),
        };
        Self { text, taint: self.taint | other.taint, connected: true }.behind_unknown()
    }

    /// Returns it where it may be another one: what writes it may not run, or end before, or run again.
    pub(crate) fn perhaps(self) -> Self {
        match self.text {
            Some(text) if !text.trim().is_empty() => {
                Self { text: Some(text), taint: self.taint | Taint::GUESSED, connected: self.connected }
            }
            _ => Self { text: None, ..self },
        }
    }

    /// Returns it where something that is not known may come first.
    pub(crate) fn behind_unknown(self) -> Self {
        let text = self.text.map(|text| String::from(HOLE) + "\n" + &text);
        Self { text, taint: self.taint | Taint::GUESSED, connected: true }
    }

    /// Appends what is written after it.
    pub(crate) fn append(&mut self, other: Self) {
        if !other.connected {
            return;
        }
        if !self.connected {
            *self = other;
            return;
        }
        // Nothing beside something is that.
        let is_empty = |stream: &Self| stream.text.as_ref().is_some_and(String::is_empty);
        let both =
            if is_empty(self) || is_empty(&other) { self.taint | other.taint } else { self.taint.joined(other.taint) };
        let followed = !self.taint.foreign() && !other.taint.foreign();
        self.taint = both;
        // What is written beside something unknown stays known: `(crontab -l; echo …) | crontab -`.
        let hole = || followed.then(|| alloc::format!("{HOLE}\n"));
        if self.text.is_none() && other.text.is_none() {
            return;
        }
        let other_text = other.text.or_else(hole);
        self.text = self.text.take().or_else(hole);
        match (&mut self.text, other_text) {
            (Some(text), Some(more)) if text.len() + more.len() <= super::bounds::MAX_BYTES => text.push_str(&more),
            _ => self.text = None,
        }
    }
}
