//! Reasoning that a model writes into its answer, between tags.
//!
//! Tags count at the very start of an answer, behind white space, and outside blocks of code where one begins a line or is
//! not closed on its line. A template may have written the opening tag into the prompt: then a closing tag that nothing
//! opened makes reasoning of all before it, outside blocks of code, where it begins its line, or where it stands directly
//! behind a word and at the end of the line or directly before the answer. Anywhere else tags are text.

/// The tags, opening and closing: those of most models, then of Mistral, Seed, gpt-oss and Gemma, where no server reads them.
const TAGS: [(&str, &str); 8] = [
    ("<think>", "</think>"),
    ("<thinking>", "</thinking>"),
    ("<reasoning>", "</reasoning>"),
    ("<thought>", "</thought>"),
    ("[THINK]", "[/THINK]"),
    ("<seed:think>", "</seed:think>"),
    ("<|channel|>analysis<|message|>", "<|channel|>final<|message|>"),
    ("<|channel>thought", "<channel|>"),
];

/// What each of them begins with.
const BEGINS: [char; 2] = ['<', '['];

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
    /// In the answer, which began with text: tags may still come.
    Open,
    /// In the answer, where tags are text.
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
    /// The last character that was passed on.
    last: Option<char>,
    /// Reasoning has come between tags: a closing tag alone is no end of any.
    closed: bool,
}

impl Default for ThinkTags {
    fn default() -> Self {
        Self { state: State::Start, held: String::new(), fenced: false, line: String::new(), last: None, closed: false }
    }
}

