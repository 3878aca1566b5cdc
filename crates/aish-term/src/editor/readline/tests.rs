//! The tables against bash's own, and what keys do.

use std::process::{Command, Stdio};

use super::*;
use crate::editor::options::EditorOptions;
use crate::history::{HistoryEntry, MemoryHistory};

/// Functions that have a key in readline and that this editor does not have, with what there is instead.
const NOT_THERE: &[(&str, &str)] = &[
    ("call-last-kbd-macro", "no keyboard macros; `~/.inputrc` may define some"),
    ("complete-command", "Tab completes"),
    ("complete-filename", "Tab completes"),
    ("complete-hostname", "Tab completes"),
    ("complete-into-braces", "Tab completes"),
    ("complete-username", "Tab completes"),
    ("complete-variable", "Tab completes"),
    ("display-shell-version", "`echo $BASH_VERSION`"),
    ("dynamic-complete-history", "Ctrl-R searches the history"),
    ("end-kbd-macro", "no keyboard macros; `~/.inputrc` may define some"),
    ("glob-complete-word", "Tab completes"),
    ("glob-expand-word", "Tab completes"),
    ("glob-list-expansions", "Tab completes"),
    ("history-expand-line", "`!!` is expanded when it is entered"),
    ("insert-completions", "Tab completes"),
    ("non-incremental-forward-search-history", "Ctrl-R"),
    ("non-incremental-reverse-search-history", "Ctrl-R"),
    ("operate-and-get-next", "nothing"),
    ("overwrite-mode", "nothing"),
    ("possible-command-completions", "Tab completes"),
    ("possible-filename-completions", "Tab completes"),
    ("possible-hostname-completions", "Tab completes"),
    ("possible-username-completions", "Tab completes"),
    ("possible-variable-completions", "Tab completes"),
    ("re-read-init-file", "it is read at the start"),
    ("shell-expand-line", "nothing"),
    ("shell-transpose-words", "Alt-T"),
    ("spell-correct-word", "nothing"),
    ("start-kbd-macro", "no keyboard macros; `~/.inputrc` may define some"),
];

#[test]
fn functions_are_sorted_and_keys_call_known_ones() {
    assert!(functions::FUNCTIONS.is_sorted_by_key(|(name, _)| *name));
    for (key, function) in defaults::KEYS {
        assert!(functions::known(function).is_some(), "{function}");
        assert!(sequence(key).is_some() || *function == "bracketed-paste-begin", "{key}");
    }
}

/// The table is that of the bash that is installed: a key that it has is ours with the same function, or its function is
/// named as one that is not there.
#[test]
fn keys_are_those_of_bash() {
    let output = Command::new("bash")
        .args(["--norc", "-ic", "bind -p; echo FUNCTIONS; bind -l"])
        .env_clear()
        .envs([("INPUTRC", "/dev/null"), ("TERM", "xterm"), ("LC_ALL", "C"), ("PATH", "/usr/bin:/bin")])
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let (keys, functions) = text.split_once("FUNCTIONS\n").unwrap();
    let ours: HashMap<Vec<Chord>, &str> =
        defaults::KEYS.iter().filter_map(|(key, function)| Some((sequence(key)?, *function))).collect();
    let mut seen = 0;
    for line in keys.lines().filter(|line| line.starts_with('"')) {
        let (key, function) = line[1..].rsplit_once("\": ").unwrap();
        if matches!(function, "self-insert" | "do-lowercase-version") {
            continue;
        }
        seen += 1;
        let is_named = NOT_THERE.iter().any(|(name, _)| *name == function);
        match sequence(key).and_then(|key| ours.get(&key).copied()) {
            Some(our) => {
                // `yank-last-arg` is another name of the same function.
                let same = our == function || (our, function) == ("insert-last-argument", "yank-last-arg");
                let same = same || (function, our) == ("insert-last-argument", "yank-last-arg");
                assert!(same, "{key}: bash {function}, ours {our}");
            }
            None => assert!(is_named || function == "bracketed-paste-begin", "{key}: {function} is missing"),
        }
    }
    assert!(seen > 80, "only {seen} keys: {text}");
    let all: Vec<&str> = functions.lines().collect();
    for name in functions::FUNCTIONS.iter().map(|(name, _)| name).chain(NOT_THERE.iter().map(|(name, _)| name)) {
        assert!(all.contains(name), "bash has no {name}");
    }
}

