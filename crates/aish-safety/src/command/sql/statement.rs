//! SQL statements by what they do.

use alloc::string::String;

use aish_programs::words::sql::{
    ARGUMENTS, BEFORE_BRACKETS, BEHIND_TABLES, DROPPED, FUNCTIONS_ELSEWHERE, READING_PRAGMAS, SECRET_PARTS,
    SECRET_SETTINGS, SECRET_TABLES, SECRET_VALUES,
};
use aish_types::{NameContext, is_secret_name};

/// What a statement does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Outcome {
    /// Reads.
    Read,
    /// Reads passwords, tokens or the records of accounts.
    Secret,
    /// Changes data in an ordinary way.
    Write,
    /// Loses data.
    Halt,
}

/// What a statement does, by which rule, and why.
pub(super) type Judged = (Outcome, &'static str, &'static str);

const DROPS: Judged = (Outcome::Halt, "databases.drop", "drops a table, database or other object with its data");
const WRITES: Judged = (Outcome::Write, "databases.write", "changes a database");
const SHOWS: Judged = (Outcome::Read, "databases.show", "reads from a database");

/// Judges a statement by its words in lower case; none where the statement is not known.
pub(super) fn judge(words: &[String]) -> Option<Judged> {
    let word = |at: usize| words.get(at).map_or("", String::as_str);
    match (word(0), words.len()) {
        // Cut off by a shell that split the line again: what it drops came in the words after it.
        ("drop" | "delete", 1) => Some((Outcome::Halt, "databases.cut", "deletes what the words after it name")),
        _ => match known(words) {
            Some((Outcome::Read, ..)) if shows_secrets(words) => {
                Some((Outcome::Secret, "databases.secrets", "reads passwords, tokens or records of accounts"))
            }
            found => found,
        },
    }
}

/// Says whether what a statement reads is secret by its name, or whole rows of a table that holds secrets.
fn shows_secrets(words: &[String]) -> bool {
    let word = |at: usize| words.get(at).map_or("", String::as_str);
    let names = || {
        let names = words.iter().filter(|word| !word.starts_with('\''));
        names.flat_map(|word| word.split('.')).map(|part| part.trim_matches(['"', '`', '[', ']']))
    };
    let is_secret = |name: &str| {
        is_secret_name(name.as_bytes(), NameContext::Judged) || SECRET_PARTS.iter().any(|part| name.contains(part))
    };
    if names().any(is_secret) {
        return match word(0) {
            // Names of columns are no secrets.
            "describe" | "desc" | "pragma" | "explain" => false,
            _ => true,
        };
    }
    match word(0) {
        "show" => shows_settings(words),
        "select" | "with" | "values" | "table" => {
            let held =
                |name: &str| SECRET_TABLES.contains(&name) || name.ends_with("_user") || name.ends_with("_users");
            let shows = |column: &str| names().any(|name| name == column);
            let settings = names().any(held) && SECRET_VALUES.iter().any(|column| shows(column));
            let whole = word(0) == "table" || words.iter().any(|word| word == "table") || has_star(words);
            settings || whole && names().any(held) || shows_row(words, &held)
        }
        _ => false,
    }
}

/// Says whether `show` shows settings among which secrets may be, or accounts: `show variables` unless their names are said.
fn shows_settings(words: &[String]) -> bool {
    let mut rest =
        words.iter().map(String::as_str).skip(1).skip_while(|word| matches!(*word, "global" | "session" | "local"));
    match (rest.next().unwrap_or_default(), rest.next().unwrap_or_default()) {
        ("all" | "grants", _) | ("create", "user" | "server") | ("slave", "hosts") | ("replicas", _) => true,
        ("variables", "like") => {
            let pattern = rest.next().unwrap_or_default().trim_matches(['\'', '"']);
            SECRET_SETTINGS.iter().any(|name| is_like(name.as_bytes(), pattern.as_bytes()))
        }
        ("variables", _) => true,
        _ => false,
    }
}

/// Says whether a pattern of `like` may mean a name; what a backslash stands before is taken for any letter.
fn is_like(name: &[u8], pattern: &[u8]) -> bool {
    match (pattern, name) {
        ([], _) => name.is_empty(),
        ([b'%', rest @ ..], _) => {
            is_like(name, rest) || name.split_first().is_some_and(|(_, name)| is_like(name, pattern))
        }
        ([b'\\', _, rest @ ..], [_, name @ ..]) => is_like(name, rest),
        ([letter, rest @ ..], [first, name @ ..]) => (*letter == b'_' || letter == first) && is_like(name, rest),
        _ => false,
    }
}

