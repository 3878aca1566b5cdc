//! SQL and the commands of database shells.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

mod reading;
mod shell_command;
mod statement;
mod token;

use aish_programs::words::sql::KEYWORDS;

use self::statement::Outcome;
use super::budget::Work;
use super::walk::Walker;
use super::word::Stream;
use crate::rules::Effect;
use crate::verdict::Verdict;

/// Which database reads a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Database {
    /// One in which operators, types and further forms of its functions can be made.
    Postgres,
    /// One in which they cannot.
    Another,
    /// Any.
    Unknown,
}

impl Database {
    /// Tells it by the program that is given the text.
    pub(crate) fn of(program: &str) -> Self {
        match program {
            "pg_psql" | "pgcli" | "psql" => Self::Postgres,
            "mariadb" | "mysql" | "sqlite" | "sqlite3" => Self::Another,
            _ => Self::Unknown,
        }
    }
}

/// Judges text that a database shell is given.
pub(crate) fn judge(walker: &mut Walker<'_>, program: &str, text: &str) {
    if !walker.budget.pay(Work::Statement, text.len()) {
        return;
    }
    let Some(text) = behind_shell_lines(walker, text) else { return };
    let lower = text.to_ascii_lowercase();
    if program != "sql" && RUNS_TEXT.iter().any(|mark| lower.contains(mark)) {
        for piece in pieces(text) {
            judge(walker, "sql", &piece);
        }
    }
    let read = Reading {
        program,
        // Another database may be attached to one in memory.
        fleeting: walker.fleeting && !["attach", ".open"].iter().any(|word| lower.contains(word)),
        understood: reading::only_reads(text, Database::of(program)),
    };
    for statement in split(text) {
        let trimmed = statement.trim();
        if trimmed.is_empty() {
            continue;
        }
        if !walker.budget.pay(Work::Command, 3) {
            return;
        }
        if let Some(line) = trimmed.strip_prefix('|') {
            // What stands behind `\g`.
            walker.text(line, &Stream::default());
            continue;
        }
        let pages = trimmed.split_once(' ').filter(|(first, _)| first.eq_ignore_ascii_case("pager"));
        if let Some((_, line)) = pages {
            walker.text(line, &Stream::default());
        }
        if meta(walker, trimmed) {
            continue;
        }
        let words = words(trimmed);
        if let Some((verdict, effect, rule, reason)) = read.part(&words) {
            walker.note_plain(trimmed, verdict, effect, rule, reason);
        }
        follow_programs(walker, trimmed, &words);
    }
}

/// How a text of statements is read.
struct Reading<'p> {
    /// The program that is given it.
    program: &'p str,
    /// True where the database is in memory alone.
    fleeting: bool,
    /// True where the whole text is understood and only reads.
    understood: bool,
}

impl Reading<'_> {
    /// Says what is noted of a statement; none where it is a text that is no statement.
    fn part(&self, words: &[String]) -> Option<(Verdict, Effect, &'static str, &'static str)> {
        let first = words.first().map_or("", String::as_str);
        Some(match statement::judge(words) {
            Some((Outcome::Halt, ..)) if self.fleeting => {
                (Verdict::Ask, Effect::Write, "databases.fleeting", "changes a database in memory")
            }
            Some((Outcome::Halt, rule, reason)) => (Verdict::Halt, Effect::DeleteRemote, rule, reason),
            Some((Outcome::Read, rule, reason)) if self.understood => (Verdict::Allow, Effect::Read, rule, reason),
            Some((Outcome::Read, ..)) => {
                let reason = "may do more than read from a database";
                (Verdict::Ask, Effect::Unknown, "databases.not-understood", reason)
            }
            Some((Outcome::Secret, rule, reason)) => (Verdict::Ask, Effect::ReadSecret, rule, reason),
            Some((Outcome::Write, rule, reason)) => (Verdict::Ask, Effect::Write, rule, reason),
            None if self.program == "sql" && !KEYWORDS.contains(&first) => return None,
            None => {
                let reason = "does something to a database that is not known";
                (Verdict::Ask, Effect::Unknown, "databases.other", reason)
            }
        })
    }
}

/// Judges the lines at the beginning that are for the database shell itself; returns what stands behind them.
fn behind_shell_lines<'t>(walker: &mut Walker<'_>, text: &'t str) -> Option<&'t str> {
    let mut text = text;
    loop {
        let first = text.trim();
        let shell = first.starts_with(['\\', '.', '!'])
            || first.get(..7).is_some_and(|word| word.eq_ignore_ascii_case("system "));
        // Such a line has no comments.
        let line = first.lines().next().unwrap_or_default();
        if !shell || !meta(walker, line) {
            return Some(text);
        }
        text = first.get(line.len()..).unwrap_or_default();
        if text.is_empty() {
            return None;
        }
    }
}

