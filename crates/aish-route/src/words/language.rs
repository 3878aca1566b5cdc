//! Words of language. All lists are sorted, so that they can be searched by halves.

/// Function words that are hardly ever arguments of a command.
#[rustfmt::skip]
pub const STRONG: &[&str] = &[
    "about", "although", "am", "an", "anymore", "anyone", "anything", "are", "aren't", "because", "been", "can't",
    "cannot", "could", "couldn't", "did", "didn't", "does", "doesn", "doesn't", "don't", "every", "everybody",
    "everyone", "everything", "fails", "has", "hasn", "hasn't", "have", "haven't", "he", "her", "hers", "his", "how",
    "hows", "i", "i'd", "i'll", "i'm", "i've", "im", "into", "is", "isn", "isn't", "it", "it's", "its", "keeps",
    "let's", "lets", "me", "mine", "my", "myself", "nobody", "nothing", "of", "our", "ours", "please", "returns",
    "says", "she", "should", "shouldn't", "somebody", "someone", "something", "than", "that", "that's", "thats", "the",
    "their", "theirs", "them", "there", "there's", "these", "they", "they're", "this", "those", "though", "unless",
    "us", "versus", "vs", "was", "wasn't", "we're", "were", "what", "what's", "whats", "when", "whenever", "where",
    "where's", "wherever", "whether", "which", "whichever", "while", "who", "who's", "whose", "why", "will", "with",
    "without", "won't", "would", "wouldn't", "you", "you're", "your", "yours", "yourself",
];

/// Function words that may also be an argument (`make all`, `docker compose up`).
#[rustfmt::skip]
pub const WEAK: &[&str] = &[
    "a", "about", "above", "across", "after", "again", "against", "ago", "all", "along", "already", "also", "always",
    "among", "and", "another", "any", "around", "as", "at", "be", "before", "behind", "below", "between", "bigger",
    "biggest", "both", "but", "by", "can", "could", "do", "down", "during", "each", "either", "else", "enough", "ever",
    "every", "everything", "except", "few", "file", "files", "first", "folder", "for", "from", "given", "here", "if",
    "in", "inside", "it's", "just", "larger", "largest", "last", "later", "latest", "least", "like", "longer", "lots",
    "many", "may", "might", "more", "most", "much", "must", "named", "near", "neither", "never", "new", "newer",
    "newest", "no", "nor", "not", "now", "off", "older", "oldest", "on", "once", "only", "onto", "or", "other", "out",
    "over", "own", "per", "really", "recursively", "right", "running", "same", "several", "since", "smaller",
    "smallest", "so", "some", "soon", "starting", "still", "such", "then", "through", "to", "today", "tomorrow",
    "tonight", "too", "toward", "towards", "twice", "under", "until", "up", "upon", "us", "using", "very", "via", "we",
    "whereas", "within", "without", "words", "yesterday", "yet",
];

/// Words that tell what a command does or did (`curl says …`, `docker keeps …`), or ask politely.
#[rustfmt::skip]
pub const NARRATIVE: &[&str] = &[
    "alternative", "alternatives", "anymore", "breaks", "broke", "broken", "cheatsheet", "complaining", "complains",
    "confusing", "crashed", "crashes", "denied", "died", "dies", "err", "explain", "explained", "explanation", "fail",
    "failed", "failing", "fails", "faster", "gave", "gets", "gives", "got", "hangs", "hung", "instead", "keeps",
    "looks", "means", "misses", "missing", "needs", "outputs", "please", "pls", "plz", "printed", "prints", "refused",
    "refuses", "reports", "returned", "returns", "said", "says", "seems", "showed", "shows", "slow", "slower",
    "stopped", "stuck", "takes", "tells", "thinks", "though", "throws", "took", "tutorial", "uses", "versus", "vs",
    "wants", "won't", "worked", "works", "writes",
];

