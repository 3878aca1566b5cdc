//! Literal substrings: what contains the request as it was typed.

use aish_types::ToolDefinition;
use memchr::memmem;

/// Stands between fields and documents; no request contains it.
const SEPARATOR: char = '\u{1}';

/// The texts of all documents in one string, lower case: name, description, group, category, tags.
#[derive(Debug, Default)]
pub(super) struct Literals {
    text: String,
    /// Where each document ends, and where its name ends.
    ends: Vec<(usize, usize)>,
}

/// Where a request stands in a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Literal {
    /// Somewhere in description, group, category or tags.
    Text,
    /// In the name.
    Name,
    /// It is the name.
    WholeName,
}

impl Literals {
    /// Adds the next document.
    pub(super) fn push(&mut self, definition: &ToolDefinition) {
        self.field(definition.name.as_str());
        let name_end = self.text.len();
        self.field(&definition.description);
        self.field(&definition.group);
        self.field(&definition.category);
        for tag in definition.tags.iter() {
            self.field(tag);
        }
        self.ends.push((self.text.len(), name_end));
    }

    fn field(&mut self, text: &str) {
        if text.is_ascii() {
            self.text.push_str(text);
            let start = self.text.len() - text.len();
            if let Some(tail) = self.text.get_mut(start..) {
                tail.make_ascii_lowercase();
            }
        } else {
            self.text.push_str(&text.to_lowercase());
        }
        self.text.push(SEPARATOR);
    }

    /// Gives back the room that is kept for more.
    pub(super) fn shrink(&mut self) {
        self.text.shrink_to_fit();
        self.ends.shrink_to_fit();
    }

    /// Finds the documents that contain a lower-case text, each once, in rising order.
    pub(super) fn find(&self, needle: &str, mut found: impl FnMut(u32, Literal)) {
        if needle.is_empty() || needle.contains(SEPARATOR) {
            return;
        }
        let finder = memmem::Finder::new(needle);
        let bytes = self.text.as_bytes();
        let (mut from, mut document) = (0, 0);
        while let Some(at) = bytes.get(from..).and_then(|rest| finder.find(rest)).map(|at| at + from) {
            document += self.ends.get(document..).map_or(0, |ends| ends.partition_point(|&(end, _)| end <= at));
            let Some(&(end, name_end)) = self.ends.get(document) else { return };
            let start = document.checked_sub(1).and_then(|before| self.ends.get(before)).map_or(0, |&(end, _)| end);
            let literal = match at < name_end {
                true if at == start && name_end - start == needle.len() + 1 => Literal::WholeName,
                true => Literal::Name,
                false => Literal::Text,
            };
            found(u32::try_from(document).unwrap_or(u32::MAX), literal);
            from = end;
        }
    }
}
