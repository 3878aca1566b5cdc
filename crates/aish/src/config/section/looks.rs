//! How things look.

use super::super::key::{Kind, Overlay};

section! {
    /// `[ui]`.
    Ui in "ui" {
        /// The prompt's template, `ps1` for that of bash, or `starship`; without it the built-in prompt is shown.
        prompt: Option<String> = None, Kind::Text, Overlay::Free;
        /// The colours; without it they fit a dark background.
        theme: Option<String> = None, Kind::Word(&["dark", "light", "mono"]), Overlay::Free;
        /// How the model's reasoning is shown: a line that runs, all of it, or nothing.
        reasoning: String = "line".to_owned(), Kind::Word(&["line", "full", "off"]), Overlay::Free;
        /// The keys of the line editor.
        edit_mode: String = "emacs".to_owned(), Kind::Word(&["emacs", "vi"]), Overlay::Free;
        /// Shows answers as formatted text; false shows them as they were written.
        markdown: bool = true, Kind::Bool, Overlay::Free;
        /// Uses colour: where the terminal can (`auto`), `always` or `never`.
        color: String = "auto".to_owned(), Kind::Word(&["auto", "always", "never"]), Overlay::Free;
        /// Tells the terminal where prompts are, the folder, and what runs (OSC 133, OSC 7, titles).
        marks: bool = true, Kind::Bool, Overlay::Free;
        /// Rings the bell behind commands that ran for so many seconds; 0 never does.
        notify_after: u64 = 0, Kind::Whole(0, 86_400), Overlay::Free;
    }
}
