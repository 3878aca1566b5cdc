//! Which key does what.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crossterm::event::{Event, KeyEvent};
use reedline::{
    EditCommand, EditMode, Emacs, KeyCode, KeyModifiers, Keybindings, PromptEditMode, PromptViMode, ReedlineEvent,
    ReedlineRawEvent, Vi, default_emacs_keybindings, default_vi_insert_keybindings, default_vi_normal_keybindings,
    default_vi_visual_keybindings,
};

use super::names::{COMPLETION, ENTER, ESCAPE, FIX, FLIP, SEARCH, UNFOLD};
use super::options::KeyMode;
use super::prompt::indicator;
use super::readline::Readline;
use super::session::Shared;

/// Keys of a mode that the editor's thread parses too.
pub(super) type SharedMode = Arc<Mutex<Box<dyn EditMode>>>;

/// Makes the edit mode with our keys: those of readline, and Tab completes, Shift-Tab flips the route, Ctrl-R searches the
/// history and, while the search is open, narrows it; Alt-Enter starts a new line.
pub(super) fn mode(mode: KeyMode) -> SharedMode {
    let inner: Box<dyn EditMode> = match mode {
        KeyMode::Emacs => {
            let mut keys = default_emacs_keybindings();
            bind(&mut keys);
            Box::new(Emacs::new(keys))
        }
        KeyMode::Vi => {
            let mut insert = default_vi_insert_keybindings();
            let mut normal = default_vi_normal_keybindings();
            bind(&mut insert);
            bind(&mut normal);
            Box::new(Vi::new(insert, normal, default_vi_visual_keybindings()))
        }
    };
    Arc::new(Mutex::new(inner))
}

/// Puts a mode together with what is kept behind a key, and with readline's keys where it is the emacs mode.
pub(super) fn edit_mode(
    inner: SharedMode,
    behind: Behind,
    shared: Option<Arc<Shared>>,
    readline: Option<Readline>,
) -> Box<dyn EditMode> {
    Box::new(LineFeeds { inner, behind, shared, readline, is_looked_for: false })
}

/// Parses keys and returns what they do to the line; what else they mean is left out.
pub(super) fn edits_of(mode: &SharedMode, events: Vec<Event>) -> Vec<EditCommand> {
    let mut mode = mode.lock().unwrap_or_else(PoisonError::into_inner);
    let parsed = events.into_iter().filter_map(|event| ReedlineRawEvent::try_from(event).ok());
    let parsed: Vec<ReedlineEvent> = parsed.map(|event| mode.parse_event(event)).collect();
    let mut commands = Vec::new();
    flatten(parsed, &mut commands);
    commands
}

fn flatten(events: Vec<ReedlineEvent>, out: &mut Vec<EditCommand>) {
    for event in events {
        match event {
            ReedlineEvent::Edit(commands) => out.extend(commands.into_iter().map(clean)),
            ReedlineEvent::Multiple(events) => flatten(events, out),
            _ => {}
        }
    }
}

fn clean(command: EditCommand) -> EditCommand {
    match command {
        EditCommand::InsertString(text) => EditCommand::InsertString(aish_types::sanitize(&text).into_owned()),
        command => command,
    }
}

/// The key that leaves vi's insert mode.
pub(super) fn escape() -> Event {
    Event::Key(KeyEvent::new(KeyCode::Esc, KeyModifiers::NONE))
}

/// What was typed behind a key that the engine returns for, in the same go: it drops all that comes behind one.
#[derive(Debug, Clone, Default)]
pub(super) struct Behind(Arc<Mutex<Option<Vec<Event>>>>);

impl Behind {
    /// Takes the keys, and lets others through again.
    pub(super) fn take(&self) -> Vec<Event> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take().unwrap_or_default()
    }

    fn open(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert_default();
    }

    /// Keeps a key, where one came before it that the engine returns for.
    fn keep(&self, event: &Event) -> bool {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match kept.as_mut() {
            Some(events) => {
                events.push(event.clone());
                true
            }
            None => false,
        }
    }
}

/// Takes the newline off the end of what is pasted: it would leave an empty row behind the line.
fn without_last_newline(event: Event) -> Event {
    match event {
        Event::Paste(text) => {
            let kept = text.trim_end_matches(['\n', '\r']).len();
            Event::Paste(text.get(..kept).filter(|kept| !kept.is_empty()).unwrap_or(&text).to_owned())
        }
        event => event,
    }
}

fn is_line_feed(key: &KeyEvent) -> bool {
    key.code == KeyCode::Char('j') && key.modifiers == KeyModifiers::CONTROL
}

/// A terminal that reads whole lines keeps a Ctrl-D as a NUL, which is what comes of it when keys are read one by one.
fn is_nul(key: &KeyEvent) -> bool {
    key.code == KeyCode::Char(' ') && key.modifiers == KeyModifiers::CONTROL
}

/// Makes a line feed an Enter: what a program types, and what is typed while the terminal still reads whole lines; and a NUL
/// a Ctrl-D where it was typed before the read.
/// Terminal control is taken out of what is pasted: the line is drawn as it is.
///
/// Modes are never switched by an event here, so the trait's default for that stays.
struct LineFeeds {
    inner: SharedMode,
    behind: Behind,
    shared: Option<Arc<Shared>>,
    readline: Option<Readline>,
    /// The next key of vi's normal mode is what another one looks for (`f/`, `r/`).
    is_looked_for: bool,
}

