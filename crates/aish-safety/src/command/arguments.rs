//! The arguments of one program, sorted into options, their values and operands.

use alloc::vec::Vec;

use aish_program_format::Trait;
use aish_programs::words::questions;

use super::path::glob_match;
use super::word::Word;
use crate::rules::programs;
use crate::rules::tool::Tool;

/// How an argument is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// An option, or a cluster of them.
    Option,
    /// The value of the option before it, by the tool's table.
    Value,
    /// An operand; `loose` where it may as well be the value of the option before it.
    Operand {
        /// True after an option that the tool's table does not know.
        loose: bool,
    },
}

/// Ways to read a program's arguments that are looked at.
const MAX_READINGS: usize = 12;

/// How it is told which words are options and which are what an option takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reading {
    /// As the program's table says.
    Listed,
    /// No option takes a word that looks like one: what the table says takes a value may do without.
    Loose,
    /// The long option at this place, which takes a value in some sub-commands, does in this one.
    Taking(usize),
    /// So do options of this letter: the rest of their clusters, or the next word.
    Letter(char),
    /// Options end at the first operand.
    Stopping,
}

/// A program's arguments.
pub(crate) struct Arguments<'a> {
    /// The arguments, without the program.
    pub(crate) words: &'a [Word],
    roles: Vec<Role>,
    tool: Option<Tool<'a>>,
    /// True where options end at the first operand.
    stops: bool,
    /// The letters of the tool's options that take a value, by their ASCII code.
    valued_letters: u128,
    /// The options' names, sorted, each once: `--name` of `--name=value`.
    names: Vec<&'a str>,
    /// The letters of all clusters, by their ASCII code.
    letters: u128,
    /// All letters of options with one dash, values in the same word too.
    anywhere: u128,
    /// Where the operands are, and whether they are loose.
    operands: Vec<(usize, bool)>,
    /// What the operands begin with, one bit a letter.
    pub(crate) first_letters: u128,
}

impl<'a> Arguments<'a> {
    /// Sorts a program's arguments.
    pub(crate) fn new(program: &str, words: &'a [Word]) -> Self {
        let known = programs::find(program);
        let stops = known.is_some_and(|known| {
            known.facts().stops || [Trait::Builtin, Trait::Shell, Trait::Interpreter].iter().any(|one| known.is(*one))
        });
        Self { stops, ..Self::with(known.and_then(Tool::of), words) }
    }

    /// Sorts the arguments of a program of whose options this is known.
    pub(crate) fn with(tool: Option<Tool<'a>>, words: &'a [Word]) -> Self {
        Self::read(tool, words, Reading::Listed)
    }

