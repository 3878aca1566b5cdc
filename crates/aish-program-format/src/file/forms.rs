//! Where a command stands among a program's arguments, as it is written in a file about it.

use alloc::string::String;

use super::Words;
use crate::form::Language;

/// Where a command stands, as it is written; see [`crate::form::Form`].
#[derive(Debug, Clone, serde::Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub enum FormText {
    /// The rest is a program.
    Program(Skip),
    /// The rest is a line.
    Text(Skip),
    /// The same with an option.
    TextWith(Options),
    /// An option's value is the program.
    Entry(EntryText),
    /// An option's value is code.
    Code(CodeText),
    /// What follows a marker is a program.
    Marked(MarkedText),
    /// An operand is code.
    Operand(AtText),
    /// Every operand is code.
    Operands(LanguageText),
    /// Operands are typed.
    Typed {},
    /// An operand is a file of code.
    Script(AtText),
    /// The pipe is code.
    Stdin(LanguageText),
    /// An option's value is a file of code.
    ScriptOption(CodeText),
    /// The pipe is code always.
    StdinAlways(LanguageText),
    /// The pipe is code with an option.
    StdinWith(CodeText),
    /// `+command`.
    PlusCommands(LanguageText),
    /// Operands with a prefix are code.
    PrefixedOperands(PrefixText),
    /// A file, an image or a module is a program by its name.
    Named(NamedText),
    /// A makefile.
    MakeFile {},
    /// A cluster that takes a name.
    Screen {},
    /// The pipe becomes arguments.
    StdinArguments {},
    /// Arguments behind `:::`.
    ParallelArguments {},
    /// A name and a value.
    PairSetting(SettingText),
    /// Settings.
    Setting(SettingText),
}

/// Operands before.
#[derive(Debug, Clone, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Skip {
    /// How many.
    #[serde(default)]
    pub skip: u8,
}

/// Some options.
#[derive(Debug, Clone, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Options {
    /// The options.
    pub options: Words,
}

/// An option whose value is a program.
#[derive(Debug, Clone, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EntryText {
    /// The option.
    pub option: String,
    /// Operands before the arguments.
    #[serde(default)]
    pub skip: u8,
}

/// Options whose values are code.
#[derive(Debug, Clone, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CodeText {
    /// The options.
    pub options: Words,
    /// What must stand before the code.
    #[serde(default)]
    pub prefix: String,
    /// The language.
    pub language: Language,
}

/// Markers.
#[derive(Debug, Clone, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MarkedText {
    /// The markers.
    pub markers: Words,
    /// The end marks.
    #[serde(default)]
    pub ends: Words,
}

/// An operand by its place.
#[derive(Debug, Clone, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AtText {
    /// The place, from 0.
    #[serde(default)]
    pub at: u8,
    /// The language.
    pub language: Language,
}

/// A language.
#[derive(Debug, Clone, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LanguageText {
    /// The language.
    pub language: Language,
}

/// Operands with a prefix.
#[derive(Debug, Clone, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PrefixText {
    /// The prefix.
    pub prefix: String,
    /// What stands for a blank.
    #[serde(default)]
    pub blank: String,
    /// The language.
    pub language: Language,
}

/// A program by the name of a file.
#[derive(Debug, Clone, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NamedText {
    /// The option; may be empty.
    #[serde(default)]
    pub option: String,
    /// True where only programs with rules of their own count.
    #[serde(default)]
    pub known: bool,
}

/// Settings whose values are lines.
#[derive(Debug, Clone, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SettingText {
    /// Options whose value is a setting.
    #[serde(default)]
    pub options: Words,
    /// Globs over the name.
    pub names: Words,
    /// Values that run nothing to look at.
    #[serde(default)]
    pub plain: Words,
    /// Globs over the names of settings whose value is a line for the program itself.
    #[serde(default)]
    pub own: Words,
    /// Globs over the names of settings whose value is a folder of scripts that are run.
    #[serde(default)]
    pub scripts: Words,
    /// Those of the options behind whose name a variable stands that holds the value.
    #[serde(default)]
    pub held: Words,
}
