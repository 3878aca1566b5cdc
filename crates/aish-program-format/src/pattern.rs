//! When a rule holds: tests over a program's arguments, parsed once.
//!
//! A pattern is written as parts separated by blanks, all of which must hold:
//!
//! | part | holds when |
//! |---|---|
//! | `word`, `a\|b`, `delete-*` | the next operand is that (sub-commands in their order) |
//! | `**` | any number of operands before the next word, none of which only asks (`show`, `list`) |
//! | `-f\|--force` | one of the options is given |
//! | `--prune=now` | the option has a value of that form |
//! | `!…` | the part does not hold (`!--cached`, `!%all:disposable`) |
//! | `%class` | one of the operands left is of the class (`%system\|home`) |
//! | `%all:class`, `%last:class` | all operands left are and there is one; the last is |
//! | `%arg:class`, `%option:class` | any argument is; an option or its value is |
//! | `%output:class` | what it writes to is, by its `writes` and `changes` |
//! | `%here:class` | the folder it runs in is, as far as that is known |
//! | `%is:glob` | an operand left, or a part of it after `=` or `:`, matches |
//! | `%only:glob` | no operand left does not match |
//! | `%shows:glob` | options that choose what is shown (`chooses`) are given, and what they choose matches |
//! | `%has:text` | an argument, whatever its role, contains the text (letter case does not count) |
//! | a [`Question`], as in `%none` or `%dry` | what it says |
//! | `<secret`, `<foreign`, `<any`, `<none` | what comes in through the pipe is that |

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use crate::builder::Builder;
use crate::fact::named;
use crate::tables::{Id, List};

named! {
    /// What an operand may be.
    Class {
        /// Anything.
        Any = "any",
        /// The root folder.
        Root = "root",
        /// A place of the system.
        System = "system",
        /// A file of the system's settings.
        Config = "config",
        /// A home folder.
        Home = "home",
        /// A hidden file of the home folder.
        Dotfile = "dotfile",
        /// A file whose lines run later without being asked.
        Startup = "startup",
        /// A file that lets somebody in.
        Access = "access",
        /// A disk or a partition.
        Device = "device",
        /// The records of a repository.
        Repository = "repo",
        /// A folder that holds much.
        Wide = "wide",
        /// Below a folder for short-lived files.
        Scratch = "scratch",
        /// What a build makes again.
        Disposable = "disposable",
        /// A sink, such as `/dev/null`.
        Sink = "sink",
        /// An absolute path.
        Absolute = "absolute",
        /// A pattern of names.
        Glob = "glob",
        /// Not known before it runs.
        Unknown = "unknown",
        /// Not known before it runs, nor the id of a process that was chosen by name, port, job or file.
        Unchosen = "unchosen",
        /// Fetched or decoded.
        Foreign = "foreign",
        /// Secret, or a file that holds secrets.
        Secret = "secret",
        /// The value of a variable that may hold an address with a password, or a password.
        Address = "address",
        /// Names that a search found.
        Listed = "listed",
        /// Records of a database, or the list of accounts.
        Private = "private",
        /// Below a folder that a web server shows.
        Published = "published",
        /// On another machine.
        Remote = "remote",
        /// An address.
        Url = "url",
        /// A mode that lets everybody write.
        ModeOpen = "mode-open",
        /// A mode that lends rights.
        ModeSuid = "mode-suid",
        /// A mode that locks out.
        ModeShut = "mode-shut",
        /// A mode that leaves the owner what they have, lends nothing and lets nobody else write.
        ModeMild = "mode-mild",
    }
}

/// A set of classes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Classes(pub u32);

impl Classes {
    /// Makes a set of one.
    pub const fn of(class: Class) -> Self {
        Self(1 << class as u32)
    }

    /// Goes through them.
    pub fn iter(self) -> impl Iterator<Item = Class> {
        Class::ALL.iter().map(|(_, class)| *class).filter(move |class| self.0 & 1 << *class as u32 != 0)
    }
}

named! {
    /// Which arguments a class is asked of.
    Which {
        /// One of the operands left.
        One = "one-of",
        /// All operands left, and there is one.
        All = "all",
        /// The last operand left.
        Last = "last",
        /// Any argument, values of options too.
        Argument = "arg",
        /// An option or its value.
        Option = "option",
        /// What it writes to: by its `writes` and `changes`, or by the options that most programs have for it.
        Output = "output",
        /// The folder it runs in.
        Here = "here",
    }
}

