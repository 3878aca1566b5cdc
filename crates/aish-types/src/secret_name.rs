//! Whether a name says that what it names is a secret: `API_TOKEN`, `--password`, `?key=`, `clientSecret`.
//!
//! There is one table of words. A row says in which contexts its word counts, and how: as a whole word, at the end of one, or in any
//! part of the name. What a context does beyond that is in [`NameContext`]. Names are compared without regard to the case of letters.

use self::NameContext::{Confined, Judged, Parameter, Suspected, Text, Variable};

/// Where a name stands, and so what a wrong answer costs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NameContext {
    /// A parameter of a URL, whose value is masked: any of its words counts.
    Parameter,
    /// An option, header or field of a text, whose value is masked. Its last word counts, `camelCase` too: `--token-file` names a
    /// file.
    Text,
    /// A variable whose value is taken out of every text, which is torn where the value is an ordinary word. Its last word counts.
    Variable,
    /// A variable that a command line uses, which surely holds a secret: it does not go to another machine unasked. Any part
    /// counts, since a name too many costs a question.
    Judged,
    /// The same, which may hold one: it is asked about where it is shown. Names in small letters are those of a script, and
    /// names that end with a word like `FILE` are about a secret and hold none.
    Suspected,
    /// A variable or a setting that a confined command does without. Any part counts, and what is only about a secret goes too:
    /// such a command rarely needs it.
    Confined,
}

impl NameContext {
    /// Returns whether the last word alone says what a name is.
    const fn reads_last_word(self) -> bool {
        matches!(self, Text | Variable | Judged)
    }

    /// Returns whether a number behind a word leaves its sense: `PASSWORD2`.
    const fn reads_past_numbers(self) -> bool {
        !matches!(self, Judged)
    }
}

/// A set of contexts.
#[derive(Clone, Copy)]
struct Contexts(u8);

impl Contexts {
    const fn of(contexts: &[NameContext]) -> Self {
        let mut set = 0;
        let mut rest = contexts;
        while let [context, others @ ..] = rest {
            set |= 1 << *context as u8;
            rest = others;
        }
        Self(set)
    }

    const fn has(self, context: NameContext) -> bool {
        self.0 & (1 << context as u8) != 0
    }
}

/// A word, and the contexts in which it counts.
struct Row {
    word: &'static str,
    /// As a whole word.
    whole: Contexts,
    /// At the end of a word.
    end: Contexts,
    /// In any part of the name.
    part: Contexts,
}

const fn row(word: &'static str, whole: Contexts, end: Contexts, part: Contexts) -> Row {
    Row { word, whole, end, part }
}

const NOWHERE: Contexts = Contexts::of(&[]);
/// Where the name's value is taken out of a text.
const TAKEN_OUT: Contexts = Contexts::of(&[Parameter, Text, Variable]);
/// Where a word that others contain must stand alone.
const ALONE: Contexts = Contexts::of(&[Parameter, Text, Variable, Suspected, Confined]);
/// [`ALONE`] without variables whose value is taken out: it is often an address or an ordinary word (`AUTH=required`).
const NOT_TAKEN_OUT: Contexts = Contexts::of(&[Parameter, Text, Suspected, Confined]);
const SURE: Contexts = Contexts::of(&[Judged, Confined]);
const SUSPECTED: Contexts = Contexts::of(&[Suspected, Confined]);
const CONFINED: Contexts = Contexts::of(&[Confined]);
const PARAMETER: Contexts = Contexts::of(&[Parameter]);

