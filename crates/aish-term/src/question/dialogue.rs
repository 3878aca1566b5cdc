//! Shows a question and reads the answer. Everything but a plain yes leaves the call unapproved.

use std::io;

use aish_safety::{Answer, Question, Subject};

use super::body::{question_lines, shown_json, why_lines};
use super::halt::{typed_word, wants_word};
use super::terminal::{AskTerminal, Key};
use crate::capability::Capabilities;
use crate::message;
use crate::styled::{Ink, Styled};
use crate::theme::Theme;

/// Asks a question on a terminal. End of input, Escape and a closed terminal are no; an interrupt stops
/// what wanted it.
pub fn ask(question: &Question, theme: &Theme, terminal: &mut dyn AskTerminal) -> Answer {
    converse(question, theme, terminal).unwrap_or_else(|error| {
        tracing::debug!(%error, "the question could not be asked");
        Answer::No
    })
}

fn converse(question: &Question, theme: &Theme, terminal: &mut dyn AskTerminal) -> io::Result<Answer> {
    let lines = question_lines(question, theme, &terminal.capabilities());
    match paged(&lines, theme, terminal)? {
        Paged::Whole => {}
        Paged::GivenUp => return Ok(Answer::No),
        Paged::Interrupted => return Ok(Answer::Stop),
    }
    loop {
        let answer = match offered(question, theme, terminal)? {
            Choice::Yes => {
                terminal.write("yes\n")?;
                (!wants_word(question) || typed_word(terminal)?).then_some(Answer::Yes)
            }
            Choice::Try => said(terminal, "try", Some(Answer::Try))?,
            Choice::No => said(terminal, "no", Some(Answer::No))?,
            Choice::Stop => said(terminal, "", Some(Answer::Stop))?,
            Choice::Edit => {
                terminal.write("edit\n")?;
                edited(question, terminal)?
            }
            Choice::Always(offered) => {
                terminal.write("always\n")?;
                always(&offered, terminal)?
            }
            Choice::Instead => {
                terminal.write("instead\n")?;
                let words = terminal.edit("no; instead: ", "")?.filter(|words| !words.trim().is_empty());
                words.map(|words| {
                    terminal.keep_words(words);
                    Answer::No
                })
            }
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

/// Lets a person shorten what is kept for good. What would not cover the call at hand is not kept.
fn always(offered: &str, terminal: &mut dyn AskTerminal) -> io::Result<Option<Answer>> {
    loop {
        let kept = terminal.edit("always allow, and what begins so: ", offered)?;
        let Some(kept) = kept.map(|text| text.trim().to_owned()).filter(|text| !text.is_empty()) else {
            return Ok(None);
        };
        if aish_safety::kept::covers(&kept, offered) {
            return Ok(Some(Answer::Always(kept)));
        }
        // A second Enter would take the whole text that is offered again.
        terminal
            .refuse("[aish] that does not cover it: leave the text as it is, or shorten it to its first words\n")?;
    }
}

/// What [`choose`] returns for Ctrl-C where it is among the keys.
pub const CANCEL: char = '\u{3}';

/// Lets a person choose among keys. Enter, Escape, end of input and a closed terminal choose nothing, and so does Ctrl-C
/// where it is not one of them.
pub fn choose(label: &str, keys: &[char], theme: &Theme, terminal: &mut dyn AskTerminal) -> Option<char> {
    chosen(label, keys, theme, terminal).unwrap_or_else(|error| {
        tracing::debug!(%error, "the choice could not be offered");
        None
    })
}

fn chosen(label: &str, keys: &[char], theme: &Theme, terminal: &mut dyn AskTerminal) -> io::Result<Option<char>> {
    let label: Vec<Styled> =
        aish_types::sanitize(label).split('\n').map(|line| Styled::of(theme.strong, line)).collect();
    let of = |c: char| keys.iter().copied().find(|key| key.eq_ignore_ascii_case(&c));
    let answers = |key| match key {
        Key::Char(c) => of(c).is_some(),
        Key::Enter | Key::Escape | Key::Interrupt | Key::EndOfInput => true,
        Key::Other => false,
    };
    let choice = match terminal.offer(&choice_of(&label, terminal), &answers)? {
        Key::Char(c) => of(c),
        Key::Interrupt => of(CANCEL),
        Key::Enter | Key::Escape | Key::EndOfInput | Key::Other => None,
    };
    let shown = choice.filter(|key| *key != CANCEL);
    terminal.write(&shown.map_or_else(|| "\n".to_owned(), |key| format!("{key}\n")))?;
    Ok(choice)
}

enum Choice {
    Yes,
    Try,
    No,
    Stop,
    Edit,
    Always(String),
    Instead,
    Why,
}

fn choices(question: &Question, theme: &Theme) -> Styled {
    let mut line = Styled::default();
    let always = if question.always.is_some() { "  [a]lways" } else { "" };
    let tried = if question.can_try { "  [t]ry" } else { "" };
    line.push(theme.strong, &format!("[y]es{tried}  [n]o  [e]dit{always}  [?]why  [i]nstead"));
    line.push(theme.dim, " (no) ");
    line
}

/// Offers the choices. Keys without a meaning are passed over: neither a yes nor a no was meant.
fn offered(question: &Question, theme: &Theme, terminal: &mut dyn AskTerminal) -> io::Result<Choice> {
    let meaning = |key| match key {
        Key::Char('y' | 'Y') => Some(Choice::Yes),
        Key::Char('t' | 'T') => question.can_try.then_some(Choice::Try),
        Key::Char('n' | 'N') | Key::Enter | Key::Escape | Key::EndOfInput => Some(Choice::No),
        Key::Interrupt => Some(Choice::Stop),
        Key::Char('e' | 'E') => Some(Choice::Edit),
        Key::Char('?' | 'w' | 'W') => Some(Choice::Why),
        Key::Char('i' | 'I') => Some(Choice::Instead),
        Key::Char('a' | 'A') => question.always.clone().map(Choice::Always),
        Key::Char(_) | Key::Other => None,
    };
    let line = choice_of(&[choices(question, theme)], terminal);
    let key = terminal.offer(&line, &|key| meaning(key).is_some())?;
    Ok(meaning(key).unwrap_or(Choice::No))
}

/// Shows which key was meant.
pub(super) fn said<T>(terminal: &mut dyn AskTerminal, word: &str, answer: Option<T>) -> io::Result<Option<T>> {
    terminal.write(&format!("{word}\n"))?;
    Ok(answer)
}

/// Says why a question is asked.
pub(super) fn explain(question: &Question, theme: &Theme, terminal: &mut dyn AskTerminal) -> io::Result<()> {
    terminal.write("why\n")?;
    let width = usize::from(terminal.capabilities().width);
    why_lines(question, theme, width).iter().try_for_each(|line| show(line, terminal, "\n"))
}

/// An edit that is given up, or that leaves nothing, goes back to the question.
fn edited(question: &Question, terminal: &mut dyn AskTerminal) -> io::Result<Option<Answer>> {
    Ok(edited_text(question, "edit: ", terminal)?.map(Answer::Edit))
}

/// Lets the command or the JSON be edited; none where that is given up or nothing is left.
pub(super) fn edited_text(
    question: &Question,
    label: &str,
    terminal: &mut dyn AskTerminal,
) -> io::Result<Option<String>> {
    let text = match &question.subject {
        Subject::Command { text } => text.clone(),
        Subject::Argv { .. } | Subject::Files { .. } | Subject::Page { .. } | Subject::Tool => {
            shown_json(&question.arguments)
        }
    };
    Ok(terminal.edit(label, &text)?.filter(|text| !text.trim().is_empty()))
}

fn show(line: &Styled, terminal: &mut dyn AskTerminal, end: &str) -> io::Result<()> {
    let mut text = inked(line, terminal);
    text.push_str(end);
    terminal.write(&text)
}

/// Returns a line as this terminal shows it.
pub(super) fn inked(line: &Styled, terminal: &dyn AskTerminal) -> String {
    line.to_text(Ink { color: terminal.capabilities().color, links: false })
}

/// Returns a choice as this terminal shows it, broken between the keys; the answer comes behind it.
pub(super) fn choice_of(lines: &[Styled], terminal: &dyn AskTerminal) -> String {
    let Capabilities { width, color, .. } = terminal.capabilities();
    let rows: Vec<Styled> = lines.iter().flat_map(|line| message::rows_below(line, usize::from(width), 0)).collect();
    message::joined(&rows, Ink { color, links: false })
}

/// How far a question was read.
pub(super) enum Paged {
    /// To its end.
    Whole,
    /// The person did not want to see the rest.
    GivenUp,
    /// Ctrl-C.
    Interrupted,
}

/// Counts the lines that fit into so many rows; one that is longer than a row takes several.
fn fitting(lines: &[Styled], room: usize, width: u16) -> usize {
    let rows = |line: &Styled| line.width().div_ceil(usize::from(width).max(1)).max(1);
    let ends = lines.iter().scan(0, |end, line| {
        *end += rows(line);
        Some(*end)
    });
    ends.take_while(|end| *end <= room).count()
}

/// Shows lines page by page where they do not fit.
pub(super) fn paged(lines: &[Styled], theme: &Theme, terminal: &mut dyn AskTerminal) -> io::Result<Paged> {
    let mut shown = 0;
    loop {
        let Capabilities { width, height, .. } = terminal.capabilities();
        let room = usize::from(height).saturating_sub(3).max(1);
        let left = lines.get(shown..).unwrap_or_default();
        let take =
            if fitting(left, room, width) == left.len() { left.len() } else { fitting(left, room - 1, width).max(1) };
        let mut page = String::new();
        let ink = Ink { color: terminal.capabilities().color, links: false };
        for line in lines.iter().skip(shown).take(take) {
            line.write(ink, &mut page);
            page.push('\n');
        }
        terminal.write(&page)?;
        shown += take;
        if shown >= lines.len() {
            return Ok(Paged::Whole);
        }
        let more =
            Styled::of(theme.dim, &format!("-- {} of {} lines; space for more, n for no --", shown, lines.len()));
        let meaning = |key| match key {
            Key::Char(' ') | Key::Enter => Some(None),
            Key::Char('n' | 'N' | 'q') | Key::Escape | Key::EndOfInput => Some(Some(Paged::GivenUp)),
            Key::Interrupt => Some(Some(Paged::Interrupted)),
            Key::Char(_) | Key::Other => None,
        };
        let key = terminal.offer(&choice_of(&[more], terminal), &|key| meaning(key).is_some())?;
        let ended = meaning(key).unwrap_or(Some(Paged::GivenUp));
        terminal.write("\n")?;
        if let Some(ended) = ended {
            return Ok(ended);
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use std::collections::VecDeque;

    use aish_safety::{Judgement, Verdict, WayBack};
    use insta::assert_snapshot;

    use super::*;

    /// A terminal whose keys are known beforehand; without more keys it is closed.
    pub(in crate::question) struct Script {
        size: (u16, u16),
        keys: VecDeque<Key>,
        edit: Option<String>,
        pub(in crate::question) shown: String,
        offered: usize,
        words: Option<String>,
    }

    impl Script {
        pub(in crate::question) fn new(keys: &[Key], size: (u16, u16)) -> Self {
            Self {
                size,
                keys: keys.iter().copied().collect(),
                edit: None,
                shown: String::new(),
                offered: 0,
                words: None,
            }
        }
    }

    impl AskTerminal for Script {
        fn capabilities(&self) -> Capabilities {
            Capabilities { width: self.size.0, height: self.size.1, ..Capabilities::plain() }
        }

        fn write(&mut self, text: &str) -> io::Result<()> {
            self.shown.push_str(text);
            Ok(())
        }

        fn offer(&mut self, choice: &str, answers: &dyn Fn(Key) -> bool) -> io::Result<Key> {
            self.shown.push_str(choice);
            self.offered += 1;
            loop {
                let key = self.keys.pop_front().ok_or(io::ErrorKind::UnexpectedEof)?;
                if answers(key) {
                    return Ok(key);
                }
            }
        }

        fn edit(&mut self, _label: &str, text: &str) -> io::Result<Option<String>> {
            Ok(self.edit.as_ref().map(|edit| edit.replace('%', text)))
        }

        fn keep_words(&mut self, words: String) {
            self.words = Some(words);
        }
    }

    fn question(subject: Subject) -> Question {
        Question {
            tool: "files.delete".into(),
            subject,
            arguments: serde_json::json!({"deep": true, "path": "/a\u{202e}b"}),
            judgement: Judgement::new(Verdict::Halt, "files.delete", "deletes a file for good"),
            confirm_message: Some("Really delete it?".into()),
            drift: Some("description:\n- old\n+ new\u{1b}[2J".into()),
            always: None,
            can_try: false,
            way_back: WayBack::Nothing,
            notes: Vec::new(),
        }
    }

    /// A question that a key alone answers.
    fn asked(subject: Subject) -> Question {
        Question { judgement: Judgement::new(Verdict::Ask, "files.write", "writes a file"), ..question(subject) }
    }

    fn answered(keys: &[Key], subject: Subject) -> (Answer, Script) {
        let mut script = Script::new(keys, (60, 24));
        script.edit = Some("run".into());
        let answer = ask(&question(subject), &Theme::dark(), &mut script);
        (answer, script)
    }

    #[test]
    fn a_tool_is_shown_whole() {
        let (answer, script) = answered(&[Key::Char('y')], Subject::Tool);
        assert_eq!(answer, Answer::Yes);
        assert_snapshot!(script.shown, @r#"
        [aish] HALT: files.delete wants to be called with:
          {
            "deep": true,
            "path": "/a\u{202e}b"
          }
          Really delete it?
          deletes a file for good (files.delete)
          The tool's definition has changed since it was approved:
            description:
            - old
            + new\e[2J
        [y]es  [n]o  [e]dit  [?]why  [i]nstead (no) yes
        "#);
    }

    #[test]
    fn what_halts_and_cannot_come_back_wants_the_word() {
        let answered = |way_back, typed: Option<&str>| {
            let mut script = Script::new(&[Key::Char('y'), Key::Enter], (60, 24));
            script.edit = typed.map(str::to_owned);
            ask(&Question { way_back, ..question(Subject::Tool) }, &Theme::dark(), &mut script)
        };
        for way_back in [WayBack::Nothing, WayBack::Partly] {
            assert_eq!(answered(way_back, Some(" run ")), Answer::Yes);
            for typed in [None, Some(""), Some("y"), Some("yes"), Some("Run"), Some("run it")] {
                assert_eq!(
                    answered(way_back, typed),
                    Answer::No,
                    "{typed:?}: the question is put again, and Enter is no"
                );
            }
        }
        assert_eq!(answered(WayBack::Whole, None), Answer::Yes, "undo is a way back");
    }

    #[test]
    fn undo_for_all_of_it_is_a_way_back() {
        let told = |way_back| {
            let mut asked = Question { way_back, ..question(Subject::Tool) };
            asked.judgement.reason = "deletes x; no way back".into();
            let mut script = Script::new(&[Key::Char('?'), Key::Enter], (60, 24));
            ask(&asked, &Theme::dark(), &mut script);
            script.shown.matches("no way back").count()
        };
        assert_eq!([told(WayBack::Nothing), told(WayBack::Partly), told(WayBack::Whole)], [2, 2, 0]);
    }

    #[test]
    fn a_program_is_shown_with_its_words_apart() {
        let words = ["rm", "-rf", "two words", "it's", ""].map(str::to_owned).to_vec();
        let (_, script) = answered(&[Key::Enter], Subject::Argv { words });
        assert!(script.shown.contains(r"$ rm -rf 'two words' 'it'\''s' ''"), "{}", script.shown);
    }

    #[test]
    fn whatever_is_no_yes_is_no() {
        for keys in [&[Key::Enter][..], &[Key::Escape], &[Key::EndOfInput], &[Key::Char('n')], &[]] {
            assert_eq!(answered(keys, Subject::Tool).0, Answer::No, "{keys:?}");
        }
        // `always` is not offered, so its key means nothing.
        assert_eq!(answered(&[Key::Char('a'), Key::Other, Key::Char('x'), Key::Enter], Subject::Tool).0, Answer::No);
    }

    #[test]
    fn an_interrupt_stops_what_wanted_it() {
        assert_eq!(answered(&[Key::Other, Key::Interrupt, Key::Char('y')], Subject::Tool).0, Answer::Stop);
        let text = vec!["x"; 100].join("\n");
        let mut script = Script::new(&[Key::Char(' '), Key::Interrupt], (60, 10));
        assert_eq!(ask(&question(Subject::Command { text }), &Theme::dark(), &mut script), Answer::Stop);
        assert!(!script.shown.contains("[y]es"));
    }

    #[test]
    fn each_showing_of_the_choices_is_offered_anew() {
        let (_, script) = answered(&[Key::Char('?'), Key::Char('n')], Subject::Tool);
        assert_eq!(script.offered, 2);
    }

    #[test]
    fn an_edit_gets_the_whole_text() {
        let mut script = Script::new(&[Key::Char('e')], (60, 24));
        script.edit = Some("% -i".into());
        let answer = ask(&question(Subject::Command { text: "rm x".into() }), &Theme::dark(), &mut script);
        assert_eq!(answer, Answer::Edit("rm x -i".into()));
        // An empty one goes back to the question.
        let mut script = Script::new(&[Key::Char('e'), Key::Enter], (60, 24));
        script.edit = Some("  ".into());
        let answer = ask(&question(Subject::Tool), &Theme::dark(), &mut script);
        assert_eq!(answer, Answer::No);
    }

    #[test]
    fn a_no_carries_words() {
        let mut script = Script::new(&[Key::Char('i')], (60, 24));
        script.edit = Some("list them first".into());
        assert_eq!(ask(&question(Subject::Tool), &Theme::dark(), &mut script), Answer::No);
        assert_eq!(script.words.as_deref(), Some("list them first"));
        // Without any it goes back to the question.
        let mut script = Script::new(&[Key::Char('i'), Key::Char('y')], (60, 24));
        assert_eq!(ask(&asked(Subject::Tool), &Theme::dark(), &mut script), Answer::Yes);
        assert_eq!(script.words, None);
    }

    #[test]
    fn every_size_shows_every_letter() {
        for size in [(1, 1), (1, 24), (2, 3), (7, 5), (12, 4), (200, 50)] {
            let text: String = ('a'..='z').chain('A'..='Z').collect();
            let keys = vec![Key::Char(' '); 500].into_iter().chain([Key::Char('y')]).collect::<Vec<_>>();
            let mut script = Script::new(&keys, size);
            let answer = ask(&asked(Subject::Command { text: text.clone() }), &Theme::dark(), &mut script);
            assert_eq!(answer, Answer::Yes, "{size:?}");
            let mut wanted = text.chars().peekable();
            for c in script.shown.chars() {
                wanted.next_if_eq(&c);
            }
            assert_eq!(wanted.next(), None, "{size:?}");
        }
    }

    #[test]
    fn giving_up_in_a_long_question_is_no() {
        let text = vec!["x"; 100].join("\n");
        let mut script = Script::new(&[Key::Char('y'), Key::Char(' '), Key::Char('y'), Key::Char('n')], (60, 10));
        assert_eq!(ask(&question(Subject::Command { text }), &Theme::dark(), &mut script), Answer::No);
        assert!(!script.shown.contains("[y]es"));
    }

    #[test]
    fn a_choice_is_one_of_the_keys_or_none() {
        for (keys, expected) in [
            (vec![Key::Char('x'), Key::Char('S')], Some('s')),
            (vec![Key::Char('a')], Some('a')),
            (vec![Key::Enter], None),
            (vec![Key::Interrupt], None),
            (vec![], None),
        ] {
            let mut script = Script::new(&keys, (60, 24));
            assert_eq!(choose("[s]hell  [a]i  [c]ancel? ", &['s', 'a', 'c'], &Theme::dark(), &mut script), expected);
        }
        let mut script = Script::new(&[Key::Interrupt], (60, 24));
        assert_eq!(choose("[y]es  [n]o ", &['y', 'n', CANCEL], &Theme::dark(), &mut script), Some(CANCEL));
    }
}
