//! Words of language. All lists are sorted, so that they can be searched by halves.

/// Function words that are hardly ever arguments of a command.
#[rustfmt::skip]
pub const STRONG: &[&str] = &[
    "about", "am", "an", "anyone", "anything", "are", "aren't", "because", "been", "can't", "could", "couldn't",
    "did", "didn't", "does", "doesn't", "don't", "every", "everything", "has", "hasn't", "have", "haven't", "how",
    "i", "i'd", "i'll", "i'm", "i've", "into", "is", "isn't", "it", "it's", "its", "me", "my", "nothing", "of", "our",
    "please", "she", "should", "shouldn't", "something", "than", "that", "that's", "the", "their", "them", "there",
    "there's", "these", "they", "this", "those", "was", "wasn't", "were", "what", "what's", "when", "where",
    "where's", "which", "while", "who", "who's", "whose", "why", "will", "with", "without", "won't", "would",
    "wouldn't", "you", "your",
];

/// Function words that may also be an argument (`make all`, `docker compose up`).
#[rustfmt::skip]
pub const WEAK: &[&str] = &[
    "a", "after", "all", "and", "any", "as", "at", "be", "before", "between", "bigger", "but", "by", "can", "do",
    "down", "each", "file", "files", "first", "folder", "for", "from", "here", "if", "in", "inside", "just", "larger",
    "last", "like", "longer", "many", "more", "most", "much", "named", "new", "newer", "no", "not", "older", "on",
    "only", "or", "out", "over", "recursively", "running", "smaller", "so", "some", "starting", "then", "to", "today",
    "too", "under", "until", "up", "using", "we", "words", "yesterday",
];

/// Function words of other languages.
#[rustfmt::skip]
pub const FOREIGN: &[&str] = &[
    "aan", "alla", "alle", "als", "anche", "auf", "aus", "avec", "bei", "bitte", "che", "come", "como", "con",
    "cuando", "dans", "das", "dass", "de", "del", "della", "delle", "dem", "den", "der", "des", "dette", "di", "die",
    "diesem", "diesen", "dieser", "dieses", "ein", "eine", "einem", "einen", "einer", "el", "elke", "ella", "en",
    "er", "es", "est", "esta", "estas", "este", "esto", "estos", "et", "fichiers", "fuer", "für", "geen", "haben",
    "het", "hoe", "ich", "il", "im", "ist", "jag", "kann", "la", "las", "le", "les", "lo", "los", "mais", "mein",
    "meine", "met", "mi", "mijn", "mit", "moi", "mon", "na", "nach", "nel", "nella", "nicht", "não", "och", "om",
    "os", "para", "per", "perché", "por", "porque", "pour", "pourquoi", "que", "quel", "quelle", "qui", "quien",
    "quiero", "sie", "sind", "sont", "sulla", "sur", "todas", "todos", "tous", "toutes", "tutti", "ueber", "um", "un",
    "una", "und", "une", "uno", "van", "vom", "von", "voor", "wat", "wie", "wir", "wo", "zu", "zum", "zur", "är", "è",
    "über",
];

/// First words that begin a question or a request and are no commands.
#[rustfmt::skip]
pub const STARTERS: &[&str] = &[
    "add", "analyse", "analyze", "answer", "any", "are", "ask", "back", "briefly", "build", "calculate", "can",
    "change", "check", "choose", "clean", "close", "combine", "commit", "compare", "compress", "compute", "configure",
    "connect", "copy", "could", "count", "create", "debug", "define", "delete", "deploy", "describe", "detect", "did",
    "disable", "display", "do", "does", "download", "draft", "draw", "edit", "enable", "encrypt", "erase", "estimate",
    "examine", "explain", "extract", "fetch", "fill", "filter", "fix", "for", "format", "free", "from", "generate",
    "get", "give", "good", "group", "has", "have", "hello", "hey", "hi", "how", "i", "identify", "if", "implement",
    "improve", "in", "increase", "insert", "inspect", "is", "it", "keep", "launch", "list", "log", "lower", "measure",
    "merge", "monitor", "move", "my", "name", "no", "now", "ok", "okay", "on", "optimize", "organize", "our", "pack",
    "parse", "pick", "please", "prepare", "print", "prove", "pull", "push", "put", "recommend", "reduce", "refactor",
    "remind", "remove", "rename", "repeat", "replace", "report", "restart", "restore", "rewrite", "run", "save",
    "scan", "search", "send", "shall", "should", "show", "shut", "shutdown", "simplify", "solve", "start", "stop",
    "suggest", "sum", "summarise", "summarize", "switch", "tell", "thank", "thanks", "that", "the", "there", "these",
    "this", "translate", "try", "turn", "uncompress", "undo", "uninstall", "unpack", "update", "upgrade", "upload",
    "use", "verify", "was", "we", "were", "what", "what's", "when", "where", "where's", "which", "who", "whose",
    "why", "will", "with", "would", "yes", "you", "zip",
];

/// Says whether a sorted list has a word, whatever its case.
pub fn has(list: &[&str], word: &str) -> bool {
    if word.chars().any(char::is_uppercase) {
        let lower = word.to_lowercase();
        return list.binary_search(&lower.as_str()).is_ok();
    }
    list.binary_search(&word).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_sorted() {
        for list in [STRONG, WEAK, FOREIGN, STARTERS] {
            assert!(list.is_sorted(), "{:?}", list.windows(2).find(|pair| pair[0] > pair[1]));
        }
    }
}
