//! Whether a program is asked for help or its version instead of doing what its words say.

use aish_program_format::{Program, Trait};
use aish_programs::words::help::SWITCHES;

use super::arguments::Arguments;
use super::word::Word;
use crate::rules::programs;

mod topic;

/// How help is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Help {
    /// It is not.
    No,
    /// It is, among words that might mean something else.
    Likely,
    /// Nothing but that, behind the program or its own sub-commands, by which nothing runs that somebody else wrote.
    Plain,
}

/// Says whether and how help is asked for.
pub(crate) fn asked(program: &str, arguments: &Arguments<'_>) -> Help {
    let words = commands(program, arguments.words);
    let [first, ..] = words else { return Help::No };
    // Most commands are told at a glance.
    if !arguments.words.iter().any(|word| may_ask(&word.text)) {
        return Help::No;
    }
    let known = programs::find(program);
    let is = |one: Trait| known.is_some_and(|known| known.is(one));
    if is(Trait::NoHelp) {
        return Help::No;
    }
    if is(Trait::HelpOnlyFirst) {
        // To zsh `-help` is four options, with which it runs what comes in.
        let shows = |text: &str| (is_long(text) || text == "--version") && has(known, text);
        return if matches!(words, [only] if shows(&only.text)) { Help::Plain } else { Help::No };
    }
    let by_script = script(program, arguments.words).and_then(programs::find);
    let short = [known, by_script].into_iter().flatten().any(|known: Program<'_>| known.is(Trait::HelpShort));
    let requests = |text: &str| is_long(text) || text == "-h" && short || text == "-?" && is(Trait::HelpQuestion);
    // For `-?` a file named `-x` may stand.
    let plain = words.iter().all(|word| {
        let asks = !word.text.starts_with('-') || requests(&word.text) || is_version(&word.text);
        word.is_known() && !word.glob && asks
    });
    let last = words.last().map_or("", |word| word.text.as_str());
    let by_word = words.len() > 1
        && (last == "help" && is(Trait::HelpLast)
            || first.text == "help" && (is(Trait::HelpFirst) || words.len() < arguments.words.len()));
    let alone = words.len() == 1
        && (known.is_some_and(|known| shows_version(known, last)) || is(Trait::HelpFirst) && last == "help");
    let short_long = words.iter().any(|word| word.text == "-help") && !known.is_some_and(|known| lists(known, "-help"));
    let sure = requests(last) && !short_long || by_word || alone;
    if plain && sure {
        // What a project controls runs before it answers, and who does not know the option does what it does without.
        let believed = words.iter().all(|word| !word.text.starts_with('-') || has(known, &word.text));
        // `ip netns add help` makes one of that name, `git bisect run --help` runs it.
        let changes = |word: &Word| known.is_some_and(|known| known.tables().holds(known.facts().changing, &word.text));
        let own = known.is_some_and(|known| topic::is_own(known, words)) && !words.iter().any(changes);
        return if words.len() < arguments.words.len() || !believed || !own { Help::Likely } else { Help::Plain };
    }
    let option = arguments.options().any(|(at, text)| {
        requests(text) && !may_take_it(arguments.words, at)
            || text == "--version"
                && (at == 0 || at + 1 == arguments.words.len())
                && !is_number_behind(arguments.words, at)
    });
    // An option that takes a value elsewhere may take none here: `docker compose down -v --help`.
    let mut before = "";
    let long = arguments.words.iter().take_while(|word| word.text != "--").any(|word| {
        let before = core::mem::replace(&mut before, word.text.as_str());
        word.text == "--help" && before.len() == 2 && before.starts_with('-')
    });
    let led = first.text == "help"
        && words.len() <= 6
        && words.iter().all(|word| word.is_known() && !word.text.starts_with('-'));
    let likely = matches!(words, [word] if is_version(&word.text) || matches!(word.text.as_str(), "-h" | "version"));
    if option || long || led || likely || by_word { Help::Likely } else { Help::No }
}

/// Says whether the option before may take the request as its value.
fn may_take_it(words: &[Word], at: usize) -> bool {
    words.len() > 2
        && at.checked_sub(1).and_then(|before| words.get(before)).is_some_and(|before| {
            before.text.starts_with("--") && !before.text.contains('=') && !SWITCHES.contains(&before.text.as_str())
        })
}

fn may_ask(text: &str) -> bool {
    matches!(text, "-h" | "-?" | "-V" | "help" | "version") || is_long(text) || is_version(text)
}

fn is_long(text: &str) -> bool {
    matches!(text, "--help" | "-help")
}

fn is_version(text: &str) -> bool {
    matches!(text, "--version" | "-version" | "-V")
}

/// Says whether it is known of a program that an option shows its help or its version.
fn has(program: Option<Program<'_>>, option: &str) -> bool {
    program.is_some_and(|program| match option {
        "--help" => program.is(Trait::ShowsHelp),
        "--version" => program.is(Trait::ShowsVersion),
        "-h" => program.is(Trait::HelpShort),
        "-?" => program.is(Trait::HelpQuestion),
        _ => lists(program, option),
    })
}

/// Says whether a program shows its version when it is given one word alone: words mean something else to many.
fn shows_version(program: Program<'_>, word: &str) -> bool {
    match word {
        "--version" => true,
        "version" => {
            let (tables, facts) = (program.tables(), program.facts());
            program.is(Trait::HelpFirst) && tables.texts(facts.local).any(|path| path.split('|').any(|one| one == word))
        }
        _ => is_version(word) && lists(program, word),
    }
}

/// Says whether a word of one dash is among a program's options, or means the same with two.
fn lists(program: Program<'_>, word: &str) -> bool {
    let (tables, facts) = (program.tables(), program.facts());
    let with_two = match word {
        "-help" => program.is(Trait::ShowsHelp),
        "-version" => program.is(Trait::ShowsVersion),
        _ => false,
    };
    tables.holds(facts.flags, word) || facts.single_dash && with_two
}

/// Says whether a version that is meant follows: `cargo yank --version 1.4.2`.
fn is_number_behind(words: &[Word], at: usize) -> bool {
    words
        .get(at + 1)
        .is_some_and(|word| word.text.trim_start_matches('v').starts_with(|letter: char| letter.is_ascii_digit()))
}

/// Says whether an interpreter is given a script with commands of its own.
pub(crate) fn is_scripted(program: &str, words: &[Word]) -> bool {
    script(program, words).is_some()
}

/// Returns the script that an interpreter is given, where it has commands of its own.
fn script<'a>(program: &str, words: &'a [Word]) -> Option<&'a str> {
    let first = words.first().filter(|_| programs::is(program, Trait::TakesScripts))?;
    let name = first.text.rsplit('/').next().unwrap_or_default();
    programs::is(name, Trait::Script).then_some(name)
}

/// Returns the words of a program behind the script that it is given.
fn commands<'a>(program: &str, words: &'a [Word]) -> &'a [Word] {
    if script(program, words).is_some() { words.get(1..).unwrap_or_default() } else { words }
}
