//! Text that waits for a read: what a read that was given up left, and what was typed ahead.

use super::assemble::Carried;

/// Ctrl-D.
pub(super) const END: char = '\u{4}';

/// Text that waits. What was typed before a question came is entered by nobody but the person: it may have been meant for
/// another place than that which the answer leads to.
#[derive(Debug, Default)]
pub(super) struct Waiting {
    /// What stands in the line of the next read.
    pub(super) carried: Carried,
    /// Further lines that were typed before a question, oldest first.
    held: String,
    /// A question came since the last read.
    asked: bool,
    /// It was not said yet that lines are held.
    news: bool,
}

/// What the editor does while a question is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Editor {
    /// No line is being read.
    Idle,
    /// A line is begun, and goes on behind the question.
    Reading,
}

impl Waiting {
    /// Takes what was typed in one go with the line before, ahead of all that waits. Ctrl-C takes back what stands before it,
    /// and Ctrl-D counts where a line begins.
    pub(super) fn put_first(&mut self, typed: &str) {
        let typed = with_ends(typed.rsplit('\u{3}').next().unwrap_or_default());
        if !typed.is_empty() {
            self.carried = Carried::at_end(typed + &self.carried.text);
        }
    }

    /// Takes a Ctrl-D that was typed ahead, where nothing stands before it any more. Elsewhere it does nothing.
    pub(super) fn takes_end(&mut self) -> bool {
        if self.carried.text.starts_with(END) {
            self.carried = Carried::default();
            return true;
        }
        false
    }

    /// Takes what stands in the line of the next read.
    pub(super) fn take_carried(&mut self) -> Carried {
        let carried = std::mem::take(&mut self.carried);
        if carried.text.contains(END) { Carried::at_end(carried.text.replace(END, "")) } else { carried }
    }

    /// Takes what was typed between two reads, and says whether whole lines in it are entered by themselves.
    pub(super) fn begin(&mut self, initial: &str, is_whole: impl Fn(&str) -> bool) -> bool {
        if !initial.is_empty() {
            // What was kept from an earlier read comes first: it was typed first.
            let text = std::mem::take(&mut self.carried.text) + &with_ends(initial);
            self.carried = Carried::at_end(text);
        }
        if !std::mem::take(&mut self.asked) && self.held.is_empty() {
            return true;
        }
        // An end was meant for what was typed before it.
        self.held.push_str(&std::mem::take(&mut self.carried.text).replace(END, ""));
        self.carried = Carried::at_end(self.next_line(is_whole));
        false
    }

    /// Takes what was typed before a question was shown, while a line is being read or between two reads.
    pub(super) fn question(&mut self, typed: &str, editor: Editor) {
        self.news = true;
        if editor == Editor::Idle {
            self.asked = true;
            self.carried.text.push_str(typed);
            return;
        }
        let (line, rest) = typed.split_once('\n').unwrap_or((typed, ""));
        if !line.is_empty() {
            let text = std::mem::take(&mut self.carried.text) + line;
            self.carried = Carried::at_end(text);
        }
        self.held = rest.to_owned() + &self.held;
    }

    /// Takes the first line out of what was typed ahead, if Enter was typed behind it; the rest waits for later reads.
    pub(super) fn entered(&mut self, is_whole: impl Fn(&str) -> bool) -> Option<String> {
        let text = &self.carried.text;
        let end = first_whole(text, is_whole)?;
        let line = text.get(..end)?.to_owned();
        self.carried = Carried::at_end(text.get(end + 1..).unwrap_or_default().to_owned());
        Some(line)
    }

    /// Returns what to say of held lines, once.
    pub(super) fn news(&mut self) -> Option<String> {
        let news = std::mem::take(&mut self.news) && !(self.carried.text.is_empty() && self.held.is_empty());
        let more = match self.held.lines().count() {
            0 => String::new(),
            1 => "; one more line waits".to_owned(),
            count => format!("; {count} more lines wait"),
        };
        news.then(|| format!("typed before the question and not run: Enter runs it, Ctrl-C drops it{more}"))
    }

    /// Drops the held lines, and returns what to say of that.
    pub(super) fn drop_held(&mut self) -> Option<String> {
        let count = std::mem::take(&mut self.held).lines().count();
        (count > 0).then(|| format!("dropped too: {count} more that waited"))
    }