#[rustfmt::skip]
const ROWS: &[Row] = &[
    row("PASSWORD", NOWHERE, TAKEN_OUT, SURE),
    row("PASSWD", NOWHERE, TAKEN_OUT, SURE),
    row("PASSPHRASE", NOWHERE, TAKEN_OUT, SURE),
    row("PASSCODE", NOWHERE, TAKEN_OUT, SURE),
    row("SECRET", NOWHERE, TAKEN_OUT, SURE),
    row("SECRET_", NOWHERE, NOWHERE, Contexts::of(&[Variable])),
    row("TOKEN", NOWHERE, TAKEN_OUT, SURE),
    row("CREDENTIAL", NOWHERE, TAKEN_OUT, SURE),
    row("CREDENTIALS", NOWHERE, TAKEN_OUT, NOWHERE),
    row("MYSQL_PWD", NOWHERE, NOWHERE, Contexts::of(&[Judged])),
    row("PASS", Contexts::of(&[Parameter, Text, Variable, Judged, Suspected, Confined]), NOWHERE, NOWHERE),
    row("PAT", Contexts::of(&[Parameter, Text, Variable, Judged, Suspected, Confined]), NOWHERE, NOWHERE),
    row("PWD", ALONE, NOWHERE, NOWHERE),
    row("PW", ALONE, NOWHERE, NOWHERE),
    // Of a board, too: `LED_PIN=17`.
    row("PIN", NOT_TAKEN_OUT, NOWHERE, NOWHERE),
    row("PSK", ALONE, NOWHERE, NOWHERE),
    row("SSHPASS", ALONE, NOWHERE, NOWHERE),
    row("PGPASS", ALONE, NOWHERE, NOWHERE),
    row("DBPASS", ALONE, NOWHERE, NOWHERE),
    row("DBPWD", ALONE, NOWHERE, NOWHERE),
    row("USERPWD", ALONE, NOWHERE, NOWHERE),
    row("CRED", ALONE, NOWHERE, NOWHERE),
    row("CREDS", ALONE, NOWHERE, NOWHERE),
    row("JWT", ALONE, NOWHERE, NOWHERE),
    row("BEARER", ALONE, NOWHERE, NOWHERE),
    row("MNEMONIC", ALONE, NOWHERE, NOWHERE),
    row("TOTP", ALONE, NOWHERE, NOWHERE),
    row("OTP", NOT_TAKEN_OUT, NOWHERE, NOWHERE),
    row("COOKIE", ALONE, Contexts::of(&[Parameter, Text, Suspected]), CONFINED),
    row("AUTHORIZATION", ALONE, Contexts::of(&[Parameter, Text, Suspected]), CONFINED),
    row("AUTH", NOT_TAKEN_OUT, NOWHERE, CONFINED),
    row("BASIC_AUTH", NOWHERE, NOWHERE, Contexts::of(&[Variable])),
    row("REDISCLI_AUTH", NOWHERE, NOWHERE, Contexts::of(&[Variable])),
    row("DSN", Contexts::of(&[Parameter, Suspected, Confined]), NOWHERE, NOWHERE),
    row("HMAC", Contexts::of(&[Parameter, Suspected, Confined]), NOWHERE, NOWHERE),
    row("SALT", Contexts::of(&[Variable, Suspected, Confined]), NOWHERE, NOWHERE),
    row("SAS", Contexts::of(&[Variable, Suspected, Confined]), NOWHERE, NOWHERE),
    row("WEBHOOK", SUSPECTED, NOWHERE, NOWHERE),
    row("CONNSTR", NOWHERE, SUSPECTED, NOWHERE),
    row("PRIVATE", Contexts::of(&[Suspected]), NOWHERE, CONFINED),
    row("KEY", Contexts::of(&[Parameter, Suspected]), NOWHERE, CONFINED),
    row("KEYS", Contexts::of(&[Suspected]), NOWHERE, NOWHERE),
    // A signature lets in where it is a part of an address.
    row("SIGNATURE", Contexts::of(&[Parameter, Confined]), NOWHERE, NOWHERE),
    row("SIG", PARAMETER, NOWHERE, NOWHERE),
    // Of a login with OAuth.
    row("CODE", PARAMETER, NOWHERE, NOWHERE),
    row("CERT", CONFINED, NOWHERE, NOWHERE),
    row("PEM", CONFINED, NOWHERE, NOWHERE),
];

/// Words that make a secret of a `KEY` behind them, written as one word or two. At the end stands the key itself; `part` is where
/// it counts with more behind it, too (`API_KEY_OLD`).
#[rustfmt::skip]
const KEYS_OF: &[Row] = &[
    row("API", NOWHERE, TAKEN_OUT, Contexts::of(&[Variable, Judged])),
    row("ACCESS", NOWHERE, TAKEN_OUT, Contexts::of(&[Variable, Judged])),
    row("PRIVATE", NOWHERE, TAKEN_OUT, Contexts::of(&[Judged])),
    row("ENCRYPTION", NOWHERE, TAKEN_OUT, Contexts::of(&[Judged])),
    row("SIGNING", NOWHERE, TAKEN_OUT, Contexts::of(&[Judged])),
    row("MASTER", NOWHERE, TAKEN_OUT, Contexts::of(&[Judged])),
    row("SECRET", NOWHERE, TAKEN_OUT, NOWHERE),
    row("AUTH", NOWHERE, Contexts::of(&[Parameter, Text, Variable, Suspected]), NOWHERE),
    row("LICENSE", NOWHERE, Contexts::of(&[Parameter, Text, Variable, Suspected]), NOWHERE),
    row("ACCOUNT", NOWHERE, Contexts::of(&[Parameter, Text, Variable, Suspected]), NOWHERE),
];