/// Follows the programs that a statement starts.
fn follow_programs(walker: &mut Walker<'_>, statement: &str, words: &[String]) {
    if words.iter().any(|word| word == "program")
        && words.iter().any(|word| word == "copy")
        && let Some(line) = quoted(statement)
    {
        walker.text(&line, &Stream::default());
    }
    for function in ["system(", "sys_exec(", "xp_cmdshell", "sys_eval(", "load_extension("] {
        if let Some((_, after)) = statement.to_ascii_lowercase().split_once(function) {
            let line: String = after
                .trim_start()
                .trim_start_matches(['\'', '"'])
                .split(['\'', '"'])
                .next()
                .unwrap_or_default()
                .to_string();
            walker.text(&line, &Stream::default());
        }
    }
    if let Some((_, after)) = statement.split_once("edit(") {
        // An editor that is started for a value.
        let budget = walker.budget.clone();
        for line in super::code::strings_of(after, &budget).take(4) {
            walker.suspect(&line);
        }
    }
}

/// Returns the first string of a statement; a doubled quote in it is one.
fn quoted(statement: &str) -> Option<String> {
    let (_, rest) = statement.split_once(['\'', '$'])?;
    let mut out = String::new();
    let mut letters = rest.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '\'' if letters.next_if_eq(&'\'').is_none() => break,
            '$' if out.is_empty() => {}
            '$' if letters.peek() == Some(&'$') => break,
            _ => out.push(letter),
        }
    }
    Some(out)
}

/// Marks of statements that run what other statements put together.
const RUNS_TEXT: &[&str] = &[
    "\\gexec",
    "execute immediate",
    "execute format",
    "execute '",
    "execute (",
    "exec(",
    "exec (",
    "sp_executesql",
    "prepare ",
];

/// Finds what may be a statement in a text that puts one together: from a word that deletes to the end of its string.
pub(crate) fn pieces(text: &str) -> Vec<String> {
    let lower = text.to_ascii_lowercase();
    let mut out = Vec::new();
    for verb in ["drop ", "truncate ", "delete from "] {
        for (at, _) in lower.match_indices(verb).take(8) {
            if text.get(..at).and_then(|before| before.chars().next_back()).is_some_and(char::is_alphanumeric) {
                continue;
            }
            let tail = text.get(at..).unwrap_or_default();
            let end = tail.find(['\'', '"', ';', '/', '|', '\n']).unwrap_or(tail.len());
            let bare = tail.get(..end).unwrap_or_default().replace(['`', '\\', '&', '$', '{', '}', '%'], "");
            out.push(format!("{} x", bare.trim_end()));
        }
    }
    out
}

/// Says whether a text for a database shell only reads: commands of the shell to begin with, then statements.
pub(crate) fn only_reads(text: &str, database: Database) -> bool {
    let mut rest = text.trim();
    while rest.starts_with(['\\', '.']) {
        let (line, behind) = rest.split_once('\n').unwrap_or((rest, ""));
        if !shell_command::shows(line) {
            return false;
        }
        rest = behind.trim_start();
    }
    let reads = |statement: &String| {
        statement.trim().is_empty() || matches!(statement::judge(&words(statement.trim())), Some((Outcome::Read, ..)))
    };
    reading::only_reads(rest, database) && split(rest).iter().all(reads)
}

/// Says whether a text for SQLite's shell names no table but that of the schema: any other may be a view. Quoted names and
/// comments are not read.
pub(crate) fn names_no_table(text: &str) -> bool {
    const SCHEMA: [&str; 3] = ["sqlite_master", "sqlite_schema", "sqlite_temp_master"];
    let lower = text.to_ascii_lowercase();
    if lower.contains(['"', '`', '[', '\\']) || lower.contains("--") || lower.contains("/*") {
        return false;
    }
    let is_part = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '$');
    let mut tables = 0;
    let mut rest = lower.as_str();
    while let Some(start) = rest.find(is_part) {
        let from = rest.get(start..).unwrap_or_default();
        let (word, behind) =
            from.split_at_checked(from.find(|c| !is_part(c)).unwrap_or(from.len())).unwrap_or((from, ""));
        let next = behind.trim_start();
        match word {
            "join" | "attach" | "with" => return false,
            "in" if !next.starts_with('(') => return false,
            "from" => {
                tables += 1;
                let Some(after) = SCHEMA.iter().find_map(|name| next.strip_prefix(name)) else { return false };
                let ends = after.trim_start();
                let is_last = ends.is_empty()
                    || ends.starts_with(';')
                    || ["where ", "order ", "limit "].iter().any(|word| ends.starts_with(word));
                if tables > 1 || !is_last || after.starts_with(is_part) {
                    return false;
                }
            }
            _ => {}
        }
        rest = behind;
    }
    true
}