    fn next_line(&mut self, is_whole: impl Fn(&str) -> bool) -> String {
        let Some(end) = first_whole(&self.held, is_whole) else { return std::mem::take(&mut self.held) };
        let rest = self.held.get(end + 1..).unwrap_or_default().to_owned();
        let mut line = std::mem::replace(&mut self.held, rest);
        line.truncate(end);
        line
    }
}

/// Takes terminal control out of what was typed; a Ctrl-D stays where a line begins.
fn with_ends(typed: &str) -> String {
    let mut text = String::with_capacity(typed.len());
    for (at, piece) in typed.split(END).enumerate() {
        if at > 0 && (text.is_empty() || text.ends_with('\n')) {
            text.push(END);
        }
        text.push_str(&aish_types::sanitize(piece));
    }
    text
}

/// Returns where the first whole line ends, at its newline.
fn first_whole(text: &str, is_whole: impl Fn(&str) -> bool) -> Option<usize> {
    text.match_indices('\n').map(|(at, _)| at).find(|&at| text.get(..at).is_some_and(&is_whole))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn whole(line: &str) -> bool {
        !line.starts_with("if") || line.ends_with("fi")
    }

    #[test]
    fn lines_that_were_typed_ahead_are_entered_in_order() {
        let mut waiting = Waiting::default();
        assert!(waiting.begin("one\nif two\nfi\nre", whole));
        assert_eq!(waiting.entered(whole).as_deref(), Some("one"));
        assert_eq!(waiting.entered(whole).as_deref(), Some("if two\nfi"));
        assert_eq!(waiting.entered(whole), None);
        assert_eq!(waiting.carried.text, "re");
        assert_eq!(waiting.news(), None);
    }

    #[test]
    fn an_end_that_is_typed_ahead_counts_where_a_line_begins() {
        for (typed, lines, ends) in [
            ("\u{4}", &[][..], true),
            ("ls\n\u{4}", &["ls"][..], true),
            ("ls\npwd\n\u{4}x", &["ls", "pwd"][..], true),
            ("half\u{4}", &[][..], false),
            ("lost\n\u{3}ls\n\u{4}", &["ls"][..], true),
            ("\u{4}\u{3}", &[][..], false),
            ("ls\n", &["ls"][..], false),
        ] {
            let mut waiting = Waiting::default();
            waiting.put_first(typed);
            for line in lines {
                assert!(waiting.begin("", whole) && !waiting.takes_end(), "{typed:?}");
                assert_eq!(waiting.entered(whole).as_deref(), Some(*line), "{typed:?}");
            }
            assert!(waiting.begin("", whole));
            assert_eq!(waiting.takes_end(), ends, "{typed:?}");
            assert!(!waiting.take_carried().text.contains(END), "{typed:?}");
        }
        let mut waiting = Waiting::default();
        waiting.put_first("rm x\n\u{4}");
        waiting.question("", Editor::Idle);
        assert!(!waiting.begin("", whole) && !waiting.takes_end());
        waiting.carried = Carried::default();
        assert!(waiting.begin("", whole) && !waiting.takes_end());
    }

    #[test]
    fn a_question_holds_what_was_typed_before_it() {
        let mut waiting = Waiting { carried: Carried::at_end("cd a\n".into()), ..Waiting::default() };
        waiting.question("rm -f *\nif x\nfi\nhal", Editor::Idle);
        for line in ["cd a", "rm -f *", "if x\nfi", "hal"] {
            assert!(!waiting.begin("", whole));
            assert_eq!(waiting.carried.text, line);
            assert_eq!(waiting.entered(whole), None);
            assert_eq!(waiting.news().is_some(), line == "cd a");
            // The person enters it.
            waiting.carried = Carried::default();
        }
        assert!(waiting.begin("", whole));
    }

    #[test]
    fn a_question_while_a_line_is_typed_puts_the_rest_of_the_line_behind_it() {
        let mut waiting = Waiting { carried: Carried { text: "half".into(), cursor: 1 }, ..Waiting::default() };
        waiting.question(" done\nls\n", Editor::Reading);
        assert_eq!((waiting.carried.text.as_str(), waiting.carried.cursor), ("half done", 9));
        assert!(waiting.news().is_some_and(|news| news.contains("one more")));
        assert!(waiting.drop_held().is_some());
        assert_eq!(waiting.drop_held(), None);
    }
}