named! {
    /// A question about all arguments.
    Question {
        /// No operand is left.
        Empty = "none",
        /// One or more operands are left.
        Filled = "some",
        /// One operand is left.
        Single = "one",
        /// Two operands are left.
        Pair = "two",
        /// One operand at most is left.
        Few = "few",
        /// Two operands or more are left.
        Several = "several",
        /// There is one argument.
        Alone = "alone",
        /// No option is given.
        Bare = "bare",
        /// No option stands between the words in front.
        Joined = "joined",
        /// Where options that choose what is shown are given, they choose nothing but the program's `chosen`.
        Chosen = "chosen",
        /// An option is given that only shows what the program would do.
        Dry = "dry",
        /// An option is given by which most tools only show what they would do.
        Pretends = "pretends",
        /// Operands are left and none of them has a `=`.
        Named = "named",
        /// Operands stand behind `--`.
        Dashed = "dashed",
        /// Every process, or the first, is meant: `kill -1`, `kill -9 1`.
        EveryProcess = "every-process",
        /// All operands are known and none is one of the program's `changing` words.
        Asks = "asks",
        /// The program of awk that it is given names the environment.
        NamesEnvironment = "names-environment",
        /// The statements that are given, by the program's `statements`, only read.
        OnlyReads = "only-reads",
        /// Those statements name no table but that of the schema.
        NamesNoTable = "names-no-table",
        /// The program of awk that it is given runs nothing, and writes and reads no file that it names itself.
        Contained = "contained",
    }
}

named! {
    /// What comes in through the pipe.
    Input {
        /// Anything.
        Connected = "any",
        /// Nothing.
        Absent = "none",
        /// Something secret.
        SecretInput = "secret",
        /// Something fetched or decoded.
        ForeignInput = "foreign",
        /// What a shell wrote.
        ShellInput = "shell",
        /// Records of a database.
        PrivateInput = "private",
    }
}

/// One step along the operands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// Any number of operands before the next word.
    Skip,
    /// The next operand matches one of the globs.
    Word(List),
}

/// One test, or one of the alternatives of which one must hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Test {
    /// True where none of the alternatives may hold.
    pub negated: bool,
    /// True where the next test is an alternative to this one.
    pub more: bool,
    /// What is tested.
    pub check: Check,
}

/// What is tested.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Check {
    /// One of the options is given.
    Given(List),
    /// The option has a value that matches the glob.
    Value(Id, Id),
    /// An operand left matches one of the globs.
    Operand(List),
    /// Arguments are of one of the classes.
    Of(Which, Classes),
    /// An operand left, or a part of it after `=` or `:`, matches one of the globs.
    Is(List),
    /// All operands left match one of the globs; also where none is left.
    Only(List),
    /// An argument contains one of the texts.
    Has(List),
    /// What the program's options of choice choose is one of the globs.
    Shows(List),
    /// A question about all arguments.
    Ask(Question),
    /// What comes in through the pipe.
    Comes(Input),
}

impl Check {
    /// Says whether words have to be looked at, which takes longer than looking an option up.
    pub const fn is_slow(self) -> bool {
        !matches!(self, Self::Given(_) | Self::Value(..) | Self::Operand(_) | Self::Comes(_))
    }
}

/// A pattern's parts, and what tells at a glance that it cannot hold.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Parsed {
    /// Steps along the operands.
    pub steps: Vec<Step>,
    /// Tests, those that are quick first.
    pub tests: Vec<Test>,
    /// The letters that one of the operands begins with, one bit each; 0 where none is asked for.
    pub letters: u128,
    /// True where an option is asked for.
    pub option: bool,
    /// The options that are asked for.
    pub asked: Vec<String>,
}

/// Parses the parts of a pattern behind the programs' names.
///
/// # Errors
/// In words, with what was meant where that can be told.
pub fn parse(text: &str, builder: &mut Builder) -> Result<Parsed, String> {
    let mut out = Parsed::default();
    let mut groups: Vec<Vec<Test>> = Vec::new();
    for part in text.split(' ').filter(|part| !part.is_empty()) {
        if part == "**" {
            out.steps.push(Step::Skip);
            continue;
        }
        if !part.starts_with(['-', '!', '%', '<']) {
            // Two quotes stand for an empty word.
            let globs: Vec<&str> = part.split('|').map(|glob| if glob == "''" { "" } else { glob }).collect();
            if let Some(class) = globs.iter().find(|glob| glob.starts_with('%')) {
                return Err(format!("`{class}` stands among words, which no class is; it is a part of its own"));
            }
            narrow(&mut out.letters, &globs);
            out.steps.push(Step::Word(builder.list(&globs)));
            continue;
        }
        if !part.starts_with('!') {
            let options = part.split('|').filter(|one| one.starts_with('-'));
            out.asked.extend(options.map(|one| one.split('=').next().unwrap_or(one).to_string()));
        }
        if part.starts_with('-') {
            out.option |= part.split('|').all(|one| one.starts_with('-'));
        }
        let bare = part.trim_start_matches('!');
        if bare.is_empty() {
            return Err(format!("`{part}` has nothing behind it"));
        }
        let negated = (part.len() - bare.len()) % 2 == 1;
        let mut checks = Vec::new();
        alternatives(bare, builder, &mut checks)?;
        let last = checks.len().saturating_sub(1);
        let tests = checks.into_iter().enumerate().map(|(at, check)| Test { negated, more: at < last, check });
        groups.push(tests.collect());
    }
    groups.sort_by_key(|group| group.iter().any(|test| test.check.is_slow()));
    out.tests = groups.concat();
    Ok(out)
}

