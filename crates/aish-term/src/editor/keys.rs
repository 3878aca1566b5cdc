//! Which key does what.

use std::sync::{Arc, Mutex, PoisonError};

use crossterm::event::{Event, KeyEvent};
use reedline::{
    EditCommand, EditMode, Emacs, KeyCode, KeyModifiers, Keybindings, PromptEditMode, ReedlineEvent, ReedlineRawEvent,
    Vi, default_emacs_keybindings, default_vi_insert_keybindings, default_vi_normal_keybindings,
    default_vi_visual_keybindings,
};

use super::options::KeyMode;

pub(super) const COMPLETION: &str = "completion";
pub(super) const SEARCH: &str = "search";
/// What the engine hands back when the route is flipped; the leading NUL keeps it apart from a host's commands.
pub(super) const FLIP: &str = "\0flip";

/// What the engine hands back for a line feed.
pub(super) const ENTER: &str = "\0enter";

/// Makes the edit mode with our keys: Tab completes, Shift-Tab flips the route, Ctrl-R searches the history and, while
/// the search is open, narrows it; Alt-Enter starts a new line.
pub(super) fn edit_mode(mode: KeyMode, behind: Behind) -> Box<dyn EditMode> {
    let inner = match mode {
        KeyMode::Emacs => {
            let mut keys = default_emacs_keybindings();
            bind(&mut keys);
            Box::new(Emacs::new(keys)) as Box<dyn EditMode>
        }
        KeyMode::Vi => {
            let mut insert = default_vi_insert_keybindings();
            let mut normal = default_vi_normal_keybindings();
            bind(&mut insert);
            bind(&mut normal);
            Box::new(Vi::new(insert, normal, default_vi_visual_keybindings()))
        }
    };
    Box::new(LineFeeds { inner, behind })
}

/// What was typed behind a line feed, in the same go.
#[derive(Debug, Clone, Default)]
pub(super) struct Behind(Arc<Mutex<Option<String>>>);

impl Behind {
    /// Takes the text, and lets keys through again.
    pub(super) fn take(&self) -> String {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take().unwrap_or_default()
    }

    fn open(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert_default();
    }

    /// Keeps a key, where a line feed came before it.
    fn keep(&self, event: &Event) -> bool {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(text) = kept.as_mut() else { return false };
        match event {
            Event::Key(key) if is_line_feed(key) || key.code == KeyCode::Enter => text.push('\n'),
            Event::Key(KeyEvent { code: KeyCode::Char(c), modifiers, .. })
                if !modifiers.intersects(KeyModifiers::CONTROL | KeyModifiers::ALT) =>
            {
                text.push(*c);
            }
            Event::Key(KeyEvent { code: KeyCode::Tab, .. }) => text.push('\t'),
            Event::Paste(pasted) => text.push_str(pasted),
            _ => {}
        }
        true
    }
}

fn is_line_feed(key: &KeyEvent) -> bool {
    key.code == KeyCode::Char('j') && key.modifiers == KeyModifiers::CONTROL
}

/// Makes a line feed an Enter: what a program types, and what is typed while the terminal still reads whole lines. The
/// engine drops all that comes behind one in the same go, so it is kept here. Terminal control is taken out of what is
/// pasted: the line is drawn as it is.
///
/// Modes are never switched by an event here, so the trait's default for that stays.
struct LineFeeds {
    inner: Box<dyn EditMode>,
    behind: Behind,
}

impl EditMode for LineFeeds {
    fn parse_event(&mut self, event: ReedlineRawEvent) -> ReedlineEvent {
        let event = Event::from(event);
        if self.behind.keep(&event) {
            return ReedlineEvent::None;
        }
        if matches!(&event, Event::Key(key) if is_line_feed(key)) {
            self.behind.open();
            return ReedlineEvent::ExecuteHostCommand(ENTER.into());
        }
        let Ok(event) = ReedlineRawEvent::try_from(event) else { return ReedlineEvent::None };
        match self.inner.parse_event(event) {
            ReedlineEvent::Edit(commands) => ReedlineEvent::Edit(
                commands
                    .into_iter()
                    .map(|command| match command {
                        EditCommand::InsertString(text) => {
                            EditCommand::InsertString(aish_types::sanitize(&text).into_owned())
                        }
                        command => command,
                    })
                    .collect(),
            ),
            event => event,
        }
    }

    fn edit_mode(&self) -> PromptEditMode {
        self.inner.edit_mode()
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
    keys.add_binding(KeyModifiers::SHIFT, KeyCode::BackTab, flip.clone());
    keys.add_binding(KeyModifiers::NONE, KeyCode::BackTab, flip);
    keys.add_binding(
        KeyModifiers::CONTROL,
        KeyCode::Char('r'),
        ReedlineEvent::UntilFound(vec![ReedlineEvent::Menu(SEARCH.into()), ReedlineEvent::MenuRight]),
    );
    keys.add_binding(KeyModifiers::ALT, KeyCode::Enter, ReedlineEvent::Edit(vec![EditCommand::InsertNewline]));
}
