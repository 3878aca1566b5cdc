//! Lists of options that are known to be harmless: those of a program, and those of a rule of it.

use aish_program_format::tables::List;
use aish_program_format::{Program, Rule, Tables, Trait};

use super::super::path::glob_match;
use super::super::word::{HOLE, Word};

/// Lists of options that are known to be harmless.
pub(super) struct Lists<'t> {
    program: Program<'t>,
    flags: [(&'t Tables, List); 3],
    values: [(&'t Tables, List); 2],
    single_dash: bool,
    apart: bool,
}

impl<'t> Lists<'t> {
    /// Makes the lists of a program alone.
    pub(super) fn of(program: Program<'t>) -> Self {
        let (tables, facts) = (program.tables(), program.facts());
        Self {
            program,
            flags: [(tables, facts.flags); 3],
            values: [(tables, facts.values); 2],
            single_dash: facts.single_dash,
            apart: facts.apart,
        }
    }

    /// Makes the lists of a program and of one of its rules, which may be meant alone.
    pub(super) fn under(rule: Rule<'t>, program: Program<'t>) -> Self {
        let (tables, facts, row) = (program.tables(), program.facts(), rule.row());
        let of_program = |list: List| if row.alone { List { from: 0, count: 0 } } else { list };
        Self {
            program,
            flags: [(tables, of_program(facts.flags)), (tables, of_program(facts.dry)), (rule.tables(), row.flags)],
            values: [(tables, of_program(facts.values)), (rule.tables(), row.values)],
            single_dash: facts.single_dash,
            apart: facts.apart,
        }
    }

    fn is_flag(&self, option: &str) -> bool {
        self.flags.iter().any(|(tables, list)| tables.holds(*list, option))
    }

    fn takes_value(&self, option: &str) -> bool {
        self.values.iter().any(|(tables, list)| tables.holds(*list, option))
    }

    /// Says whether an option is harmless with this value, of which only some are: `-c=color.*` in the list.
    pub(super) fn knows_with(&self, option: &str, value: &Word) -> bool {
        let globs = self.values.iter().flat_map(|(tables, list)| tables.texts(*list));
        let mut globs = globs.filter_map(|known| known.strip_prefix(option)?.strip_prefix('='));
        value.is_known() && !value.glob && globs.any(|glob| glob_match(glob, &value.text))
    }

    /// Says whether an option, or each letter of a cluster of them, is harmless.
    pub(super) fn knows(&self, text: &str) -> bool {
        if self.program.is(Trait::ShowsHelp) && text == "--help"
            || self.program.is(Trait::ShowsVersion) && text == "--version"
        {
            return true;
        }
        let (name, given) = text.split_once('=').map_or((text, false), |(name, _)| (name, true));
        if self.is_flag(name) && (!given || name.starts_with("--")) || self.takes_value(name) {
            return true;
        }
        if text.starts_with("--") {
            // A list for all parameters of a request.
            return self.is_flag("--*") && !name.contains(HOLE);
        }
        let rest = text.get(1..).unwrap_or_default();
        if rest.bytes().all(|byte| byte.is_ascii_digit()) && self.is_flag("-#") {
            return true;
        }
        if self.single_dash {
            return false;
        }
        // A letter is looked up once, however often it is said.
        let mut known = 0_u128;
        let mut letters = rest.chars().peekable();
        while let Some(letter) = letters.next() {
            let bit = if letter.is_ascii() { 1 << u32::from(letter) } else { 0 };
            if known & bit != 0 {
                continue;
            }
            known |= bit;
            let mut option = [b'-', 0, 0, 0, 0];
            let end = 1 + option.get_mut(1..).map_or(0, |place| letter.encode_utf8(place).len());
            let option = option.get(..end).and_then(|bytes| core::str::from_utf8(bytes).ok()).unwrap_or_default();
            if self.takes_value(option) {
                return !self.apart || letters.peek().is_none();
            }
            if !self.is_flag(option) {
                return false;
            }
        }
        true
    }

    /// Says whether a `+word` is one that is known.
    pub(super) fn knows_plus(&self, text: &str) -> bool {
        self.flags
            .iter()
            .any(|(tables, list)| tables.texts(*list).any(|known| known.starts_with('+') && glob_match(known, text)))
    }
}
