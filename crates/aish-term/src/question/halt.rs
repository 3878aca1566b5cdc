//! The HALT gate of an autonomous run: what it wants, why it stopped there, and what a person may say.

use std::io;

use aish_safety::{Question, Subject, Verdict, WayBack};

use super::body::question_lines;
use super::dialogue::{Paged, choice_of, edited_text, explain, paged, said};
use super::terminal::{AskTerminal, Key};
use crate::styled::Styled;
use crate::theme::Theme;

/// The word that lets a halted call run all the same.
const WORD: &str = "run";

/// What a person says at the HALT gate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HaltAnswer {
    /// Run it, this once.
    Run,
    /// Leave it out and go on.
    Skip,
    /// Judge this instead: a command line for a command, JSON text for a tool.
    Change(String),
    /// End the run.
    End,
    /// Ctrl-C: end the run at once.
    Interrupted,
    /// Nobody is there to be asked.
    Nobody,
}

/// Asks on a terminal what becomes of a halted call. Enter, Escape, the end of the input and a closed terminal end the run;
/// what was halted runs only after the word was typed.
pub fn halt(question: &Question, theme: &Theme, terminal: &mut dyn AskTerminal) -> HaltAnswer {
    converse(question, theme, terminal).unwrap_or_else(|error| {
        tracing::debug!(%error, "the HALT gate could not be shown");
        HaltAnswer::End
    })
}

fn converse(question: &Question, theme: &Theme, terminal: &mut dyn AskTerminal) -> io::Result<HaltAnswer> {
    let lines = question_lines(question, theme, &terminal.capabilities());
    match paged(&lines, theme, terminal)? {
        Paged::Whole => {}
        Paged::GivenUp => return Ok(HaltAnswer::End),
        Paged::Interrupted => return Ok(HaltAnswer::Interrupted),
    }
    loop {
        let answer = match offered(theme, terminal)? {
            Choice::Run => {
                terminal.write("run\n")?;
                agreed(question, terminal)?.then_some(HaltAnswer::Run)
            }
            Choice::Skip => said(terminal, "skip", Some(HaltAnswer::Skip))?,
            Choice::Change => {
                terminal.write("change\n")?;
                edited_text(question, "change: ", terminal)?.map(HaltAnswer::Change)
            }
            Choice::End => said(terminal, "end", Some(HaltAnswer::End))?,
            Choice::Interrupt => said(terminal, "", Some(HaltAnswer::Interrupted))?,
            Choice::Why => {
                explain(question, theme, terminal)?;
                None
            }
        };
        if let Some(answer) = answer {
            return Ok(answer);
        }
    }
}

enum Choice {
    Run,
    Skip,
    Change,
    End,
    Interrupt,
    Why,
}

fn choices(theme: &Theme) -> Styled {
    let mut line = Styled::default();
    line.push(theme.strong, "[r]un anyway  [s]kip  [c]hange  [e]nd  [?]why");
    line.push(theme.dim, " (end) ");
    line
}

/// Offers the choices. Keys without a meaning are passed over.
fn offered(theme: &Theme, terminal: &mut dyn AskTerminal) -> io::Result<Choice> {
    let meaning = |key| match key {
        Key::Char('r' | 'R') => Some(Choice::Run),
        Key::Char('s' | 'S') => Some(Choice::Skip),
        Key::Char('c' | 'C') => Some(Choice::Change),
        Key::Char('e' | 'E') | Key::Enter | Key::Escape | Key::EndOfInput => Some(Choice::End),
        Key::Interrupt => Some(Choice::Interrupt),
        Key::Char('?' | 'w' | 'W') => Some(Choice::Why),
        Key::Char(_) | Key::Other => None,
    };
    let line = choice_of(&[choices(theme)], terminal);
    let key = terminal.offer(&line, &|key| meaning(key).is_some())?;
    Ok(meaning(key).unwrap_or(Choice::End))
}

/// What was halted wants the whole word; what was only to be asked is agreed to by the key.
fn agreed(question: &Question, terminal: &mut dyn AskTerminal) -> io::Result<bool> {
    Ok(question.judgement.verdict < Verdict::Halt || typed_word(terminal)?)
}

/// Says whether a key is too little for a yes: what halts is not run by a slip of a finger where undo cannot bring all of it back.
/// The file tools' edits are small, and undone.
pub(super) fn wants_word(question: &Question) -> bool {
    let is_edit = matches!(question.subject, Subject::Files { .. });
    question.judgement.verdict == Verdict::Halt && question.way_back != WayBack::Whole && !is_edit
}

