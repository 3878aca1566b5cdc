//! What was said in a session, in order, with the tokens of each message.

use alloc::borrow::Cow;
use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use aish_types::{CallId, Message, ToolCall};

/// A token count with the tokenizer that it came from; another tokenizer's count is counted again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Counted {
    /// Which tokenizer counted.
    pub tokenizer: String,
    /// Its length in tokens, as counted when it was added.
    pub tokens: u64,
}

/// One message of the transcript.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Number of the entry in its session, from 0, never used again.
    pub id: u64,
    /// The exchange it belongs to: a question and all that followed from it.
    pub exchange: u64,
    /// The message as it is sent.
    pub message: Message,
    /// Its tokens, once counted.
    pub counted: Option<Counted>,
}

impl Entry {
    /// Returns the text that a tokenizer counts for this message: content, reasoning, name and arguments of each call.
    pub fn countable(&self) -> Cow<'_, str> {
        let calls = self.message.tool_calls();
        let reasoning = self.message.state().map(|state| state.text.as_str()).unwrap_or_default();
        if calls.is_empty() && reasoning.is_empty() {
            return Cow::Borrowed(self.message.content());
        }
        let mut text = String::from(self.message.content());
        text.push_str(reasoning);
        for ToolCall { name, arguments, .. } in calls {
            text.push_str(&format!("\n{name}\n{arguments}"));
        }
        Cow::Owned(text)
    }
}

/// The messages of a session, the system prompt apart.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Transcript {
    system: String,
    summary: Option<String>,
    entries: Vec<Entry>,
    next_id: u64,
    next_exchange: u64,
    /// The ids of all calls that were ever in it.
    called: BTreeSet<CallId>,
}

/// How results of tools are sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ToolResults {
    /// As messages of their own, `role:tool`.
    Messages,
    /// As text, for templates that do not know that role.
    Text,
}

impl Transcript {
    /// Makes an empty transcript with a system prompt.
    pub fn new(system: impl Into<String>) -> Self {
        Self { system: system.into(), ..Self::default() }
    }

    /// Puts another system prompt in the place of the current one.
    pub fn set_system(&mut self, system: impl Into<String>) {
        self.system = system.into();
    }

    /// Returns the system prompt, without the summary.
    pub fn system(&self) -> &str {
        &self.system
    }

