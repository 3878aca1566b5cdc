//! The line editor of the shell: its keys and colours, and what it routes a line by.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use aish_route::{Line, Route, decide_after, parse_line};
use aish_syntax::is_unfinished;
use aish_term::editor::readline::inputrc::{self, Inputrc};
use aish_term::{Capabilities, EditorOptions, KeyMode, Theme, Wholeness};

use super::Known;
use super::known::{Names, SharedPriorTurn};
use crate::base::Base;
use crate::config::section::EditMode;
use crate::line_history::LineHistory;
use crate::names::PathNames;

/// Makes the editor's options.
pub(super) fn editor_options(
    base: &Base,
    err: Capabilities,
    theme: &Theme,
    history: &Arc<LineHistory>,
    names: &Names,
) -> EditorOptions {
    use std::io::IsTerminal as _;
    let term = base.variable("TERM");
    let store = Arc::clone(history) as Arc<dyn aish_term::HistoryStore>;
    let mut options = EditorOptions::new(err, std::io::stdin().is_terminal(), term.as_deref(), store);
    options.theme = theme.clone();
    take_keys(&mut options, base);
    let path = base.variable("PATH").unwrap_or_default();
    let folder = base.folder.clone();
    let router = Router { path, folder, known: Arc::clone(&names.known), prior_turn: Arc::clone(&names.prior_turn) };
    let whole = router.clone();
    options.route = Some(Box::new(move |line: &str| router.route(line)));
    options.wholeness = Some(Box::new(move |text: &str| {
        let shell = matches!(whole.route(text), aish_term::Route::Shell | aish_term::Route::Ask);
        if shell && is_unfinished(text) { Wholeness::Unfinished } else { Wholeness::Whole }
    }));
    options
}

/// Texts that were pasted, oldest first.
pub(super) type Pasted = Arc<Mutex<Vec<String>>>;

/// Texts that are kept at most, and the most bytes of one: a path is no longer.
const MOST_PASTED: usize = 50;
const LONGEST_PASTED: usize = 4096;

/// Keeps what is pasted, where it may be a path.
pub(super) fn listen_to_pastes(options: &mut EditorOptions) -> Pasted {
    let pasted = Pasted::default();
    let kept = Arc::clone(&pasted);
    options.pasted = Some(Box::new(move |text: &str| {
        let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
        if text.len() <= LONGEST_PASTED && kept.len() < MOST_PASTED {
            kept.push(text.to_owned());
        }
    }));
    pasted
}

/// Gives an editor the keys of the configuration and of the person's inputrc.
pub fn take_keys(options: &mut EditorOptions, base: &Base) {
    options.inputrc = inputrc(base);
    if base.config.ui.edit_mode == EditMode::Vi || options.inputrc.vi == Some(true) {
        options.keys = KeyMode::Vi;
    }
}

/// Reads the person's keys: `$INPUTRC`, `~/.inputrc` or the machine's.
pub fn inputrc(base: &Base) -> Inputrc {
    let home = base.paths.home.clone().unwrap_or_default();
    let own = base.variable("INPUTRC").map_or_else(|| home.join(".inputrc"), PathBuf::from);
    let text = read_text(&own).or_else(|| read_text(Path::new("/etc/inputrc")));
    let include = |name: &str| match name.strip_prefix("~/") {
        Some(rest) => read_text(&home.join(rest)),
        None => read_text(Path::new(name)),
    };
    let term = base.variable("TERM");
    text.map(|text| inputrc::read(&text, term.as_deref(), &include)).unwrap_or_default()
}

/// Bytes of an inputrc at most; what is longer is none.
const MOST: u64 = 256 * 1024;

fn read_text(path: &Path) -> Option<String> {
    let is_small = std::fs::metadata(path).is_ok_and(|file| file.is_file() && file.len() <= MOST);
    let bytes = is_small.then(|| std::fs::read(path).ok()).flatten()?;
    // Old files may have a byte in them that is no UTF-8; the other lines are good.
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// Routes for the editor's colours, on its thread.
#[derive(Clone)]
struct Router {
    path: String,
    folder: PathBuf,
    known: Known,
    prior_turn: SharedPriorTurn,
}

impl Router {
    fn route(&self, line: &str) -> aish_term::Route {
        match parse_line(line) {
            Line::Empty | Line::Shell(_) => aish_term::Route::Shell,
            Line::Question(_) => aish_term::Route::Model,
            Line::Meta(..) => aish_term::Route::Meta,
            Line::Plain(line) => {
                let names = self.names();
                let prior_turn = *self.prior_turn.lock().unwrap_or_else(PoisonError::into_inner);
                match decide_after(prior_turn, line, &names).route {
                    Route::Shell => aish_term::Route::Shell,
                    Route::Ai => aish_term::Route::Model,
                    Route::Ask => aish_term::Route::Ask,
                }
            }
        }
    }

    fn names(&self) -> PathNames {
        let snapshot = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let path = snapshot.environment.get("PATH").unwrap_or(&self.path);
        let folder = if snapshot.cwd.as_os_str().is_empty() { &self.folder } else { &snapshot.cwd };
        let own = snapshot.aliases.keys().chain(&snapshot.functions).chain(&snapshot.builtins).cloned();
        PathNames::new(path, folder).with_shell_names(own)
    }
}
