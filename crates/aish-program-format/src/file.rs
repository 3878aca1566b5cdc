//! A file about a program: `programs/NAME.toml`. What is wrong in it is told with its place.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use serde::de::{Deserialize, Deserializer, Error as _};

use crate::builder::Builder;
use crate::effect::Effect;
use crate::fact::{Change, Output, Trait};
use crate::form::Language;
use crate::loses::{Against, Files, Paths, Records};
use crate::pattern;
use crate::verdict::Verdict;
use crate::words::Settable;

mod forms;
mod losses;

pub use forms::{
    AtText, CodeText, EntryText, FormText, LanguageText, MarkedText, NamedText, Options, PrefixText, SettingText, Skip,
};
pub use losses::{LossText, RepositoryText};

/// Words separated by blanks, each once.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Words(pub Vec<String>);

impl<'de> Deserialize<'de> for Words {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let mut words: Vec<String> = Vec::new();
        for word in text.split_whitespace() {
            if words.iter().any(|known| known == word) {
                return Err(D::Error::custom(format!("`{word}` is named twice")));
            }
            words.push(word.to_string());
        }
        Ok(Self(words))
    }
}

/// Makes a type read from its name in the data.
macro_rules! by_name {
    ($($type:ty, $what:literal;)*) => {$(
        impl<'de> Deserialize<'de> for $type {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = String::deserialize(deserializer)?;
                Self::named(&text).ok_or_else(|| {
                    let near = Self::ALL.iter().find(|(name, _)| name.get(..3) == text.get(..3));
                    let hint = near.map(|(name, _)| format!("; did you mean `{name}`?")).unwrap_or_default();
                    D::Error::custom(format!("`{text}` is no {}{hint}", $what))
                })
            }
        }
    )*};
}

by_name! {
    Trait, "fact about a program";
    Output, "kind of output";
    Change, "kind of change";
    Language, "language";
    Against, "what tracked files are put back to";
    Paths, "choice of files";
    Files, "fate of files";
    Records, "kind of records";
    Settable, "kind of value that a variable may be set to";
}

/// The parts of a pattern, behind the programs' names.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct On(pub String);

impl<'de> Deserialize<'de> for On {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        pattern::parse(&text, &mut Builder::default()).map_err(D::Error::custom)?;
        Ok(Self(text))
    }
}

/// A file about one program, or about a family of which one is known by the others.
#[derive(Debug, Clone, Default, serde::Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct ProgramFile {
    /// The program's names.
    pub names: Vec<String>,
    /// Options that take the next argument as their value.
    pub takes: Words,
    /// Options that make it only show what it would do.
    pub dry: Words,
    /// True where long options may be shortened.
    pub shortens: bool,
    /// True where one dash and two dashes mean the same, and letters do not cluster.
    pub single_dash: bool,
    /// True where `takes` is complete.
    pub complete: bool,
    /// True where options end at the first operand.
    pub stops: bool,
    /// True where a letter with a value stands last in its cluster, and the value is the next argument.
    pub apart: bool,
    /// True where `values` is exact: what stands behind such an option is its value, whatever it looks like.
    pub exact: bool,
    /// Options that take a value in some sub-commands and none in others.
    pub varies: Words,
    /// True where every option is harmless: none writes, runs, sends or reads settings.
    pub harmless: bool,
    /// Options that take nothing and are harmless; `-#` stands for a number.
    pub flags: Words,
    /// Options that take a value and are harmless whatever it is.
    pub values: Words,
    /// Variables, as globs, that change only how it works or what it shows.
    pub variables: Words,
    /// Files of settings that a folder may bring, and that make it run what they say.
    pub settings: Words,
    /// Sub-commands of which it is known that they reach no other machine: words with alternatives and options that they
    /// need for that (`cache ls|info`, `version --client`), the empty text for none, `*` for all. Nothing else is allowed.
    pub local: Option<Vec<String>>,
    /// Which files it opens for their content; all that are there, where nothing is said.
    pub opens: crate::opens::Opens,
    /// Words, as globs, that are names or texts to it though they look like an address or a command (`msl:x`, `|x`, `@x`).
    pub plain: Words,
    /// Options whose value chooses what is shown: a template, a format, or names separated by commas.
    pub chooses: Words,
    /// What of that only shows, as globs: names, fields of templates, placeholders of formats.
    pub chosen: Words,
    /// Words with all of which it fetches what anybody may have, without keys or passwords of the person: the first is its
    /// sub-command, or `*`, more are globs; `!` stands before those with none of which it does (`!-n` also in `-sn`).
    pub anonymous: Words,
    /// True where something is known of its options though the lists are empty.
    pub options: bool,
    /// What is true of it.
    pub is: Vec<Trait>,
    /// What it writes to the pipe.
    pub output: Option<Output>,
    /// Arguments of which one alone makes it write a number; `none` where it does so without any.
    pub numbers: Words,
    /// What it changes among files.
    pub changes: Option<Change>,
    /// Which of its arguments name what it writes to; see [`crate::writes`].
    pub writes: Words,
    /// How it is told where its repository is, where it keeps one.
    pub repository: RepositoryText,
    /// What its sub-commands lose of that, in order: the first that fits counts.
    pub loses: Vec<LossText>,
    /// Plain acts that it stands for, each with the arguments with which it does that; see [`crate::act`].
    pub acts: Vec<String>,
    /// The ending of the files that it packs.
    pub packs: String,
    /// Commands that print secrets: lists of parts, each with alternatives.
    pub prints_secrets: Vec<Vec<Words>>,
    /// Options whose values are statements.
    pub statements: Words,
    /// Calls of a document database that only read, in small letters, where the statements are such calls.
    pub documents: Words,
    /// Operands that change something, or take a request for help behind them for what they are about.
    pub changing: Words,
    /// Sub-commands that talk to another machine.
    pub talking: Vec<String>,
    /// What else it is called, as a package or an image.
    pub packages: Vec<String>,
    /// What its arguments look like, for routing.
    pub route: Route,
    /// Rules, in order: the first that matches decides, unless one that halts matches too.
    pub rule: Vec<RuleFile>,
    /// Ways in which it runs what it is given.
    pub wraps: Vec<WrapsFile>,
}