/// Verbs that tell about a command or a thing, anywhere behind the first word.
#[rustfmt::skip]
pub const VERBS: &[&str] = &[
    "are", "aren't", "breaks", "broke", "can't", "cannot", "cant", "complains", "couldn't", "crashed", "crashes",
    "did", "didn't", "does", "doesn't", "doesnt", "don't", "dont", "exits", "explained", "failed", "fails", "freezes",
    "gives", "hangs", "hung", "is", "isn't", "isnt", "keeps", "means", "prints", "refuses", "returns", "says", "shows",
    "takes", "throws", "was", "wasn't", "were", "won't", "wont", "works", "wouldn't",
];

/// Words that link others, in the middle of a sentence or right behind a command.
#[rustfmt::skip]
pub const LINKS: &[&str] = &[
    "and", "as", "at", "because", "but", "by", "for", "from", "if", "in", "into", "on", "onto", "or", "so", "than",
    "then", "to", "until", "when", "while", "with", "without",
];

/// Function words of other languages.
#[rustfmt::skip]
pub const FOREIGN: &[&str] = &[
    "aan", "aber", "acá", "adesso", "agora", "ainda", "aku", "algum", "algunas", "algunos", "ali", "alla", "alle",
    "alles", "allez", "alors", "als", "altijd", "alto", "anche", "ano", "apa", "aquí", "archivo", "archivos", "así",
    "até", "au", "auf", "aus", "aussi", "autre", "aux", "avant", "avec", "ayer", "ayúdame", "bagaimana", "bakit",
    "bana", "bardzo", "bei", "ber", "berapa", "bestand", "bestanden", "bien", "bir", "bitte", "buat", "busca", "c'est",
    "cada", "carpeta", "carpetas", "cartella", "cela", "celui", "ces", "cet", "cette", "chaque", "che", "chez", "cho",
    "combien", "come", "comme", "comment", "commitnij", "como", "con", "cosa", "cuales", "cuando", "cuanto", "cuál",
    "cuánta", "cuánto", "cuántos", "cwyd", "các", "cât", "cả", "của", "d'un", "d'une", "daar", "daha", "dal", "dalla",
    "dan", "dann", "dans", "dari", "darum", "das", "dass", "dat", "datei", "dateien", "datoteka", "datoteke", "davon",
    "de", "dein", "deine", "deja", "del", "della", "delle", "dem", "den", "dengan", "denn", "depuis", "der", "dernier",
    "derniers", "dernière", "des", "desde", "dette", "deze", "değil", "di", "die", "diesem", "diesen", "dieser",
    "dieses", "dime", "dit", "doch", "donde", "dort", "dossier", "dossiers", "dove", "durch", "działa", "dónde", "een",
    "ein", "eine", "einem", "einen", "einer", "eines", "el", "elenca", "elke", "ella", "ellos", "en", "entre", "er",
    "eram", "erkläre", "es", "esa", "ese", "eso", "esos", "essa", "essas", "esse", "esses", "est", "esta", "estas",
    "este", "esto", "estos", "está", "están", "estão", "et", "eu", "eğer", "faire", "fais", "fait", "fazer",
    "ficheiro", "ficheiros", "fichier", "fichiers", "fișierele", "folgende", "fonctionne", "fonctionnent", "fra",
    "fram", "från", "fuer", "funciona", "funcionan", "funktioniert", "funziona", "für", "gdje", "gdzie", "geen",
    "geht", "gibt", "gibt's", "giù", "gli", "grande", "grandes", "groß", "große", "größer", "größte", "größten", "gì",
    "haar", "habe", "haben", "hacer", "haciendo", "hasta", "hay", "heb", "het", "heute", "hoe", "hoeveel", "hogyan",
    "hol", "hola", "hoy", "hvad", "hvilke", "hvilken", "hvis", "hvor", "hvordan", "hvorfor", "hány", "ich", "ihr",
    "ihre", "ik", "il", "im", "immer", "ingen", "ini", "inte", "introduire", "isso", "ist", "isto", "istruzioni",
    "itu", "için", "j'ai", "ja", "jag", "jak", "jaka", "jaki", "jakie", "jede", "jeden", "jeder", "jedes", "jeg",
    "jest", "jetzt", "jouw", "kaikki", "kako", "kan", "kann", "kannst", "kaç", "kde", "kein", "keine", "keinen",
    "kello", "kenapa", "không", "klappt", "koji", "kolik", "koliko", "které", "který", "która", "które", "kuinka",
    "kung", "können", "l'ordinateur", "la", "laatste", "las", "lass", "lasse", "le", "les", "letzte", "letzten",
    "letzter", "leur", "liegt", "lijst", "lista", "liste", "lo", "los", "lui", "là", "lös", "lösche", "maak", "mach",
    "mache", "machen", "mais", "marche", "mas", "mayor", "mayores", "mehr", "mein", "meine", "meinem", "meinen",
    "meiner", "melyik", "mengapa", "mennyi", "mentre", "mes", "met", "mettre", "meu", "meus", "mi", "mia", "mie",
    "miei", "mij", "mijn", "miksi", "mikä", "mio", "missä", "mit", "miten", "mitä", "miért", "mne", "moi", "moja",
    "moje", "mon", "mostra", "mostrar", "mu", "muestra", "muss", "muéstrame", "más", "mês", "mój", "mü", "mı", "n'est",
    "na", "naar", "nach", "nasıl", "neden", "nedir", "nel", "nella", "nelle", "nello", "nerede", "như", "nich",
    "nicht", "nie", "niet", "niçin", "noch", "noi", "nos", "nosotros", "nostro", "notre", "nous", "nueva", "nuevo",
    "numa", "nur", "nye", "nào", "não", "när", "näytä", "ob", "och", "oder", "oft", "ogni", "ohne", "olan", "om",
    "ook", "op", "os", "ostatni", "ou", "oui", "overzicht", "où", "paano", "para", "parce", "pas", "pela", "pelo",
    "per", "perché", "pero", "peut", "peux", "pełny", "pode", "poder", "podes", "poi", "por", "porque", "porta",
    "posso", "pour", "pourquoi", "pourrais", "prikaži", "proč", "przez", "próximo", "pueda", "puede", "puedes",
    "puedo", "qu'est-ce", "quais", "qual", "quale", "quali", "quand", "quando", "quanta", "quante", "quanti", "quanto",
    "quantos", "que", "quel", "quelle", "quelles", "quels", "quem", "questa", "queste", "questi", "questo", "qui",
    "quien", "quiere", "quiero", "quindi", "quién", "quoi", "sao", "saya", "schreibe", "sein", "seine", "selon", "sem",
    "semua", "ser", "servidor", "será", "seu", "sich", "sie", "sind", "skift", "skriv", "slå", "sollte", "sono",
    "sonra", "sont", "sou", "soubory", "sous", "soy", "staat", "starte", "sua", "sul", "sulla", "sunt", "suo", "sur",
    "sve", "så", "tambien", "también", "também", "tampilkan", "tem", "tengo", "tenho", "teu", "thế", "tidak",
    "tiedostot", "tiene", "tienen", "toate", "toch", "toda", "todas", "todos", "toen", "toon", "tous", "toute",
    "toutes", "trop", "troppo", "trouve", "trova", "trên", "tua", "tudo", "tutte", "tutti", "tutto", "två", "tôi",
    "tüm", "tại", "tất", "ueber", "uit", "ukaž", "ultima", "ultimi", "ultimo", "um", "uma", "un", "una", "unas", "und",
    "unde", "une", "uno", "unos", "unser", "unsere", "unter", "untuk", "vam", "van", "vanaf", "varför", "veel",
    "vergeet", "vers", "verso", "verwijder", "viel", "viele", "vis", "visa", "você", "voglio", "voilà", "volgende",
    "vom", "von", "voor", "vor", "vorrei", "votre", "vous", "všechny", "waar", "waarom", "wann", "waren", "warum",
    "wat", "weil", "welche", "welcher", "welches", "welk", "welke", "wenn", "wer", "werden", "werkt", "weshalb", "wie",
    "wieso", "wieviel", "wir", "wird", "wo", "wobei", "woher", "worden", "worum", "wäre", "würde", "yang", "zašto",
    "zeig", "zeige", "zeigen", "zijn", "zobraz", "zoek", "zonder", "zu", "zum", "zur", "zwei", "är", "çalışmıyor",
    "çok", "è", "é", "és", "önce", "última", "último", "últimos", "über", "şimdi", "şu", "że", "żeby",
];

