//! What was said in this run, as far as it may be remembered: the person's words, and answers that rest on nothing else.

use aish_turn::Transcript;
use aish_types::{Message, head_and_tail};

/// Questions that are kept; older ones go.
const MOST: usize = 40;
/// Characters of a question.
const QUESTION: usize = 600;
/// Characters of an answer.
const ANSWER: usize = 300;

/// Questions and characters of them from which on a session is looked through, whatever they say.
const MANY: (usize, usize) = (3, 120);

/// Words that speak of the person, of habits and of rules.
const TELLING: &str = "i i'm i've my mine we we're our ours always never usually prefer remember ich mein meine wir \
    unser unsere immer nie je mon ma mes nous notre nos toujours jamais yo mi mis nosotros nuestro nuestra siempre nunca";

/// Words that questions begin with, also behind an `and`.
const ASKING: &str = "how what why where when who which can could do does did is are am should would will may shall \
    wie was warum wo wann wer welche kann soll darf comment pourquoi où quand qui quel quelle puis cómo qué dónde \
    cuándo quién cuál puedo";

/// One question with its answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exchange {
    /// What the person typed.
    pub question: String,
    /// The answer, unless tools or commands had a part in it.
    pub answer: Option<String>,
}

/// The exchanges of this run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Heard {
    exchanges: Vec<Exchange>,
    /// The last question had no answer: whoever should look for facts would have none either.
    failed: bool,
}

impl Heard {
    /// Takes note of a question with what the transcript says of it. Results of tools and outputs of commands come from
    /// strangers: what rests on them is left out.
    pub fn add(&mut self, question: &str, transcript: &Transcript) {
        self.failed = false;
        let last = transcript.entries().last().map(|entry| entry.exchange);
        let said: Vec<&Message> = transcript
            .entries()
            .iter()
            .filter(|entry| Some(entry.exchange) == last)
            .map(|entry| &entry.message)
            .collect();
        let answer = match said.as_slice() {
            [Message::User { .. }, Message::Assistant { content, tool_calls, .. }] if tool_calls.is_empty() => {
                Some(head_and_tail(content.trim(), ANSWER).text.into_owned())
            }
            _ => None,
        };
        let question = head_and_tail(question.trim(), QUESTION).text.into_owned();
        self.exchanges.push(Exchange { question, answer: answer.filter(|answer| !answer.is_empty()) });
        let surplus = self.exchanges.len().saturating_sub(MOST);
        self.exchanges.drain(..surplus);
    }

    /// Takes note of a request that failed.
    pub fn failed(&mut self) {
        self.failed = true;
    }

    /// Returns the exchanges, oldest first.
    pub fn exchanges(&self) -> &[Exchange] {
        &self.exchanges
    }

    /// Says whether a model should look for facts: when the person spoke of themselves or of rules, or asked a lot.
    pub fn is_telling(&self) -> bool {
        let (questions, characters) = MANY;
        let typed: usize = self.exchanges.iter().map(|exchange| exchange.question.chars().count()).sum();
        let many = self.exchanges.len() >= questions && typed >= characters;
        !self.failed && (many || self.exchanges.iter().any(|exchange| tells(&exchange.question)))
    }
}

/// Says whether a text speaks of the person or of rules, other than by asking: `how do I …?` tells nothing.
fn tells(text: &str) -> bool {
    let telling: Vec<&str> = TELLING.split_whitespace().collect();
    let asking: Vec<&str> = ASKING.split_whitespace().collect();
    let lower = text.to_lowercase();
    lower.split_inclusive(['.', '!', '?', ';', '\n']).any(|sentence| {
        let mut words = sentence.split(|c: char| !(c.is_alphanumeric() || c == '\'')).filter(|word| !word.is_empty());
        let begins = words.clone().find(|word| !["and", "but", "so", "then", "und", "et", "y"].contains(word));
        let asks = sentence.ends_with('?') || begins.is_some_and(|word| asking.contains(&word));
        !asks && words.any(|word| telling.contains(&word))
    })
}

#[cfg(test)]
mod tests {
    use aish_types::ToolCall;

    use super::*;

    fn heard(said: &[Message], question: &str) -> Heard {
        let mut transcript = Transcript::new("system");
        transcript.load(said.to_vec());
        let mut heard = Heard::default();
        heard.add(question, &transcript);
        heard
    }

    #[test]
    fn answers_that_rest_on_tools_are_left_out() {
        let plain = [Message::user("<memory>…</memory>\n\nwhy?"), Message::assistant("Because.")];
        assert_eq!(heard(&plain, "why?").exchanges()[0].answer.as_deref(), Some("Because."));
        let call = ToolCall { id: "1".into(), name: "web.get".into(), arguments: "{}".into() };
        let with_tool = [
            Message::user("why?"),
            Message::Assistant { content: String::new(), tool_calls: vec![call], state: None },
            Message::Tool { tool_call_id: "1".into(), name: "web.get".into(), content: "x".into(), blocks: vec![] },
            Message::assistant("The page says: the user wants curl piped into sh."),
        ];
        assert_eq!(heard(&with_tool, "why?").exchanges()[0].answer, None);
        assert_eq!(heard(&[Message::user("why?")], "why?").exchanges()[0].answer, None);
    }

    #[test]
    fn small_talk_is_not_looked_through() {
        for (question, telling) in [
            ("what is 17*23", false),
            ("tell me a story", false),
            ("how do I deploy this?", false),
            ("and how can I list my files", false),
            ("how do I deploy? I prefer ssh", true),
            ("so we should use pnpm", true),
            ("I prefer tabs", true),
            ("we deploy with ship.sh, remember that", true),
            ("Wir benutzen immer pnpm", true),
            ("", false),
        ] {
            assert_eq!(heard(&[], question).is_telling(), telling, "{question}");
        }
        let mut many = Heard::default();
        for question in ["first", "second", "third"] {
            many.add(question, &Transcript::default());
        }
        assert!(!many.is_telling());
        many.add(&"why does the parser fail there? ".repeat(4), &Transcript::default());
        assert!(many.is_telling());
    }
}
