//! How a program spells its options: which take a value, which mean "only show", which may be shortened.

use aish_program_format::tables::Facts;
use aish_program_format::{Program, Tables, Trait};

/// A program's way with options.
#[derive(Clone, Copy)]
pub(crate) struct Tool<'t> {
    tables: &'t Tables,
    facts: &'t Facts,
}

impl<'t> Tool<'t> {
    /// Returns what is known of a program's options; none where nothing is.
    pub(crate) fn of(program: Program<'t>) -> Option<Self> {
        let facts = program.facts();
        facts.options.then(|| Self { tables: program.tables(), facts })
    }

    /// Says whether an option, as it is spelt, takes the next argument.
    pub(crate) fn takes_value(self, option: &str) -> bool {
        self.tables.holds(self.facts.takes, option)
    }

    /// Returns the letters of the short options that take a value, one bit each by their ASCII code.
    pub(crate) fn valued_letters(self) -> u128 {
        self.tables.texts(self.facts.takes).fold(0, |all, option| match option.as_bytes() {
            [b'-', letter] if letter.is_ascii() && *letter != b'-' => all | 1 << u32::from(*letter),
            _ => all,
        })
    }

    /// Goes through the options that make it only show what it would do.
    pub(crate) fn dry(self) -> impl Iterator<Item = &'t str> + Clone {
        self.tables.texts(self.facts.dry)
    }

    /// Says whether a long option takes the next argument in some sub-commands.
    pub(crate) fn may_take(self, text: &str) -> bool {
        text.starts_with("--") && self.facts.varies.count > 0 && self.tables.holds(self.facts.varies, text)
    }

    /// Says whether options of a letter take a value in some sub-commands.
    pub(crate) fn letter_may_take(self, letter: char) -> bool {
        letter.is_ascii() && self.tables.texts(self.facts.varies).any(|one| one.len() == 2 && one.ends_with(letter))
    }

    /// Says whether long options may be shortened.
    pub(crate) const fn shortens(self) -> bool {
        self.facts.shortens
    }

    /// Says whether one dash and two dashes mean the same, and letters do not cluster.
    pub(crate) const fn single_dash(self) -> bool {
        self.facts.single_dash
    }

    /// Says whether what follows `--` is read as options all the same: `find -- d -delete`.
    pub(crate) const fn reads_on(self) -> bool {
        self.facts.single_dash && self.facts.traits.has(Trait::SearchesByExpression)
    }

    /// Says whether what stands behind an option that takes a value is that, whatever it looks like.
    pub(crate) const fn is_exact(self) -> bool {
        self.facts.exact
    }

    /// Says whether every option that takes a value is known.
    pub(crate) const fn is_complete(self) -> bool {
        self.facts.complete
    }
}