/// Says whether a star stands for all columns, and for no count and no product.
fn has_star(words: &[String]) -> bool {
    words.iter().enumerate().filter(|(_, word)| *word == "*" || word.ends_with(".*")).any(|(at, _)| {
        let before = at.checked_sub(1).and_then(|at| words.get(at)).map_or("", String::as_str);
        let behind = words.get(at + 1).map_or("", String::as_str);
        matches!(before, "select" | "," | "distinct" | "all")
            || before.ends_with('.')
            || before != "(" && matches!(behind, "from" | "," | ")" | "into" | "")
    })
}

/// Says whether a table that is held, or its other name, stands where a column does: its whole row (`select u from users u`).
fn shows_row(words: &[String], held: &dyn Fn(&str) -> bool) -> bool {
    let word = |at: usize| words.get(at).map_or("", String::as_str);
    let bare = |at: usize| word(at).rsplit('.').next().unwrap_or_default().trim_matches(['"', '`', '[', ']']);
    let is_table = |at: usize| matches!(at.checked_sub(1).map_or("", word), "from" | "join" | "only");
    let tables = (0..words.len()).filter(|at| is_table(*at) && held(bare(*at)));
    tables.into_iter().any(|table| {
        let named = if word(table + 1) == "as" { table + 2 } else { table + 1 };
        let other = Some(bare(named)).filter(|name| {
            !BEHIND_TABLES.contains(name) && name.starts_with(|letter: char| letter.is_alphabetic() || letter == '_')
        });
        (0..words.len()).filter(|at| !is_table(*at) && *at != named).any(|at| {
            let text = word(at).split("::").next().unwrap_or_default();
            !text.contains('.') && (text == bare(table) || other == Some(text))
        })
    })
}

fn known(words: &[String]) -> Option<Judged> {
    let word = |at: usize| words.get(at).map_or("", String::as_str);
    let has = |wanted: &str| words.iter().any(|word| word == wanted);
    match word(0) {
        "drop" => Some(dropped(word(1), word(3))),
        "truncate" => Some((Outcome::Halt, "databases.truncate", "empties a table")),
        "delete" => Some(if unbounded(words) {
            (Outcome::Halt, "databases.delete-all", "deletes every row of a table")
        } else {
            (Outcome::Write, "databases.delete-rows", "deletes rows of a table")
        }),
        "update" => Some(if unbounded(words) {
            (Outcome::Halt, "databases.update-all", "changes every row of a table")
        } else {
            (Outcome::Write, "databases.update-rows", "changes rows of a table")
        }),
        "alter" => Some(altered(words)),
        "grant" if has("all") || has("superuser") => {
            Some((Outcome::Halt, "databases.grant-all", "gives all rights over a database away"))
        }
        "match" | "optional" | "for" | "unwind" | "remove" | "clear" => graph(words),
        "flush" | "purge" | "reset" | "shutdown" => {
            Some((Outcome::Halt, "databases.purge", "throws logs, rights or state of a database away"))
        }
        "insert" | "create" | "grant" | "revoke" | "copy" | "vacuum" | "merge" | "replace" | "set" | "optimize"
        | "load" | "rename" | "call" | "attach" | "detach" => Some(WRITES),
        "select" | "with" | "values" | "table" | "explain" => Some(selected(words)),
        "show" | "describe" | "desc" | "use" | "begin" | "commit" | "rollback" => Some(SHOWS),
        "analyze" => Some((Outcome::Write, "databases.analyze", "writes a database's statistics")),
        "pragma" => Some(if has("=") || !READING_PRAGMAS.contains(&word(1)) {
            (Outcome::Write, "databases.pragma", "changes a setting of the database")
        } else {
            SHOWS
        }),
        _ => None,
    }
}

/// Judges `drop` by the word behind it, and the one behind `if exists`.
fn dropped(first: &str, third: &str) -> Judged {
    let what = if first == "if" { third } else { first };
    let known = DROPPED.contains(&what) || matches!(first, "concurrently" | "temporary" | "continuous");
    if known && what != "temporary" {
        DROPS
    } else {
        (Outcome::Write, "databases.drop-other", "drops an object of a database")
    }
}

