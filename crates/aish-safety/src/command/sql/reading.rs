//! Whether statements are understood as a whole and only read: by what they begin with, and by what they call.

use alloc::vec::Vec;

use aish_programs::words::sql::{
    ARGUMENTS, BEFORE_BRACKETS, BEFORE_TEXTS, CHANGING, EXPLAINED, FUNCTIONS_ELSEWHERE, OWN_SCHEMAS, READING,
    TABLE_FUNCTIONS, TYPES, TYPES_ELSEWHERE,
};

use super::Database;
use super::statement::only_computes;
use super::token::{Token, tokens};

/// The longest text that is read, in bytes.
const MAX_BYTES: usize = 64 * 1024;

/// Says whether a text for a database is understood, whoever reads it, and only reads.
pub(super) fn only_reads(text: &str, database: Database) -> bool {
    text.len() <= MAX_BYTES
        && tokens(text, database).is_some_and(|tokens| {
            !tokens.iter().any(reads_files)
                && tokens
                    .split(|token| *token == Token::Mark(';'))
                    .all(|statement| statement.is_empty() || reads(statement, database))
        })
}

fn reads_files(token: &Token) -> bool {
    matches!(token, Token::Word(name) | Token::Quoted(name) if TABLE_FUNCTIONS.contains(&name.as_str()))
}

fn reads(statement: &[Token], database: Database) -> bool {
    let Some(Token::Word(first)) = statement.first() else {
        // A statement in brackets reads what it begins with in them.
        return matches!(statement, [Token::Mark('('), rest @ ..] if is_select(rest) && calls_only_known(rest, database));
    };
    match first.as_str() {
        "explain" => explains(statement.get(1..).unwrap_or_default(), database),
        // What a pragma does is known by its name.
        "pragma" => !statement.contains(&Token::Mark('=')),
        // Names of what is shown may be any word.
        "show" | "describe" | "desc" | "use" | "begin" | "commit" | "rollback" => calls_only_known(statement, database),
        word => READING.contains(&word) && !changes(statement) && calls_only_known(statement, database),
    }
}

/// Says whether every type that a value is turned into is one of the database's own: another may come with functions.
fn casts_only_to_known(statement: &[Token], database: Database) -> bool {
    let is_type = |at: usize| {
        let word = |at: usize| match statement.get(at) {
            Some(Token::Word(word)) => word.as_str(),
            _ => "",
        };
        let known = TYPES.contains(&word(at))
            || word(at) == "double" && word(at + 1) == "precision"
            || database != Database::Postgres && TYPES_ELSEWHERE.contains(&word(at));
        known && statement.get(at + 1) != Some(&Token::Mark('.'))
    };
    let is = |at: usize, wanted: &[&str]| matches!(statement.get(at), Some(Token::Word(word)) if wanted.contains(&word.as_str()));
    let has_cast = (1..statement.len())
        .any(|at| statement.get(at) == Some(&Token::Mark('(')) && is(at - 1, &["cast", "try_cast", "safe_cast"]));
    (1..statement.len()).all(|at| {
        let turns = statement.get(at - 1) == Some(&Token::Mark(':')) && statement.get(at) != Some(&Token::Number)
            || has_cast && is(at - 1, &["as"]);
        !turns || is_type(at)
    })
}

/// Says whether no string is turned into a type that somebody made by the name in front of it, and nothing is called as
/// an attribute of a value: `(t).w` may call `w(t)`.
fn turns_only_to_known(statement: &[Token]) -> bool {
    statement.iter().zip(statement.iter().skip(1)).enumerate().all(|(at, pair)| match pair {
        (Token::Word(word), Token::Text) => {
            let within = at.checked_sub(1).and_then(|at| statement.get(at)) == Some(&Token::Mark('.'));
            !within && (BEFORE_TEXTS.contains(&word.as_str()) || TYPES.contains(&word.as_str()))
        }
        (Token::Quoted(_), Token::Text) | (Token::Mark(')'), Token::Mark('.')) => false,
        _ => true,
    })
}

