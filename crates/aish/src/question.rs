//! A question and what goes along with it, each part by itself until the request is made.

use aish_safety::Taint;
use aish_turn::Event;
use aish_types::Block;
use aish_types::attachment::{INPUT, INPUT_END};

use crate::mentions::Mentioned;

/// What the model is asked.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Question {
    /// Facts from earlier sessions, with their marks.
    pub memories: Option<String>,
    /// Commands with their outputs and exit codes; each ends with an empty line.
    pub outputs: String,
    /// Texts that the person put before the question.
    pub attached: Vec<String>,
    /// What the person typed.
    pub typed: String,
    /// What the files hold that it mentions.
    pub files: String,
    /// What was piped in.
    pub piped: Option<String>,
    /// Images.
    pub blocks: Vec<Block>,
    /// Where the outputs come from, and whether the files may hold secrets.
    pub read: Taint,
}

impl Question {
    /// Makes a question of words alone.
    pub fn new(typed: impl Into<String>) -> Self {
        Self { typed: typed.into(), ..Self::default() }
    }

    /// Lets what it mentions go along.
    pub fn mentions(&mut self, mentioned: Mentioned) {
        self.read = self.read.max(if mentioned.holds_secrets { Taint::Foreign } else { Taint::Clean });
        self.files = mentioned.text;
        self.blocks.extend(mentioned.blocks);
    }

    /// Returns the text that the model gets. [`aish_types::attachment::parts`] takes it apart again.
    pub fn text(&self) -> String {
        let mut text = self.memories.as_ref().map_or_else(String::new, |memories| format!("{memories}\n\n"));
        text.push_str(&self.outputs);
        self.attached.iter().for_each(|attached| text.extend([attached, "\n\n"]));
        text.push_str(&self.typed);
        if !self.files.is_empty() || self.piped.is_some() {
            text.extend(["\n\n", INPUT, "\n", &self.files]);
            self.piped.iter().for_each(|piped| text.extend([piped, "\n"]));
            text.push_str(INPUT_END);
        }
        text
    }

    /// Makes the turn's event of it; `read` is the least trusted of what the model has read, and learns of this. Who wrote what
    /// was piped in, or put before the question, is not known.
    pub fn asked(self, read: &mut Taint) -> Event {
        let is_unknown = self.piped.is_some() || !self.attached.is_empty();
        *read = (*read).max(if is_unknown { Taint::Foreign } else { self.read });
        Event::Asked { text: self.text(), blocks: self.blocks }
    }
}

#[cfg(test)]
mod tests {
    use aish_types::attachment::{Parts, parts};

    use super::*;

    #[test]
    fn what_goes_along_is_no_more_trusted_than_who_wrote_it() {
        let read = |question: Question| {
            let mut read = Taint::Local;
            question.asked(&mut read);
            read
        };
        assert_eq!(read(Question::new("why?")), Taint::Local);
        assert_eq!(read(Question { piped: Some("a page".into()), ..Question::new("why?") }), Taint::Foreign);
        assert_eq!(read(Question { attached: vec!["a resource".into()], ..Question::new("why?") }), Taint::Foreign);
        for (holds_secrets, expected) in [(false, Taint::Local), (true, Taint::Foreign)] {
            let mut question = Question::new("why?");
            question.mentions(Mentioned { holds_secrets, ..Mentioned::default() });
            assert_eq!(read(question), expected);
        }
    }

    #[test]
    fn what_is_put_together_is_taken_apart_again() {
        let mut question = Question::new("why?");
        assert_eq!(question.text(), "why?");
        question.files = "<file path=\"a\" lines=\"1\">\none\n</file>\n".to_owned();
        let files = "why?\n\n<input>\n<file path=\"a\" lines=\"1\">\none\n</file>\n</input>";
        assert_eq!(question.text(), files);
        question.piped = Some("old".to_owned());
        question.memories = Some("<memory>\n- tea\n</memory>".to_owned());
        question.outputs = "[exec: ls]\na\n[exit code: 0]\n\n".to_owned();
        question.attached = vec!["[exec: pwd]\n/\n[exit code: 0]".to_owned()];
        let text = question.text();
        let outputs = "[exec: ls]\na\n[exit code: 0]\n\n[exec: pwd]\n/\n[exit code: 0]";
        let input = "<file path=\"a\" lines=\"1\">\none\n</file>\nold";
        assert_eq!(parts(&text), Parts { memory: "- tea", outputs, question: "why?", input });
        question.files.clear();
        assert!(question.text().ends_with("why?\n\n<input>\nold\n</input>"), "{}", question.text());
    }
}