/// Judges `alter`.
fn altered(words: &[String]) -> Judged {
    let has = |wanted: &str| words.iter().any(|word| word == wanted);
    let is_user = matches!(words.get(1).map_or("", String::as_str), "user" | "role");
    if is_user && (has("superuser") || has("createrole") || has("bypassrls")) {
        (Outcome::Halt, "databases.superuser", "gives a database user every right")
    } else if has("drop") || has("delete") {
        (Outcome::Halt, "databases.alter-drop", "drops a part of a table with its data")
    } else {
        (Outcome::Write, "databases.alter", "changes a table or a setting of the database")
    }
}

/// Judges what is said to databases of graphs and documents: `MATCH (n) DETACH DELETE n`,
/// `FOR u IN users REMOVE u IN users`, `REMOVE TABLE users`.
fn graph(words: &[String]) -> Option<Judged> {
    let word = |at: usize| words.get(at).map_or("", String::as_str);
    let has = |wanted: &str| words.iter().any(|word| word == wanted);
    match word(0) {
        "match" | "optional" | "for" | "unwind" if has("delete") || has("remove") || has("drop") => {
            Some((Outcome::Halt, "databases.graph-delete", "deletes what a pattern matches"))
        }
        "match" | "unwind" if !(has("set") || has("create") || has("merge")) => {
            Some((Outcome::Read, "databases.graph", "reads from a database"))
        }
        "remove" | "clear"
            if DROPPED.contains(&word(1)) || matches!(word(1), "all" | "graph" | "namespace" | "default" | "named") =>
        {
            Some(DROPS)
        }
        _ => None,
    }
}

/// Judges a statement that reads, but for what stands in it: locks, functions, other statements.
fn selected(words: &[String]) -> Judged {
    let word = |at: usize| words.get(at).map_or("", String::as_str);
    let has = |wanted: &str| words.iter().any(|word| word == wanted);
    match word(0) {
        "explain" if !has("analyze") && !has("analyse") => {
            (Outcome::Read, "databases.explain", "shows how a statement would run")
        }
        "with" | "explain" if ["delete", "update", "insert", "drop", "truncate"].iter().any(|changes| has(changes)) => {
            let loses = |word: &String| matches!(word.as_str(), "delete" | "update" | "drop" | "truncate");
            let inner = words.iter().position(loses).and_then(|at| judge(words.get(at..)?));
            inner.filter(|_| word(0) == "with" || has("analyze")).unwrap_or(WRITES)
        }
        _ if locks(words) => (Outcome::Write, "databases.select-lock", "selects rows and locks them"),
        _ if has("into") || calls_unknown(words) => {
            (Outcome::Write, "databases.select-call", "selects through functions that may change something")
        }
        _ => (Outcome::Read, "databases.select", "reads from a database"),
    }
}

/// Says whether rows that are read are locked: `for update`, `for no key update`, `for share`, `lock in share mode`.
fn locks(words: &[String]) -> bool {
    words.windows(2).any(|pair| {
        let [first, second] = pair else { return false };
        first == "for" && matches!(second.as_str(), "update" | "share" | "no" | "key")
            || first == "lock" && second == "in"
    })
}

/// Says whether a statement has no condition, or one that always holds.
fn unbounded(words: &[String]) -> bool {
    let Some(at) = words.iter().position(|word| word == "where") else {
        return !words.iter().any(|word| word == "limit" || word == "using");
    };
    let condition: alloc::vec::Vec<&str> = words.get(at + 1..).unwrap_or_default().iter().map(String::as_str).collect();
    match condition.as_slice() {
        ["true" | "1"] => true,
        [left, "=", right, rest @ ..] if left == right && !left.is_empty() => rest.is_empty() || rest.contains(&"or"),
        ["not", "false"] => true,
        all => all.windows(4).any(|part| matches!(part, ["or", left, "=", right] if left == right)),
    }
}

fn calls_unknown(words: &[String]) -> bool {
    words.windows(2).any(|pair| match pair {
        [name, bracket] if bracket == "(" => {
            name.chars().all(|letter| letter.is_alphanumeric() || matches!(letter, '_' | '.'))
                && !BEFORE_BRACKETS.contains(&name.as_str())
                && !only_computes(name.strip_prefix("pg_catalog.").unwrap_or(name))
        }
        _ => false,
    })
}

/// Says whether a function of some database only computes.
pub(super) fn only_computes(name: &str) -> bool {
    ARGUMENTS.iter().any(|(known, _)| *known == name) || FUNCTIONS_ELSEWHERE.contains(&name)
}
