//! Where the top-level blocks of a text begin and end.

use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag};

/// The extensions that models use.
pub(super) const EXTENSIONS: Options =
    Options::ENABLE_TABLES.union(Options::ENABLE_STRIKETHROUGH).union(Options::ENABLE_TASKLISTS);

/// What a block is, as far as it matters for when it ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Ends at a blank line at the latest: a paragraph, a heading, a rule, a table, a quote.
    Short,
    /// Goes on over blank lines: HTML, indented code.
    Long,
    /// A list; its items are in [`Block::items`].
    List,
    /// Code between fences.
    Fence,
    /// Text that makes no block by itself, as link definitions do; it is shown as it stands.
    Literal,
    /// A line that proposes a command, shown as it stands.
    Command,
}

/// A top-level block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Block {
    pub(super) kind: Kind,
    /// From the start of its first line.
    pub(super) range: Range<usize>,
    /// The starts of a list's items.
    pub(super) items: Vec<usize>,
}

impl Block {
    fn moved(mut self, by: usize) -> Self {
        self.range = self.range.start + by..self.range.end + by;
        self.items.iter_mut().for_each(|item| *item += by);
        self
    }
}

/// Splits a text into its top-level blocks. White space between them belongs to none.
///
/// A line that begins with the mark is a block of its own wherever it stands, but in fenced code: it ends a paragraph, a
/// list or a quote that would go on without it.
pub(super) fn blocks(source: &str, mark: Option<&str>) -> Vec<Block> {
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(part) = source.get(from..) {
        let parsed = parse(part);
        let Some(line) = mark.and_then(|mark| marked_line(part, &parsed, mark)) else {
            found.extend(parsed.into_iter().map(|block| block.moved(from)));
            break;
        };
        let before = parse(part.get(..line.start).unwrap_or_default());
        found.extend(before.into_iter().map(|block| block.moved(from)));
        let end = line.end;
        found.push(Block { kind: Kind::Command, range: line, items: Vec::new() }.moved(from));
        from += end;
    }
    found
}

/// Returns the first line outside fenced code that begins with the mark, with its newline.
fn marked_line(source: &str, blocks: &[Block], mark: &str) -> Option<Range<usize>> {
    let mut start = 0;
    for line in source.split_inclusive('\n') {
        let end = start + line.len();
        let in_code = || blocks.iter().any(|block| block.kind == Kind::Fence && block.range.contains(&start));
        if line.starts_with(mark) && !in_code() {
            return Some(start..end);
        }
        start = end;
    }
    None
}

fn parse(source: &str) -> Vec<Block> {
    let mut found: Vec<Block> = Vec::new();
    let mut depth = 0_usize;
    for (event, range) in Parser::new_ext(source, EXTENSIONS).into_offset_iter() {
        match event {
            Event::Start(tag) => {
                if depth == 0 {
                    let kind = match &tag {
                        Tag::CodeBlock(CodeBlockKind::Fenced(_)) => Kind::Fence,
                        Tag::CodeBlock(CodeBlockKind::Indented) | Tag::HtmlBlock => Kind::Long,
                        Tag::List(_) => Kind::List,
                        _ => Kind::Short,
                    };
                    push(source, &mut found, kind, range);
                } else if depth == 1
                    && matches!(tag, Tag::Item)
                    && let Some(list) = found.last_mut()
                {
                    list.items.push(line_start(source, range.start));
                }
                depth += 1;
            }
            Event::End(_) => depth = depth.saturating_sub(1),
            Event::Rule if depth == 0 => push(source, &mut found, Kind::Short, range),
            _ => {}
        }
    }
    let end = found.last().map_or(0, |block| block.range.end);
    literal(source, &mut found, end, source.len());
    found
}

fn push(source: &str, found: &mut Vec<Block>, kind: Kind, range: Range<usize>) {
    let start = line_start(source, range.start);
    let before = found.last().map_or(0, |block| block.range.end);
    literal(source, found, before, start);
    found.push(Block { kind, range: start.max(before)..range.end, items: Vec::new() });
}

fn literal(source: &str, found: &mut Vec<Block>, start: usize, end: usize) {
    let Some(text) = source.get(start..end) else { return };
    let lead = text.len() - text.trim_start().len();
    if !text.trim().is_empty() {
        let from = line_start(source, start + lead).max(start);
        found.push(Block { kind: Kind::Literal, range: from..end, items: Vec::new() });
    }
}

/// Returns the start of the line that a place is on.
pub(super) fn line_start(source: &str, at: usize) -> usize {
    source.get(..at).and_then(|before| before.rfind('\n')).map_or(0, |newline| newline + 1)
}

/// Says whether the line before the one at `at` is blank (quote marks do not count); none where there is no such line.
pub(super) fn blank_before(source: &str, at: usize) -> Option<bool> {
    let start = line_start(source, at);
    let before = source.get(..start)?.strip_suffix('\n')?;
    let line = before.rsplit('\n').next().unwrap_or_default();
    Some(line.chars().all(|c| c == '>' || c.is_whitespace()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(source: &str, expected: &[(Kind, &str)]) {
        let found = blocks(source, Some("CMD:"));
        let shown: Vec<(Kind, &str)> =
            found.iter().map(|block| (block.kind, source[block.range.clone()].trim_end())).collect();
        assert_eq!(shown, expected, "{source:?}");
    }

    #[test]
    fn finds_blocks() {
        check("# a\ntext\nmore\n\nnext\n", &[(Kind::Short, "# a"), (Kind::Short, "text\nmore"), (Kind::Short, "next")]);
        check("a\n```rust\nx\n```\n", &[(Kind::Short, "a"), (Kind::Fence, "```rust\nx\n```")]);
        check("    code\n\n    more\n", &[(Kind::Long, "    code\n\n    more")]);
        check("[a]: http://x\n\ntext\n", &[(Kind::Literal, "[a]: http://x"), (Kind::Short, "text")]);
        check("a|b\n-|-\n1|2\n\n---\n", &[(Kind::Short, "a|b\n-|-\n1|2"), (Kind::Short, "---")]);
    }

    #[test]
    fn a_marked_line_is_a_block_of_its_own() {
        use Kind::{Command, Fence, List, Short};
        check("I look.\nCMD: ls\nThen.\n", &[(Short, "I look."), (Command, "CMD: ls"), (Short, "Then.")]);
        check("CMD: a\nCMD: b *x*\n", &[(Command, "CMD: a"), (Command, "CMD: b *x*")]);
        check("- one\nCMD: ls\n- two\n", &[(List, "- one"), (Command, "CMD: ls"), (List, "- two")]);
        check("> said\nCMD: ls\n---\n", &[(Short, "> said"), (Command, "CMD: ls"), (Short, "---")]);
        check("```\nCMD: x\n```\nCMD: y", &[(Fence, "```\nCMD: x\n```"), (Command, "CMD: y")]);
        check("a CMD: b\n CMD: c\n", &[(Short, "a CMD: b\n CMD: c")]);
    }

    #[test]
    fn finds_items() {
        let found = blocks("- a\n  - nested\n\n- b\n", None);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].items, [0, 16]);
    }

    #[test]
    fn sees_blank_lines() {
        assert_eq!(blank_before("a\n\nb", 3), Some(true));
        assert_eq!(blank_before("a\nb", 2), Some(false));
        assert_eq!(blank_before("a", 0), None);
        assert_eq!(blank_before("> a\n>\n> b", 8), Some(true));
    }
}
