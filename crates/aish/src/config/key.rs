//! What is said of a key in the tables of the sections: its name, its kind, what a project file may do with it.

use aish_llm::Purpose;
use serde_json::{Value, json};

/// What values a key takes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Kind {
    /// A text.
    Text,
    /// true or false.
    Bool,
    /// A whole number in a range, both ends included.
    Whole(u64, u64),
    /// A number in a range, both ends included.
    Number(f64, f64),
    /// One of these words.
    Word(&'static [&'static str]),
    /// A list of texts.
    Texts,
    /// A map from text to text.
    TextMap,
    /// A map from text to true or false.
    BoolMap,
    /// Whether a model should think.
    Thinking,
    /// A map from what a request is for to a value of this kind.
    ByPurpose(&'static Kind),
    /// The list of policy rules.
    Rules,
    /// The list of rules that pick a model.
    RouterRules,
}

impl Kind {
    /// Returns a value that fits, for a key without a default.
    pub fn example(self) -> Value {
        match self {
            Self::Text => json!(""),
            Self::Thinking => json!("on"),
            Self::Bool => json!(true),
            Self::Whole(least, _) => json!(least.max(1)),
            Self::Number(least, _) => json!(least.max(1.0)),
            Self::Word(words) => json!(words.first().copied().unwrap_or_default()),
            Self::Texts | Self::Rules | Self::RouterRules => json!([]),
            Self::TextMap | Self::BoolMap | Self::ByPurpose(_) => json!({}),
        }
    }

    /// Returns what is expected, in words.
    pub fn expected(self) -> String {
        match self {
            Self::Text => "a text in quotes".into(),
            Self::Bool => "true or false".into(),
            Self::Whole(least, u64::MAX) => format!("a whole number of at least {least}"),
            Self::Whole(least, most) => format!("a whole number from {least} to {most}"),
            Self::Number(least, most) if most == f64::MAX => format!("a number of at least {least}"),
            Self::Number(least, most) => format!("a number from {least} to {most}"),
            Self::Word(words) => format!("one of: {}", words.join(", ")),
            Self::Texts => "a list of texts".into(),
            Self::TextMap => "a table of texts".into(),
            Self::BoolMap => "a table of true and false".into(),
            Self::Thinking => r#""on", "off" or a number of tokens in quotes"#.into(),
            Self::ByPurpose(kind) => {
                let purposes = Purpose::ALL.map(Purpose::as_str).join(", ");
                format!("a table of {purposes}, each with {}", kind.expected())
            }
            Self::Rules => "a list of rules {match, verdict, reason, examples}".into(),
            Self::RouterRules => {
                "a list of rules {model, category, longer_than, shorter_than}, category being one of: main, fast, \
                 summary, norris, memory"
                    .into()
            }
        }
    }
}

/// What a project's `.aish.toml` may do with a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Overlay {
    /// Set it: nothing that guards the person depends on it.
    Free,
    /// Set it to this, never to the other.
    Only(bool),
    /// Set it to "deny".
    Deny,
    /// Lower it.
    Lower,
    /// Add entries that tighten.
    Tighten,
    /// Leave it alone.
    Never,
}

/// One key. A `*` in the name stands for one word of the user's.
#[derive(Debug, Clone, Copy)]
pub struct Key {
    /// The dotted name.
    pub name: &'static str,
    /// What it takes.
    pub kind: Kind,
    /// What a project file may do with it.
    pub overlay: Overlay,
    /// What it is for, in one sentence.
    pub about: &'static str,
}

/// No upper bound.
pub const MANY: u64 = u64::MAX;
/// Any count.
pub const COUNT: Kind = Kind::Whole(0, MANY);
/// A count of 32 bits.
pub const COUNT_32: Kind = Kind::Whole(0, 4_294_967_295);
/// A count of at least one.
pub const SOME: Kind = Kind::Whole(1, MANY);
/// Dollars, or minutes.
pub const AMOUNT: Kind = Kind::Number(0.0, f64::MAX);

impl Key {
    /// Returns the section and the name within it: `models.*`, `timeout_ms`.
    pub fn parts(&self) -> (&'static str, &'static str) {
        self.name.rsplit_once('.').unwrap_or(("", self.name))
    }

    /// Says whether a word of the user's is in its name.
    pub fn is_starred(&self) -> bool {
        self.name.contains('*')
    }

    /// Says whether a path of words names it; a `*` stands for any word.
    pub fn is(&self, path: &[String]) -> bool {
        let mut words = self.name.split('.');
        path.iter().all(|part| words.next().is_some_and(|word| word == "*" || word == part)) && words.next().is_none()
    }

    /// Returns the variable of the environment that sets it; none for a name with a word of the user's in it.
    pub fn variable(&self) -> Option<String> {
        (!self.is_starred()).then(|| format!("AISH_{}", self.name.replace('.', "_").to_uppercase()))
    }
}
