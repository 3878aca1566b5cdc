//! Which key does what.

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

/// Makes the edit mode with our keys: Tab completes, Shift-Tab flips the route, Ctrl-R searches the history and, while
/// the search is open, narrows it; Alt-Enter starts a new line.
pub(super) fn edit_mode(mode: KeyMode) -> Box<dyn EditMode> {
    Box::new(CleanPaste(match mode {
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
    }))
}

/// Takes terminal control out of what is pasted: the line is drawn as it is. Modes are never switched by an event here,
/// so the trait's default for that stays.
struct CleanPaste(Box<dyn EditMode>);

impl EditMode for CleanPaste {
    fn parse_event(&mut self, event: ReedlineRawEvent) -> ReedlineEvent {
        match self.0.parse_event(event) {
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
        self.0.edit_mode()
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