fn readline(inputrc: &str) -> (Readline, Arc<Shared>) {
    let history = Arc::new(MemoryHistory::new());
    for line in ["first one", "cp a 'b c'", "git push origin"] {
        history.append(HistoryEntry {
            id: 0,
            line: line.into(),
            folder: None,
            status: None,
            duration: None,
            session: None,
            started_ms: 0,
        });
    }
    let facts = crate::Capabilities::plain();
    let mut options = EditorOptions::new(facts, true, Some("xterm"), Arc::clone(&history) as _);
    let shared = Arc::new(Shared::new(&mut options));
    (Readline::new(&inputrc::read(inputrc, None, &|_| None), Arc::clone(&shared), history), shared)
}

fn press(readline: &mut Readline, notation: &str) -> Option<ReedlineEvent> {
    let mut last = None;
    for chord in sequence(notation).unwrap() {
        last = readline.take(&Event::Key(KeyEvent::new(chord.code, chord.modifiers)));
    }
    last
}

fn edit(commands: &[EditCommand]) -> Option<ReedlineEvent> {
    Some(ReedlineEvent::Edit(commands.to_vec()))
}

#[test]
fn words_of_earlier_lines_come_one_after_the_other() {
    let (mut keys, _) = readline("");
    let text = |text: &str| EditCommand::InsertString(text.into());
    assert_eq!(press(&mut keys, r"\e."), edit(&[text("origin")]));
    let mut again = vec![EditCommand::Backspace; 6];
    again.push(text("'b c'"));
    assert_eq!(press(&mut keys, r"\e_"), edit(&again));
    assert_eq!(press(&mut keys, "x"), None);
    press(&mut keys, r"\e1");
    assert_eq!(press(&mut keys, r"\e."), edit(&[text("push")]));
}

#[test]
fn arguments_repeat_and_turn() {
    let (mut keys, _) = readline("");
    press(&mut keys, r"\e3");
    assert_eq!(press(&mut keys, "x"), edit(&[EditCommand::InsertString("xxx".into())]));
    press(&mut keys, r"\e1");
    press(&mut keys, r"\e2");
    let Some(ReedlineEvent::Edit(kills)) = press(&mut keys, r"\ed") else { panic!() };
    assert_eq!(kills, vec![EditCommand::CutWordRight; 12]);
    press(&mut keys, r"\e-");
    assert_eq!(press(&mut keys, r"\ed"), edit(&[EditCommand::CutWordLeft]));
}

#[test]
fn kills_are_kept_in_a_ring() {
    let (mut keys, shared) = readline("");
    shared.paint("one two three", 13);
    press(&mut keys, r"\C-w");
    shared.paint("one two ", 8);
    press(&mut keys, r"\C-w");
    shared.paint("one ", 4);
    press(&mut keys, "x");
    shared.paint("one x", 5);
    press(&mut keys, r"\C-u");
    shared.paint("", 0);
    let text = |text: &str| EditCommand::InsertString(text.into());
    assert_eq!(press(&mut keys, r"\C-y"), edit(&[text("one x")]));
    let mut popped = vec![EditCommand::Backspace; 5];
    popped.push(text("two three"));
    assert_eq!(press(&mut keys, r"\ey"), edit(&popped));
}

