//! Server-sent events (WHATWG HTML, 9.2.6), as servers really write them: a line that no field begins is left out and
//! does not end the stream, and what is not UTF-8 is replaced.

use alloc::borrow::{Cow, ToOwned};
use alloc::string::String;
use alloc::vec::Vec;
use core::mem;

/// One event. Each field is what the stream gave, if it gave it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Event {
    /// The kind of the event.
    pub event: Option<String>,
    /// The lines of its data, with newlines between them.
    pub data: Option<String>,
    /// The id that a stream is resumed by.
    pub id: Option<String>,
    /// Milliseconds to wait before the stream is opened again.
    pub retry: Option<u64>,
}

/// What becomes of a line that is a JSON object without a field's name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unnamed {
    /// It is left out.
    Dropped,
    /// It is the data of an event of its own.
    Event,
}

/// An event is longer than the parser's limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TooLarge;

/// Splits a stream that comes in parts of any size into events. Lines end with LF, CRLF or CR.
#[derive(Debug, Clone)]
pub struct Parser {
    line: Vec<u8>,
    event: Event,
    after_return: bool,
    limit: usize,
    unnamed: Unnamed,
}

impl Parser {
    /// Reads events of at most `limit` bytes.
    pub fn new(limit: usize, unnamed: Unnamed) -> Self {
        Self { line: Vec::new(), event: Event::default(), after_return: false, limit, unnamed }
    }

    /// Takes a part of the stream and adds the events that end in it to `events`.
    ///
    /// # Errors
    /// [`TooLarge`] when an event is longer than the limit.
    pub fn push(&mut self, mut bytes: &[u8], events: &mut impl Extend<Event>) -> Result<(), TooLarge> {
        if mem::take(&mut self.after_return) {
            bytes = bytes.strip_prefix(b"\n").unwrap_or(bytes);
        }
        while let Some(end) = memchr::memchr2(b'\n', b'\r', bytes) {
            let (part, rest) = bytes.split_at(end);
            self.has_room_for(part)?;
            if self.line.is_empty() {
                self.end_line(part, events);
            } else {
                self.line.extend_from_slice(part);
                let line = mem::take(&mut self.line);
                self.end_line(&line, events);
            }
            self.after_return = rest == b"\r";
            bytes = rest.strip_prefix(b"\r\n").or_else(|| rest.get(1..)).unwrap_or_default();
        }
        self.has_room_for(bytes)?;
        self.line.extend_from_slice(bytes);
        Ok(())
    }

    /// Ends the stream, and with it the line and the event that are open.
    pub fn finish(&mut self, events: &mut impl Extend<Event>) {
        let line = mem::take(&mut self.line);
        if !line.is_empty() {
            self.end_line(&line, events);
        }
        self.end_event(events);
    }

    /// Returns whether the stream stands inside a line.
    pub fn is_inside_line(&self) -> bool {
        !self.line.is_empty()
    }

    fn has_room_for(&self, part: &[u8]) -> Result<(), TooLarge> {
        let data = self.event.data.as_ref().map_or(0, String::len);
        if self.line.len() + part.len() + data > self.limit { Err(TooLarge) } else { Ok(()) }
    }

    fn end_line(&mut self, line: &[u8], events: &mut impl Extend<Event>) {
        // `from_utf8_lossy` looks at each byte alone.
        let line = core::str::from_utf8(line).map_or_else(|_| String::from_utf8_lossy(line), Cow::Borrowed);
        let line = line.strip_prefix('\u{feff}').unwrap_or(&line);
        if line.is_empty() {
            return self.end_event(events);
        }
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field.trim() {
            "data" => match &mut self.event.data {
                Some(data) => {
                    data.push('\n');
                    data.push_str(value);
                }
                None => self.event.data = Some(value.to_owned()),
            },
            "event" => self.event.event = Some(value.trim().to_owned()),
            "id" if !value.contains('\0') => self.event.id = Some(value.to_owned()),
            "retry" => self.event.retry = value.trim().parse().ok(),
            _ if self.unnamed == Unnamed::Event && line.starts_with("{\"") => {
                self.end_event(events);
                self.event.data = Some(line.to_owned());
                self.end_event(events);
            }
            _ => {}
        }
    }