/// Words that people say to people, in many languages.
#[rustfmt::skip]
pub const GREETINGS: &[&str] = &[
    "adios", "adiós", "ahoj", "aide", "aiuto", "ajuda", "aloha", "annyeong", "apua", "arigato", "arigatou",
    "arrivederci", "awesome", "ayuda", "bedankt", "bitte", "bonjour", "bonsoir", "buenas", "buenos", "bună",
    "buongiorno", "bye", "cheers", "ciao", "cool", "cya", "cześć", "danke", "dobar", "doei", "dzięki", "dziękuję",
    "díky", "děkuji", "evet", "gamsahamnida", "genau", "goedemorgen", "goodbye", "gracias", "grazie", "great",
    "greetings", "gut", "haha", "hallo", "halo", "hayır", "hei", "hej", "hejsan", "hello", "help-me", "hey", "hi",
    "hilfe", "hiya", "hjelp", "hjälp", "hjælp", "hmm", "hoi", "hola", "howdy", "hulp", "hvala", "ja", "japp", "jawohl",
    "kasih", "kiitos", "klar", "konnichiwa", "köszönöm", "lol", "merci", "merhaba", "moin", "mulțumesc", "namaste",
    "nee", "nein", "nej", "nice", "nihao", "non", "nope", "não", "obrigada", "obrigado", "oi", "ok", "okay", "olá",
    "oui", "perfect", "please", "pomoc", "prego", "privet", "salam", "salut", "salve", "sawadee", "sağol", "selam",
    "servus", "shalom", "shukran", "sim", "sorry", "spasibo", "stop", "sure", "szia", "sí", "tack", "takk", "tamam",
    "tchau", "terima", "teşekkürler", "thank", "thanks", "thx", "tschüss", "ty", "vale", "weiter", "welcome", "wow",
    "xiexie", "yardım", "yeah", "yep", "yo", "zdravo",
];

