//! A person's own files about programs, in the format of the built-in ones: their rules and ways to run others are added to
//! what is built in, and can only raise a verdict.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec::Vec;

use aish_program_format::compile::{Fault, Files, compile};
use aish_program_format::file::{ProgramFile, Reference};
use aish_program_format::{Program, Tables, Verdict};

use super::rule::{MAX_RULES, PolicyRules, RuleError, WrittenRule};

/// The longest file, in bytes.
pub const MAX_BYTES: usize = 256 * 1024;

/// The most files.
pub const MAX_FILES: usize = 1_000;

/// A file about programs, as text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProgramText {
    /// Where it stands, for messages.
    pub path: String,
    /// What stands in it.
    pub text: String,
}

/// What a person's own files say, laid out.
#[derive(Debug, Clone, Default)]
pub(super) struct OwnPrograms {
    files: Vec<ProgramText>,
    tables: Option<Arc<Tables>>,
}

impl OwnPrograms {
    /// Knows no program.
    pub(super) const NONE: Self = Self { files: Vec::new(), tables: None };

    /// Finds a program by its name.
    pub(super) fn find(&self, name: &str) -> Option<Program<'_>> {
        self.tables.as_ref()?.find(name)
    }
}

impl PartialEq for OwnPrograms {
    /// The texts that the tables were made of are compared.
    fn eq(&self, other: &Self) -> bool {
        self.files == other.files
    }
}

impl Eq for OwnPrograms {}

impl PolicyRules {
    /// Adds what a person's own files say of programs, and checks their examples.
    ///
    /// # Errors
    /// All that is wrong, with file, line and column; nothing of the files holds then.
    pub fn with_programs(self, files: &[ProgramText]) -> Result<Self, Vec<RuleError>> {
        let (added, mut errors) = self.adding_programs(files);
        errors.extend(added.failed_examples());
        if errors.is_empty() { Ok(added) } else { Err(errors) }
    }

    /// Adds what can be read of such files, without a look at the examples.
    pub fn adding_programs(mut self, files: &[ProgramText]) -> (Self, Vec<RuleError>) {
        if files.is_empty() {
            self.own = OwnPrograms::NONE;
            return (self, Vec::new());
        }
        let mut errors = Vec::new();
        let mut read: Files<ProgramFile> = Vec::new();
        for file in files.iter().take(MAX_FILES) {
            match parse(file) {
                Ok(content) => read.push((file.path.clone(), content)),
                Err(error) => errors.push(error),
            }
        }
        if let Some(file) = files.get(MAX_FILES) {
            errors.push(error(file, "", format!("there are more than {MAX_FILES} files about programs")));
        }
        for (path, content) in &read {
            let Some(file) = files.iter().find(|file| file.path == *path) else { continue };
            if let Some((key, why)) = lowers(content) {
                errors.push(error(file, key, format!("`{key}` {why}")));
            }
            self.add_rules(file, content, &mut errors);
        }
        match compile(&read, &Vec::new()) {
            Ok(builder) => {
                self.own = OwnPrograms { files: files.to_vec(), tables: Some(Arc::new(builder.build())) };
            }
            Err(faults) => errors.extend(faults.iter().filter_map(|fault| placed(files, fault))),
        }
        (self, errors)
    }

    fn add_rules(&mut self, file: &ProgramText, content: &ProgramFile, errors: &mut Vec<RuleError>) {
        for rule in &content.rule {
            let Reference::Own(written) = &rule.rule else { continue };
            if written.verdict == Verdict::Allow || written.shows {
                let message = format!("{} lets through; a file of one's own only asks or halts", written.id);
                errors.push(error(file, &written.id, message));
                continue;
            }
            let names = if rule.names.is_empty() { &content.names } else { &rule.names };
            let rule = WrittenRule {
                pattern: format!("{} {}", names.join("|"), written.on),
                verdict: written.verdict.as_str().to_string(),
                reason: written.reason.clone(),
                examples: examples(&written.examples, &written.counters),
                place: place(file, &written.id),
            };
            if self.iter().count() >= MAX_RULES {
                errors.push(error(file, &written.id, format!("there are more than {MAX_RULES} rules")));
                return;
            }
            if let Err(message) = self.add(format!("policy.{}", written.id), &rule) {
                errors.push(error(file, &written.id, message));
            }
        }
    }
}

