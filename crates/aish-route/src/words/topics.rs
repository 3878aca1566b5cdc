//! Words that title an explanation, and nouns of which titles are made.

use super::language::has;

/// Words behind which a line is a title: `git bisect tutorial`, `docker volumes explained`.
#[rustfmt::skip]
const EXPLAINS: &[&str] = &[
    "advice", "alternative", "alternatives", "basics", "beginners", "cheatsheet", "cheatsheets", "comparison",
    "conventions", "demystified", "difference", "differences", "documentation", "etiquette", "examples", "explained",
    "explanation", "faq", "fundamentals", "gotchas", "guide", "guidelines", "howto", "internals", "introduction",
    "meaning", "overview", "pitfalls", "practices", "pros", "sheet", "shortcuts", "syntax", "theory", "tips",
    "tradeoffs", "tricks", "troubleshooting", "tutorial", "tutorials", "usage", "walkthrough",
];

/// Nouns of titles: `bash arrays`, `make variables`.
#[rustfmt::skip]
const TOPICS: &[&str] = &[
    "algorithm", "algorithms", "architecture", "arguments", "arithmetic", "arrays", "authentication", "authorization",
    "behavior", "behaviour", "benchmarks", "bindings", "breakpoints", "builtins", "channels", "characters", "classes",
    "closures", "codes", "collections", "columns", "completion", "completions", "comprehension", "comprehensions",
    "compression", "concurrency", "conditionals", "configuration", "conflicts", "constraints", "constructors",
    "containers", "conversion", "cookbook", "customization", "debugging", "decorators", "deployment", "design",
    "dictionaries", "directives", "encoding", "encryption", "enums", "example", "exceptions", "expansion", "expression",
    "expressions", "features", "filters", "flags", "formats", "formatting", "forwarding", "functions", "generation",
    "generators", "generics", "globbing", "handling", "headers", "heredoc", "heredocs", "hierarchy", "history",
    "inheritance", "installation", "interfaces", "isolation", "iterators", "joins", "keybindings", "keyboard",
    "lambdas", "layers", "layout", "leaks", "levels", "lifecycle", "lifetimes", "limitations", "limits", "liners",
    "loops", "macros", "management", "manipulation", "matching", "methods", "migrations", "modes", "modules",
    "monitoring", "motions", "multithreading", "namespaces", "naming", "networking", "objects", "operator", "operators",
    "optimization", "options", "ownership", "parameters", "parsing", "patterns", "performance", "permissions",
    "pipelines", "pipes", "plugins", "pointers", "policies", "policy", "polymorphism", "precedence", "privileges",
    "promises", "properties", "protocols", "provisioning", "queries", "quoting", "recursion", "redirection",
    "redirects", "regex", "registers", "replication", "retention", "rules", "scheduling", "scoping", "scripting",
    "sections", "security", "semantics", "shares", "signals", "slices", "sockets", "sorting", "splitting", "states",
    "storage", "strategies", "strategy", "streams", "strings", "structs", "structure", "structures", "styles",
    "subcommands", "subqueries", "substitution", "switching", "syscalls", "templates", "terminology", "threading",
    "threads", "timers", "traits", "transactions", "triggers", "tuning", "tunneling", "types", "variables",
    "versioning", "views", "virtualization", "volumes", "warnings", "widgets", "workflow", "workflows", "workspaces",
];

/// Says whether a line that ends in the word is the title of an explanation.
pub fn explains(word: &str) -> bool {
    has(EXPLAINS, word)
}

/// Says whether a line that ends in the word is a title whatever stands before it: `chmod 755 meaning`. Files and
/// branches have no such names.
pub fn only_explains(word: &str) -> bool {
    matches!(
        word,
        "cheatsheet"
            | "demystified"
            | "difference"
            | "differences"
            | "explained"
            | "explanation"
            | "meaning"
            | "pitfalls"
    )
}

/// Says whether the word is a noun that titles end in.
pub fn is_topic(word: &str) -> bool {
    has(TOPICS, word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_sorted() {
        for list in [EXPLAINS, TOPICS] {
            assert!(list.is_sorted(), "{:?}", list.windows(2).find(|pair| pair[0] > pair[1]));
        }
    }
}