/// What a program's arguments look like, for routing.
#[derive(Debug, Clone, Default, serde::Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct Route {
    /// How many plain words it takes at most.
    pub words: Option<u8>,
    /// Plain words that it always takes.
    pub taken: Words,
    /// How many operands it cannot do without.
    pub least: u8,
    /// The plain words that the first operand may be, which else has a shape that no word has.
    pub shape: Option<Words>,
    /// Its sub-commands.
    pub subcommands: Words,
}

/// Rules and ways to run others that programs of several files have.
#[derive(Debug, Clone, Default, serde::Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct SharedFile {
    /// The rules.
    pub rule: Vec<RuleFile>,
    /// The ways to run others.
    pub wraps: Vec<WrapsFile>,
}

/// A rule, or the name of one that stands elsewhere.
#[derive(Debug, Clone, serde::Deserialize)]
#[serde(try_from = "RuleText")]
pub struct RuleFile {
    /// The names of the file that it is about; all where none are given.
    pub names: Vec<String>,
    /// What it says.
    pub rule: Reference<Written>,
}

/// Something, or the id of what stands elsewhere.
#[derive(Debug, Clone)]
pub enum Reference<T> {
    /// The id.
    Use(String),
    /// The thing itself.
    Own(T),
}

impl Reference<Written> {
    /// Returns the id of the rule.
    pub const fn id(&self) -> &String {
        match self {
            Self::Use(id) => id,
            Self::Own(written) => &written.id,
        }
    }
}

/// A rule as it is written.
#[derive(Debug, Clone)]
pub struct Written {
    /// `family.name`, unique.
    pub id: String,
    /// The verdict.
    pub verdict: Verdict,
    /// What is done.
    pub effect: Effect,
    /// True where what it matches has no effect, whatever rules that halt say.
    pub shows: bool,
    /// When it holds.
    pub on: String,
    /// True where it looks at the machine around the tree.
    pub looks: bool,
    /// True where it writes the ids of processes that it was told by name, port or job.
    pub picks: bool,
    /// True where only its own lists of harmless options count, and not those of the program.
    pub alone: bool,
    /// True where every option is harmless when it holds.
    pub harmless: bool,
    /// Options that take nothing and are harmless when it holds.
    pub flags: Words,
    /// Options that take a value and are harmless when it holds.
    pub values: Words,
    /// What it does, in words.
    pub reason: String,
    /// Lines that it must match.
    pub examples: Vec<String>,
    /// Lines that it must not match.
    pub counters: Vec<String>,
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct RuleText {
    r#use: Option<String>,
    #[serde(default)]
    r#for: Vec<String>,
    id: Option<String>,
    halt: Option<Effect>,
    ask: Option<Effect>,
    allow: Option<Effect>,
    #[serde(default)]
    shows: bool,
    #[serde(default)]
    on: On,
    #[serde(default)]
    looks: bool,
    #[serde(default)]
    picks: bool,
    #[serde(default)]
    alone: bool,
    #[serde(default)]
    harmless: bool,
    #[serde(default)]
    flags: Words,
    #[serde(default)]
    values: Words,
    reason: Option<String>,
    #[serde(default)]
    r#match: Vec<String>,
    #[serde(default)]
    not: Vec<String>,
}

impl TryFrom<RuleText> for RuleFile {
    type Error = String;

