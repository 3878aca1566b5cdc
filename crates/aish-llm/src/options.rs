//! What is configured about one model.

use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;
use std::process::ExitStatus;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use aish_types::{Block, Secret};

use crate::event::SentKey;
use crate::prices::Price;
use crate::sse::Limits;

/// Whether images are sent to a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Images {
    /// They are sent.
    Sent,
    /// They are left out.
    Omitted,
}

/// Returns the words that stand for the images of a person's message where they are not sent.
pub(crate) fn left_out(blocks: &[Block], images: Images) -> Option<&'static str> {
    let any = blocks.iter().any(|block| matches!(block, Block::Image { .. }));
    (any && images == Images::Omitted).then_some("[An image was attached here; this model takes none.]")
}

/// Whether a model should think.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Thinking {
    /// As much as it decides.
    On,
    /// Not at all.
    Off,
    /// With so many tokens at most, where the wire has a word for that.
    Budget(u32),
}

impl FromStr for Thinking {
    type Err = ParseThinkingError;

    /// Reads `on` (or `adaptive`), `off`, or the most tokens of it, at least 1.
    fn from_str(word: &str) -> Result<Self, ParseThinkingError> {
        match word {
            "on" | "adaptive" => Ok(Self::On),
            "off" => Ok(Self::Off),
            number => match number.parse() {
                Ok(tokens) if tokens > 0 => Ok(Self::Budget(tokens)),
                Ok(_) | Err(_) => Err(ParseThinkingError),
            },
        }
    }
}

/// A word that does not say whether to think.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("neither \"on\" nor \"off\" nor a number of tokens")]
pub struct ParseThinkingError;

/// Why a command gave no key.
#[derive(Debug, thiserror::Error)]
pub enum KeyCommandError {
    /// It could not be run.
    #[error("models.NAME.key_command cannot be run: {0}")]
    Start(io::Error),
    /// Its output could not be read.
    #[error("models.NAME.key_command has no output")]
    NoOutput,
    /// It did not end in time.
    #[error("models.NAME.key_command did not end within {} s", .0.as_secs())]
    Late(Duration),
    /// It failed, with this status.
    #[error("models.NAME.key_command failed ({0})")]
    Failed(ExitStatus),
    /// It said nothing.
    #[error("models.NAME.key_command printed nothing")]
    Empty,
    /// It said more than a key has.
    #[error("models.NAME.key_command printed too much")]
    TooLong,
}

/// Runs a command that gives a key.
#[derive(Clone)]
pub struct KeyCommand(Arc<RunCommand>);

type RunCommand = dyn Fn() -> Result<Secret, KeyCommandError> + Send + Sync;

impl KeyCommand {
    /// Wraps what runs the command.
    pub fn new(run: impl Fn() -> Result<Secret, KeyCommandError> + Send + Sync + 'static) -> Self {
        Self(Arc::new(run))
    }

    /// Runs the command.
    ///
    /// # Errors
    /// When it fails or gives no key.
    pub fn run(&self) -> Result<Secret, KeyCommandError> {
        (self.0)()
    }
}

impl std::fmt::Debug for KeyCommand {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("KeyCommand")
    }
}

/// Which tool names a server accepts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Names {
    /// `alias__tool`: no dots.
    Strict,
    /// `alias.tool`.
    Dotted,
    /// Strict behind https, dotted behind http; a refusal teaches the other way.
    ByEndpoint,
}

/// The options of one model; [`ModelOptions::new`] has the defaults.
#[derive(Debug, Clone)]
pub struct ModelOptions {
    /// The model's name for its server, also shown and booked.
    pub model: String,
    /// The key, where the server wants one.
    pub key: Option<Secret>,
    /// Where the key comes from, for messages: `$OPENAI_API_KEY`.
    pub key_source: Option<String>,
    /// From the request to the first event, and the longest wait while only comments come. Default 300 s.
    pub timeout: Duration,
    /// For the connection. Default 5 s.
    pub connect_timeout: Duration,
    /// Without a byte. Unset: 60 s after the first event, and `timeout` before it, since a local model may read a long
    /// prompt in silence; set: throughout.
    pub idle_timeout: Option<Duration>,
    /// For one question to `/tokenize`. Default 2 s.
    pub tokenize_timeout: Duration,
    /// The size of the context in tokens, where it is known.
    pub context: Option<u64>,
    /// The longest completion in tokens; none leaves it to the model, where the wire lets it.
    pub max_tokens: Option<u32>,
    /// 0 to 2; none leaves it to the model. Many models take none.
    pub temperature: Option<f32>,
    /// How hard the model should think (`low`, `high`, …, by model); none leaves it to the model.
    pub effort: Option<String>,
    /// The same by purpose (`main`, `norris`, `summary`, …); it wins.
    pub effort_for: BTreeMap<String, String>,
    /// Whether the model should think; none leaves it to the model.
    pub thinking: Option<Thinking>,
    /// The same by purpose; it wins.
    pub thinking_for: BTreeMap<String, Thinking>,
    /// Gives the key where a command does; called once, off the runtime's threads.
    pub key_command: Option<KeyCommand>,
    /// A file of own certificates in PEM, trusted beside the system's.
    pub ca_file: Option<PathBuf>,
    /// The configured price; it wins over the built-in data.
    pub price: Option<Price>,
    /// Whether images are sent. Default: they are.
    pub images: Images,
    /// Which tool names the server accepts.
    pub names: Names,
}

/// More bytes than the event of one token has.
const EVENT_BYTES: u64 = 1024;
/// Bytes that any answer may have beside its tokens.
const SPARE_BYTES: u64 = 1024 * 1024;
/// Bytes of events that say nothing, where nobody says how many tokens there may be.
const UNSAID: u64 = 256 * 1024 * 1024;

impl ModelOptions {
    /// Makes the default options of a model.
    pub fn new(model: impl Into<String>) -> Self {
        Self {
            model: model.into(),
            key: None,
            key_source: None,
            timeout: Duration::from_secs(300),
            connect_timeout: Duration::from_secs(5),
            idle_timeout: None,
            tokenize_timeout: Duration::from_secs(2),
            context: None,
            max_tokens: None,
            temperature: None,
            effort: None,
            effort_for: BTreeMap::new(),
            thinking: None,
            thinking_for: BTreeMap::new(),
            key_command: None,
            ca_file: None,
            price: None,
            images: Images::Sent,
            names: Names::ByEndpoint,
        }
    }

    /// Returns which key is sent.
    pub(crate) fn sent_key(&self) -> SentKey {
        match (&self.key, &self.key_source) {
            (None, _) if self.key_command.is_some() => SentKey::FromCommand,
            (None, _) => SentKey::Absent,
            (Some(_), None) => SentKey::Unnamed,
            (Some(_), Some(source)) => SentKey::From(source.clone()),
        }
    }

    /// Returns how long a stream may be silent, and how much it may send without saying anything where so many tokens were
    /// asked for.
    pub(crate) fn limits(&self, max_tokens: Option<u32>) -> Limits {
        let asked = max_tokens.or(self.max_tokens);
        Limits {
            patience: self.timeout,
            idle_before: self.idle_timeout.unwrap_or(self.timeout),
            idle_after: self.idle_timeout.unwrap_or(Duration::from_secs(60)),
            trailing: Duration::from_secs(2),
            unsaid: asked
                .map_or(UNSAID, |tokens| u64::from(tokens).saturating_mul(EVENT_BYTES).saturating_add(SPARE_BYTES)),
        }
    }
}
