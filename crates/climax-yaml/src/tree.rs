//! From parser events to the tree.

use std::collections::{HashMap, HashSet};

use serde_saphyr::granit_parser::{Event, Parser, ScalarStyle, Span};

use crate::{Kind, Node, Position, SyntaxError};

/// Nodes that one file may have, aliases expanded; a bomb of aliases ends here.
const MAX_NODES: usize = 2_000_000;
/// Levels that a file may nest.
const MAX_DEPTH: usize = 64;

/// The first document of a text.
#[derive(Debug, Clone)]
pub struct Parsed<'a> {
    /// Its tree.
    pub root: Node<'a>,
    /// Where another document begins that says something.
    pub second: Option<Position>,
}

/// Parses the first document of a text.
///
/// # Errors
/// When the text is no YAML, nests deeper than 64 levels, has more than 2,000,000 values with its aliases expanded, or is
/// empty.
pub fn parse(text: &str) -> Result<Node<'_>, SyntaxError> {
    parse_first(text).map(|parsed| parsed.root)
}

/// Parses the first document of a text, and says whether there is another one.
///
/// # Errors
/// As [`parse`].
pub fn parse_first(text: &str) -> Result<Parsed<'_>, SyntaxError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut builder = Builder::default();
    let mut parser = Parser::new_from_str(text);
    while let Some(step) = parser.next_event() {
        let (event, span) = step.map_err(|error| {
            let marker = error.marker();
            let at = Position { line: number(marker.line()), column: number(marker.col() + 1) };
            let message = format!("this is not valid YAML: {}{}", syntax(&error.to_string()), tab_hint(text, at));
            SyntaxError { at, message }
        })?;
        if builder.take(event, span).map_err(|(at, message)| SyntaxError { at, message })? {
            break;
        }
    }
    // What cannot be parsed any more says something, too.
    let mut second = None;
    while let (None, Some(step)) = (second, parser.next_event()) {
        second = match step {
            Ok((Event::Scalar(text, ..), span)) => (!matches!(text.as_ref(), "" | "~")).then(|| position(&span)),
            Ok((Event::SequenceStart(..) | Event::MappingStart(..), span)) => Some(position(&span)),
            Ok(_) => None,
            Err(error) => {
                let marker = error.marker();
                Some(Position { line: number(marker.line()), column: number(marker.col() + 1) })
            }
        };
    }
    let empty = || SyntaxError { at: Position { line: 1, column: 1 }, message: "the file is empty".into() };
    Ok(Parsed { root: builder.root.ok_or_else(empty)?, second })
}

/// Takes the position that the parser repeats off its message.
fn syntax(message: &str) -> &str {
    [" at byte", " at char", " at line"].iter().fold(message, |text, mark| text.split(mark).next().unwrap_or(text))
}

fn tab_hint(text: &str, at: Position) -> &'static str {
    let line = text.lines().nth(at.line.saturating_sub(1) as usize).unwrap_or_default();
    let indent: String = line.chars().take_while(|c| c.is_whitespace()).collect();
    if indent.contains('\t') { " (a tab indents this line; YAML wants blanks)" } else { "" }
}

fn number(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}

fn position(span: &Span) -> Position {
    Position { line: number(span.start.line()), column: number(span.start.col() + 1) }
}

/// A collection that is still open.
struct Open<'a> {
    at: Position,
    anchor: usize,
    items: Items<'a>,
}

