//! Texts that only ask for something: queries of a document database; what names the environment.

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

/// Says whether a program of awk names the environment, or the table of all names.
pub(crate) fn names_environment(text: &str) -> bool {
    ["ENVIRON", "PROCINFO", "SYMTAB"].iter().any(|name| text.contains(name))
}

#[cfg(test)]
mod tests {
    use super::*;

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