    /// Returns the text of the system message: the prompt and, behind it, the summary of what was evicted.
    pub fn system_text(&self) -> Cow<'_, str> {
        match &self.summary {
            None => Cow::Borrowed(&self.system),
            Some(summary) if self.system.is_empty() => Cow::Borrowed(summary),
            Some(summary) => Cow::Owned(format!("{}\n\n{summary}", self.system)),
        }
    }

    /// Returns the summary of what was evicted.
    pub fn summary(&self) -> Option<&str> {
        self.summary.as_deref()
    }

    /// Keeps a summary of what was evicted, or none.
    pub fn set_summary(&mut self, summary: Option<String>) {
        self.summary = summary;
    }

    /// Returns the messages that are still in the context.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// Returns the id that the next message gets.
    pub fn next_id(&self) -> u64 {
        self.next_id
    }

    /// Says whether a call of the session has this id, in the context or no more.
    pub fn has_called(&self, id: &CallId) -> bool {
        self.called.contains(id)
    }

    /// Forgets every message and the summary; the system prompt stays and ids go on.
    pub fn reset(&mut self) {
        self.entries.clear();
        self.summary = None;
    }

    /// Opens a new exchange and returns its number.
    pub fn open_exchange(&mut self) -> u64 {
        self.next_exchange += 1;
        self.next_exchange
    }

    /// Adds a message to an exchange and returns its id: a result of a tool directly behind the answer that asked for it
    /// and the results that stand there already, every other message at the end.
    ///
    /// Servers refuse a conversation in which anything stands between calls and their results, and the output of a
    /// command of the same answer may be there first.
    pub fn push(&mut self, exchange: u64, message: Message) -> u64 {
        let id = self.next_id;
        self.next_id += 1;
        self.called.extend(message.tool_calls().iter().map(|call| call.id.clone()));
        let at = self.place_of(&message);
        self.entries.insert(at, Entry { id, exchange, message, counted: None });
        id
    }

    fn place_of(&self, message: &Message) -> usize {
        let end = self.entries.len();
        let Message::Tool { tool_call_id, .. } = message else { return end };
        let asks = |entry: &Entry| entry.message.tool_calls().iter().any(|call| call.id == *tool_call_id);
        let Some(answer) = self.entries.iter().rposition(asks) else { return end };
        let behind = self.entries.iter().skip(answer + 1);
        answer + 1 + behind.take_while(|entry| matches!(entry.message, Message::Tool { .. })).count()
    }

    /// Puts another message in the place of one, or takes it out.
    pub fn amend(&mut self, id: u64, message: Option<Message>) {
        match message {
            None => self.entries.retain(|entry| entry.id != id),
            Some(message) => {
                if let Some(entry) = self.entries.iter_mut().find(|entry| entry.id == id) {
                    entry.message = message;
                    entry.counted = None;
                }
            }
        }
    }

    /// Loads messages of an earlier session: each user message that follows an answer opens an exchange.
    pub fn load(&mut self, messages: impl IntoIterator<Item = Message>) {
        self.restore(messages.into_iter().map(|message| (None, message)));
    }

    /// Loads messages of an earlier session with the numbers of their exchanges; without a number, as [`Self::load`].
    pub fn restore(&mut self, messages: impl IntoIterator<Item = (Option<u64>, Message)>) {
        let mut answered = true;
        let mut exchange = self.next_exchange;
        let mut number = None;
        for (given, message) in messages {
            let begins = match (&message, given) {
                (Message::System { .. }, _) => continue,
                (_, Some(_)) => given != number,
                (Message::User { .. }, None) => answered,
                (Message::Assistant { .. } | Message::Tool { .. }, None) => false,
            };
            match &message {
                Message::Assistant { tool_calls, .. } => answered = tool_calls.is_empty(),
                Message::User { .. } => answered = false,
                Message::System { .. } | Message::Tool { .. } => {}
            }
            if begins {
                exchange = self.open_exchange();
            }
            number = given;
            self.push(exchange, message);
        }
    }

    /// Returns the entries whose tokens this tokenizer has not counted yet.
    pub fn uncounted(&self, tokenizer: &str) -> impl Iterator<Item = &Entry> {
        let tokenizer = String::from(tokenizer);
        self.entries.iter().filter(move |entry| match &entry.counted {
            Some(counted) => counted.tokenizer != tokenizer,
            None => true,
        })
    }

    /// Notes the tokens of an entry.
    pub fn set_count(&mut self, id: u64, counted: Counted) {
        if let Some(entry) = self.entries.iter_mut().find(|entry| entry.id == id) {
            entry.counted = Some(counted);
        }
    }

    /// Removes the oldest exchange, unless it is `running`, and returns its messages.
    pub fn evict_oldest(&mut self, running: Option<u64>) -> Vec<Message> {
        let Some(oldest) = self.entries.first().map(|entry| entry.exchange) else { return Vec::new() };
        if Some(oldest) == running {
            return Vec::new();
        }
        let end = self.entries.iter().position(|entry| entry.exchange != oldest).unwrap_or(self.entries.len());
        self.entries.drain(..end).map(|entry| entry.message).collect()
    }

    /// Returns the messages of the next request, system message first.
    ///
    /// Two texts of one speaker in a row are merged: many templates refuse them. As text, results of tools
    /// are `[tool: name]` in user messages, and calls are left out.
    pub fn render(&self, results: ToolResults) -> Vec<Message> {
        let mut messages = Vec::with_capacity(self.entries.len() + 1);
        let system = self.system_text();
        if !system.is_empty() {
            messages.push(Message::system(system));
        }
        for entry in &self.entries {
            let message = match results {
                ToolResults::Messages => Some(entry.message.clone()),
                ToolResults::Text => flattened(&entry.message),
            };
            if let Some(message) = message {
                push_merged(&mut messages, message);
            }
        }
        messages
    }
}

/// Returns a message without calls and without `role:tool`; none when nothing is left of it.
fn flattened(message: &Message) -> Option<Message> {
    match message {
        Message::Tool { name, content, blocks, .. } => {
            Some(Message::User { content: format!("[tool: {name}]\n{content}"), blocks: blocks.clone() })
        }
        Message::Assistant { content, .. } if content.trim().is_empty() => None,
        Message::Assistant { content, .. } => Some(Message::assistant(content.clone())),
        Message::System { .. } | Message::User { .. } => Some(message.clone()),
    }
}

