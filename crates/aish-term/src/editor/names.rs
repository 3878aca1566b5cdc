//! The names of menus, and of what the engine hands back for keys that are not its own.

/// The menu of completions.
pub(super) const COMPLETION: &str = "completion";
/// The menu of the history.
pub(super) const SEARCH: &str = "search";

/// What the engine hands back when the route is flipped; the leading NUL keeps it apart from a host's commands.
pub(super) const FLIP: &str = "\0flip";

/// What the engine hands back for a line feed.
pub(super) const ENTER: &str = "\0enter";

/// How what the engine hands back for a key begins that stands for a line of its own.
pub(super) const LINE: &str = "\0line ";
/// The key that asks what the last command failed at; a blank keeps its line out of the history.
pub(super) const FIX: &str = "\0line  :fix";
/// The key that shows what was folded.
pub(super) const UNFOLD: &str = "\0line  :unfold";

/// What the engine hands back for a line that is to be edited in the person's editor.
pub(super) const EDITOR: &str = "\0editor";

/// What the engine hands back where vi's insert mode is left behind text that was typed in the same go: the library runs
/// all of that under the mode that the last key leads to.
pub(super) const ESCAPE: &str = "\0escape";
