//! What an editor is made of.

use std::fmt;
use std::sync::Arc;

use super::port::{LineCompleter, RouteHint, Wholeness};
use super::readline::inputrc::Inputrc;
use crate::capability::Capabilities;
use crate::history::HistoryStore;
use crate::theme::Theme;

/// The keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum KeyMode {
    /// Emacs keys.
    #[default]
    Emacs,
    /// vi keys.
    Vi,
}

/// How far the editor may go with the terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// Lines are edited.
    Full,
    /// Lines are read as they come, without escape sequences: a dumb terminal, a pipe.
    Plain,
}

/// Says whether Enter ends a line. Called on Enter, on the editor's thread.
pub type WholenessCheck = Box<dyn Fn(&str) -> Wholeness + Send>;

/// Hears what is pasted, as it came. Called on the editor's thread.
pub type PasteListener = Box<dyn Fn(&str) + Send + Sync>;

/// Returns the value of an exported variable.
pub type Exported = Arc<dyn Fn(&str) -> Option<String> + Send + Sync>;

/// An editor's parts.
pub struct EditorOptions {
    /// What standard error can show: the editor draws there.
    pub capabilities: Capabilities,
    /// Whether lines are edited or only read.
    pub reach: Reach,
    /// The styles.
    pub theme: Theme,
    /// The keys.
    pub keys: KeyMode,
    /// The person's own keys.
    pub inputrc: Inputrc,
    /// The history.
    pub history: Arc<dyn HistoryStore>,
    /// The session, which the history search can be narrowed to.
    pub session: Option<String>,
    /// Classifies lines.
    pub route: Option<Box<dyn RouteHint>>,
    /// Completes lines.
    pub completer: Option<Box<dyn LineCompleter>>,
    /// Says whether Enter ends the line.
    pub wholeness: Option<WholenessCheck>,
    /// Hears what is pasted.
    pub pasted: Option<PasteListener>,
    /// Marks prompts for the terminal (OSC 133).
    pub marks: bool,
    /// The time, in milliseconds since the epoch: for the age of lines in the search.
    pub now_ms: Arc<dyn Fn() -> i64 + Send + Sync>,
    /// The person's home folder, which is shown as `~`.
    pub home: Option<String>,
    /// What the person's shell exports: for the editor that a line is opened in.
    pub exported: Exported,
    /// Shows a hint from history after the cursor.
    pub hints: bool,
}

impl EditorOptions {
    /// Makes options with everything optional left out: the reach follows from the capabilities and from whether
    /// standard input is a terminal.
    pub fn new(
        capabilities: Capabilities,
        stdin_is_terminal: bool,
        term: Option<&str>,
        history: Arc<dyn HistoryStore>,
    ) -> Self {
        let dumb = term.is_none_or(|term| term.is_empty() || term == "dumb");
        Self {
            capabilities,
            reach: if stdin_is_terminal && !dumb { Reach::Full } else { Reach::Plain },
            theme: Theme::default(),
            keys: KeyMode::default(),
            inputrc: Inputrc::default(),
            history,
            session: None,
            route: None,
            completer: None,
            wholeness: None,
            pasted: None,
            marks: false,
            now_ms: Arc::new(|| 0),
            home: None,
            exported: Arc::new(|name| std::env::var(name).ok()),
            hints: true,
        }
    }
}

impl fmt::Debug for EditorOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EditorOptions")
            .field("capabilities", &self.capabilities)
            .field("reach", &self.reach)
            .field("keys", &self.keys)
            .field("session", &self.session)
            .finish_non_exhaustive()
    }
}
