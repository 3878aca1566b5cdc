//! Texts that only ask for something: plain addresses, queries of a document database.

use super::word::Word;

/// Words in an address that may do more than show.
const VERBS: &[&str] = &[
    "delete",
    "remove",
    "drop",
    "purge",
    "flush",
    "shutdown",
    "restart",
    "reboot",
    "reset",
    "kill",
    "stop",
    "destroy",
    "wipe",
    "quit",
    "exec",
    "cmd=",
    "command=",
    "token",
    "secret",
    "password",
    "passwd",
    "apikey",
    "api_key",
    "update",
    "create",
    "disable",
    "revoke",
    "unsubscribe",
    "logout",
    "pay",
    "transfer",
    "169.254.",
    "metadata",
    "[",
    "{",
    "\\",
];

/// Calls of a document database's shell that only read.
const READS: &[&str] = &[
    "find",
    "findone",
    "count",
    "countdocuments",
    "estimateddocumentcount",
    "distinct",
    "stats",
    "getcollectionnames",
    "getcollectioninfos",
    "getindexes",
    "listcollections",
    "status",
    "serverstatus",
    "hostinfo",
    "version",
    "getname",
    "limit",
    "sort",
    "skip",
    "pretty",
    "toarray",
    "explain",
    "getcollection",
    "getsiblingdb",
    "datasize",
    "storagesize",
    "totalsize",
    "totalindexsize",
    "currentop",
    "printjson",
    "objectid",
    "isodate",
    "projection",
    "size",
    "hasnext",
    "getreplicationinfo",
    "printreplicationinfo",
    "conf",
    "hello",
    "ismaster",
    "getprofilingstatus",
    "numberlong",
];

/// Says whether a word is an address that is only fetched: http or none named, no user, nothing that sounds like an
/// order, nothing long enough to carry data away.
pub(crate) fn is_plain_address(word: &Word) -> bool {
    let lower = word.text.to_ascii_lowercase();
    let bare = lower.strip_prefix("https://").or_else(|| lower.strip_prefix("http://")).unwrap_or(&lower);
    let host = bare.split(['/', '?', '#']).next().unwrap_or_default();
    word.is_known()
        && !word.taint.foreign()
        && word.text.len() <= 160
        && (host.contains('.') || host.starts_with("localhost"))
        && !bare.contains("://")
        && !bare.contains('@')
        && host.chars().all(|letter| letter.is_ascii_alphanumeric() || matches!(letter, '.' | '-' | '_' | ':'))
        && !VERBS.iter().any(|verb| bare.contains(verb))
}

/// Says whether code for a document database's shell only reads.
pub(crate) fn only_reads_documents(text: &str) -> bool {
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
        if !name.is_some_and(|name| READS.contains(&name)) {
            return false;
        }
    }
    called > 0 && called <= 16
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_that_are_only_fetched_are_told_from_orders() {
        for plain in ["https://example.com", "localhost:8080/health", "http://10.0.0.1/x?page=2", "example.com/a.json"]
        {
            assert!(is_plain_address(&Word::literal(plain)), "{plain}");
        }
        for other in [
            "file:///etc/passwd",
            "https://user@example.com",
            "http://169.254.169.254/latest/meta-data/",
            "http://localhost:9200/_shutdown",
            "https://example.com/?a=http://b",
            "https://x.example/api?action=delete",
        ] {
            assert!(!is_plain_address(&Word::literal(other)), "{other}");
        }
    }

    #[test]
    fn queries_are_told_from_changes() {
        for read in ["db.users.find()", "db.users.find({a: 1}).limit(5)", "db.stats()", "show dbs", "rs.status()"] {
            assert!(only_reads_documents(read), "{read}");
        }
        for other in ["db.users.drop()", "db.users.find().forEach(load)", "db.a.aggregate({$out: 'b'})", "db.x", ""] {
            assert!(!only_reads_documents(other), "{other}");
        }
    }
}