    fn end_event(&mut self, events: &mut impl Extend<Event>) {
        let event = mem::take(&mut self.event);
        if event.data.is_some() || event.id.is_some() || event.retry.is_some() {
            events.extend([event]);
        }
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec;

    use super::*;

    fn parse(stream: &[u8], size: usize, unnamed: Unnamed) -> Vec<Event> {
        let (mut parser, mut events) = (Parser::new(1000, unnamed), Vec::new());
        for part in stream.chunks(size) {
            parser.push(part, &mut events).unwrap();
        }
        parser.finish(&mut events);
        events
    }

    fn check(stream: &str, expected: &[Event]) {
        for size in 1..=stream.len() {
            assert_eq!(parse(stream.as_bytes(), size, Unnamed::Event), expected, "{stream:?} in parts of {size}");
        }
    }

    fn data(text: &str) -> Event {
        Event { data: Some(text.to_owned()), ..Event::default() }
    }

    #[test]
    fn fields_are_read_and_other_lines_left_out_however_the_stream_is_split() {
        let first = Event { id: Some("1".to_owned()), ..data("{\"a\":\n\"ü\"}") };
        let second = Event { event: Some("y".to_owned()), ..data("{}") };
        let stream = "\u{feff}: hello\r\nid: 1\r\ndata: {\"a\":\r\ndata: \"ü\"}\r\n\r\nevent: x\nevent: y\njunk\n\
                      data:{}\n\nretry: soon\r\r{\"bare\":1}\n\ndata: last";
        check(stream, &[first, second, data("{\"bare\":1}"), data("last")]);
        check(
            ": comment\n\nevent: x\ndata:a\nretry: 20\n\n",
            &[Event { event: Some("x".to_owned()), retry: Some(20), ..data("a") }],
        );
        check("data: a\rid: 1\rdata: b\r\r", &[Event { id: Some("1".to_owned()), ..data("a\nb") }]);
        check("junk\ndat\ndatum: x\ndata\ndata: ü\n\n", &[data("\nü")]);
    }

    #[test]
    fn an_object_without_a_name_is_an_event_where_that_is_wanted() {
        let stream = b"{\"bare\":1}\ndata: a\n\n";
        assert_eq!(parse(stream, 3, Unnamed::Dropped), vec![data("a")]);
        assert_eq!(parse(stream, 3, Unnamed::Event), vec![data("{\"bare\":1}"), data("a")]);
    }

    #[test]
    fn a_bad_byte_costs_itself_alone_however_the_stream_is_split() {
        let stream = b"data: a\xffb \xe2\x82\xac \xf0\x9f\x98\x80 \xc3(\n\n";
        for size in 1..=stream.len() {
            let expected = "a\u{fffd}b \u{20ac} \u{1f600} \u{fffd}(";
            assert_eq!(parse(stream, size, Unnamed::Dropped), vec![data(expected)], "in parts of {size}");
        }
    }

    #[test]
    fn a_large_event_is_an_error() {
        let mut events = Vec::new();
        assert_eq!(Parser::new(10, Unnamed::Dropped).push(b"data: 0123456789", &mut events), Err(TooLarge));
        assert_eq!(Parser::new(10, Unnamed::Dropped).push(b"data: 01234\ndata: 5678\n", &mut events), Err(TooLarge));
        let mut parser = Parser::new(10, Unnamed::Dropped);
        parser.push(b"data: 01\n\ndata: 23\n\n", &mut events).unwrap();
        assert!(!parser.is_inside_line() && events.len() == 2);
    }
}
