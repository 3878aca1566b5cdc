//! Reasoning that a model writes into its answer, between tags.
//!
//! Tags count at the very start of an answer, behind white space. A template may have written the opening tag into the
//! prompt: then a closing tag alone on its line, outside a block of code, makes reasoning of all before it. Anywhere
//! else tags are text.

/// The tags, opening and closing.
const TAGS: [(&str, &str); 4] = [
    ("<think>", "</think>"),
    ("<thinking>", "</thinking>"),
    ("<reasoning>", "</reasoning>"),
    ("<thought>", "</thought>"),
];

/// A part of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Part {
    /// Text of the answer.
    Text(String),
    /// Reasoning.
    Reasoning(String),
    /// All text so far was reasoning.
    TextWasReasoning,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// Nothing but white space has come.
    Start,
    /// Inside the tags.
    Inside(&'static str),
    /// Behind the closing tag: white space up to the answer is dropped.
    Behind,
    /// In the answer, which began with text: a closing tag may still come.
    Open,
    /// In the answer for good.
    Text,
}

/// Splits an answer that arrives in pieces, however they are cut.
#[derive(Debug)]
pub struct ThinkTags {
    state: State,
    held: String,
    /// The answer is inside a block of code.
    fenced: bool,
    /// The begin of the line that is being written, without white space before it; as much as matters.
    line: String,
}

impl Default for ThinkTags {
    fn default() -> Self {
        Self { state: State::Start, held: String::new(), fenced: false, line: String::new() }
    }
}

/// How much of a line decides whether it is a fence or a tag.
const LINE: usize = 16;

impl ThinkTags {
    /// Says that reasoning came on its own way: tags in the answer are text from now on.
    pub fn reasoned(&mut self) {
        if matches!(self.state, State::Start | State::Open) {
            self.state = State::Text;
        }
    }

    /// Takes a piece and returns what of the answer is certain now.
    pub fn push(&mut self, piece: &str) -> Vec<Part> {
        if self.state == State::Text && self.held.is_empty() {
            return if piece.is_empty() { Vec::new() } else { vec![Part::Text(piece.to_owned())] };
        }
        self.held.push_str(piece);
        let mut parts = Vec::new();
        while self.step(&mut parts) {}
        parts
    }

    /// Returns what was held back, at the answer's end.
    pub fn finish(&mut self) -> Vec<Part> {
        let rest = std::mem::take(&mut self.held);
        match self.state {
            _ if rest.is_empty() => Vec::new(),
            State::Inside(_) => vec![Part::Reasoning(rest)],
            State::Open if self.closes(&rest) => vec![Part::TextWasReasoning],
            State::Behind => Vec::new(),
            State::Start | State::Open | State::Text => vec![Part::Text(rest)],
        }
    }

    /// Decides about the beginning of what is held; false when more is needed or nothing is left.
    fn step(&mut self, parts: &mut Vec<Part>) -> bool {
        match self.state {
            State::Start => self.start(),
            State::Inside(close) => self.inside(close, parts),
            State::Behind => {
                let blank = self.held.len() - self.held.trim_start().len();
                self.held.drain(..blank);
                if self.held.is_empty() {
                    return false;
                }
                self.state = State::Text;
                true
            }
            State::Open => self.open(parts),
            State::Text => {
                if !self.held.is_empty() {
                    parts.push(Part::Text(std::mem::take(&mut self.held)));
                }
                false
            }
        }
    }

    fn start(&mut self) -> bool {
        let begun = self.held.trim_start();
        if begun.is_empty() {
            return false;
        }
        if let Some((open, close)) = TAGS.iter().find(|(open, _)| begun.starts_with(open)) {
            let behind = self.held.len() - begun.len() + open.len();
            self.held.drain(..behind);
            self.state = State::Inside(close);
            return true;
        }
        if TAGS.iter().any(|(open, _)| open.starts_with(begun)) {
            return false;
        }
        self.state = State::Open;
        true
    }

    fn inside(&mut self, close: &'static str, parts: &mut Vec<Part>) -> bool {
        if let Some(at) = self.held.find(close) {
            let reasoning: String = self.held.drain(..at).collect();
            self.held.drain(..close.len());
            if !reasoning.is_empty() {
                parts.push(Part::Reasoning(reasoning));
            }
            self.state = State::Behind;
            return true;
        }
        let certain = self.held.len() - suffix_that_begins(&self.held, close);
        if certain > 0 {
            parts.push(Part::Reasoning(self.held.drain(..certain).collect()));
        }
        false
    }