impl LineFeeds {
    /// Makes vi's `/` a `?`: both search the history, and the library knows only one of them.
    fn searches(&mut self, event: &mut Event) {
        let is_normal = self.inner().edit_mode() == PromptEditMode::Vi(PromptViMode::Normal);
        let Event::Key(key) = event else { return };
        let KeyCode::Char(letter) = key.code else { return };
        let is_operand = std::mem::take(&mut self.is_looked_for);
        if is_normal && !is_operand {
            self.is_looked_for = matches!(letter, 'f' | 'F' | 't' | 'T' | 'r');
            if letter == '/' {
                key.code = KeyCode::Char('?');
            }
        }
    }

    fn inner(&self) -> MutexGuard<'_, Box<dyn EditMode>> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps what comes in one go behind a key that the engine returns for.
    fn opened_by(&self, event: ReedlineEvent) -> ReedlineEvent {
        if matches!(event, ReedlineEvent::CtrlC | ReedlineEvent::ExecuteHostCommand(_)) {
            self.behind.open();
        }
        event
    }

    /// Says whether a key leaves vi's insert mode behind others that are not on the screen yet.
    fn escapes(&self, event: &Event) -> bool {
        let leaves = matches!(event, Event::Key(key)
            if key.code == KeyCode::Esc || key.modifiers.contains(KeyModifiers::ALT));
        let is_behind_others = || self.shared.as_ref().is_some_and(|shared| shared.painted().is_none());
        leaves && self.inner().edit_mode() == PromptEditMode::Vi(PromptViMode::Insert) && is_behind_others()
    }
}

impl EditMode for LineFeeds {
    fn parse_event(&mut self, event: ReedlineRawEvent) -> ReedlineEvent {
        let mut event = without_last_newline(Event::from(event));
        if self.behind.keep(&event) {
            return ReedlineEvent::None;
        }
        if matches!(&event, Event::Key(key) if is_nul(key))
            && self.shared.as_ref().is_some_and(|shared| shared.was_typed_before())
        {
            event = Event::Key(KeyEvent::new(KeyCode::Char('d'), KeyModifiers::CONTROL));
        }
        if let (Event::Paste(text), Some(shared)) = (&event, &self.shared) {
            shared.paste(text);
        }
        if let (Event::Resize(..), Some(shared)) = (&event, &self.shared) {
            let size = shared.follow_resize(indicator(&self.inner().edit_mode()));
            // The event tells the size of when it was read, and the library counts rows by it.
            event = size.map_or(event, |(columns, rows)| Event::Resize(columns, rows));
        }
        if matches!(&event, Event::Key(key) if is_line_feed(key)) {
            self.behind.open();
            return ReedlineEvent::ExecuteHostCommand(ENTER.into());
        }
        if self.escapes(&event) {
            self.behind.open();
            if let Event::Key(key) = &event
                && key.code != KeyCode::Esc
            {
                // A key with Alt is Escape and the key.
                let key = KeyEvent::new(key.code, key.modifiers.difference(KeyModifiers::ALT));
                self.behind.keep(&Event::Key(key));
            }
            return ReedlineEvent::ExecuteHostCommand(ESCAPE.into());
        }
        self.searches(&mut event);
        let taken = self.readline.as_mut().and_then(|readline| readline.take(&event));
        if let Some(shared) = &self.shared {
            shared.key();
        }
        if let Some(event) = taken {
            return self.opened_by(event);
        }
        // Without a menu to go back in, the route is flipped here: the engine would drop what came in one go behind the key.
        if let (Event::Key(key), Some(shared)) = (&event, &self.shared)
            && key.code == KeyCode::BackTab
            && !shared.has_menu()
        {
            shared.flip();
            return ReedlineEvent::Repaint;
        }
        let Ok(event) = ReedlineRawEvent::try_from(event) else { return ReedlineEvent::None };
        match self.inner().parse_event(event) {
            ReedlineEvent::Edit(commands) => ReedlineEvent::Edit(commands.into_iter().map(clean).collect()),
            event => self.opened_by(event),
        }
    }

    fn edit_mode(&self) -> PromptEditMode {
        self.inner().edit_mode()
    }
}

fn bind(keys: &mut Keybindings) {
    keys.add_binding(
        KeyModifiers::NONE,
        KeyCode::Tab,
        ReedlineEvent::UntilFound(vec![ReedlineEvent::Menu(COMPLETION.into()), ReedlineEvent::MenuNext]),
    );
    let flip =
        ReedlineEvent::UntilFound(vec![ReedlineEvent::MenuPrevious, ReedlineEvent::ExecuteHostCommand(FLIP.into())]);
    keys.add_binding(KeyModifiers::ALT, KeyCode::Char('x'), ReedlineEvent::ExecuteHostCommand(FIX.into()));
    keys.add_binding(KeyModifiers::ALT, KeyCode::Char('o'), ReedlineEvent::ExecuteHostCommand(UNFOLD.into()));
    keys.add_binding(KeyModifiers::SHIFT, KeyCode::BackTab, flip.clone());
    keys.add_binding(KeyModifiers::NONE, KeyCode::BackTab, flip);
    keys.add_binding(
        KeyModifiers::CONTROL,
        KeyCode::Char('r'),
        ReedlineEvent::UntilFound(vec![ReedlineEvent::Menu(SEARCH.into()), ReedlineEvent::MenuRight]),
    );
    keys.add_binding(KeyModifiers::ALT, KeyCode::Enter, ReedlineEvent::Edit(vec![EditCommand::InsertNewline]));
}