fn push_merged(messages: &mut Vec<Message>, message: Message) {
    match (messages.last_mut(), message) {
        (Some(Message::User { content: before, blocks: kept }), Message::User { content, blocks }) => {
            before.push_str("\n\n");
            before.push_str(&content);
            kept.extend(blocks);
        }
        (
            Some(Message::Assistant { content: before, tool_calls: none, state: first }),
            Message::Assistant { content, tool_calls, state },
        ) if none.is_empty() => {
            before.push_str("\n\n");
            before.push_str(&content);
            none.extend(tool_calls);
            // Two answers that are one for the wire are not what either server sent.
            *first = state.filter(|_| first.is_none());
        }
        (_, message) => messages.push(message),
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec;

    use super::*;

    fn call(id: &str) -> ToolCall {
        ToolCall { id: id.into(), name: "files.read".into(), arguments: "{}".into() }
    }

    fn tool(id: &str, content: &str) -> Message {
        Message::Tool { tool_call_id: id.into(), name: "files.read".into(), content: content.into(), blocks: vec![] }
    }

    #[test]
    fn strict_templates_see_text_only_and_merged_neighbours() {
        let mut transcript = Transcript::new("system");
        transcript.load([
            Message::user("question"),
            Message::Assistant { content: String::new(), tool_calls: vec![call("1"), call("2")], state: None },
            tool("1", "one"),
            tool("2", "two"),
            Message::assistant("done"),
        ]);
        assert_eq!(
            transcript.render(ToolResults::Text),
            [
                Message::system("system"),
                Message::user("question\n\n[tool: files.read]\none\n\n[tool: files.read]\ntwo"),
                Message::assistant("done"),
            ]
        );
        assert_eq!(transcript.render(ToolResults::Messages).len(), 6);
    }

    #[test]
    fn results_stand_directly_behind_their_calls_whatever_came_first() {
        let mut transcript = Transcript::new("");
        transcript.load([
            Message::user("question"),
            Message::Assistant { content: "CMD: ls".into(), tool_calls: vec![call("1"), call("2")], state: None },
            Message::user("[exec: ls]\na"),
            tool("2", "two"),
            tool("1", "one"),
            Message::assistant("done"),
        ]);
        let roles: Vec<&str> = transcript.entries().iter().map(|entry| entry.message.content()).collect();
        assert_eq!(roles, ["question", "CMD: ls", "two", "one", "[exec: ls]\na", "done"]);
    }

    #[test]
    fn an_exchange_goes_as_a_whole() {
        let mut transcript = Transcript::new("");
        transcript.load([
            Message::user("first"),
            Message::Assistant { content: String::new(), tool_calls: vec![call("1")], state: None },
            tool("1", "one"),
            Message::assistant("answer"),
            Message::user("second"),
        ]);
        assert_eq!(transcript.evict_oldest(None).len(), 4);
        assert_eq!(transcript.entries().len(), 1);
        let running = transcript.entries()[0].exchange;
        assert!(transcript.evict_oldest(Some(running)).is_empty());
    }

    #[test]
    fn exchanges_are_restored_by_their_numbers() {
        let mut transcript = Transcript::new("");
        let said = [
            (Some(4), Message::user("list the files")),
            (Some(4), Message::assistant("CMD: ls")),
            (Some(4), Message::user("[exec: ls]\na\n[exit code: 0]")),
            (Some(4), Message::assistant("One file.")),
            (Some(7), Message::user("thanks")),
        ];
        transcript.restore(said.clone());
        assert_eq!(transcript.entries().iter().map(|entry| entry.exchange).collect::<Vec<_>>(), [1, 1, 1, 1, 2]);
        assert_eq!(transcript.evict_oldest(None).len(), 4);
        let mut without = Transcript::new("");
        without.load(said.into_iter().map(|(_, message)| message));
        assert_eq!(without.entries().iter().map(|entry| entry.exchange).collect::<Vec<_>>(), [1, 1, 2, 2, 3]);
    }

    #[test]
    fn another_tokenizer_counts_again() {
        let mut transcript = Transcript::new("");
        let exchange = transcript.open_exchange();
        let id = transcript.push(exchange, Message::user("hello world"));
        transcript.set_count(id, Counted { tokenizer: "a".into(), tokens: 2 });
        assert_eq!(transcript.uncounted("a").count(), 0);
        assert_eq!(transcript.uncounted("b").count(), 1);
        transcript.reset();
        assert_eq!(transcript.uncounted("a").count(), 0);
    }
}