    /// Passes text on line by line; what may be a closing tag alone on its line is held back.
    fn open(&mut self, parts: &mut Vec<Part>) -> bool {
        let held = std::mem::take(&mut self.held);
        let mut rest = held.as_str();
        let mut is_over = false;
        while !rest.is_empty() {
            let end = rest.find('\n');
            let line = rest.get(..end.unwrap_or(rest.len())).unwrap_or_default();
            if self.line.is_empty() && !self.fenced {
                is_over = end.is_some() && TAGS.iter().any(|(_, close)| line.trim() == *close);
                if is_over || end.is_none() && TAGS.iter().any(|(_, close)| close.starts_with(line.trim())) {
                    break;
                }
            }
            let begin = if self.line.is_empty() { line.trim_start() } else { line };
            self.line.extend(begin.chars().take(LINE.saturating_sub(self.line.len())));
            let Some(end) = end else {
                rest = "";
                break;
            };
            if self.line.starts_with("```") || self.line.starts_with("~~~") {
                self.fenced = !self.fenced;
            }
            self.line.clear();
            rest = rest.get(end + 1..).unwrap_or_default();
        }
        let text = held.get(..held.len() - rest.len()).unwrap_or_default();
        if !text.is_empty() {
            parts.push(Part::Text(text.to_owned()));
        }
        self.held = rest.to_owned();
        if is_over {
            let line = self.held.find('\n').unwrap_or(self.held.len());
            self.held.drain(..line);
            self.state = State::Behind;
            parts.push(Part::TextWasReasoning);
        }
        is_over
    }

    fn closes(&self, rest: &str) -> bool {
        self.line.is_empty() && !self.fenced && TAGS.iter().any(|(_, close)| rest.trim() == *close)
    }
}

/// Returns the length of the longest end of `text` that `tag` begins with.
fn suffix_that_begins(text: &str, tag: &str) -> usize {
    (1..tag.len()).rev().find(|length| tag.get(..*length).is_some_and(|begin| text.ends_with(begin))).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Splits a text at every place and in single characters: text, reasoning.
    fn check(answer: &str, text: &str, reasoning: &str) {
        let count = answer.chars().count();
        for cut in 0..=count {
            let chars: Vec<char> = answer.chars().collect();
            let pieces: Vec<String> = if cut == 0 {
                chars.iter().map(char::to_string).collect()
            } else {
                vec![chars[..cut].iter().collect(), chars[cut..].iter().collect()]
            };
            let mut tags = ThinkTags::default();
            let (mut said, mut thought) = (String::new(), String::new());
            let parts: Vec<Part> = pieces.iter().flat_map(|piece| tags.push(piece)).collect();
            for part in parts.into_iter().chain(tags.finish()) {
                match part {
                    Part::Text(text) => said.push_str(&text),
                    Part::Reasoning(text) => thought.push_str(&text),
                    Part::TextWasReasoning => thought.push_str(&std::mem::take(&mut said)),
                }
            }
            assert_eq!((said.as_str(), thought.as_str()), (text, reasoning), "{answer:?} cut at {cut}");
        }
    }

    #[test]
    fn tags_at_the_start_are_reasoning() {
        check("<think>CMD: rm x\n</think>\n\nParis.", "Paris.", "CMD: rm x\n");
        check("\n <thinking>a<b</thinking>ünï", "ünï", "a<b");
        check("<reasoning></reasoning>x", "x", "");
        check("<think>never closed", "", "never closed");
        check("<think>a</think>", "", "a");
    }

    #[test]
    fn a_closing_tag_alone_makes_reasoning_of_what_came() {
        check("I look.\nCMD: rm x\n</think>\n\nDone.", "Done.", "I look.\nCMD: rm x\n");
        check("hm\n</think>", "", "hm\n");
    }

    #[test]
    fn tags_anywhere_else_are_text() {
        for text in [
            "The tag is <think>x</think>.",
            "Write </think> there.",
            "```html\n</think>\n```\n",
            "<thin ice>",
            "<think",
            "plain",
            "",
            "a\n</thinker>\nb",
        ] {
            check(text, text, "");
        }
    }

    #[test]
    fn where_reasoning_comes_on_its_own_way_tags_are_text() {
        let mut tags = ThinkTags::default();
        tags.reasoned();
        assert_eq!(tags.push("<think>a</think>"), [Part::Text("<think>a</think>".into())]);
    }
}
