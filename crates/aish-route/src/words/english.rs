//! Common English words, for telling a word of language from a name. Base forms only, sorted.

use alloc::string::String;

use super::language::has;

/// Words of everyday and technical English that are no function words.
#[rustfmt::skip]
pub const ENGLISH: &[&str] = &[
    "ability", "able", "absolute", "accept", "access", "accident", "account", "accurate", "action", "active", "actual",
    "add", "address", "adjust", "admin", "advice", "after", "age", "agent", "ahead", "alarm", "album", "alert",
    "algorithm", "align", "allow", "alone", "alphabet", "alternative", "amount", "analyse", "analysis", "analyze",
    "android", "animal", "annoy", "answer", "anyway", "apartment", "api", "app", "appear", "append", "apple",
    "application", "apply", "approach", "archive", "area", "argument", "arrange", "array", "arrow", "article", "ascii",
    "ask", "assembly", "assign", "assist", "atom", "attach", "attack", "attempt", "attention", "attribute", "audio",
    "author", "auto", "automate", "automatic", "available", "average", "avoid", "award", "away", "baby", "back",
    "backend", "background", "backup", "bad", "balance", "band", "bandwidth", "bar", "base", "basic", "basis", "bat",
    "battery", "beautiful", "become", "beer", "begin", "beginner", "behave", "behavior", "believe", "benchmark",
    "benefit", "best", "better", "big", "bigger", "bill", "binary", "bind", "bird", "birthday", "bit", "blank",
    "block", "blog", "blood", "blue", "board", "body", "bold", "book", "bookmark", "boost", "boot", "bootloader",
    "border", "bore", "boring", "borrow", "boss", "bot", "bottom", "box", "branch", "break", "brew", "bridge", "brief",
    "bright", "bring", "broadcast", "brother", "brown", "browse", "browser", "budget", "buffer", "bug", "build",
    "building", "bundle", "burn", "bus", "business", "busy", "button", "buy", "byte", "cable", "cache", "calculate",
    "calculator", "calendar", "call", "camera", "cancel", "capital", "car", "card", "care", "career", "careful",
    "carry", "case", "cash", "cat", "catch", "category", "cause", "cell", "center", "central", "cert", "certificate",
    "chain", "chance", "change", "channel", "chapter", "character", "charge", "chart", "chat", "cheap", "check",
    "cheese", "chicken", "child", "children", "chip", "choice", "choose", "chrome", "church", "circle", "city",
    "claim", "class", "classic", "clean", "cleanup", "clear", "click", "client", "clip", "clipboard", "clock", "clone",
    "close", "cloud", "cluster", "code", "coffee", "cold", "collect", "collection", "color", "colour", "column",
    "combine", "come", "comma", "command", "comment", "commit", "common", "communicate", "company", "compare",
    "compile", "compiler", "complain", "complete", "complex", "compress", "compute", "computer", "concept",
    "condition", "config", "configuration", "configure", "confirm", "conflict", "confuse", "connect", "connection",
    "consider", "console", "constant", "consume", "consumer", "consumption", "contain", "container", "content",
    "context", "continue", "contract", "control", "convert", "cook", "cookie", "cool", "coordinate", "copy", "core",
    "corner", "correct", "corrupt", "cost", "country", "couple", "course", "court", "cover", "cpu", "crash", "crazy",
    "create", "credential", "credit", "cron", "cross", "cry", "css", "csv", "culture", "cup", "currency", "current",
    "cursor", "customer", "cut", "cycle", "daemon", "daily", "damage", "dance", "danger", "dangerous", "dark", "dash",
    "data", "database", "date", "day", "dead", "deal", "death", "debug", "decide", "decimal", "decision", "declare",
    "decode", "decrease", "deep", "default", "define", "definition", "degree", "delay", "delete", "deliver", "demand",
    "deny", "department", "depend", "dependency", "deploy", "deployment", "depth", "describe", "description", "design",
    "desktop", "destroy", "detail", "detect", "develop", "developer", "device", "diagram", "dictionary", "die",
    "difference", "different", "difficult", "digit", "digital", "dinner", "direct", "direction", "directory", "dirty",
    "disable", "disc", "disconnect", "discover", "discuss", "disk", "display", "distance", "distribution", "divide",
    "dns", "docs", "doctor", "document", "documentation", "dog", "dollar", "domain", "door", "dot", "double", "doubt",
    "download", "draft", "drag", "draw", "dream", "dress", "drink", "drive", "driver", "drop", "dump", "duplicate",
    "duration", "dust", "duty", "dynamic", "ear", "early", "earth", "easily", "east", "easter", "easy", "eat",
    "economy", "edge", "edit", "editor", "education", "effect", "efficient", "effort", "egg", "eject", "element",
    "email", "emergency", "emoji", "empty", "emulator", "enable", "encode", "encoding", "encrypt", "end", "endpoint",
    "enemy", "energy", "engine", "engineer", "english", "enjoy", "enough", "ensure", "enter", "entire", "entry",
    "environment", "equal", "error", "escape", "estimate", "euro", "evening", "event", "everyday", "evil", "exact",
    "examine", "example", "excel", "exception", "exclude", "executable", "execute", "exercise", "exist", "expect",
    "expensive", "experience", "expert", "expire", "explain", "explanation", "explore", "export", "express",
    "expression", "extension", "external", "extra", "extract", "eye", "face", "fact", "factor", "fail", "failure",
    "fair", "fall", "false", "familiar", "family", "famous", "fan", "far", "farm", "fast", "fat", "father", "fault",
    "favorite", "fear", "feature", "feed", "feel", "fetch", "field", "fight", "figure", "file", "fill", "film",
    "filter", "final", "finance", "fine", "finger", "finish", "fire", "firewall", "firmware", "first", "fish", "fix",
    "flag", "flaky", "flash", "flat", "flight", "flip", "floor", "flow", "flower", "fly", "focus", "folder", "follow",
    "font", "food", "fool", "foot", "force", "foreign", "forget", "fork", "form", "formal", "format", "forward",
    "frame", "framework", "france", "free", "freeze", "french", "frequency", "frequent", "fresh", "friday", "friend",
    "front", "frontend", "frozen", "fruit", "full", "fun", "function", "funny", "furniture", "future", "game", "gap",
    "garbage", "garden", "gas", "gateway", "gear", "general", "generate", "generation", "german", "gift", "gigabyte",
    "girl", "give", "glass", "global", "gnome", "goal", "gold", "good", "google", "government", "gpu", "grade",
    "graph", "graphic", "gray", "great", "green", "grey", "ground", "group", "grow", "guess", "guest", "guide",
    "guitar", "gun", "guy", "hack", "hair", "half", "hand", "handle", "hang", "happen", "happy", "hard", "hardware",
    "hash", "hate", "head", "header", "health", "hear", "heart", "heat", "heavy", "height", "help", "hero", "hex",
    "hidden", "hide", "high", "highlight", "history", "hit", "hobby", "hog", "hold", "hole", "holiday", "home", "hope",
    "horse", "hospital", "host", "hostname", "hot", "hotel", "hour", "house", "html", "huge", "human", "hundred",
    "hungry", "hurt", "icon", "idea", "identify", "idle", "ignore", "image", "imagine", "implement", "import",
    "important", "improve", "include", "income", "increase", "indent", "index", "indicate", "individual", "info",
    "inform", "information", "init", "initial", "inject", "inode", "input", "insert", "inside", "inspect", "install",
    "installation", "instance", "instruction", "integer", "integrate", "interest", "interface", "internal", "internet",
    "interpreter", "interrupt", "introduce", "invalid", "investigate", "invite", "invoice", "ip", "island", "iso",
    "issue", "item", "jail", "java", "job", "join", "joke", "journal", "jpeg", "jpg", "json", "juice", "jump", "junk",
    "just", "kde", "keep", "kernel", "key", "keyboard", "keyword", "kid", "kill", "kilobyte", "kilometer", "kind",
    "king", "kiss", "kitchen", "know", "knowledge", "lab", "label", "lack", "lag", "lamp", "land", "language",
    "laptop", "large", "last", "late", "latency", "latest", "laugh", "launch", "law", "layer", "layout", "lazy",
    "lead", "leak", "learn", "leave", "left", "legacy", "legal", "length", "lesson", "let", "letter", "level",
    "library", "license", "lie", "life", "lift", "light", "like", "limit", "line", "link", "linux", "list", "listen",
    "literal", "little", "live", "load", "local", "locate", "location", "lock", "log", "logic", "login", "logo",
    "logs", "lonely", "long", "look", "loop", "lose", "loss", "loud", "love", "low", "lower", "lowercase", "luck",
    "lunch", "mac", "machine", "magic", "mail", "mailbox", "main", "maintain", "major", "make", "malware", "manage",
    "manager", "manual", "many", "map", "mark", "market", "marry", "mask", "master", "match", "material", "math",
    "matrix", "matter", "max", "maximum", "maybe", "meal", "mean", "meaning", "measure", "meat", "mechanism", "media",
    "medicine", "medium", "meet", "meeting", "megabyte", "mem", "member", "memory", "mental", "mention", "menu",
    "merge", "mess", "message", "meta", "metal", "meter", "method", "metric", "metrics", "middle", "midnight",
    "migrate", "mile", "milk", "mind", "minimum", "minor", "minute", "mirror", "miss", "mistake", "mix", "mobile",
    "mode", "model", "modern", "modify", "module", "moment", "monday", "money", "monitor", "monkey", "month",
    "monthly", "mood", "moon", "morning", "mother", "motion", "mount", "mountain", "mouse", "move", "movie", "mp3",
    "mp4", "multiply", "music", "mute", "mysterious", "name", "narrow", "nation", "native", "natural", "nature",
    "near", "nearest", "necessary", "neck", "need", "nerd", "nest", "network", "new", "news", "next", "nice", "night",
    "node", "noise", "noisy", "normal", "north", "note", "notebook", "notice", "notification", "notify", "novel",
    "number", "object", "obvious", "occur", "ocean", "odd", "offer", "office", "official", "offline", "often", "oil",
    "ok", "old", "online", "open", "operate", "operation", "opinion", "opposite", "optimise", "optimize", "option",
    "orange", "order", "organise", "organize", "orientation", "origin", "original", "orphan", "outdated", "outer",
    "output", "outside", "overflow", "override", "overview", "overwrite", "owner", "pack", "package", "packet", "page",
    "pain", "paint", "pair", "panel", "panic", "paper", "paragraph", "parallel", "parameter", "parent", "park",
    "parse", "part", "partition", "party", "pass", "password", "past", "paste", "patch", "path", "pattern", "pause",
    "pay", "payment", "pdf", "peace", "peer", "pen", "pencil", "people", "percent", "percentage", "perfect", "perform",
    "performance", "period", "permanent", "permission", "persist", "person", "personal", "pet", "phone", "photo",
    "phrase", "physical", "piano", "pick", "picture", "pie", "piece", "pile", "pin", "pink", "pipe", "pipeline",
    "pirate", "pizza", "place", "plain", "plan", "plane", "planet", "plant", "plastic", "platform", "play", "player",
    "playlist", "pleasant", "plot", "plug", "plugin", "plus", "png", "pocket", "pod", "poem", "poetry", "point",
    "poison", "police", "policy", "poll", "pool", "poor", "pop", "popular", "population", "port", "position",
    "possible", "post", "poster", "potato", "power", "practice", "prefer", "prefix", "prepare", "present", "president",
    "press", "pressure", "pretend", "pretty", "prevent", "previous", "price", "pride", "primary", "prime", "print",
    "printer", "priority", "prison", "privacy", "private", "probability", "probable", "problem", "procedure",
    "process", "processor", "produce", "product", "production", "professional", "profile", "profit", "program",
    "programmer", "programming", "progress", "project", "promise", "promote", "prompt", "proof", "proper", "property",
    "propose", "protect", "protocol", "prove", "provide", "proxy", "public", "publish", "pull", "pump", "punch",
    "pure", "purpose", "push", "puzzle", "quality", "quantity", "quarter", "query", "question", "queue", "quick",
    "quickly", "quiet", "quit", "quite", "quiz", "quote", "race", "radio", "rain", "raise", "ram", "random", "range",
    "rate", "ratio", "raw", "reach", "react", "read", "reader", "ready", "real", "reason", "reboot", "recent",
    "recently", "recipe", "recognise", "recommend", "recommendation", "record", "recover", "recovery", "recursion",
    "recursive", "red", "redirect", "reduce", "refactor", "refer", "reference", "refresh", "refuse", "regex", "region",
    "register", "regular", "reject", "relate", "relation", "release", "reliable", "religion", "reload", "remain",
    "remember", "remind", "reminder", "remote", "remove", "rename", "rent", "repair", "repeat", "replace", "reply",
    "repo", "report", "repository", "represent", "request", "require", "requirement", "rescue", "research", "reserve",
    "reset", "resize", "resolution", "resolve", "resource", "respond", "response", "rest", "restart", "restaurant",
    "restore", "restrict", "result", "resume", "retry", "return", "reveal", "reverse", "revert", "review", "rewrite",
    "rice", "rich", "ride", "ring", "rise", "risk", "river", "road", "robot", "rock", "role", "roll", "rollback",
    "roof", "room", "root", "rotate", "round", "route", "router", "row", "rule", "run", "runtime", "sad", "safe",
    "safely", "safety", "sail", "salary", "salt", "sample", "sandwich", "saturday", "save", "scale", "scan", "scary",
    "schedule", "schema", "school", "science", "scientist", "scope", "score", "screen", "screenshot", "script",
    "scroll", "search", "season", "seat", "second", "secret", "section", "sector", "secure", "security", "see", "seek",
    "select", "self", "sell", "send", "sense", "sensible", "sensor", "sentence", "separate", "sequence", "serial",
    "series", "serious", "serve", "server", "service", "session", "set", "setting", "setup", "severe", "shadow",
    "shape", "share", "sharp", "shell", "shift", "ship", "shirt", "shoe", "shoot", "shop", "short", "shortcut", "shot",
    "shoulder", "shout", "show", "shower", "shrink", "shuffle", "shut", "sick", "side", "sign", "signal", "silent",
    "silly", "similar", "simple", "simplify", "sing", "single", "sister", "site", "situation", "size", "skill", "skip",
    "sky", "slash", "sleep", "slide", "slow", "small", "smart", "smell", "smile", "smoke", "smooth", "snake",
    "snapshot", "snippet", "snow", "soap", "social", "socket", "soft", "software", "soldier", "solid", "solution",
    "solve", "song", "sort", "soul", "sound", "source", "south", "space", "spam", "spanish", "speak", "speaker",
    "special", "specific", "speed", "spell", "spend", "spicy", "spider", "spin", "split", "sport", "spot", "spread",
    "spring", "sql", "square", "ssd", "ssl", "stable", "staff", "stage", "standard", "star", "start", "state",
    "statement", "static", "station", "statistic", "statistics", "stats", "status", "stay", "steal", "step", "stick",
    "still", "stock", "stomach", "stop", "storage", "store", "storm", "story", "straight", "strange", "strategy",
    "stream", "street", "strength", "stress", "strict", "string", "strip", "strong", "structure", "student", "study",
    "stuff", "stupid", "style", "subdirectory", "subfolder", "subject", "submit", "subnet", "subscribe", "substring",
    "subtitle", "subtract", "succeed", "success", "suck", "suffix", "sugar", "suggest", "suggestion", "suit", "sum",
    "summarise", "summarize", "summary", "summer", "sun", "sunday", "super", "support", "suppose", "surface",
    "surprise", "survey", "suspend", "suspicious", "swap", "sweet", "swim", "switch", "symbol", "symlink", "sync",
    "syntax", "system", "table", "tag", "talk", "tall", "tape", "target", "task", "taste", "tax", "tcp", "tea",
    "teach", "teacher", "team", "tech", "technical", "technique", "teeth", "telephone", "television", "tell", "temp",
    "temperature", "template", "temporary", "terabyte", "term", "terminal", "terrible", "test", "text", "thank",
    "theme", "theory", "thing", "think", "thread", "thumbnail", "thursday", "ticket", "tie", "tight", "time",
    "timeout", "timer", "timestamp", "timezone", "tiny", "tip", "tips", "tired", "title", "toast", "today", "toggle",
    "token", "tomorrow", "tool", "tooth", "top", "topic", "total", "touch", "tough", "tour", "town", "toy", "trace",
    "track", "trade", "traffic", "trail", "train", "transaction", "transfer", "transform", "translate", "translation",
    "transparent", "travel", "tree", "trend", "trick", "trigger", "trim", "trip", "trouble", "troubleshoot", "truck",
    "true", "truncate", "trust", "truth", "try", "tuesday", "tune", "tunnel", "turn", "tutorial", "txt", "type",
    "typo", "udp", "ugly", "unable", "unallocated", "uncommitted", "understand", "undo", "unexpected", "unfreeze",
    "unicode", "uninstall", "unique", "unit", "university", "unix", "unknown", "unlock", "unmount", "unpack", "unset",
    "unstage", "untracked", "unused", "unzip", "update", "upgrade", "upload", "upper", "uppercase", "upstream",
    "uptime", "uri", "url", "usage", "usb", "use", "useful", "useless", "user", "usual", "utc", "utility", "vacation",
    "valid", "validate", "valley", "value", "variable", "variant", "vary", "vehicle", "verify", "version", "vertical",
    "video", "view", "village", "violence", "virtual", "virus", "visible", "visit", "visual", "voice", "volume",
    "vote", "wait", "wake", "walk", "wall", "want", "war", "warm", "warn", "warning", "wash", "waste", "watch",
    "water", "wave", "weak", "weapon", "wear", "weather", "web", "webcam", "webpage", "webserver", "website",
    "wedding", "wednesday", "week", "weekday", "weekend", "weekly", "weight", "weird", "welcome", "west", "wheel",
    "white", "whole", "wide", "widget", "width", "wife", "wifi", "wild", "win", "wind", "window", "windows", "wine",
    "winner", "winter", "wipe", "wire", "wireless", "wise", "wish", "woman", "wonder", "wood", "word", "work",
    "worker", "workflow", "workspace", "world", "worry", "worse", "worst", "wrap", "write", "wrong", "xml", "yaml",
    "year", "yearly", "yellow", "yesterday", "young", "zero", "zip", "zombie", "zone",
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