#[test]
fn keys_of_two_and_those_of_the_person() {
    let (mut keys, shared) = readline("\"\\C-xg\": \"git status\\C-m\"\n\"\\C-t\":\n\"\\eq\": undo\n");
    shared.paint("x", 1);
    assert_eq!(press(&mut keys, r"\C-x\C-u"), edit(&[EditCommand::Undo]));
    assert_eq!(press(&mut keys, r"\C-xq"), Some(ReedlineEvent::None));
    assert_eq!(press(&mut keys, r"\eq"), edit(&[EditCommand::Undo]));
    assert_eq!(press(&mut keys, r"\C-t"), Some(ReedlineEvent::None));
    let expected =
        vec![ReedlineEvent::Edit(vec![EditCommand::InsertString("git status".into())]), ReedlineEvent::Enter];
    assert_eq!(press(&mut keys, r"\C-xg"), Some(ReedlineEvent::Multiple(expected)));
    press(&mut keys, r"\C-v");
    assert_eq!(press(&mut keys, r"\t"), edit(&[EditCommand::InsertChar('\t')]));
}

#[test]
fn kills_to_the_right_go_behind_those_before() {
    let (mut keys, shared) = readline("\"\\C-w\": unix-filename-rubout\n");
    shared.paint("one two three", 0);
    press(&mut keys, r"\ed");
    shared.paint(" two three", 0);
    press(&mut keys, r"\ed");
    shared.paint(" three", 0);
    let text = |text: &str| EditCommand::InsertString(text.into());
    assert_eq!(press(&mut keys, r"\C-y"), edit(&[text("one two")]));
    shared.paint("ls /usr/lib", 11);
    assert_eq!(press(&mut keys, r"\C-w"), edit(&vec![EditCommand::Backspace; 3]));
    shared.paint("ls /usr/", 8);
    assert_eq!(press(&mut keys, r"\C-y"), edit(&[text("lib")]));
}

#[test]
fn a_macro_types_keys() {
    let inputrc = "\"\\C-xp\": \"PATH=${PATH}\\e\\C-e\\C-a\\ef\\C-f\"\n\"\\C-xa\": \"\\C-xb!\"\n\"\\C-xb\": \"b\\e3x\"\n\
                   \"\\C-xr\": \"r\\C-xr\"\n";
    let (mut keys, shared) = readline(inputrc);
    shared.paint("", 0);
    let typed = |text: &str| insert(text.to_owned());
    let act = |name: &str| match functions::act(name) {
        Some(Act::Event(event)) => event(),
        _ => ReedlineEvent::None,
    };
    let expected = vec![typed("PATH=${PATH}"), act("beginning-of-line"), act("forward-word"), act("forward-char")];
    assert_eq!(press(&mut keys, r"\C-xp"), Some(ReedlineEvent::Multiple(expected)));
    let inner = ReedlineEvent::Multiple(vec![typed("b"), typed("xxx")]);
    assert_eq!(press(&mut keys, r"\C-xa"), Some(ReedlineEvent::Multiple(vec![inner, typed("!")])));
    // One that calls itself comes to an end.
    assert!(matches!(press(&mut keys, r"\C-xr"), Some(ReedlineEvent::Multiple(_))));
    assert_eq!(press(&mut keys, "x"), None);
}

#[test]
fn a_search_that_is_given_up_brings_the_line_back() {
    let (mut keys, shared) = readline("");
    shared.paint("git st", 3);
    let opened = press(&mut keys, r"\C-r");
    assert!(opened.is_some());
    press(&mut keys, "abc");
    press(&mut keys, r"\C-r\C-h");
    let back = vec![
        ReedlineEvent::Esc,
        replaced("git st"),
        ReedlineEvent::Edit(vec![EditCommand::MoveToPosition { position: 3, select: false }]),
    ];
    assert_eq!(press(&mut keys, r"\C-g"), Some(ReedlineEvent::Multiple(back)));
    // Nothing is brought back behind a search that found something, or without one.
    assert_eq!(press(&mut keys, r"\C-g"), Some(ReedlineEvent::Esc));
    press(&mut keys, r"\C-r");
    press(&mut keys, r"\C-m");
    assert_eq!(press(&mut keys, r"\C-g"), Some(ReedlineEvent::Esc));
}