fn examples(matches: &[String], counters: &[String]) -> Vec<String> {
    matches.iter().cloned().chain(counters.iter().map(|line| format!("! {line}"))).collect()
}

fn parse(file: &ProgramText) -> Result<ProgramFile, RuleError> {
    if file.text.len() > MAX_BYTES {
        return Err(error(file, "", format!("is longer than {MAX_BYTES} bytes")));
    }
    toml::from_str(&file.text).map_err(|fault| {
        let at = fault.span().map_or(0, |span| span.start);
        RuleError { place: position(file, at), message: fault.message().to_string() }
    })
}

/// Finds what would lower a verdict, or says something that a file of one's own is not asked for.
fn lowers(content: &ProgramFile) -> Option<(&'static str, &'static str)> {
    const LETS_THROUGH: &str = "makes more harmless; a file of one's own only asks or halts";
    const NOT_READ: &str = "is not read in a file of one's own";
    let found = [
        ("dry", !content.dry.0.is_empty(), LETS_THROUGH),
        ("harmless", content.harmless, LETS_THROUGH),
        ("flags", !content.flags.0.is_empty(), LETS_THROUGH),
        ("values", !content.values.0.is_empty(), LETS_THROUGH),
        ("variables", !content.variables.0.is_empty(), LETS_THROUGH),
        ("local", content.local.is_some(), LETS_THROUGH),
        ("opens", content.opens != aish_program_format::opens::Opens::default(), LETS_THROUGH),
        ("plain", !content.plain.0.is_empty(), LETS_THROUGH),
        ("chooses", !content.chooses.0.is_empty(), LETS_THROUGH),
        ("chosen", !content.chosen.0.is_empty(), LETS_THROUGH),
        ("anonymous", !content.anonymous.0.is_empty(), LETS_THROUGH),
        ("is", !content.is.is_empty(), LETS_THROUGH),
        ("output", content.output.is_some(), LETS_THROUGH),
        ("numbers", !content.numbers.0.is_empty(), LETS_THROUGH),
        ("settings", !content.settings.0.is_empty(), NOT_READ),
        ("changes", content.changes.is_some(), NOT_READ),
        ("loses", !content.loses.is_empty(), NOT_READ),
        ("acts", !content.acts.is_empty(), NOT_READ),
        ("packs", !content.packs.is_empty(), NOT_READ),
        ("prints-secrets", !content.prints_secrets.is_empty(), NOT_READ),
        ("statements", !content.statements.0.is_empty(), NOT_READ),
        ("documents", !content.documents.0.is_empty(), NOT_READ),
        ("changing", !content.changing.0.is_empty(), NOT_READ),
        ("talking", !content.talking.is_empty(), NOT_READ),
        ("packages", !content.packages.is_empty(), NOT_READ),
    ];
    found.into_iter().find(|(_, given, _)| *given).map(|(key, _, why)| (key, why))
}

fn placed(files: &[ProgramText], fault: &Fault) -> Option<RuleError> {
    let file = files.iter().find(|file| file.path == fault.file)?;
    Some(error(file, &fault.near, fault.message.clone()))
}

fn error(file: &ProgramText, near: &str, message: String) -> RuleError {
    RuleError { place: place(file, near), message }
}

/// Returns the place of a text in a file: the first line where it stands in quotes or begins one.
fn place(file: &ProgramText, near: &str) -> String {
    let quoted = format!("\"{near}\"");
    let begins = file.text.starts_with(near).then_some(0).or_else(|| Some(file.text.find(&format!("\n{near}"))? + 1));
    position(file, file.text.find(&quoted).or(begins).or_else(|| file.text.find(near)).unwrap_or(0))
}

fn position(file: &ProgramText, at: usize) -> String {
    let before = file.text.get(..at).unwrap_or_default();
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    format!("{}:{line}:{column}", file.path)
}