    /// Sorts a program's arguments in the other ways in which the program may read them, as far as they make a difference;
    /// `None` where these are too many.
    pub(crate) fn other_readings(&self) -> Option<impl Iterator<Item = Self> + '_> {
        let mut readings = Vec::new();
        let (mut loose, mut stopping, mut operand) = (false, false, false);
        for (at, (word, role)) in self.iter().enumerate() {
            loose |= role == Role::Value && !self.tool.is_some_and(Tool::is_exact) && looks_like_an_option(&word.text);
            stopping |= operand && role == Role::Option && self.stops;
            operand |= matches!(role, Role::Operand { .. });
            if let Some(tool) = self.tool.filter(|_| role == Role::Option) {
                let long = tool.may_take(&word.text) && at + 1 < self.words.len();
                readings.extend(long.then_some(Reading::Taking(at)));
                let clusters = !word.text.starts_with("--") && !self.dashes_alike();
                let letters = self.cluster(&word.text).filter(|letter| clusters && tool.letter_may_take(*letter));
                for letter in letters {
                    if !readings.contains(&Reading::Letter(letter)) {
                        readings.push(Reading::Letter(letter));
                    }
                }
            }
        }
        readings.extend(loose.then_some(Reading::Loose));
        readings.extend(stopping.then_some(Reading::Stopping));
        let few = readings.len() <= MAX_READINGS;
        few.then(|| readings.into_iter().map(|how| Self::read(self.tool, self.words, how)))
    }

    fn read(tool: Option<Tool<'a>>, words: &'a [Word], how: Reading) -> Self {
        let mut valued_letters = tool.map_or(0, Tool::valued_letters);
        if let Reading::Letter(letter) = how {
            valued_letters |= 1 << u32::from(letter);
        }
        let mut roles = Vec::with_capacity(words.len());
        let mut ended = false;
        let mut before = Before::Nothing;
        let mut last = ("", Before::Nothing);
        for (at, word) in words.iter().enumerate() {
            let text = word.text.as_str();
            if ended {
                roles.push(Role::Operand { loose: false });
                continue;
            }
            if before == Before::Valued && !(how == Reading::Loose && looks_like_an_option(text)) {
                roles.push(Role::Value);
                before = Before::Nothing;
                continue;
            }
            if text == "--" {
                ended = !tool.is_some_and(Tool::reads_on);
                roles.push(if ended { Role::Option } else { Role::Value });
                before = Before::Nothing;
                continue;
            }
            if text.len() > 1 && text.starts_with('-') {
                roles.push(Role::Option);
                // The same option many times over is looked up once.
                if last.0 != text {
                    last = (text, after_option(tool, valued_letters, text));
                }
                before = if how == Reading::Taking(at) { Before::Valued } else { last.1 };
                continue;
            }
            roles.push(Role::Operand { loose: before == Before::Unknown });
            before = Before::Nothing;
            ended = how == Reading::Stopping;
        }
        let mut out = Self {
            words,
            roles,
            tool,
            stops: false,
            valued_letters,
            names: Vec::new(),
            letters: 0,
            anywhere: 0,
            operands: Vec::new(),
            first_letters: 0,
        };
        out.collect();
        out
    }

    /// Collects names, letters and operands, so that each rule looks them up and does not go through all arguments.
    fn collect(&mut self) {
        let mut names: Vec<&'a str> = Vec::new();
        let (mut letters, mut anywhere) = (0_u128, 0_u128);
        let mut last = "";
        for (_, text) in self.options() {
            if core::mem::replace(&mut last, text) == text {
                continue;
            }
            names.push(text.split('=').next().unwrap_or(text));
            if !text.starts_with("--") {
                anywhere |= text.bytes().filter(u8::is_ascii).fold(0, |all, byte| all | 1 << u32::from(byte));
                letters |=
                    self.cluster(text).filter(char::is_ascii).fold(0, |all, letter| all | 1 << u32::from(letter));
            }
        }
        names.sort_unstable();
        names.dedup();
        self.names = names;
        self.letters = letters;
        self.anywhere = anywhere;
        let operands = self.iter().enumerate().filter_map(|(at, (_, role))| match role {
            Role::Operand { loose } => Some((at, loose)),
            Role::Option | Role::Value => None,
        });
        self.operands = operands.collect();
        self.first_letters = self.operands().fold(0, |all, (_, word, _)| all | letter_bit(&word.text));
    }

    /// Goes through arguments with their roles.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&'a Word, Role)> + '_ {
        self.words.iter().zip(self.roles.iter().copied())
    }

    /// Goes through the operands.
    pub(crate) fn operands(&self) -> impl Iterator<Item = (usize, &'a Word, bool)> + '_ {
        self.operands.iter().filter_map(|(at, loose)| Some((*at, self.words.get(*at)?, *loose)))
    }

    /// Returns an operand by its number: its place, itself, whether it is loose.
    pub(crate) fn operand(&self, number: usize) -> Option<(usize, &'a Word, bool)> {
        let (at, loose) = self.operands.get(number)?;
        Some((*at, self.words.get(*at)?, *loose))
    }

    /// Returns where the operands from a number on are, and whether they are loose.
    pub(crate) fn operands_from(&self, number: usize) -> &[(usize, bool)] {
        self.operands.get(number..).unwrap_or_default()
    }

    /// Says whether an argument stands behind the `--` that ends the options.
    pub(crate) fn is_behind_the_end(&self, at: usize) -> bool {
        self.iter().take(at).any(|(word, role)| role == Role::Option && word.text == "--")
    }

    /// Goes through the options' own texts; stops at `--`.
    pub(crate) fn options(&self) -> impl Iterator<Item = (usize, &'a str)> + '_ {
        self.iter()
            .enumerate()
            .take_while(|(_, (word, role))| !(word.text == "--" && *role == Role::Option))
            .filter(|(_, (_, role))| *role == Role::Option)
            .map(|(at, (word, _))| (at, word.text.as_str()))
    }

    /// Says whether any option is given.
    pub(crate) fn has_options(&self) -> bool {
        !self.names.is_empty()
    }

    /// Says whether an option is given: `-x` also in a cluster, `--long` also with a value or, where the tool takes
    /// that, shortened; `--delete-*` where one begins so.
    pub(crate) fn has(&self, flag: &str) -> bool {
        let given = |name: &str| self.names.binary_search(&name).is_ok();
        if given(flag) {
            return true;
        }
        if let Some(start) = flag.strip_suffix('*') {
            return self.names.iter().any(|name| name.starts_with(start));
        }
        if let Some(long) = flag.strip_prefix("--") {
            let single = self.dashes_alike() && flag.get(1..).is_some_and(given);
            let shortened = self.tool.is_some_and(|tool| tool.shortens())
                && (1..long.len()).any(|end| flag.get(..end + 2).is_some_and(given));
            return single || shortened;
        }
        let Some(short) = flag.strip_prefix('-') else { return false };
        let mut letters = short.chars();
        match (letters.next(), letters.next()) {
            (Some(letter), None) => {
                !self.dashes_alike() && letter.is_ascii() && self.letters & 1 << u32::from(letter) != 0
            }
            // `-force` of tools with long options behind one dash.
            _ => self.names.iter().any(|name| name.strip_prefix("--") == Some(short)),
        }
    }

    fn is_flag(&self, text: &str, flag: &str) -> bool {
        let name = text.split('=').next().unwrap_or(text);
        if name == flag {
            return true;
        }
        if let Some(long) = flag.strip_prefix("--") {
            let Some(given) = name.strip_prefix("--") else {
                return self.dashes_alike() && name.strip_prefix('-') == Some(long);
            };
            return !given.is_empty()
                && self.tool.is_some_and(|tool| tool.shortens())
                && long.len() > given.len()
                && long.starts_with(given);
        }
        let Some(short) = flag.strip_prefix('-') else { return false };
        let mut letters = short.chars();
        let (Some(letter), None) = (letters.next(), letters.next()) else {
            // `-force` of tools with long options behind one dash.
            return name.strip_prefix("--").or_else(|| name.strip_prefix('-')) == Some(short);
        };
        if name.starts_with("--") || self.dashes_alike() {
            return false;
        }
        self.cluster(text).any(|given| given == letter)
    }

    /// Goes through the letters of a cluster, up to the one whose value is the rest.
    fn cluster<'t>(&self, text: &'t str) -> impl Iterator<Item = char> + use<'a, 't> {
        let valued = self.valued_letters;
        let mut done = false;
        text.strip_prefix('-').unwrap_or_default().chars().take_while(move |letter| {
            if done || *letter == '=' {
                return false;
            }
            done = has_letter(valued, *letter);
            true
        })
    }

    fn dashes_alike(&self) -> bool {
        self.tool.is_some_and(|tool| tool.single_dash())
    }

    /// Goes through the values given to an option.
    pub(crate) fn values<'s>(&'s self, flag: &'s str) -> impl Iterator<Item = Word> + 's {
        self.options().filter_map(move |(at, text)| {
            let word = self.words.get(at)?;
            let with = |text: &str| Word { text: text.into(), ..word.clone() };
            let (name, attached) = match text.split_once('=') {
                Some((name, value)) => (name, Some(value)),
                None => (text, None),
            };
            if self.is_flag(name, flag) && (name.starts_with("--") || name.len() == flag.len() || self.dashes_alike()) {
                return attached.map(with).or_else(|| self.words.get(at + 1).cloned());
            }
            let short = flag.strip_prefix('-').filter(|short| short.len() == 1)?;
            if text.starts_with("--") || self.dashes_alike() {
                return None;
            }
            let (before, rest) = text.split_once(short)?;
            // In a cluster, an earlier option with a value would have taken the letter.
            if before.chars().skip(1).any(|letter| has_letter(self.valued_letters, letter)) {
                return None;
            }
            if rest.is_empty() {
                self.words.get(at + 1).cloned()
            } else {
                Some(with(rest.strip_prefix('=').unwrap_or(rest)))
            }
        })
    }

    /// Says whether an option may be among those given; where not, it has no values.
    fn may_have(&self, flag: &str) -> bool {
        match flag.as_bytes() {
            [b'-', letter] if letter.is_ascii() => self.anywhere & 1 << u32::from(*letter) != 0,
            _ => self.has(flag),
        }
    }

    /// Says whether an option has a value that matches a pattern.
    pub(crate) fn has_value(&self, flag: &str, pattern: &str) -> bool {
        self.may_have(flag) && self.values(flag).any(|value| glob_match(pattern, &value.text))
    }

    /// Says whether the tool only shows what it would do.
    pub(crate) fn is_dry(&self) -> bool {
        self.tool.is_some_and(|tool| self.gives(tool.dry()))
    }

    /// Says whether an option is given by which most tools only show what they would do.
    pub(crate) fn pretends(&self) -> bool {
        self.gives(questions::PRETENDS.iter().copied()) && !self.takes_back()
    }

    /// Says whether an option by which a tool would only show is taken back: `--dry-run=no`, `-s-`, `--no-dry-run`. What
    /// tools take for a no differs (`0x0`, `without`), so that a value has to be one that is known to switch it on.
    pub(crate) fn takes_back(&self) -> bool {
        self.options().any(|(_, text)| {
            let opposite = text.strip_prefix("--no-");
            let letter_off = text.len() == 3 && !text.starts_with("--") && text.ends_with('-');
            let named = |name: &str| questions::PRETENDS.iter().any(|flag| flag.trim_start_matches('-') == name);
            letter_off
                || opposite.is_some_and(named)
                || text.split_once('=').is_some_and(|(option, value)| {
                    let name = option.trim_start_matches('-');
                    let own = self.tool.is_some_and(|tool| tool.dry().any(|flag| flag == option));
                    (own || named(name)) && !questions::ON.contains(&value)
                        || questions::SHOWN_BY.contains(&name) && questions::OFF.contains(&value)
                })
        })
    }

    /// Says whether one of the options is given, and not switched off by its value.
    fn gives<'f>(&self, mut flags: impl Iterator<Item = &'f str>) -> bool {
        let shortens = self.tool.is_some_and(|tool| tool.shortens());
        flags.any(|flag| {
            self.options().any(|(_, text)| {
                let (name, value) = text.split_once('=').map_or((text, None), |(name, value)| (name, Some(value)));
                let given = name == flag
                    || shortens && name.len() >= 5 && flag.starts_with("--") && flag.starts_with(name)
                    || (flag.len() == 2
                        && !text.starts_with("--")
                        && !self.dashes_alike()
                        && self.cluster(text).any(|letter| flag.ends_with(letter)));
                given && value.is_none_or(|value| questions::ON.contains(&value))
            })
        })
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Before {
    Nothing,
    Valued,
    Unknown,
}

/// Says whether a word looks like an option: a dash and more than a number with its unit.
fn looks_like_an_option(text: &str) -> bool {
    let Some(rest) = text.strip_prefix('-').filter(|rest| !rest.is_empty()) else { return false };
    // `-1 days`: no letter is a blank.
    let (rest, most) = rest.split_once(' ').map_or((rest, 1), |(rest, _)| (rest, 0));
    let number = rest.trim_end_matches(|letter: char| letter.is_ascii_alphabetic());
    let is_number = !number.is_empty()
        && rest.len() - number.len() <= most
        && number.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b',' | b':'));
    !is_number
}

fn has_letter(letters: u128, letter: char) -> bool {
    letter.is_ascii() && letters & 1 << u32::from(letter) != 0
}

fn after_option(tool: Option<Tool<'_>>, valued: u128, text: &str) -> Before {
    if text.contains('=') {
        return Before::Nothing;
    }
    let Some(tool) = tool else {
        return if questions::VALUED.contains(&text) { Before::Valued } else { Before::Unknown };
    };
    if tool.takes_value(text) {
        return Before::Valued;
    }
    if !text.starts_with("--") && !tool.single_dash() {
        let mut letters = text.chars().skip(1).peekable();
        while let Some(letter) = letters.next() {
            if has_letter(valued, letter) {
                return if letters.peek().is_none() { Before::Valued } else { Before::Nothing };
            }
        }
    }
    if tool.is_complete() { Before::Nothing } else { Before::Unknown }
}

/// Returns the bit of a text's first letter; what is no letter of ASCII has one of its own.
fn letter_bit(text: &str) -> u128 {
    match text.as_bytes().first() {
        Some(letter) if letter.is_ascii() => 1 << letter,
        Some(_) | None => 1,
    }
}
