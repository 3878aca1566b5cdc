//! What readline's functions are here.

use crossterm::event::KeyCode;
use reedline::{EditCommand, ReedlineEvent};

use crate::editor::names::{COMPLETION, EDITOR, SEARCH};

/// What a function does.
#[derive(Debug, Clone, Copy)]
pub(super) enum Act {
    /// Something of the engine's.
    Event(fn() -> ReedlineEvent),
    /// The engine's, with the killed text for the ring.
    Kill(fn() -> EditCommand),
    /// Our own, with what was typed before and the history.
    Own(Own),
}

/// Functions of our own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Own {
    Argument,
    FirstHistory,
    LastHistory,
    LastArgument,
    NthArgument,
    Quoted,
    SearchForward,
    SearchBackward,
    SetMark,
    ExchangeMark,
    DeleteBlanks,
    Comment,
    Revert,
    RuboutName,
    Tilde,
    TransposeWords,
    Yank,
    YankPop,
}

fn edit(command: EditCommand) -> ReedlineEvent {
    ReedlineEvent::Edit(vec![command])
}

fn first(events: Vec<ReedlineEvent>) -> ReedlineEvent {
    ReedlineEvent::UntilFound(events)
}

fn completion() -> ReedlineEvent {
    first(vec![ReedlineEvent::Menu(COMPLETION.into()), ReedlineEvent::MenuNext])
}

/// Returns what a key does in a macro that only the library has a binding of.
pub(super) fn unbound(code: KeyCode) -> Option<ReedlineEvent> {
    match code {
        KeyCode::Tab => Some(completion()),
        KeyCode::Delete => Some(ReedlineEvent::CtrlD),
        _ => None,
    }
}