/// Returns for each bracket how many arguments stand in it; those of one that nothing closes are too many.
fn argument_counts(statement: &[Token]) -> Vec<usize> {
    let mut counts = alloc::vec![usize::MAX; statement.len()];
    // Where brackets are open, with the commas in each; behind `order by` they part no arguments.
    let mut open: Vec<(usize, usize, bool)> = Vec::new();
    for (at, token) in statement.iter().enumerate() {
        match token {
            Token::Mark('(') => open.push((at, 0, false)),
            Token::Mark(')') => {
                if let Some((from, commas, _)) = open.pop()
                    && let Some(count) = counts.get_mut(from)
                {
                    *count = if from + 1 == at { 0 } else { commas + 1 };
                }
            }
            Token::Mark(',') => {
                if let Some((_, commas, false)) = open.last_mut() {
                    *commas += 1;
                }
            }
            Token::Word(word) if word == "order" => {
                if let Some((_, _, ordered)) = open.last_mut() {
                    *ordered = true;
                }
            }
            _ => {}
        }
    }
    counts
}

fn is_select(statement: &[Token]) -> bool {
    matches!(statement.first(), Some(Token::Word(first)) if first == "select" || first == "values")
        && !changes(statement)
}

fn changes(statement: &[Token]) -> bool {
    let is = |token: &Token, wanted: &dyn Fn(&str) -> bool| matches!(token, Token::Word(word) if wanted(word));
    let mut pairs = statement.windows(2);
    // A column may have such a name behind the point of its table, a function of that name a bracket.
    let changing = |at: usize| {
        let called = statement.get(at + 1) == Some(&Token::Mark('('));
        let within = at.checked_sub(1).and_then(|at| statement.get(at)) == Some(&Token::Mark('.'));
        let computes = called && statement.get(at).is_some_and(|token| is(token, &|word| word == "truncate"));
        !within && !computes
    };
    let named =
        statement.iter().enumerate().any(|(at, token)| is(token, &|word| CHANGING.contains(&word)) && changing(at));
    named
        || pairs.any(|pair| {
            let [first, second] = pair else { return false };
            is(first, &|word| word == "for") && is(second, &|word| matches!(word, "update" | "share" | "no" | "key"))
        })
}

/// `explain` runs nothing, unless an option says so, which may be a name in quotes; then what it explains must read.
fn explains(statement: &[Token], database: Database) -> bool {
    let runs = |token: &Token| matches!(token, Token::Word(word) if matches!(word.as_str(), "analyze" | "analyse"));
    let option = |token: &Token| {
        matches!(token, Token::Mark(',') | Token::Number)
            || matches!(token, Token::Word(word) if EXPLAINED.contains(&word.as_str()))
    };
    let (options, explained) = match statement {
        [Token::Mark('('), rest @ ..] => {
            let Some(end) = rest.iter().position(|token| *token == Token::Mark(')')) else { return false };
            let (options, behind) = rest.split_at(end);
            (options, behind.get(1..).unwrap_or_default())
        }
        other => other.split_at(other.iter().position(|token| !option(token)).unwrap_or(other.len())),
    };
    if options.iter().any(runs) {
        let first = matches!(explained.first(), Some(Token::Word(word)) if matches!(word.as_str(), "select" | "with"));
        return first && options.iter().all(option) && reads(explained, database);
    }
    let changed = |token: &Token| matches!(token, Token::Word(word) if matches!(word.as_str(), "execute" | "into"));
    options.iter().all(option)
        && !explained.iter().any(|token| runs(token) || changed(token))
        && calls_only_known(explained, database)
}

/// Says whether every name before a bracket is that of a function that only computes, or calls nothing, and no type,
/// attribute or number of arguments leads to a function that somebody made.
fn calls_only_known(statement: &[Token], database: Database) -> bool {
    if !casts_only_to_known(statement, database) || database != Database::Another && !turns_only_to_known(statement) {
        return false;
    }
    let counts = argument_counts(statement);
    let computes = |name: &str, at: usize| match database {
        Database::Another => only_computes(name),
        _ if counts.get(at).is_some_and(|count| takes(name, *count)) => true,
        Database::Unknown => FUNCTIONS_ELSEWHERE.contains(&name),
        Database::Postgres => false,
    };
    (0..statement.len()).filter(|at| statement.get(*at) == Some(&Token::Mark('('))).all(|at| {
        let before = |back: usize| at.checked_sub(back).and_then(|at| statement.get(at));
        match before(1) {
            Some(Token::Word(name)) if before(2) != Some(&Token::Mark('.')) => {
                BEFORE_BRACKETS.contains(&name.as_str()) || computes(name, at)
            }
            Some(Token::Word(name) | Token::Quoted(name)) => {
                computes(name, at) && (before(2) != Some(&Token::Mark('.')) || is_own(before(3)))
            }
            Some(Token::Text | Token::Number | Token::Mark(')')) => false,
            None | Some(Token::Mark(_)) => true,
        }
    })
}