/// Commands of the shells themselves: `\! cmd`, `.shell cmd`, `system cmd`, `\d`.
fn meta(walker: &mut Walker<'_>, statement: &str) -> bool {
    let lower = statement.to_ascii_lowercase();
    for prefix in ["\\!", ".shell ", ".system ", "system ", "!", "host "] {
        if lower.starts_with(prefix) {
            let line = statement.get(prefix.len()..).unwrap_or_default().trim().to_string();
            walker.text(&line, &Stream::default());
            return true;
        }
    }
    let shell = statement.strip_prefix('\\').or_else(|| statement.strip_prefix('.'));
    if let Some(command) = shell {
        runs_aside(walker, command);
    }
    if shell.is_none() {
        return false;
    }
    if let Some((_, line)) = statement.split_once('`') {
        walker.text(line.trim_end_matches('`'), &Stream::default());
    }
    if let Some((_, line)) = statement.split_once("\\!") {
        walker.text(line, &Stream::default());
    }
    let verdict = if shell_command::shows(statement) { Verdict::Allow } else { Verdict::Ask };
    let reason = "is a command of the database shell";
    walker.note_plain(statement, verdict, Effect::Read, "databases.shell-command", reason);
    true
}

/// Judges what a command of a database shell starts beside it: `\o |cmd`, `.output '|cmd'`, `\copy … from program 'cmd'`.
fn runs_aside(walker: &mut Walker<'_>, command: &str) {
    if let Some((_, line)) = command.split_once('|').filter(|(before, _)| !before.contains('\\')) {
        walker.text(line.trim().trim_end_matches(['\'', '"']), &Stream::default());
    }
    let lower = command.to_ascii_lowercase();
    let program = lower.find("program").and_then(|at| command.get(at..)).and_then(quoted);
    if let Some(line) = program {
        walker.text(&line, &Stream::default());
    }
}

/// Splits at semicolons outside quotes and comments; shell commands end with their line.
fn split(text: &str) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    let mut current = String::new();
    let mut quote: Option<char> = None;
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        if let Some(open) = quote {
            current.push(letter);
            if letter == open {
                quote = None;
            }
            continue;
        }
        match letter {
            '\'' | '"' | '`' => {
                quote = Some(letter);
                current.push(letter);
            }
            '-' if letters.peek() == Some(&'-') => {
                while letters.next_if(|letter| *letter != '\n').is_some() {}
                current.push(' ');
            }
            '/' if letters.peek() == Some(&'*') => {
                // `/*! … */` is run by MySQL: only the marks are cut.
                letters.next();
                if letters.next_if(|letter| *letter == '!').is_some() {
                    while letters.next_if(char::is_ascii_digit).is_some() {}
                    current.push(' ');
                    continue;
                }
                let mut before = ' ';
                for letter in letters.by_ref() {
                    if before == '*' && letter == '/' {
                        break;
                    }
                    before = letter;
                }
                current.push(' ');
            }
            '*' if letters.peek() == Some(&'/') => {
                letters.next();
                current.push(' ');
            }
            ';' => out.push(core::mem::take(&mut current)),
            '\n' if current.trim_start().starts_with(['\\', '.', '!']) => out.push(core::mem::take(&mut current)),
            '\\' if current.ends_with(' ') && letters.peek() == Some(&'g') => {
                out.push(core::mem::take(&mut current));
                letters.next();
            }
            _ => current.push(letter),
        }
    }
    out.push(current);
    out
}

/// Returns a statement's words in lower case; strings become `'…'`, marks stand alone.
fn words(statement: &str) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    let mut letters = statement.chars().peekable();
    while let Some(letter) = letters.next() {
        if letter.is_whitespace() {
            continue;
        }
        if letter == '\'' {
            let mut value = String::new();
            while let Some(inner) = letters.next_if(|inner| *inner != '\'') {
                value.push(inner);
            }
            letters.next();
            out.push(format!("'{value}'"));
            continue;
        }
        if letter.is_alphanumeric() || matches!(letter, '_' | '"' | '`' | '[') {
            let mut word = String::new();
            word.push(letter.to_ascii_lowercase());
            while let Some(inner) =
                letters.next_if(|inner| inner.is_alphanumeric() || matches!(inner, '_' | '.' | '"' | '`' | ']' | '$'))
            {
                word.push(inner.to_ascii_lowercase());
            }
            out.push(word);
            continue;
        }
        out.push(letter.to_string());
    }
    out
}
