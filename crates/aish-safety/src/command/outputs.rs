//! What a program writes to: the words that its data names (`writes`, `changes`), and the values of the options that most
//! programs have for it.

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use aish_program_format::{Change, Place, Program};

use super::arguments::Arguments;
use super::placed::{destination, in_place, scanned_in_place, written_archive};
use super::word::Word;
use crate::rules::programs;

/// Schemes of addresses behind which a command stands.
const RUNS: &[&str] = &["exec", "system", "shell"];

/// Returns where a program puts what it copies or moves, or the archive that it writes: rules of its own are about that,
/// but where it is a disk.
pub(crate) fn put(name: &str, arguments: &Arguments<'_>) -> Option<Word> {
    let operands = || arguments.operands().map(|(_, word, _)| word.clone());
    match programs::find(name)?.facts().change {
        Change::Moves | Change::Copies | Change::CopiesTrees | Change::Installs | Change::Links => {
            destination(arguments, &operands().collect::<Vec<_>>()).map(|(_, destination, _)| destination)
        }
        Change::Synchronises => operands().skip(1).last(),
        Change::Archives => written_archive(arguments),
        Change::Shreds
        | Change::EditsInPlace
        | Change::RewritesInPlace
        | Change::ScansInPlace
        | Change::Patches
        | Change::Renames
        | Change::Nothing
        | Change::Removes
        | Change::Unlinks
        | Change::Modes
        | Change::Owners
        | Change::Touches
        | Change::MakesFolders
        | Change::Packs
        | Change::Finds
        | Change::Unpacks
        | Change::Leaves
        | Change::Repository => None,
    }
}

/// Returns the words that name what a program writes to; `own` is what a person's own file says of it.
pub(crate) fn outputs(name: &str, own: Option<Program<'_>>, arguments: &Arguments<'_>) -> Vec<Word> {
    let known = programs::find(name);
    let mut out = Vec::new();
    if let Some(known) = known {
        by_change(known.facts().change, arguments, &mut out);
    }
    for program in known.into_iter().chain(own) {
        named(program, arguments, &|_| true, &mut out);
    }
    // An option of a program whose options are known is its output where it takes a value that does harm.
    let counts = |option: &str| {
        known.is_none_or(|known| {
            let (tables, facts) = (known.tables(), known.facts());
            let is_among = |list| tables.holds(list, option);
            ![facts.flags, facts.values, facts.dry].into_iter().any(is_among)
                && (is_among(facts.takes) || !facts.options && facts.flags.is_empty() || !option.starts_with('-'))
        })
    };
    let stranger = (!programs::is_known(name)).then_some("?");
    for general in ["*"].into_iter().chain(stranger).filter_map(programs::find) {
        named(general, arguments, &counts, &mut out);
    }
    out.into_iter().filter_map(local).collect()
}

/// Returns the words that the data of a program names as what it writes to.
pub(crate) fn named_by(program: Program<'_>, arguments: &Arguments<'_>) -> Vec<Word> {
    let mut out = Vec::new();
    named(program, arguments, &|_| true, &mut out);
    out.into_iter().filter_map(local).collect()
}

/// Takes the path out of an address of this machine (`file:/dev/sda`, `OPEN:/dev/sda,trunc`); nothing where it is another
/// address, or the pipe.
fn local(word: Word) -> Option<Word> {
    let Some((scheme, rest)) = word.text.split_once(':') else { return (word.text != "-").then_some(word) };
    if scheme.len() < 2 || !scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-') {
        return Some(word);
    }
    if !rest.starts_with('/') || rest.starts_with("//") || RUNS.iter().any(|run| scheme.eq_ignore_ascii_case(run)) {
        return None;
    }
    let path = rest.split(',').next().unwrap_or_default();
    Some(Word { text: String::from(path), ..word.clone() })
}

/// Collects what the `writes` of a program name, options only where they count.
fn named(program: Program<'_>, arguments: &Arguments<'_>, counts: &dyn Fn(&str) -> bool, out: &mut Vec<Word>) {
    let tables = program.tables();
    for one in program.writes() {
        let given = |with: &str| match with.starts_with('-') {
            true => arguments.has(with),
            false => arguments.operand(0).is_some_and(|(_, word, _)| word.text == with),
        };
        let mut wanted = tables.texts(one.with).filter(|with| !with.starts_with('!')).peekable();
        let mut unwanted = tables.texts(one.with).filter_map(|with| with.strip_prefix('!'));
        if unwanted.any(given) || wanted.peek().is_some() && !wanted.any(given) {
            continue;
        }
        match one.place {
            Place::Value(option) if counts(tables.text(option)) => out.extend(arguments.values(tables.text(option))),
            Place::Value(_) => {}
            Place::Operand(at) => out.extend(arguments.operand(at.into()).map(|(_, word, _)| word.clone())),
            Place::From(at) => out.extend(arguments.operands().skip(at.into()).map(|(_, word, _)| word.clone())),
            Place::Last => out.extend(arguments.operands().last().map(|(_, word, _)| word.clone())),
            Place::Behind(text) => {
                let behind = |word: &Word| Some(word.text.strip_prefix(tables.text(text))?.to_string());
                let words = arguments.words.iter();
                out.extend(words.filter_map(|word| Some(Word { text: behind(word)?, ..word.clone() })));
            }
        }
    }
}

/// Collects what a program writes to that changes files in place in one of the known ways.
fn by_change(change: Change, arguments: &Arguments<'_>, out: &mut Vec<Word>) {
    let operands = || arguments.operands().map(|(_, word, _)| word.clone());
    match change {
        Change::Shreds => out.extend(operands()),
        Change::EditsInPlace if arguments.has("-i") || arguments.has("--in-place") => out.extend(operands()),
        Change::RewritesInPlace => out.extend(in_place(arguments.words).unwrap_or_default().iter().cloned()),
        Change::ScansInPlace => out.extend(scanned_in_place(arguments.words).unwrap_or_default()),
        Change::Patches => out.extend(operands().take(1)),
        Change::Renames => out.extend(operands().skip(1)),
        Change::EditsInPlace
        | Change::Nothing
        | Change::Removes
        | Change::Unlinks
        | Change::Moves
        | Change::Copies
        | Change::CopiesTrees
        | Change::Installs
        | Change::Links
        | Change::Modes
        | Change::Owners
        | Change::Touches
        | Change::MakesFolders
        | Change::Packs
        | Change::Finds
        | Change::Synchronises
        | Change::Archives
        | Change::Unpacks
        | Change::Leaves
        | Change::Repository => {}
    }
}