/// Words that make no secret of a `KEY` behind them, where the value of any other is taken out of texts: it is known to others,
/// or is the name of a column or of an entry.
const OPEN_KEYS_OF: &[&str] =
    &["PUBLIC", "PUB", "SSH", "GPG", "SORT", "PRIMARY", "FOREIGN", "PARTITION", "CACHE", "CONFIG"];

/// Words that hold one of the others and say nothing of secrets. They count for nothing, except for [`Judged`], which asks once too
/// often.
#[rustfmt::skip]
const ORDINARY: &[&str] = &[
    "AUTHOR", "AUTHORS", "AUTH0", "XAUTHORITY", "KEYBOARD", "KEYMAP", "KEYWORD", "KEYWORDS", "HOTKEY", "HOTKEYS", "MONKEY",
    "DONKEY", "TURKEY", "HOCKEY", "WHISKEY", "TOKENIZER", "TOKENIZERS",
];

/// The ends of names that are about a secret: where it is, how it is called, how long it is.
#[rustfmt::skip]
const ABOUT: &[&str] = &[
    "PATH", "FILE", "DIR", "FOLDER", "HOST", "PORT", "NAME", "USER", "USERNAME", "LEN", "LENGTH", "SIZE", "COUNT", "TYPE", "SOCK",
    "ENABLED", "VERSION", "ALGORITHM", "TTL", "EXPIRY", "ID", "METHOD", "MODE",
];

/// Letters of a word that alone says too little of a variable: `PAT` is a pattern as well.
const SHORT: usize = 3;

/// Returns whether a name says that what it names is a secret.
pub fn is_secret_name(name: &[u8], context: NameContext) -> bool {
    !is_open(name, context) && (has_part(name, context) || has_word(name, context) || has_key(name, context))
}

/// Returns whether a name as a whole says that there is no secret.
fn is_open(name: &[u8], context: NameContext) -> bool {
    // The folder is called by a word for a password.
    let is_folder = name == b"PWD" || name == b"OLDPWD";
    match context {
        Parameter | Judged => false,
        Text | Variable | Confined => is_folder,
        Suspected => {
            let is_of_a_script = has_small_letters(name) && !name.starts_with(b"npm_config_");
            let last = words(name).last().map_or(name, |(_, word)| word);
            is_folder
                || is_of_a_script
                || is_one_of(without_number(name), &["KEY", "KEYS"])
                || is_one_of(last, ABOUT)
                || words(name).any(|(_, word)| is_one_of(word, &["PUBLIC"]))
        }
    }
}

fn has_part(name: &[u8], context: NameContext) -> bool {
    let heeds_ordinary = context != Judged;
    ROWS.iter()
        .filter(|row| row.part.has(context))
        .any(|row| positions(name, row.word).any(|at| !(heeds_ordinary && is_one_of(word_around(name, at), ORDINARY))))
}

fn has_word(name: &[u8], context: NameContext) -> bool {
    let counts = |(start, word): (usize, &[u8])| {
        if context != Judged && is_one_of(word, ORDINARY) {
            return false;
        }
        // A script's variable of one small or short word, such as `cookie` or `PAT`, is hardly a secret.
        let may_be_whole = match context {
            Judged => start > 0,
            Variable => start > 0 || !has_small_letters(name) && name.len() > SHORT,
            Parameter | Text | Suspected | Confined => true,
        };
        let word = if context.reads_past_numbers() { without_number(word) } else { word };
        let says = |word: &[u8]| {
            ROWS.iter().any(|row| {
                may_be_whole && row.whole.has(context) && word.eq_ignore_ascii_case(row.word.as_bytes())
                    || row.end.has(context) && ends_with(word, row.word)
            })
        };
        says(word) || context == Text && last_hump(word).is_some_and(says)
    };
    if context.reads_last_word() { last_word(name, context).is_some_and(counts) } else { words(name).any(counts) }
}