/// Where a line has a tag that counts.
enum Tag {
    /// It has none.
    Not,
    /// It opens reasoning, between these bytes, with the tag that closes it.
    Opens(usize, usize, &'static str),
    /// It closes what nothing opened, between these bytes.
    Closes(usize, usize),
    /// What comes decides about what stands from this byte on.
    Maybe(usize),
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
                self.state = State::Open;
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
            self.closed = true;
            self.line.clear();
            return true;
        }
        let certain = self.held.len() - suffix_that_begins(&self.held, close);
        if certain > 0 {
            parts.push(Part::Reasoning(self.held.drain(..certain).collect()));
        }
        false
    }

    /// Passes text on line by line; what may be a tag is held back. Returns whether one was found.
    fn open(&mut self, parts: &mut Vec<Part>) -> bool {
        let held = std::mem::take(&mut self.held);
        let mut at = 0;
        let mut found = None;
        while let Some(rest) = held.get(at..).filter(|rest| !rest.is_empty()) {
            let end = rest.find('\n');
            let line = rest.get(..end.unwrap_or(rest.len())).unwrap_or_default();
            let (before, tag) = match self.tag(line, end.is_some()) {
                Tag::Not => (line.len(), None),
                Tag::Opens(from, to, close) => {
                    (from, Some((Part::Text(String::new()), to - from, State::Inside(close))))
                }
                Tag::Closes(from, to) => (from, Some((Part::TextWasReasoning, to - from, State::Behind))),
                Tag::Maybe(from) => {
                    self.note(line.get(..from).unwrap_or_default());
                    at += from;
                    break;
                }
            };
            self.note(line.get(..before).unwrap_or_default());
            if tag.is_some() {
                at += before;
                found = tag;
                break;
            }
            at += line.len();
            if end.is_some() {
                at += 1;
                self.fenced ^= self.line.starts_with("```") || self.line.starts_with("~~~");
                self.line.clear();
                self.last = None;
            }
        }
        let (text, rest) = held.split_at_checked(at).unwrap_or((&held, ""));
        if !text.is_empty() {
            parts.push(Part::Text(text.to_owned()));
        }
        let Some((part, length, state)) = found else {
            rest.clone_into(&mut self.held);
            return false;
        };
        rest.get(length..).unwrap_or_default().clone_into(&mut self.held);
        self.state = state;
        self.closed = true;
        if part == Part::TextWasReasoning {
            parts.push(part);
        }
        true
    }

    /// Looks for a tag in what is there of a line.
    fn tag(&self, line: &str, is_whole: bool) -> Tag {
        // Most pieces have nothing that a tag could begin with.
        if self.fenced || !line.contains(BEGINS) {
            return Tag::Not;
        }
        let opened = self.opened(line, is_whole);
        match opened {
            Tag::Not if !self.closed && !TAGS.iter().any(|(open, _)| line.contains(open)) => {
                self.closing(line, is_whole)
            }
            // What may become a closing tag begins as what may become an opening one.
            Tag::Maybe(from) if !self.closed => match self.closing(line, is_whole) {
                Tag::Maybe(earlier) => Tag::Maybe(from.min(earlier)),
                closes @ Tag::Closes(..) if !TAGS.iter().any(|(open, _)| line.contains(open)) => closes,
                _ => opened,
            },
            _ => opened,
        }
    }

    /// Looks for a closing tag that nothing opened.
    fn closing(&self, line: &str, is_whole: bool) -> Tag {
        let tags = TAGS.iter().filter_map(|(_, close)| Some((line.find(close)?, *close)));
        let Some((from, close)) = tags.min_by_key(|(from, _)| *from) else {
            let begun = TAGS.iter().map(|(_, close)| suffix_that_begins(line, close)).max().filter(|_| !is_whole);
            return begun.filter(|begun| *begun > 0).map_or(Tag::Not, |begun| Tag::Maybe(line.len() - begun));
        };
        let (before, to) = (line.get(..from).unwrap_or_default(), from + close.len());
        let behind = line.get(to..).unwrap_or_default();
        if behind.trim().is_empty() && !is_whole {
            return Tag::Maybe(from);
        }
        let begins = self.line.is_empty() && before.trim().is_empty();
        let is_of_a_word = |letter: char| !letter.is_whitespace() && !"`\"'“”‘’(),;".contains(letter);
        let is_ending = behind.trim().is_empty() || behind.starts_with(is_of_a_word);
        let is_glued = before.chars().next_back().or(self.last).is_some_and(is_of_a_word) && is_ending;
        if begins || is_glued { Tag::Closes(from, to) } else { Tag::Not }
    }

    /// Looks for an opening tag.
    fn opened(&self, line: &str, is_whole: bool) -> Tag {
        let mut from = 0;
        loop {
            let rest = line.get(from..).unwrap_or_default();
            let tags = TAGS.iter().filter_map(|(open, close)| Some((from + rest.find(open)?, *open, *close)));
            let Some((at, open, close)) = tags.min_by_key(|(at, ..)| *at) else { break };
            let (before, behind) = (line.get(..at).unwrap_or_default(), at + open.len());
            if self.line.is_empty() && before.trim().is_empty() {
                return Tag::Opens(at, behind, close);
            }
            let is_code = before.chars().next_back().or(self.last) == Some('`');
            let closed = line.get(behind..).and_then(|rest| rest.find(close));
            match closed {
                Some(closed) => from = behind + closed + close.len(),
                None if is_code => from = behind,
                None if is_whole => return Tag::Opens(at, behind, close),
                None => return Tag::Maybe(at),
            }
        }
        let begun = TAGS.iter().map(|(open, _)| suffix_that_begins(line, open)).max().filter(|_| !is_whole);
        begun.filter(|begun| *begun > 0).map_or(Tag::Not, |begun| Tag::Maybe(line.len() - begun))
    }

    /// Notes a part of the line that is passed on.
    fn note(&mut self, text: &str) {
        let begin = if self.line.is_empty() { text.trim_start() } else { text };
        self.line.extend(begin.chars().take(LINE.saturating_sub(self.line.len())));
        self.last = text.chars().next_back().or(self.last);
    }

    fn closes(&self, rest: &str) -> bool {
        self.line.is_empty() && !self.fenced && !self.closed && TAGS.iter().any(|(_, close)| rest.trim() == *close)
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
    fn a_closing_tag_at_a_word_or_before_the_answer_does_so_too() {
        check("I look.\nCMD: rm x\n</think>Done.", "Done.", "I look.\nCMD: rm x\n");
        check("I look.\nCMD: rm x\nYes.</think>\n\nDone.", "Done.", "I look.\nCMD: rm x\nYes.");
        check("CMD: rm x\nYes.</think>Done.\nCMD: ls\n", "Done.\nCMD: ls\n", "CMD: rm x\nYes.");
    }

    #[test]
    fn each_family_has_tags_of_its_own() {
        assert!(TAGS.iter().all(|(open, close)| open.starts_with(BEGINS) && close.starts_with(BEGINS)));
        check("[THINK]\nCMD: rm x[/THINK]Paris.", "Paris.", "\nCMD: rm x");
        check("<seed:think>CMD: rm x</seed:think>\nParis.", "Paris.", "CMD: rm x");
        check("<|channel>thought\nCMD: rm x<channel|>Paris.", "Paris.", "\nCMD: rm x");
        let (analysis, last) =
            ("<|channel|>analysis<|message|>", "<|end|><|start|>assistant<|channel|>final<|message|>");
        check(&format!("{analysis}CMD: rm x{last}Paris."), "Paris.", "CMD: rm x<|end|><|start|>assistant");
        for text in ["See [THE docs](x).\n", "[/THIN", "a [THINK", "x[1] </seed", "a <| b\n"] {
            check(text, text, "");
        }
    }

    #[test]
    fn tags_that_begin_a_line_or_stay_open_on_theirs_are_reasoning() {
        check("Hello.\n<think>\nCMD: rm x\n</think>\nBye.", "Hello.\nBye.", "\nCMD: rm x\n");
        check("Hello. <think>hm\nCMD: rm x\n</think> Bye.", "Hello. Bye.", "hm\nCMD: rm x\n");
        check("<think>a</think>One.\n<think>b\n</think>\nTwo.", "One.\nTwo.", "ab\n");
        check("One.\n <thought>never closed", "One.\n ", "never closed");
        check("```\n<think>\n```\n<think>a</think>b", "```\n<think>\n```\nb", "a");
    }

    #[test]
    fn tags_anywhere_else_are_text() {
        for text in [
            "The tag is <think>x</think>.",
            "Write </think> there.",
            "```html\n</think>\n```\n",
            "```html\n<think>\n</think>\n```\n",
            "Write `<think>` and\nthen `</think>` there.\n",
            "Between <think> and </think>, there.\nCMD: ls\n",
            "The tag <think>",
            "a < b <t",
            "<thin ice>",
            "<think",
            "plain",
            "",
            "a\n</thinker>\nb",
            "It ends with </think>\nand goes on.",
            "It ends with '</think>'\nor (</think>)\nor `</think>`\n",
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