    fn try_from(text: RuleText) -> Result<Self, String> {
        if let Some(id) = text.r#use {
            return Ok(Self { names: text.r#for, rule: Reference::Use(id) });
        }
        let id = text.id.ok_or("a rule has an `id`, or `use` with the id of another")?;
        let (verdict, effect) = match (text.halt, text.ask, text.allow) {
            (Some(effect), None, None) => (Verdict::Halt, effect),
            (None, Some(effect), None) => (Verdict::Ask, effect),
            (None, None, Some(effect)) => (Verdict::Allow, effect),
            _ => return Err(format!("the rule {id} says one of `halt`, `ask` and `allow`, with what is done")),
        };
        let reason = text.reason.filter(|reason| !reason.is_empty());
        let reason = reason.ok_or_else(|| format!("the rule {id} gives no `reason`"))?;
        if text.r#match.is_empty() {
            return Err(format!("the rule {id} has no line under `match`"));
        }
        let written = Written {
            id,
            verdict,
            effect,
            shows: text.shows,
            on: text.on.0,
            looks: text.looks,
            picks: text.picks,
            alone: text.alone,
            harmless: text.harmless,
            flags: text.flags,
            values: text.values,
            reason,
            examples: text.r#match,
            counters: text.not,
        };
        Ok(Self { names: text.r#for, rule: Reference::Own(written) })
    }
}

/// A way to run others, or the name of one that stands elsewhere.
#[derive(Debug, Clone, serde::Deserialize)]
#[serde(try_from = "WrapsText")]
pub struct WrapsFile {
    /// The names of the file that it is about; all where none are given.
    pub names: Vec<String>,
    /// The sub-commands behind which it stands, each path a text; none: behind the program.
    pub after: Vec<String>,
    /// What it is.
    pub wraps: Reference<Wraps>,
}

/// A way to run others, as it is written.
#[derive(Debug, Clone)]
pub struct Wraps {
    /// Unique.
    pub id: String,
    /// Options that take the next argument.
    pub takes: Words,
    /// Options of several letters behind one dash that take none.
    pub words: Words,
    /// Options and marks with which what it runs starts in another folder.
    pub folder: Words,
    /// Where the command stands.
    pub forms: Vec<FormText>,
    /// True where it is always asked about.
    pub asked: bool,
    /// A line that is stricter for what is wrapped.
    pub example: String,
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct WrapsText {
    r#use: Option<String>,
    #[serde(default)]
    r#for: Vec<String>,
    #[serde(default)]
    after: Vec<String>,
    id: Option<String>,
    #[serde(default)]
    takes: Words,
    #[serde(default)]
    words: Words,
    #[serde(default)]
    folder: Words,
    #[serde(default)]
    forms: Vec<FormText>,
    #[serde(default)]
    asked: bool,
    #[serde(default)]
    example: String,
}

impl TryFrom<WrapsText> for WrapsFile {
    type Error = String;

    fn try_from(text: WrapsText) -> Result<Self, String> {
        let wraps = match (text.r#use, text.id) {
            (Some(id), None) => Reference::Use(id),
            (None, Some(id)) if text.forms.is_empty() => return Err(format!("{id} has no `forms`")),
            (None, Some(id)) if text.example.is_empty() => return Err(format!("{id} has no `example`")),
            (None, Some(id)) => Reference::Own(Wraps {
                id,
                takes: text.takes,
                words: text.words,
                folder: text.folder,
                forms: text.forms,
                asked: text.asked,
                example: text.example,
            }),
            _ => return Err("a way to run others has an `id`, or `use` with the id of another".into()),
        };
        Ok(Self { names: text.r#for, after: text.after, wraps })
    }
}
