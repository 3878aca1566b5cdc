//! Common English words, for telling a word of language from a name. Base forms only, sorted.

use alloc::string::String;

use super::language::has;

/// Words of everyday and technical English that are no function words.
#[rustfmt::skip]
pub const ENGLISH: &[&str] = &[
    "ability", "able", "absolute", "abstract", "accelerate", "accept", "access", "accident", "account", "accurate",
    "action", "active", "actual", "adapt", "add", "addition", "address", "adjust", "admin", "advice", "after", "age",
    "agent", "aggregate", "agile", "ahead", "alarm", "album", "alert", "algorithm", "alias", "align", "allocate",
    "allocation", "allow", "alone", "alphabet", "alter", "alternative", "amount", "analyse", "analysis", "analytics",
    "analyze", "anchor", "android", "animal", "animate", "annotation", "annoy", "answer", "anyway", "apartment", "api",
    "app", "appear", "append", "apple", "applet", "application", "apply", "approach", "archive", "area", "argument",
    "arithmetic", "arrange", "array", "arrow", "article", "ascending", "ascii", "ask", "assembly", "assert",
    "assertion", "asset", "assign", "assist", "async", "asynchronous", "atom", "atomic", "attach", "attack", "attempt",
    "attention", "attribute", "audio", "authenticate", "authentication", "author", "authorize", "auto", "automate",
    "automatic", "available", "average", "avoid", "await", "award", "away", "baby", "back", "backend", "background",
    "backup", "backward", "backwards", "bad", "balance", "band", "bandwidth", "bar", "bare", "base", "basic", "basics",
    "basis", "bat", "batch", "battery", "beautiful", "become", "beer", "begin", "beginner", "behave", "behavior",
    "believe", "benchmark", "bend", "benefit", "best", "better", "big", "bigger", "biggest", "bill", "binary", "bind",
    "bird", "birthday", "bit", "bitmap", "blank", "block", "blog", "blood", "blue", "board", "body", "boilerplate",
    "bold", "book", "bookmark", "boolean", "boost", "boot", "bootloader", "border", "bore", "boring", "borrow", "boss",
    "bot", "bottleneck", "bottom", "bounce", "boundary", "box", "bracket", "branch", "break", "breakpoint", "brew",
    "bridge", "brief", "bright", "brightness", "bring", "broadcast", "brother", "brown", "browse", "browser", "bucket",
    "budget", "buffer", "bug", "build", "builder", "building", "bundle", "burn", "bus", "business", "busy", "button",
    "buy", "byte", "bytecode", "cable", "cache", "calculate", "calculator", "calendar", "call", "callback", "camel",
    "camera", "cancel", "candidate", "capability", "capital", "capture", "car", "card", "care", "career", "careful",
    "carry", "cascade", "case", "cash", "cat", "catalog", "catch", "category", "cause", "cell", "center", "central",
    "cert", "certificate", "chain", "chance", "change", "channel", "chapter", "character", "charge", "chart", "chat",
    "cheap", "cheat", "check", "checklist", "checkpoint", "checksum", "cheese", "chicken", "child", "children", "chip",
    "choice", "choose", "chrome", "chunk", "church", "circle", "circular", "city", "claim", "class", "classic",
    "clause", "clean", "cleaner", "cleanup", "clear", "click", "client", "clip", "clipboard", "clock", "clone", "close",
    "closure", "cloud", "cluster", "code", "coerce", "coffee", "cold", "collect", "collection", "collision", "color",
    "colour", "column", "combine", "come", "comma", "command", "comment", "commit", "common", "communicate", "company",
    "compare", "comparison", "compile", "compiler", "complain", "complete", "completion", "complex", "component",
    "compose", "composition", "comprehension", "compress", "compute", "computer", "concatenate", "concept", "concise",
    "concurrency", "concurrent", "condition", "conditional", "config", "configurable", "configuration", "configure",
    "confirm", "conflict", "confuse", "connect", "connection", "consider", "consistency", "console", "constant",
    "constraint", "constructor", "consume", "consumer", "consumption", "contain", "container", "content", "context",
    "continue", "contract", "control", "convention", "conversion", "convert", "converter", "cook", "cookie", "cool",
    "coordinate", "copy", "core", "corner", "correct", "correlate", "corrupt", "cost", "counter", "country", "couple",
    "course", "court", "cover", "coverage", "cpu", "crash", "crawl", "crazy", "create", "credential", "credentials",
    "credit", "cron", "cross", "cry", "css", "csv", "culture", "cup", "curly", "currency", "current", "cursor",
    "customer", "customize", "cut", "cycle", "daemon", "daily", "damage", "dance", "danger", "dangerous", "dark",
    "dash", "dashboard", "data", "database", "date", "day", "dead", "deadlock", "deal", "death", "debug", "debugger",
    "decide", "decimal", "decision", "declare", "decode", "decorator", "decouple", "decrease", "dedicated",
    "deduplicate", "deep", "default", "define", "definition", "degree", "delay", "delegate", "delete", "delimiter",
    "deliver", "demand", "dense", "deny", "department", "depend", "dependency", "deploy", "deployment", "deprecate",
    "deprecated", "depth", "derive", "descending", "describe", "description", "descriptor", "deserialize", "design",
    "desktop", "destroy", "destructor", "detach", "detached", "detail", "detect", "determine", "develop", "developer",
    "device", "diagnose", "diagnostic", "diagram", "dialog", "dictionary", "die", "difference", "different",
    "difficult", "digit", "digital", "dimension", "dinner", "direct", "direction", "directive", "directory", "dirty",
    "disable", "disc", "discard", "disconnect", "discover", "discuss", "disk", "dispatch", "display", "distance",
    "distinct", "distributed", "distribution", "divide", "dns", "docs", "doctor", "document", "documentation", "dog",
    "dollar", "domain", "door", "dot", "double", "doubt", "downgrade", "download", "downtime", "draft", "drag", "draw",
    "dream", "dress", "drink", "drive", "driver", "drop", "dump", "duplicate", "duration", "dust", "duty", "dynamic",
    "ear", "early", "earth", "easily", "east", "easter", "easy", "eat", "economy", "edge", "edit", "editor",
    "education", "effect", "efficient", "effort", "egg", "eject", "element", "email", "embed", "embedded", "emergency",
    "emoji", "empty", "emulator", "enable", "encapsulate", "encode", "encoding", "encrypt", "end", "endpoint", "enemy",
    "energy", "enforce", "engine", "engineer", "english", "enjoy", "enough", "ensure", "enter", "entire", "entry",
    "enumerate", "environment", "equal", "equality", "error", "escape", "estimate", "euro", "evaluate", "evening",
    "event", "everyday", "eviction", "evil", "exact", "examine", "example", "excel", "exception", "exclude",
    "exclusive", "executable", "execute", "execution", "exercise", "exhaust", "exist", "expect", "expensive",
    "experience", "expert", "expire", "expiry", "explain", "explanation", "explicit", "exploit", "explore", "export",
    "expose", "express", "expression", "extension", "external", "extra", "extract", "eye", "face", "fact", "factor",
    "factory", "fail", "failure", "fair", "fall", "fallback", "false", "familiar", "family", "famous", "fan", "far",
    "farm", "fast", "fat", "fatal", "father", "fault", "favorite", "fear", "feature", "feed", "feedback", "feel",
    "fetch", "fibonacci", "field", "fight", "figure", "file", "filename", "filesystem", "fill", "film", "filter",
    "final", "finance", "fine", "finger", "fingerprint", "finish", "fire", "firewall", "firmware", "first", "fish",
    "fix", "flag", "flaky", "flash", "flat", "flatten", "flexible", "flight", "flip", "float", "floating", "floor",
    "flow", "flower", "fly", "focus", "folder", "follow", "font", "food", "fool", "foot", "footer", "force", "foreign",
    "forget", "fork", "form", "formal", "format", "formatter", "formula", "forward", "fraction", "fragment", "frame",
    "framework", "france", "free", "freeze", "french", "frequency", "frequent", "fresh", "friday", "friend", "front",
    "frontend", "frozen", "fruit", "full", "fun", "function", "funny", "furniture", "future", "game", "gap", "garbage",
    "garden", "gas", "gateway", "gear", "general", "generate", "generation", "generator", "generic", "german",
    "gibberish", "gift", "gigabyte", "girl", "give", "glass", "glob", "global", "gnome", "goal", "gold", "good",
    "google", "government", "gpu", "grade", "gradient", "grammar", "graph", "graphic", "graphical", "gray", "great",
    "greedy", "green", "grey", "grid", "groovy", "ground", "group", "grow", "guess", "guest", "guide", "guideline",
    "guitar", "gun", "guy", "hack", "hair", "half", "hand", "handle", "handler", "hang", "happen", "happy", "hard",
    "hardware", "hash", "hate", "head", "header", "health", "heap", "hear", "heart", "heartbeat", "heat", "heavy",
    "height", "help", "hero", "hex", "hidden", "hide", "hierarchy", "high", "highlight", "history", "hit", "hobby",
    "hog", "hold", "hole", "holiday", "home", "hook", "hope", "horizontal", "horse", "hospital", "host", "hostname",
    "hot", "hotel", "hour", "house", "hover", "html", "huge", "human", "hundred", "hungry", "hurt", "icon", "idea",
    "idempotent", "identifier", "identify", "idle", "ignore", "image", "imagine", "immutable", "implement",
    "implementation", "implicit", "import", "important", "improve", "include", "income", "incoming", "increase",
    "incremental", "indent", "indentation", "index", "indicate", "individual", "infinite", "info", "inform",
    "information", "inherit", "inheritance", "init", "initial", "initialize", "inject", "inline", "inode", "input",
    "insert", "inside", "inspect", "install", "installation", "instance", "instruction", "integer", "integrate",
    "integration", "interact", "interactive", "interest", "interface", "intermediate", "internal", "internet",
    "interpolate", "interpret", "interpreter", "interrupt", "interval", "introduce", "introduction", "invalid",
    "invert", "investigate", "invite", "invoice", "invoke", "ip", "island", "iso", "isolate", "isolation", "issue",
    "item", "iterate", "iteration", "iterator", "jail", "java", "job", "join", "joke", "journal", "jpeg", "jpg", "json",
    "juice", "jump", "junk", "just", "kde", "keep", "kernel", "key", "keyboard", "keyword", "kid", "kill", "kilobyte",
    "kilometer", "kind", "king", "kiss", "kitchen", "know", "knowledge", "lab", "label", "lack", "lag", "lambda",
    "lamp", "land", "language", "laptop", "large", "last", "late", "latency", "latest", "laugh", "launch", "law",
    "layer", "layout", "lazy", "lead", "leak", "learn", "leave", "left", "legacy", "legal", "length", "lesson", "let",
    "letter", "level", "library", "license", "lie", "life", "lift", "light", "lightweight", "like", "limit", "line",
    "linear", "link", "linux", "list", "listen", "literal", "little", "live", "load", "loader", "local", "localhost",
    "locate", "location", "lock", "locking", "log", "logger", "logging", "logic", "login", "logo", "logs", "lonely",
    "long", "look", "lookup", "loop", "lose", "loss", "lossless", "loud", "love", "low", "lower", "lowercase", "luck",
    "lunch", "mac", "machine", "macro", "magic", "mail", "mailbox", "main", "maintain", "major", "make", "malware",
    "manage", "manager", "manual", "many", "map", "mapping", "mark", "markdown", "market", "marry", "mask", "master",
    "match", "material", "math", "matrix", "matter", "max", "maximum", "maybe", "meal", "mean", "meaning", "measure",
    "meat", "mechanism", "media", "medicine", "medium", "meet", "meeting", "megabyte", "mem", "member", "memoize",
    "memory", "mental", "mention", "menu", "merge", "mesh", "mess", "message", "meta", "metadata", "metal", "meter",
    "method", "metric", "metrics", "microservice", "middle", "middleware", "midnight", "migrate", "migration", "mile",
    "milk", "mind", "minify", "minimal", "minimum", "minor", "minute", "mirror", "miss", "mistake", "mix", "mobile",
    "mock", "mode", "model", "modern", "modifier", "modify", "module", "modulo", "moment", "monday", "money", "monitor",
    "monkey", "monorepo", "month", "monthly", "mood", "moon", "morning", "mother", "motion", "mount", "mountain",
    "mouse", "move", "movie", "multi", "multiline", "multiple", "multiply", "music", "mutable", "mute", "mutex",
    "mutual", "mysterious", "name", "namespace", "naming", "narrow", "nation", "native", "natural", "nature", "near",
    "nearest", "necessary", "neck", "need", "nerd", "nest", "nested", "nesting", "network", "networking", "new",
    "newline", "news", "next", "nice", "night", "nightly", "node", "noise", "noisy", "normal", "normalize", "north",
    "notation", "note", "notebook", "notice", "notification", "notify", "novel", "number", "numeral", "numeric",
    "object", "obsolete", "obvious", "occur", "ocean", "odd", "offer", "office", "official", "offline", "offset",
    "often", "oil", "ok", "old", "online", "open", "operand", "operate", "operation", "operator", "opinion", "opposite",
    "optimal", "optimise", "optimization", "optimize", "option", "optional", "orange", "orchestrate", "order",
    "ordinal", "organise", "organize", "orientation", "origin", "original", "orphan", "outdated", "outer", "outgoing",
    "output", "outside", "overflow", "overhead", "overload", "override", "overview", "overwrite", "owner", "ownership",
    "pack", "package", "packet", "page", "pagination", "pain", "paint", "pair", "pane", "panel", "panic", "paper",
    "paragraph", "parallel", "parameter", "parent", "park", "parse", "parser", "part", "partial", "partition", "party",
    "pass", "passphrase", "password", "past", "paste", "patch", "path", "pattern", "pause", "pay", "payload", "payment",
    "pdf", "peace", "peer", "pen", "pencil", "pending", "people", "percent", "percentage", "perfect", "perform",
    "performance", "period", "permanent", "permission", "persist", "persistence", "persistent", "person", "personal",
    "pet", "phone", "phony", "photo", "phrase", "physical", "piano", "pick", "picture", "pie", "piece", "pile", "pin",
    "pink", "pipe", "pipeline", "pirate", "pixel", "pizza", "place", "placeholder", "plain", "plan", "plane", "planet",
    "plant", "plastic", "platform", "play", "player", "playlist", "pleasant", "plot", "plug", "plugin", "plus", "png",
    "pocket", "pod", "poem", "poetry", "point", "pointer", "poison", "police", "policy", "poll", "polling",
    "polymorphism", "pool", "poor", "pop", "popular", "population", "popup", "port", "portable", "position", "possible",
    "post", "poster", "potato", "power", "practice", "precedence", "precision", "prefer", "prefix", "prepare",
    "preprocess", "present", "preset", "president", "press", "pressure", "pretend", "pretty", "prevent", "previous",
    "price", "pride", "primary", "prime", "primitive", "print", "printer", "priority", "prison", "privacy", "private",
    "privilege", "probability", "probable", "problem", "procedure", "process", "processor", "produce", "producer",
    "product", "production", "productivity", "professional", "profile", "profiler", "profit", "program", "programmatic",
    "programmer", "programming", "progress", "project", "promise", "promote", "prompt", "proof", "proper", "property",
    "proportional", "propose", "protect", "protocol", "prototype", "prove", "provide", "provider", "provision", "proxy",
    "pseudo", "public", "publish", "pull", "pump", "punch", "punctuation", "pure", "purpose", "push", "puzzle",
    "quality", "quantity", "quarter", "query", "question", "queue", "quick", "quickly", "quiet", "quit", "quite",
    "quiz", "quota", "quote", "race", "radio", "rain", "raise", "ram", "random", "range", "rate", "ratio", "raw",
    "reach", "react", "read", "readable", "reader", "readonly", "ready", "real", "realtime", "reason", "rebase",
    "reboot", "recent", "recently", "recipe", "recognise", "recommend", "recommendation", "reconcile", "record",
    "recover", "recovery", "recursion", "recursive", "red", "redirect", "redirection", "reduce", "redundant",
    "refactor", "refer", "reference", "refresh", "refuse", "regex", "region", "register", "registry", "regular",
    "reject", "relate", "relation", "relational", "relative", "release", "reliable", "religion", "reload", "remain",
    "remainder", "remember", "remind", "reminder", "remote", "remove", "rename", "render", "rent", "repair", "repeat",
    "replace", "replica", "replicate", "replication", "reply", "repo", "report", "repository", "represent", "reproduce",
    "request", "require", "requirement", "rescue", "research", "reserve", "reset", "resilient", "resize", "resolution",
    "resolve", "resolver", "resource", "respond", "response", "responsive", "rest", "restart", "restaurant", "restore",
    "restrict", "result", "resume", "retention", "retrieve", "retry", "return", "reusable", "reveal", "reverse",
    "revert", "review", "rewrite", "rice", "rich", "ride", "ring", "rise", "risk", "river", "road", "robot", "robust",
    "rock", "role", "roll", "rollback", "roof", "room", "root", "rotate", "rotation", "round", "route", "router",
    "routing", "row", "rule", "run", "runtime", "rust", "sad", "safe", "safely", "safety", "sail", "salary", "salt",
    "sample", "sandbox", "sandwich", "sanitize", "saturday", "save", "scalable", "scale", "scan", "scary", "schedule",
    "scheduler", "schema", "school", "science", "scientist", "scope", "score", "scrape", "screen", "screenshot",
    "script", "scroll", "seamless", "search", "season", "seat", "second", "secret", "section", "sector", "secure",
    "security", "see", "seek", "segment", "select", "self", "sell", "semantic", "semantics", "semaphore", "send",
    "sense", "sensible", "sensor", "sentence", "separate", "separator", "sequence", "sequential", "serial", "serialize",
    "serializer", "series", "serious", "serve", "server", "serverless", "service", "session", "set", "setter",
    "setting", "setup", "severe", "shadow", "shape", "shard", "sharding", "share", "sharp", "sheet", "shell", "shift",
    "ship", "shirt", "shoe", "shoot", "shop", "short", "shortcut", "shot", "shoulder", "shout", "show", "shower",
    "shrink", "shuffle", "shut", "sibling", "sick", "side", "sign", "signal", "signature", "silent", "silly", "similar",
    "simple", "simplify", "simulate", "sing", "single", "singleton", "sister", "site", "situation", "size", "skeleton",
    "skill", "skip", "sky", "slash", "sleep", "slice", "slide", "slow", "slug", "small", "smart", "smell", "smile",
    "smoke", "smooth", "snake", "snapshot", "snippet", "snow", "soap", "social", "socket", "soft", "software",
    "soldier", "solid", "solution", "solve", "song", "sort", "sorted", "soul", "sound", "source", "south", "space",
    "spacing", "spam", "spanish", "spawn", "speak", "speaker", "special", "specific", "specification", "speed", "spell",
    "spend", "spicy", "spider", "spin", "splice", "split", "sport", "spot", "spread", "spring", "sql", "square", "ssd",
    "ssl", "stable", "stack", "staff", "stage", "staging", "stale", "standard", "star", "start", "startup", "state",
    "stateful", "stateless", "statement", "static", "station", "statistic", "statistics", "stats", "status", "stay",
    "steal", "step", "stick", "still", "stock", "stomach", "stop", "storage", "store", "storm", "story", "straight",
    "strange", "strategy", "stream", "streaming", "street", "strength", "stress", "strict", "string", "stringify",
    "strip", "strong", "struct", "structure", "stub", "student", "study", "stuff", "stupid", "style", "stylesheet",
    "subclass", "subcommand", "subdirectory", "subfolder", "subject", "submit", "submodule", "subnet", "subprocess",
    "subquery", "subscribe", "subset", "substitute", "substring", "subtitle", "subtract", "succeed", "success", "suck",
    "suffix", "sugar", "suggest", "suggestion", "suit", "sum", "summarise", "summarize", "summary", "summer", "sun",
    "sunday", "super", "support", "suppose", "surface", "surprise", "survey", "suspend", "suspicious", "swap", "sweet",
    "swim", "switch", "symbol", "symbolic", "symlink", "sync", "synchronize", "syntax", "synthetic", "system",
    "systemd", "table", "tabs", "tag", "talk", "tall", "tape", "target", "task", "taste", "tax", "tcp", "tea", "teach",
    "teacher", "team", "tech", "technical", "technique", "teeth", "telephone", "television", "tell", "temp",
    "temperature", "template", "temporary", "terabyte", "term", "terminal", "terminate", "ternary", "terrible", "test",
    "text", "thank", "theme", "theory", "thing", "think", "thread", "threshold", "throttle", "throughput", "thumbnail",
    "thursday", "ticket", "tie", "tight", "time", "timeout", "timer", "timestamp", "timezone", "tiny", "tip", "tips",
    "tired", "title", "toast", "today", "toggle", "token", "tokenizer", "tomorrow", "tool", "toolchain", "tooth", "top",
    "topic", "topology", "total", "touch", "tough", "tour", "town", "toy", "trace", "track", "trade", "traffic",
    "trail", "trailing", "train", "trait", "transaction", "transfer", "transform", "transition", "translate",
    "translation", "transparent", "travel", "traverse", "tree", "trend", "trick", "trigger", "trim", "trip", "trouble",
    "troubleshoot", "truck", "true", "truncate", "trust", "truth", "try", "tuesday", "tune", "tunnel", "tunneling",
    "tuple", "turn", "tutorial", "tweak", "txt", "type", "typo", "udp", "ugly", "unable", "unallocated", "unary",
    "uncommitted", "undefined", "underscore", "understand", "undo", "unexpected", "unfreeze", "unicode", "uninstall",
    "union", "unique", "unit", "unittest", "universal", "university", "unix", "unknown", "unlock", "unmount", "unpack",
    "unsafe", "unset", "unstage", "untracked", "unused", "unzip", "update", "upgrade", "upload", "upper", "uppercase",
    "upstream", "uptime", "uri", "url", "usage", "usb", "use", "useful", "useless", "user", "usual", "utc", "utility",
    "vacation", "valid", "validate", "validation", "validator", "valley", "value", "variable", "variant", "vary",
    "vector", "vehicle", "vendor", "verbose", "verify", "version", "versioning", "vertical", "video", "view", "village",
    "violence", "virtual", "virtualization", "virus", "visibility", "visible", "visit", "visual", "voice", "volatile",
    "volume", "vote", "vulnerability", "wait", "wake", "walk", "wall", "want", "war", "warm", "warn", "warning", "wash",
    "waste", "watch", "water", "wave", "weak", "weapon", "wear", "weather", "web", "webcam", "webhook", "webpage",
    "webserver", "website", "wedding", "wednesday", "week", "weekday", "weekend", "weekly", "weight", "weird",
    "welcome", "west", "wheel", "white", "whitespace", "whole", "wide", "widget", "width", "wife", "wifi", "wild",
    "wildcard", "win", "wind", "window", "windows", "wine", "winner", "winter", "wipe", "wire", "wireless", "wise",
    "wish", "wizard", "woman", "wonder", "wood", "word", "work", "workaround", "worker", "workflow", "workspace",
    "world", "worry", "worse", "worst", "wrap", "wrapper", "writable", "write", "wrong", "xml", "yaml", "year",
    "yearly", "yellow", "yesterday", "yield", "young", "zero", "zip", "zombie", "zone",
];

