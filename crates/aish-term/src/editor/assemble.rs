//! Puts an engine together.

use std::sync::Arc;
use std::time::Duration;

use crossterm::cursor::SetCursorStyle;
use reedline::{
    AbbrExpandContext, CursorConfig, EditCommand, Highlighter, Osc133Markers, Reedline, ReedlineMenu, Signal,
    StyledText, ValidationResult, Validator,
};

use super::adapter::HistoryAdapter;
use super::complete::CompleterAdapter;
use super::completion_menu::CompletionMenu;
use super::highlight::RouteHighlighter;
use super::hint::HistoryHinter;
use super::keys::{Behind, SharedMode, edit_mode, mode};
use super::names::ENTER;
use super::options::{EditorOptions, KeyMode};
use super::port::Wholeness;
use super::printer::Printer;
use super::prompt::DrawnPrompt;
use super::readline::Readline;
use super::search_menu::{Search, SearchMenu};
use super::session::Shared;
use super::style::converted;
use super::view::PromptView;
use crate::styled::Ink;

/// How long the engine waits for a key before it looks whether it should return.
const POLL: Duration = Duration::from_millis(50);

/// A line that is put into a new engine, and the cursor in it, in bytes.
#[derive(Debug, Clone, Default)]
pub(super) struct Carried {
    pub(super) text: String,
    pub(super) cursor: usize,
}

impl Carried {
    /// The cursor stands at the end.
    pub(super) fn at_end(text: String) -> Self {
        let cursor = text.len();
        Self { text, cursor }
    }

    /// Puts a text in at the cursor.
    pub(super) fn insert(&mut self, typed: &str) {
        self.text.insert_str(self.cursor, typed);
        self.cursor += typed.len();
    }
}

/// Makes an engine. Nothing here is slow: the first prompt waits for it.
pub(super) fn engine(
    options: &EditorOptions,
    shared: &Arc<Shared>,
    printer: &Printer,
    behind: &Behind,
    mode: &SharedMode,
    carried: &Carried,
) -> Reedline {
    let theme = &options.theme;
    let completion = CompletionMenu::new(theme, options.capabilities, Arc::clone(shared));
    let search = Search::new(
        Arc::clone(&options.history),
        Arc::clone(shared),
        options.session.clone(),
        Arc::clone(&options.now_ms),
        options.home.clone(),
    );
    let search = ReedlineMenu::WithCompleter {
        menu: Box::new(SearchMenu::new(theme, search.clone())),
        completer: Box::new(search),
    };
    let readline = (options.keys == KeyMode::Emacs)
        .then(|| Readline::new(&options.inputrc, Arc::clone(shared), Arc::clone(&options.history)));
    let mut engine = Reedline::create()
        .with_history(Box::new(HistoryAdapter::new(Arc::clone(&options.history))))
        .with_highlighter(Box::new(RouteHighlighter::new(Arc::clone(shared), theme.clone())))
        .with_completer(Box::new(CompleterAdapter::new(Arc::clone(shared))))
        .with_validator(Box::new(WholenessValidator(Arc::clone(shared))))
        .with_menu(ReedlineMenu::EngineCompleter(Box::new(completion)))
        .with_menu(search)
        .with_edit_mode(edit_mode(Arc::clone(mode), behind.clone(), Some(Arc::clone(shared)), readline))
        .with_quick_completions(true)
        .with_partial_completions(true)
        .with_ansi_colors(options.capabilities.color)
        .with_break_signal(printer.signal())
        .with_poll_interval(POLL)
        .use_bracketed_paste(true);
    if options.hints {
        let hinter = HistoryHinter::new(Arc::clone(&options.history), Arc::clone(shared), converted(theme.dim));
        engine = engine.with_hinter(Box::new(hinter));
    }
    if options.marks {
        engine = engine.with_semantic_markers(Some(Osc133Markers::boxed()));
    }
    if options.keys == KeyMode::Vi {
        engine = engine.with_cursor_config(CursorConfig {
            vi_insert: Some(SetCursorStyle::SteadyBar),
            vi_normal: Some(SetCursorStyle::SteadyBlock),
            ..CursorConfig::default()
        });
    }
    if !carried.text.is_empty() {
        engine.run_edit_commands(&[
            EditCommand::InsertString(carried.text.clone()),
            EditCommand::MoveToPosition { position: carried.cursor, select: false },
        ]);
    }
    engine
}

struct WholenessValidator(Arc<Shared>);

impl Validator for WholenessValidator {
    fn validate(&self, line: &str) -> ValidationResult {
        match self.0.wholeness(line) {
            Wholeness::Whole => ValidationResult::Complete,
            Wholeness::Unfinished => ValidationResult::Incomplete,
        }
    }
}

/// Lets a text be edited on its own: without history, hints, routes and completion.
pub(crate) fn edit_text(options: &EditorOptions, label: &str, text: &str) -> std::io::Result<Signal> {
    let mut engine = Reedline::create()
        .with_highlighter(Box::new(PlainHighlighter))
        .with_edit_mode(edit_mode(mode(options.keys), Behind::default(), None, None))
        .with_ansi_colors(options.capabilities.color)
        .use_bracketed_paste(true);
    // What controls a terminal would do so while it is edited; the edited text is judged and asked anew.
    engine.run_edit_commands(&[EditCommand::InsertString(aish_types::sanitize(text).into_owned())]);
    let view = PromptView::plain(label);
    loop {
        let drawn = DrawnPrompt::new(&view, Ink { color: false, links: false });
        match engine.read_line(&drawn)? {
            Signal::HostCommand(command) if command == ENTER => engine = engine.with_immediately_accept(true),
            // The route of an edited command is settled: Shift-Tab does nothing here.
            Signal::HostCommand(_) => {}
            signal => return Ok(signal),
        }
    }
}

struct PlainHighlighter;

impl Highlighter for PlainHighlighter {
    fn highlight(&self, line: &str, _cursor: usize) -> StyledText {
        StyledText { buffer: vec![(nu_ansi_term::Style::default(), line.to_owned())] }
    }

    fn should_expand_abbr(&self, _line: &str, _cursor: usize, _context: AbbrExpandContext) -> bool {
        false
    }
}
