//! How things look.

use super::super::key::{Kind, Overlay};
use super::super::word::one_of;

one_of! {
    /// How the model's reasoning is shown.
    Thoughts {
        /// As one dimmed line that runs while the model thinks, and goes when it answers.
        Line = "line",
        /// Whole, dimmed, on standard error.
        Full = "full",
        /// Not at all.
        Off = "off",
    }
}

one_of! {
    /// Whose keys the line editor has.
    EditMode {
        /// Those of readline.
        Emacs = "emacs",
        /// Those of vi.
        Vi = "vi",
    }
}

one_of! {
    /// When to use colour.
    Color {
        /// On a capable terminal.
        Auto = "auto",
        /// Also in a pipe.
        Always = "always",
        /// Nowhere.
        Never = "never",
    }
}

section! {
    /// `[ui]`.
    Ui in "ui" {
        /// The prompt's template, `ps1` for that of bash, or `starship`; without it the built-in prompt is shown.
        prompt: Option<String> = None, Kind::Text, Overlay::Free;
        /// The colours; without it they fit a dark background.
        theme: Option<String> = None, Kind::Word(&["dark", "light", "mono"]), Overlay::Free;
        /// How the model's reasoning is shown: a line that runs, all of it, or nothing.
        reasoning: Thoughts = Thoughts::Line, Thoughts::WORDS, Overlay::Free;
        /// The keys of the line editor.
        edit_mode: EditMode = EditMode::Emacs, EditMode::WORDS, Overlay::Free;
        /// Shows answers as formatted text; false shows them as they were written.
        markdown: bool = true, Kind::Bool, Overlay::Free;
        /// Uses colour: where the terminal can (`auto`), `always` or `never`.
        color: Color = Color::Auto, Color::WORDS, Overlay::Free;
        /// Tells the terminal where prompts are, the folder, and what runs (OSC 133, OSC 7, titles).
        marks: bool = true, Kind::Bool, Overlay::Free;
        /// Rings the bell behind commands that ran for so many seconds; 0 never does.
        notify_after: u64 = 0, Kind::Whole(0, 86_400), Overlay::Free;
    }
}