/// Says whether a word is common English: as it stands, or with an ending taken off.
pub fn is_english(word: &str) -> bool {
    if word.len() < 2 || word.len() > 24 || !word.bytes().all(|byte| byte.is_ascii_alphabetic()) {
        return false;
    }
    if has(ENGLISH, word) {
        return true;
    }
    let lower = word.to_ascii_lowercase();
    let stems = [
        ("ies", "y"),
        ("ied", "y"),
        ("es", ""),
        ("s", ""),
        ("ed", ""),
        ("ed", "e"),
        ("d", ""),
        ("ing", ""),
        ("ing", "e"),
        ("ly", ""),
        ("er", ""),
        ("er", "e"),
        ("est", ""),
        ("est", "e"),
        ("ier", "y"),
        ("iest", "y"),
    ];
    let regular = stems.iter().any(|(ending, instead)| {
        lower.strip_suffix(ending).is_some_and(|stem| stem.len() >= 2 && has_joined(stem, instead))
    });
    regular || ["ing", "ed", "er", "est"].iter().any(|ending| lower.strip_suffix(ending).is_some_and(is_doubled))
}

fn has_joined(stem: &str, ending: &str) -> bool {
    if ending.is_empty() {
        return has(ENGLISH, stem);
    }
    let mut word = String::from(stem);
    word.push_str(ending);
    has(ENGLISH, &word)
}

/// `stopp` of `stopping`: a consonant doubled before its ending.
fn is_doubled(stem: &str) -> bool {
    let mut letters = stem.bytes().rev();
    letters.next() == letters.next()
        && stem.get(..stem.len().saturating_sub(1)).is_some_and(|stem| stem.len() >= 2 && has(ENGLISH, stem))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endings_are_taken_off() {
        assert!(ENGLISH.is_sorted());
        for word in ["disk", "Files", "processes", "stopped", "running", "used", "directories", "biggest"] {
            assert!(is_english(word), "{word}");
        }
        for word in ["nginx", "gti", "foo", "kubectl", "s", "ing", "ed", ""] {
            assert!(!is_english(word), "{word}");
        }
    }
}
