//! Tells reasoning and calls from the answer by their tags, without ever showing half a tag.

/// Begins and ends a call; both what the model is told and what its grammar demands.
pub(crate) const CALL_OPEN: &str = "<tool_call>";
/// Ends a call.
pub(crate) const CALL_CLOSE: &str = "</tool_call>";
const THINK_OPEN: &str = "<think>";
const THINK_CLOSE: &str = "</think>";

/// A piece of what the model says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Piece {
    /// Of the answer.
    Text(String),
    /// Of the reasoning.
    Reasoning(String),
    /// A call begins; what follows in the same token, as yet unjudged.
    CallBegins {
        /// Text behind the tag.
        rest: String,
    },
}

/// Where the splitter stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Answer,
    Reasoning,
}

/// Splits a stream of text at its tags.
#[derive(Debug)]
pub(crate) struct Splitter {
    place: Place,
    held: String,
    calls: bool,
}

impl Splitter {
    /// Starts at the beginning of an answer; `calls` says whether calls are looked for, `reasoning` whether the prompt
    /// has already opened the reasoning.
    pub(crate) fn new(calls: Calls, start: Start) -> Self {
        let place = match start {
            Start::Answer => Place::Answer,
            Start::Reasoning => Place::Reasoning,
        };
        Self { place, held: String::new(), calls: calls == Calls::Watched }
    }

    /// Takes the next text and returns what is certain by now.
    pub(crate) fn push(&mut self, text: &str) -> Vec<Piece> {
        self.held.push_str(text);
        let mut pieces = Vec::new();
        while let Some((start, tag)) = self.first_tag() {
            let before: String = self.held.drain(..start).collect();
            self.held.drain(..tag.len());
            self.give(before, &mut pieces);
            match tag {
                THINK_OPEN => self.place = Place::Reasoning,
                THINK_CLOSE => self.place = Place::Answer,
                _ => {
                    pieces.push(Piece::CallBegins { rest: std::mem::take(&mut self.held) });
                    return pieces;
                }
            }
        }
        let certain = self.held.len() - self.open_tag();
        let before: String = self.held.drain(..certain).collect();
        self.give(before, &mut pieces);
        pieces
    }

    /// Ends the stream and returns what was held back.
    pub(crate) fn finish(&mut self) -> Vec<Piece> {
        let mut pieces = Vec::new();
        let held = std::mem::take(&mut self.held);
        self.give(held, &mut pieces);
        pieces
    }

    fn give(&self, text: String, pieces: &mut Vec<Piece>) {
        if !text.is_empty() {
            pieces.push(match self.place {
                Place::Answer => Piece::Text(text),
                Place::Reasoning => Piece::Reasoning(text),
            });
        }
    }

    /// The tags that mean something where we stand.
    fn tags(&self) -> impl Iterator<Item = &'static str> {
        let (first, second) = match self.place {
            Place::Answer => (THINK_OPEN, self.calls.then_some(CALL_OPEN)),
            Place::Reasoning => (THINK_CLOSE, None),
        };
        [Some(first), second].into_iter().flatten()
    }

    fn first_tag(&self) -> Option<(usize, &'static str)> {
        self.tags().filter_map(|tag| Some((self.held.find(tag)?, tag))).min()
    }

    /// Returns how many bytes at the end may still become a tag.
    fn open_tag(&self) -> usize {
        self.tags()
            .flat_map(|tag| {
                (1..tag.len()).filter(|length| tag.get(..*length).is_some_and(|start| self.held.ends_with(start)))
            })
            .max()
            .unwrap_or(0)
    }
}

/// Whether calls are looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Calls {
    /// Tools were offered.
    Watched,
    /// None were: the tag is text like any other.
    Ignored,
}

/// What the prompt has already opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Start {
    /// Nothing.
    Answer,
    /// The reasoning.
    Reasoning,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(calls: Calls, start: Start, texts: &[&str]) -> Vec<Piece> {
        let mut splitter = Splitter::new(calls, start);
        let mut pieces: Vec<Piece> = texts.iter().flat_map(|text| splitter.push(text)).collect();
        pieces.extend(splitter.finish());
        pieces
    }

    fn text(text: &str) -> Piece {
        Piece::Text(text.into())
    }

    #[test]
    fn tags_are_found_wherever_they_are_cut() {
        let whole = "a<think>b</think>c<tool_call>";
        for cut in 1..whole.len() {
            let (left, right) = whole.split_at(cut);
            let pieces = split(Calls::Watched, Start::Answer, &[left, right]);
            let said = |wanted: fn(&Piece) -> Option<&str>| pieces.iter().filter_map(wanted).collect::<String>();
            assert_eq!(said(|piece| if let Piece::Text(text) = piece { Some(text) } else { None }), "ac");
            assert_eq!(said(|piece| if let Piece::Reasoning(text) = piece { Some(text) } else { None }), "b", "{cut}");
            assert!(pieces.iter().any(|piece| matches!(piece, Piece::CallBegins { .. })), "{cut}");
        }
    }

    #[test]
    fn half_a_tag_is_held_back_and_given_out_at_the_end() {
        let mut splitter = Splitter::new(Calls::Watched, Start::Answer);
        assert_eq!(splitter.push("a <tool"), [text("a ")]);
        assert_eq!(splitter.push("box>"), [text("<toolbox>")]);
        assert_eq!(splitter.push("<to"), []);
        assert_eq!(splitter.finish(), [text("<to")]);
    }

    #[test]
    fn without_tools_the_tag_is_text() {
        assert_eq!(split(Calls::Ignored, Start::Answer, &["<tool_call>"]), [text("<tool_call>")]);
    }

    #[test]
    fn reasoning_that_the_prompt_opened_is_reasoning() {
        let pieces = split(Calls::Ignored, Start::Reasoning, &["hm", "</think>", "yes"]);
        assert_eq!(pieces, [Piece::Reasoning("hm".into()), text("yes")]);
    }
}