/// Says whether a function of PostgreSQL itself takes so many arguments.
fn takes(name: &str, count: usize) -> bool {
    ARGUMENTS.iter().any(|(known, arguments)| *known == name && arguments.fit(count))
}

fn is_own(schema: Option<&Token>) -> bool {
    matches!(schema, Some(Token::Word(name) | Token::Quoted(name)) if OWN_SCHEMAS.contains(&name.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_that_only_read_are_told_from_others() {
        for text in [
            "select 1",
            "select count(*) from t where a in (1, 2) and b = 'x''y'; select 2;",
            "SELECT \"a\".\"b\", [c d], `e` FROM t -- a comment\nwhere x::text like '%\\d%' /* and another */",
            "select a[1], array[1, 2], pg_catalog.count(*) from t",
            "select sum(a) filter (where b) over (partition by c) from t",
            "with x as (select 1) select * from x",
            "select * from t\\G",
            "explain delete from t",
            "explain analyze select count(*) from t",
            "explain (analyze, buffers) select 1",
            "explain (verbose, format json) select 1",
            "match (n)-[r]->(m) return n",
            "pragma table_info(t)",
            "show tables",
            "",
        ] {
            assert!(only_reads(text, Database::Unknown), "{text}");
        }
        for text in [
            "select \"nextval\"('s')",
            "select pg_catalog.\"nextval\"('s')",
            "select other.count(1)",
            "select [writefile]('a', 'b')",
            "select `edit` ('a')",
            "select (\"writefile\")('a')",
            "select U&\"n\\0065xtval\"('s')",
            "select U&\"n!0065xtval\" uescape '!' ('s')",
            "select writefile/**/('a', 'b')",
            "select 'a\\', f('",
            "select $$a$$, f(1)",
            "select 1 /* /* */ , f(1) */",
            "select 1 /*! , f(1) */",
            "select 1 --, f(1)",
            "select 1 # , f(1)",
            "select 1 \\g x",
            "select 1\\gexec",
            "select 1 \\\\ \\! x",
            "select \"in\"(1)",
            "select @a := 1",
            "select :x",
            "select {fn f()}",
            "select a[f(1)]",
            "explain (\"analyze\") delete from t",
            "explain analyze delete from t",
            "explain (analyze, costs) select f(1)",
            "with x as (delete from t returning *) select * from x",
            "select * from t for update",
            "select 1 into outfile 'x'",
            "select 'a",
            "select data from fsdir where path = '.e' || 'nv'",
            "select * from \"zipfile\"",
            ".o x",
            "select 1;\ntee out",
            "select a::mytype from t",
            "select cast(a as mytype) from t",
        ] {
            assert!(!only_reads(text, Database::Unknown), "{text}");
        }
    }

    #[test]
    fn what_somebody_may_have_made_for_a_database_is_told_from_its_own() {
        for text in [
            "select a @@@ b from t",
            "select a <<< b from t",
            "select a %- b from t",
            "select a <`b` from t",
            "select a == b from t",
            "select dm '1'",
            "select s.date '1'",
            "select \"dm\" '1'",
            "select a::text.dm from t",
            "select a::datetime from t",
            "select (t).w from t",
            "select count(1, 2)",
            "select lower(a, b) from t",
            "select now(1)",
            "select ifnull(a, b) from t",
        ] {
            assert!(!only_reads(text, Database::Postgres), "{text}");
        }
        for text in [
            "select a=-1, b <> c, d || 'x', e*-2, f->>'k', g @> h from t where i!='x' and not j like e'a%'",
            "select date '2026-01-01' + interval '1 day', a::double precision at time zone 'UTC' from t",
            "select round(a, 2), count(distinct b), string_agg(c, ', ' order by d, e), now() from t",
        ] {
            assert!(only_reads(text, Database::Postgres), "{text}");
        }
        for text in ["select a == b, a <=> b", "select count(1, 2)", "select ifnull(a, b) 'c'"] {
            assert!(only_reads(text, Database::Another), "{text}");
        }
    }

    #[test]
    fn long_texts_are_read_in_time() {
        for part in ["lower(", "(", "a(", "'", "[", "/*", "--", "\"a\"", "select "] {
            let _ = only_reads(&part.repeat(MAX_BYTES / part.len()), Database::Postgres);
        }
    }
}