/// Functions by their names, in their order.
pub(super) const FUNCTIONS: &[(&str, Act)] = &[
    ("abort", Act::Event(|| ReedlineEvent::Esc)),
    ("accept-line", Act::Event(|| ReedlineEvent::Enter)),
    ("backward-char", Act::Event(|| first(vec![ReedlineEvent::MenuLeft, ReedlineEvent::Left]))),
    ("backward-delete-char", Act::Event(|| edit(EditCommand::Backspace))),
    ("backward-kill-line", Act::Kill(|| EditCommand::CutFromLineStart)),
    ("backward-kill-word", Act::Kill(|| EditCommand::CutWordLeft)),
    ("backward-word", Act::Event(|| edit(EditCommand::MoveWordLeft { select: false }))),
    ("beginning-of-history", Act::Own(Own::FirstHistory)),
    ("beginning-of-line", Act::Event(|| edit(EditCommand::MoveToLineStart { select: false }))),
    ("bracketed-paste-begin", Act::Event(|| ReedlineEvent::None)),
    ("capitalize-word", Act::Event(|| edit(EditCommand::CapitalizeChar))),
    ("character-search", Act::Own(Own::SearchForward)),
    ("character-search-backward", Act::Own(Own::SearchBackward)),
    ("clear-display", Act::Event(|| ReedlineEvent::ClearScrollback)),
    ("clear-screen", Act::Event(|| ReedlineEvent::ClearScreen)),
    ("complete", Act::Event(completion)),
    ("delete-char", Act::Event(|| ReedlineEvent::CtrlD)),
    ("delete-horizontal-space", Act::Own(Own::DeleteBlanks)),
    ("digit-argument", Act::Own(Own::Argument)),
    ("downcase-word", Act::Event(|| edit(EditCommand::LowercaseWord))),
    ("edit-and-execute-command", Act::Event(|| ReedlineEvent::ExecuteHostCommand(EDITOR.into()))),
    ("end-of-history", Act::Own(Own::LastHistory)),
    (
        "end-of-line",
        Act::Event(|| {
            first(vec![ReedlineEvent::HistoryHintComplete, edit(EditCommand::MoveToLineEnd { select: false })])
        }),
    ),
    ("exchange-point-and-mark", Act::Own(Own::ExchangeMark)),
    (
        "forward-char",
        Act::Event(|| first(vec![ReedlineEvent::HistoryHintComplete, ReedlineEvent::MenuRight, ReedlineEvent::Right])),
    ),
    ("forward-search-history", Act::Event(|| first(vec![ReedlineEvent::Menu(SEARCH.into()), ReedlineEvent::MenuUp]))),
    (
        "forward-word",
        Act::Event(|| {
            first(vec![ReedlineEvent::HistoryHintWordComplete, edit(EditCommand::MoveWordRight { select: false })])
        }),
    ),
    ("history-search-backward", Act::Event(|| ReedlineEvent::PreviousHistory)),
    ("history-search-forward", Act::Event(|| ReedlineEvent::NextHistory)),
    ("insert-comment", Act::Own(Own::Comment)),
    ("insert-last-argument", Act::Own(Own::LastArgument)),
    ("kill-line", Act::Kill(|| EditCommand::KillLine)),
    ("kill-whole-line", Act::Kill(|| EditCommand::CutCurrentLine)),
    ("kill-word", Act::Kill(|| EditCommand::CutWordRight)),
    ("menu-complete", Act::Event(completion)),
    ("menu-complete-backward", Act::Event(|| ReedlineEvent::MenuPrevious)),
    ("next-history", Act::Event(|| first(vec![ReedlineEvent::MenuDown, ReedlineEvent::Down]))),
    ("possible-completions", Act::Event(completion)),
    ("previous-history", Act::Event(|| first(vec![ReedlineEvent::MenuUp, ReedlineEvent::Up]))),
    ("quoted-insert", Act::Own(Own::Quoted)),
    (
        "reverse-search-history",
        Act::Event(|| first(vec![ReedlineEvent::Menu(SEARCH.into()), ReedlineEvent::MenuRight])),
    ),
    ("revert-line", Act::Own(Own::Revert)),
    ("set-mark", Act::Own(Own::SetMark)),
    ("shell-backward-word", Act::Event(|| edit(EditCommand::MoveBigWordLeft { select: false }))),
    ("shell-forward-word", Act::Event(|| edit(EditCommand::MoveBigWordRightEnd { select: false }))),
    ("shell-kill-word", Act::Kill(|| EditCommand::CutBigWordRight)),
    ("tilde-expand", Act::Own(Own::Tilde)),
    ("transpose-chars", Act::Event(|| edit(EditCommand::SwapGraphemes))),
    ("transpose-words", Act::Own(Own::TransposeWords)),
    ("undo", Act::Event(|| edit(EditCommand::Undo))),
    ("unix-filename-rubout", Act::Own(Own::RuboutName)),
    ("unix-line-discard", Act::Kill(|| EditCommand::CutFromStart)),
    ("unix-word-rubout", Act::Kill(|| EditCommand::CutBigWordLeft)),
    ("upcase-word", Act::Event(|| edit(EditCommand::UppercaseWord))),
    ("yank", Act::Own(Own::Yank)),
    ("yank-last-arg", Act::Own(Own::LastArgument)),
    ("yank-nth-arg", Act::Own(Own::NthArgument)),
    ("yank-pop", Act::Own(Own::YankPop)),
];

/// Returns a function's name, where this editor has it.
pub(super) fn known(name: &str) -> Option<&'static str> {
    FUNCTIONS
        .binary_search_by_key(&name, |(known, _)| known)
        .ok()
        .and_then(|at| FUNCTIONS.get(at))
        .map(|(name, _)| *name)
}

/// Returns what a function does.
pub(super) fn act(name: &str) -> Option<Act> {
    FUNCTIONS.binary_search_by_key(&name, |(known, _)| known).ok().and_then(|at| FUNCTIONS.get(at)).map(|(_, act)| *act)
}

/// Functions that change what is searched for, or move in what was found: the search stays open.
pub(super) const SEARCHING: &[&str] = &[
    "backward-char",
    "backward-delete-char",
    "backward-kill-word",
    "forward-char",
    "next-history",
    "previous-history",
    "unix-line-discard",
    "unix-word-rubout",
    "yank",
];

/// What a negative argument makes of a function.
pub(super) fn turned(name: &str) -> Option<&'static str> {
    const PAIRS: &[(&str, &str)] = &[
        ("backward-char", "forward-char"),
        ("backward-word", "forward-word"),
        ("backward-kill-word", "kill-word"),
        ("backward-kill-line", "kill-line"),
        ("shell-backward-word", "shell-forward-word"),
        ("character-search-backward", "character-search"),
        ("previous-history", "next-history"),
    ];
    PAIRS.iter().find_map(|(one, other)| match name {
        name if name == *one => Some(*other),
        name if name == *other => Some(*one),
        _ => None,
    })
}