/// Keeps the letters of the word that narrows most.
fn narrow(letters: &mut u128, globs: &[&str]) {
    let bits = globs.iter().fold(0_u128, |bits, glob| match glob.as_bytes().first() {
        Some(b'*' | b'?' | b'[' | 128..) | None => u128::MAX,
        Some(letter) => bits | 1 << letter,
    });
    if *letters == 0 || bits.count_ones() < letters.count_ones() {
        *letters = bits;
    }
}

fn alternatives(part: &str, builder: &mut Builder, out: &mut Vec<Check>) -> Result<(), String> {
    if let Some(class) = part.strip_prefix('%') {
        let of_texts = [
            ("is:", Check::Is as fn(List) -> Check),
            ("has:", Check::Has),
            ("only:", Check::Only),
            ("shows:", Check::Shows),
        ];
        for (prefix, make) in of_texts {
            if let Some(texts) = class.strip_prefix(prefix) {
                // A class may stand behind texts as an alternative to them, as options may behind a class.
                let (texts, rest) = texts.split_once("|%").map_or((texts, None), |(texts, rest)| (texts, Some(rest)));
                let texts: Vec<&str> = texts.split('|').collect();
                if texts.iter().any(|text| text.is_empty()) {
                    return Err(format!("`%{class}` has an empty text"));
                }
                out.push(make(builder.list(&texts)));
                return rest.map_or(Ok(()), |rest| alternatives(&format!("%{rest}"), builder, out));
            }
        }
        // Options and questions may stand behind a class as alternatives to it.
        let ends = ["|-", "|%"].iter().filter_map(|mark| class.find(mark)).min();
        out.push(of_class(ends.and_then(|end| class.get(..end)).unwrap_or(class))?);
        return match ends.and_then(|end| class.get(end + 1..)) {
            Some(rest) => alternatives(rest, builder, out),
            None => Ok(()),
        };
    }
    if let Some((options, class)) = part.split_once("|%") {
        alternatives(options, builder, out)?;
        return alternatives(&format!("%{class}"), builder, out);
    }
    if let Some(input) = part.strip_prefix('<') {
        let found = Input::named(input)
            .ok_or_else(|| format!("`<{input}` is no kind of input; it is `<any`, `<none`, `<secret` or `<foreign`"))?;
        out.push(Check::Comes(found));
        return Ok(());
    }
    let (mut given, mut operands) = (Vec::new(), Vec::new());
    for one in part.split('|') {
        match one.split_once('=') {
            _ if one.is_empty() => return Err(format!("`{part}` has an empty alternative")),
            Some((option, glob)) if one.starts_with('-') => {
                out.push(Check::Value(builder.text(option), builder.text(glob)));
            }
            None if one.starts_with('-') => given.push(one),
            _ => operands.push(one),
        }
    }
    if let Some(twice) = given.iter().enumerate().find(|(at, one)| given.iter().take(*at).any(|other| other == *one)) {
        return Err(format!("`{}` is named twice in `{part}`", twice.1));
    }
    if !given.is_empty() {
        out.push(Check::Given(builder.list(&given)));
    }
    if !operands.is_empty() {
        out.push(Check::Operand(builder.list(&operands)));
    }
    Ok(())
}

fn of_class(text: &str) -> Result<Check, String> {
    if let Some(question) = Question::named(text) {
        return Ok(Check::Ask(question));
    }
    let (which, names) = match text.split_once(':') {
        Some((which, names)) => {
            let found = Which::named(which).filter(|which| *which != Which::One);
            (found.ok_or_else(|| format!("`%{which}:` is no question about operands"))?, names)
        }
        None => (Which::One, text),
    };
    let mut classes = Classes::default();
    for name in names.split('|') {
        let Some(class) = Class::named(name) else {
            let known = Class::ALL.iter().map(|(name, _)| *name).chain(Question::ALL.iter().map(|(name, _)| *name));
            let near = known.into_iter().find(|known| known.get(..2) == name.get(..2));
            let hint = near.map(|near| format!("; did you mean `%{near}`?")).unwrap_or_default();
            return Err(format!("`%{name}` is no class of operands{hint}"));
        };
        classes.0 |= 1 << class as u32;
    }
    Ok(Check::Of(which, classes))
}

/// Says what is wrong with the programs' names of a pattern that stands alone, and cuts them off.
///
/// # Errors
/// In words.
pub fn programs(pattern: &str) -> Result<(Vec<&str>, &str), String> {
    let (programs, parts) = pattern.split_once(' ').unwrap_or((pattern, ""));
    if programs.starts_with(['-', '%', '!', '<']) || programs.split('|').any(str::is_empty) {
        return Err(format!("a pattern begins with a program's name, not with `{programs}`"));
    }
    if programs.contains(['*', '[', '?']) && programs != "*" {
        return Err(format!("`{programs}`: programs are named whole; `*` alone stands for all of them"));
    }
    Ok((programs.split('|').collect(), parts))
}
