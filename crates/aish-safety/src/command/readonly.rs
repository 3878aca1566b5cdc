//! Texts that only ask for something: queries of a document database, programs of awk.

use alloc::string::String;

/// Says whether code for a document database's shell only reads.
pub(crate) fn only_reads_documents(text: &str, only_reads: &dyn Fn(&str) -> bool) -> bool {
    let lower = text.trim().to_ascii_lowercase();
    if ["show dbs", "show collections", "show databases", "show tables", "show users"].contains(&lower.as_str()) {
        return true;
    }
    if lower.contains(['`', '=', '[', '\\'])
        || ["$out", "$merge", "$where", "$function", "function", "require"].iter().any(|word| lower.contains(word))
    {
        return false;
    }
    let mut called = 0_usize;
    let mut pieces = lower.split('(').peekable();
    while let Some(piece) = pieces.next() {
        if pieces.peek().is_none() {
            break;
        }
        called += 1;
        let name = piece.rsplit(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_').next();
        if !name.is_some_and(only_reads) {
            return false;
        }
    }
    called > 0 && called <= 16
}

/// Says whether a program of awk leads nowhere out by what it computes: pipes and files whose names are texts are judged
/// by themselves.
pub(crate) fn is_contained(text: &str) -> bool {
    let Some(bare) = without_texts(text) else { return false };
    if bare.split("system").skip(1).any(|rest| !rest.trim_start_matches(' ').starts_with("(\")"))
        || ["close", "fflush", "@"].iter().any(|word| bare.contains(word))
    {
        return false;
    }
    let bare = bare.replace("||", "&&");
    let ends = |rest: &str| {
        let behind = rest.trim_start_matches(' ').strip_prefix('"').map(|rest| rest.trim_start_matches(' '));
        behind.is_some_and(|behind| behind.is_empty() || behind.starts_with([';', '}', ')', '\n']))
    };
    // A pipe to a text, or from one.
    let piped = bare.match_indices('|').all(|(at, _)| {
        let (before, behind) = (bare.get(..at).unwrap_or_default(), bare.get(at + 1..).unwrap_or_default());
        let from = before.trim_end_matches(' ').strip_suffix('"').map(|before| before.trim_end_matches(' '));
        ends(behind.trim_start_matches('&'))
            || behind.trim_start_matches([' ', '&']).starts_with("getline")
                && from.is_some_and(|from| from.is_empty() || from.ends_with(['(', '{', ';', '\n', '&', '!', '=']))
    });
    let read = bare.match_indices("getline").all(|(at, _)| {
        let behind = bare.get(at + 7..).unwrap_or_default();
        let behind = behind.trim_start_matches(|letter: char| letter.is_alphanumeric() || " _[]$".contains(letter));
        !behind.starts_with('<') || ends(behind.get(1..).unwrap_or_default())
    });
    piped && read && bare.split([';', '}', '\n', '{']).all(|statement| writes_to_texts(statement, &ends))
}

/// Says whether a program of awk names the environment, or the table of all names.
pub(crate) fn names_environment(text: &str) -> bool {
    ["ENVIRON", "PROCINFO", "SYMTAB"].iter().any(|name| text.contains(name))
}

/// Outside brackets a `>` behind `print` names a file.
fn writes_to_texts(statement: &str, ends: &dyn Fn(&str) -> bool) -> bool {
    let Some((_, printed)) = statement.split_once("print") else { return true };
    let mut depth = 0_i32;
    printed.char_indices().all(|(at, letter)| {
        depth += match letter {
            '(' => 1,
            ')' => -1,
            _ => 0,
        };
        letter != '>' || depth > 0 || ends(printed.get(at..).unwrap_or_default().trim_start_matches('>'))
    })
}

/// Takes texts, regular expressions and comments out of a program of awk, and leaves a quote for each text; none where
/// one does not end.
fn without_texts(text: &str) -> Option<String> {
    let mut bare = String::with_capacity(text.len());
    let mut rest = text;
    let mut before = '{';
    while let Some(letter) = rest.chars().next() {
        rest = rest.get(letter.len_utf8()..).unwrap_or_default();
        let begins = letter == '"' || letter == '/' && "~(,!{;&|\n=".contains(before);
        match letter {
            _ if begins => {
                let mut escaped = false;
                let end = rest.find(|one| {
                    let ends = one == letter && !escaped;
                    escaped = one == '\\' && !escaped;
                    ends
                });
                rest = rest.get(end? + 1..)?;
                bare.push(if letter == '"' { '"' } else { '0' });
            }
            '#' => rest = rest.find('\n').and_then(|end| rest.get(end..)).unwrap_or_default(),
            _ => bare.push(letter),
        }
        if letter != ' ' {
            before = letter;
        }
    }
    Some(bare)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_of_awk_that_lead_out_are_told_from_others() {
        for text in [
            "{ \"date\" | getline x }",
            "{print $1}",
            "$3 > 5",
            "{ if ($1 > m) m = $1 } END { print m }",
            "{ print ($1 > 2) }",
            "a || b",
            "/a|b/ { print }",
            "{ print > \"out\" }",
            "{ print | \"sort\" }",
        ] {
            assert!(is_contained(text), "{text}");
        }
        for text in [
            "{ print > $1 }",
            "{ print $2 >> f }",
            "{ print | c }",
            "{ print > \"out\" $1 }",
            "{ print | \"sh \" x }",
            "{ c | getline x }",
            "{ x \"date\" | getline }",
            "{ while ((getline line < f) > 0) print line }",
            "BEGIN { system(x) }",
            "{ @f() }",
            "{ print \"a",
        ] {
            assert!(!is_contained(text), "{text}");
        }
    }

    #[test]
    fn queries_are_told_from_changes() {
        let mongosh = aish_programs::find("mongosh").unwrap();
        let reads = |call: &str| mongosh.tables().holds(mongosh.facts().documents, call);
        for read in ["db.users.find()", "db.users.find({a: 1}).limit(5)", "db.stats()", "show dbs", "rs.status()"] {
            assert!(only_reads_documents(read, &reads), "{read}");
        }
        for other in ["db.users.drop()", "db.users.find().forEach(load)", "db.a.aggregate({$out: 'b'})", "db.x", ""] {
            assert!(!only_reads_documents(other, &reads), "{other}");
        }
    }
}