/// First words that begin a question or a request and are no commands.
#[rustfmt::skip]
pub const STARTERS: &[&str] = &[
    "actually", "add", "after", "again", "also", "although", "am", "analyse", "analyze", "annotate", "answer", "any",
    "anybody", "anyone", "anything", "are", "aren't", "arrange", "ask", "assume", "automate", "back", "backup",
    "because", "before", "begin", "best", "both", "briefly", "bring", "build", "but", "calculate", "can", "can't",
    "cannot", "capitalize", "change", "check", "choose", "clean", "clone", "close", "collect", "combine", "commit",
    "compare", "compile", "compress", "compute", "concatenate", "configure", "connect", "consider", "construct",
    "continue", "contrast", "copy", "could", "couldn't", "count", "create", "debug", "decode", "decompress",
    "decrease", "deduplicate", "define", "delete", "deploy", "describe", "detect", "determine", "diagnose", "did",
    "didn't", "differentiate", "disable", "disconnect", "discuss", "display", "divide", "do", "document", "does",
    "doesn't", "don't", "dont", "double", "download", "draft", "draw", "drop", "dump", "edit", "elaborate", "empty",
    "enable", "encode", "encrypt", "ensure", "erase", "erkläre", "estimate", "evaluate", "every", "everybody",
    "everyone", "everything", "examine", "expand", "explain", "explore", "express", "extract", "fetch", "figure",
    "fill", "filter", "find-out", "finde", "finish", "fix", "flatten", "for", "forget", "format", "free", "from",
    "further", "generate", "get", "give", "good", "great", "group", "guess", "guide", "has", "have", "he", "hello",
    "her", "hey", "hi", "hide", "highlight", "him", "his", "hmm", "how", "however", "hows", "i", "i'd", "i'm", "i've",
    "identify", "if", "im", "imagine", "implement", "improve", "in", "include", "increase", "increment", "indent",
    "insert", "inspect", "instead", "invent", "investigate", "is", "isn't", "it", "it's", "its", "just", "keep",
    "kindly", "label", "launch", "learn", "let's", "lets", "limit", "list", "locate", "lock", "log", "look", "lower",
    "lösche", "mach", "maybe", "measure", "merge", "might", "migrate", "modify", "monitor", "move", "multiply", "my",
    "name", "need", "never", "next", "no", "nobody", "nothing", "notify", "now", "observe", "oh", "ok", "okay", "on",
    "once", "one", "only", "open", "optimise", "optimize", "or", "order", "organize", "our", "outline", "overwrite",
    "pack", "parse", "perform", "perhaps", "permit", "pick", "plan", "please", "plot", "pls", "plz", "post", "prepare",
    "pretend", "print", "produce", "propose", "protect", "prove", "provide", "publish", "pull", "push", "put", "query",
    "quick", "quickly", "quit", "rank", "rate", "reboot", "rebuild", "recall", "recap", "recommend", "record",
    "recover", "redo", "reduce", "refactor", "reformat", "reinstall", "reload", "remember", "remind", "remove",
    "rename", "renew", "reorder", "repeat", "rephrase", "replace", "reply", "report", "reproduce", "resize", "resolve",
    "respond", "restart", "restore", "resume", "retrieve", "retry", "return", "reverse", "revert", "review", "rewrite",
    "roll", "round", "run", "sample", "save", "scan", "schedule", "schreibe", "search", "secure", "see", "select",
    "send", "separate", "serve", "set", "setup", "shall", "share", "she", "shorten", "should", "show", "shrink",
    "shut", "shutdown", "simplify", "simulate", "since", "sing", "sketch", "skip", "so", "solve", "some", "somebody",
    "someone", "something", "sort-of", "speed", "spell", "split", "start", "stop", "store", "strip", "study",
    "substitute", "subtract", "suche", "suggest", "sum", "summarise", "summarize", "suppose", "sure", "swap", "switch",
    "take", "teach", "tell", "thank", "thanks", "that", "the", "theirs", "them", "then", "there", "these", "they",
    "they're", "think", "this", "though", "today", "today's", "toggle", "tomorrow", "track", "train", "transfer",
    "transform", "translate", "trim", "troubleshoot", "truncate", "try", "tune", "turn", "type", "uncompress", "under",
    "undo", "uninstall", "unless", "unlock", "unpack", "until", "update", "upgrade", "upload", "use", "validate",
    "verify", "visualize", "wait", "walk", "wanna", "want", "warn", "was", "we", "we're", "were", "what", "what's",
    "whats", "when", "where", "where's", "wherever", "whether", "which", "while", "who", "whom", "whose", "why",
    "will", "with", "won't", "would", "wow", "write", "yeah", "yep", "yes", "yesterday", "yet", "you", "you're",
    "your", "zeig", "zeige", "zeigt", "zip", "zoom", "öffne",
];

/// Parts of words that only a sentence has, in scripts that put no blanks between words.
pub const PARTICLES: &[&str] = &[
    "怎么",
    "怎麼",
    "如何",
    "什么",
    "什麼",
    "为什么",
    "吗",
    "请",
    "哪",
    "多少",
    "是否",
    "帮我",
    "を",
    "って",
    "です",
    "ます",
    "ください",
    "方法",
    "使い方",
    "なぜ",
    "어떻게",
    "왜",
    "방법",
    "해줘",
    "하는",
    "뭐",
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
        for list in [STRONG, WEAK, NARRATIVE, VERBS, LINKS, FOREIGN, GREETINGS, STARTERS] {
            assert!(list.is_sorted(), "{:?}", list.windows(2).find(|pair| pair[0] > pair[1]));
        }
    }
}