enum Items<'a> {
    Sequence(Vec<Node<'a>>),
    Mapping(Vec<(Node<'a>, Node<'a>)>, Option<Node<'a>>),
}

#[derive(Default)]
struct Builder<'a> {
    open: Vec<Open<'a>>,
    anchors: HashMap<usize, (Node<'a>, usize)>,
    root: Option<Node<'a>>,
    nodes: usize,
}

type Failure = (Position, String);

impl<'a> Builder<'a> {
    /// Takes one event; true when the document is complete.
    fn take(&mut self, event: Event<'a>, span: Span) -> Result<bool, Failure> {
        let at = position(&span);
        match event {
            Event::Scalar(text, style, anchor, tag) => {
                let plain = style == ScalarStyle::Plain && tag.is_none();
                self.put(Node { at, kind: Kind::Scalar { text, plain } }, anchor, 1)?;
            }
            Event::SequenceStart(_, anchor, _) => self.open(at, anchor, Items::Sequence(Vec::new()))?,
            Event::MappingStart(_, anchor, _) => self.open(at, anchor, Items::Mapping(Vec::new(), None))?,
            Event::SequenceEnd | Event::MappingEnd => self.close()?,
            Event::Alias(id) => {
                let Some((node, size)) = self.anchors.get(&id).cloned() else {
                    return Err((at, "this alias stands inside its own anchor".into()));
                };
                self.put(Node { at, kind: node.kind }, 0, size)?;
            }
            Event::DocumentEnd => return Ok(true),
            _ => {}
        }
        Ok(false)
    }

    fn open(&mut self, at: Position, anchor: usize, items: Items<'a>) -> Result<(), Failure> {
        if self.open.len() >= MAX_DEPTH {
            return Err((at, format!("this nests deeper than {MAX_DEPTH} levels")));
        }
        self.open.push(Open { at, anchor, items });
        Ok(())
    }

    fn close(&mut self) -> Result<(), Failure> {
        let Some(open) = self.open.pop() else { return Ok(()) };
        let kind = match open.items {
            Items::Sequence(items) => Kind::Sequence(items),
            Items::Mapping(entries, _) => Kind::Mapping(merged(entries)),
        };
        let node = Node { at: open.at, kind };
        self.put(node, open.anchor, 1)
    }

    fn put(&mut self, node: Node<'a>, anchor: usize, size: usize) -> Result<(), Failure> {
        self.nodes = self.nodes.saturating_add(size);
        if self.nodes > MAX_NODES {
            return Err((node.at, format!("the file has more than {MAX_NODES} values, aliases expanded")));
        }
        if anchor != 0 {
            let size = count(&node);
            self.anchors.insert(anchor, (node.clone(), size));
        }
        match self.open.last_mut().map(|open| &mut open.items) {
            None => self.root = Some(node),
            Some(Items::Sequence(items)) => items.push(node),
            Some(Items::Mapping(entries, key)) => match key.take() {
                None => *key = Some(node),
                Some(name) => entries.push((name, node)),
            },
        }
        Ok(())
    }
}

fn count(node: &Node<'_>) -> usize {
    1 + match &node.kind {
        Kind::Scalar { .. } => 0,
        Kind::Sequence(items) => items.iter().map(count).sum(),
        Kind::Mapping(entries) => entries.iter().map(|(key, value)| count(key) + count(value)).sum(),
    }
}

/// Carries out merge keys (`<<`): entries of the merged mappings that the mapping itself does not have.
fn merged<'a>(entries: Vec<(Node<'a>, Node<'a>)>) -> Vec<(Node<'a>, Node<'a>)> {
    let is_merge = |key: &Node<'_>| matches!(&key.kind, Kind::Scalar { text, plain: true } if text == "<<");
    if !entries.iter().any(|(key, _)| is_merge(key)) {
        return entries;
    }
    let (merges, mut own): (Vec<_>, Vec<_>) = entries.into_iter().partition(|(key, _)| is_merge(key));
    let mut have: HashSet<Option<String>> = own.iter().map(|(key, _)| key.text().map(str::to_owned)).collect();
    for (_, value) in merges {
        let sources = match value.kind {
            Kind::Sequence(items) => items,
            kind => vec![Node { at: value.at, kind }],
        };
        for source in sources {
            let Kind::Mapping(more) = source.kind else { continue };
            for (key, item) in more {
                if have.insert(key.text().map(str::to_owned)) {
                    own.push((key, item));
                }
            }
        }
    }
    own
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(text: &str) -> (u32, u32, String) {
        let error = parse(text).unwrap_err();
        (error.at.line, error.at.column, error.message)
    }

    fn entry<'n>(node: &'n Node<'_>, name: &str) -> &'n Node<'n> {
        let Kind::Mapping(entries) = &node.kind else { panic!("{node:?}") };
        &entries.iter().find(|(key, _)| key.text() == Some(name)).unwrap().1
    }

    #[test]
    fn nodes_know_their_places() {
        let root = parse("\u{feff}name: one\nlist:\n  - 'two'\n  - ~\n").unwrap();
        assert_eq!(
            (entry(&root, "name").at, entry(&root, "name").text()),
            (Position { line: 1, column: 7 }, Some("one"))
        );
        let Kind::Sequence(items) = &entry(&root, "list").kind else { panic!("{root:?}") };
        assert_eq!((items[0].at, items[0].text()), (Position { line: 3, column: 5 }, Some("two")));
        assert!(matches!(items[0].kind, Kind::Scalar { plain: false, .. }));
        assert_eq!((items[1].describe(), items[1].text()), ("nothing", None));
        assert_eq!((root.describe(), entry(&root, "list").describe()), ("a mapping", "a list"));
    }

    #[test]
    fn aliases_and_merges_are_carried_out() {
        let root = parse("base: &b {x: 1, y: 2}\nuse: {<<: *b, y: 3}\nsame: *b\n").unwrap();
        assert_eq!(entry(entry(&root, "use"), "x").text(), Some("1"));
        assert_eq!(entry(entry(&root, "use"), "y").text(), Some("3"));
        assert_eq!(entry(entry(&root, "same"), "y").text(), Some("2"));
    }

    #[test]
    fn what_is_no_tree_is_said_with_its_place() {
        assert_eq!(fault(""), (1, 1, "the file is empty".into()));
        let (line, _, message) = fault("a:\n\t- b\n");
        assert!(line == 2 && message.contains("(a tab indents this line; YAML wants blanks)"), "{line}: {message}");
        let (line, _, message) = fault("a: 'never closed\n");
        assert!(line >= 1 && message.starts_with("this is not valid YAML: "), "{message}");
        assert!(fault("a: &x [*x]\n").2.contains("alias"), "{}", fault("a: &x [*x]\n").2);
    }

    #[test]
    fn bounds_hold() {
        let deep = format!("{}1{}", "[".repeat(70), "]".repeat(70));
        assert!(fault(&deep).2.contains("deeper than 64 levels"));
        let mut bomb = String::from("a0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]\n");
        for level in 1..9 {
            let before = format!("*a{}, ", level - 1).repeat(10);
            bomb.push_str(&format!("a{level}: &a{level} [{}]\n", before.trim_end_matches(", ")));
        }
        assert!(fault(&bomb).2.contains("more than 2000000 values"), "{}", fault(&bomb).2);
    }
}