/// Returns whether a name speaks of a key that is secret by the word before it.
fn has_key(name: &[u8], context: NameContext) -> bool {
    let of_its_own = context == Variable && {
        let last =
            last_word(name, context).filter(|(start, word)| *start > 0 && is_one_of(without_number(word), &["KEY"]));
        last.is_some_and(|(start, _)| {
            let before = name.get(..start).and_then(|before| words(before).last());
            !before.is_some_and(|(_, word)| is_one_of(word, OPEN_KEYS_OF))
        })
    };
    of_its_own
        || positions(name, "KEY").any(|at| {
            let before = name.get(..at).unwrap_or_default();
            let before = before.get(..before.iter().rposition(|byte| !is_between(*byte)).map_or(0, |last| last + 1));
            let behind = name.get(at + 3..).unwrap_or_default();
            let is_last = ends_behind(behind, context);
            KEYS_OF.iter().any(|row| {
                (row.part.has(context) || is_last && row.end.has(context))
                    && before.is_some_and(|before| ends_with(before, row.word))
            })
        })
}

/// Returns whether what stands behind a `KEY` leaves it at the end, of its word or of the name.
fn ends_behind(behind: &[u8], context: NameContext) -> bool {
    let behind = match behind {
        [b's' | b'S', rest @ ..] => rest,
        _ => behind,
    };
    let digits = behind.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let mut rest = behind.iter().skip(digits);
    if context.reads_last_word() {
        rest.all(|byte| is_between(*byte) || byte.is_ascii_digit())
    } else {
        rest.next().is_none_or(|byte| is_between(*byte))
    }
}

/// Goes through the words of a name and where they begin.
fn words(name: &[u8]) -> impl Iterator<Item = (usize, &[u8])> {
    let mut next = 0;
    let words = name.split(|byte| is_between(*byte)).map(move |word| {
        let start = next;
        next += word.len() + 1;
        (start, word)
    });
    words.filter(|(_, word)| !word.is_empty())
}

/// Returns the word that says what a name is: the last, and no number where numbers are passed.
fn last_word(name: &[u8], context: NameContext) -> Option<(usize, &[u8])> {
    let is_word = |word: &[u8]| !(context.reads_past_numbers() && without_number(word).is_empty());
    words(name).filter(|(_, word)| is_word(word)).last()
}

const fn is_between(byte: u8) -> bool {
    byte.is_ascii() && !byte.is_ascii_alphanumeric()
}

/// Returns the word that stands around a place of a name.
fn word_around(name: &[u8], at: usize) -> &[u8] {
    let (before, behind) = name.split_at_checked(at).unwrap_or((name, &[]));
    let start = before.iter().rposition(|byte| is_between(*byte)).map_or(0, |last| last + 1);
    let length = behind.iter().position(|byte| is_between(*byte)).unwrap_or(behind.len());
    name.get(start..at + length).unwrap_or_default()
}

/// Returns the last part of a word in `camelCase`.
fn last_hump(word: &[u8]) -> Option<&[u8]> {
    let is_hump = |pair: &[u8]| matches!(pair, [b'a'..=b'z' | b'0'..=b'9', b'A'..=b'Z']);
    word.get(word.windows(2).rposition(is_hump)? + 1..)
}

fn without_number(word: &[u8]) -> &[u8] {
    let length = word.iter().rposition(|byte| !byte.is_ascii_digit()).map_or(0, |last| last + 1);
    word.get(..length).unwrap_or_default()
}

fn has_small_letters(name: &[u8]) -> bool {
    name.iter().any(u8::is_ascii_lowercase)
}

fn is_one_of(word: &[u8], known: &[&str]) -> bool {
    known.iter().any(|known| word.eq_ignore_ascii_case(known.as_bytes()))
}

fn ends_with(word: &[u8], end: &str) -> bool {
    let end_of_word = word.len().checked_sub(end.len()).and_then(|at| word.get(at..));
    end_of_word.is_some_and(|rest| rest.eq_ignore_ascii_case(end.as_bytes()))
}

/// Goes through the places where a part stands in a name.
fn positions(name: &[u8], part: &'static str) -> impl Iterator<Item = usize> {
    let windows = name.windows(part.len()).enumerate();
    windows.filter(|(_, window)| window.eq_ignore_ascii_case(part.as_bytes())).map(|(at, _)| at)
}

#[cfg(test)]
mod tests;