/// Asks for the word; false where something else was typed.
pub(super) fn typed_word(terminal: &mut dyn AskTerminal) -> io::Result<bool> {
    let typed = terminal.edit(&format!("type `{WORD}` to run it anyway: "), "")?;
    Ok(typed.is_some_and(|typed| typed.trim() == WORD))
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;

    use aish_safety::{Judgement, Subject};
    use insta::assert_snapshot;

    use super::*;
    use crate::capability::Capabilities;

    /// A terminal whose keys and typed lines are known beforehand; without more keys it is closed.
    struct Script {
        keys: VecDeque<Key>,
        typed: VecDeque<Option<&'static str>>,
        shown: String,
    }

    impl AskTerminal for Script {
        fn capabilities(&self) -> Capabilities {
            Capabilities { width: 60, height: 24, ..Capabilities::plain() }
        }

        fn write(&mut self, text: &str) -> io::Result<()> {
            self.shown.push_str(text);
            Ok(())
        }

        fn offer(&mut self, choice: &str, answers: &dyn Fn(Key) -> bool) -> io::Result<Key> {
            self.shown.push_str(choice);
            loop {
                let key = self.keys.pop_front().ok_or(io::ErrorKind::UnexpectedEof)?;
                if answers(key) {
                    return Ok(key);
                }
            }
        }

        fn edit(&mut self, label: &str, _text: &str) -> io::Result<Option<String>> {
            let typed = self.typed.pop_front().flatten();
            self.shown.push_str(&format!("{label}{}\n", typed.unwrap_or_default()));
            Ok(typed.map(str::to_owned))
        }

        fn keep_words(&mut self, words: String) {
            unreachable!("{words:?}: a halt takes none");
        }
    }

    fn answered(verdict: Verdict, keys: &[Key], typed: &[Option<&'static str>]) -> (HaltAnswer, String) {
        let question = Question {
            tool: "shell".into(),
            subject: Subject::Command { text: "rm -rf /srv".into() },
            arguments: serde_json::json!({"command": "rm -rf /srv"}),
            judgement: Judgement::new(verdict, "files.delete-recursive", "deletes /srv and all below it"),
            confirm_message: None,
            drift: None,
            always: None,
            can_try: false,
            way_back: aish_safety::WayBack::Nothing,
            notes: Vec::new(),
        };
        let mut script = Script {
            keys: keys.iter().copied().collect(),
            typed: typed.iter().copied().collect(),
            shown: String::new(),
        };
        let answer = halt(&question, &Theme::dark(), &mut script);
        (answer, script.shown)
    }

    #[test]
    fn what_was_halted_runs_after_the_whole_word_only() {
        let r = Key::Char('r');
        let (answer, shown) = answered(Verdict::Halt, &[r], &[Some(" run ")]);
        assert_eq!(answer, HaltAnswer::Run);
        assert_snapshot!(shown, @r"
        [aish] HALT: A command wants to run:
          $ rm -rf /srv
          deletes /srv and all below it (files.delete-recursive)
        [r]un anyway  [s]kip  [c]hange  [e]nd  [?]why (end) run
        type `run` to run it anyway:  run 
        ");
        for typed in [Some("y"), Some(""), Some("RUN"), Some("run it"), None] {
            assert_eq!(answered(Verdict::Halt, &[r, Key::Enter], &[typed]).0, HaltAnswer::End, "{typed:?}");
        }
        assert_eq!(answered(Verdict::Ask, &[r], &[]).0, HaltAnswer::Run);
    }

    #[test]
    fn skip_change_end_and_interrupt() {
        let of = |keys: &[Key], typed: &[Option<&'static str>]| answered(Verdict::Halt, keys, typed).0;
        assert_eq!(of(&[Key::Char('s')], &[]), HaltAnswer::Skip);
        assert_eq!(of(&[Key::Char('c')], &[Some("ls /srv")]), HaltAnswer::Change("ls /srv".into()));
        assert_eq!(of(&[Key::Char('c'), Key::Char('s')], &[None]), HaltAnswer::Skip);
        for keys in [&[Key::Char('e')][..], &[Key::Enter], &[Key::Escape], &[Key::EndOfInput], &[]] {
            assert_eq!(of(keys, &[]), HaltAnswer::End, "{keys:?}");
        }
        assert_eq!(of(&[Key::Char('y'), Key::Other, Key::Interrupt], &[]), HaltAnswer::Interrupted);
        let (answer, shown) = answered(Verdict::Halt, &[Key::Char('?'), Key::Enter], &[]);
        assert_eq!(answer, HaltAnswer::End);
        assert!(shown.contains("verdict: halt"));
    }
}
