//! Commands that are words alone: no operator, no substitution, nothing for a parser to find.
//!
//! Most commands of most lines are such; the parser takes several times as long for each of their words.

use alloc::vec::Vec;

use brush_parser::ast::{self, CommandPrefixOrSuffixItem as Item};

use super::syntax::RESERVED;

/// Words that stand before a command, or are a construct of their own.
const BEFORE: &[&str] = &["!", "[[", "]]", "coproc", "time"];

/// Reads a text as one simple command; none where it is anything else, or may be.
pub(super) fn read(text: &str) -> Option<ast::Program> {
    let mut words = words(text.trim_matches('\n'))?.into_iter().map(ast::Word::new);
    let is_name = |word: &ast::Word| ![RESERVED, BEFORE].iter().any(|list| list.contains(&word.value.as_str()));
    let first = words.next().filter(is_name)?;
    let suffix: Vec<Item> = words.map(Item::Word).collect();
    let simple = ast::SimpleCommand {
        prefix: None,
        word_or_name: Some(first),
        suffix: (!suffix.is_empty()).then_some(ast::CommandSuffix(suffix)),
    };
    let pipeline = ast::Pipeline { timed: None, bang: false, seq: alloc::vec![ast::Command::Simple(simple)] };
    let list = ast::AndOrList { first: pipeline, additional: Vec::new() };
    let item = ast::CompoundListItem(list, ast::SeparatorOperator::Sequence);
    Some(ast::Program { complete_commands: alloc::vec![ast::CompoundList(alloc::vec![item])] })
}

/// Cuts a text into words as they are written, quotes and all; none where it holds more than words, or an assignment.
fn words(text: &str) -> Option<Vec<&str>> {
    let bytes = text.as_bytes();
    let mut out = Vec::new();
    let mut from = None;
    let mut quote = None;
    for (at, byte) in bytes.iter().copied().enumerate() {
        let dollar = || at.checked_sub(1).and_then(|at| bytes.get(at)) == Some(&b'$');
        match (quote, byte) {
            (Some(b'\''), b'\'') | (Some(b'"'), b'"') => quote = None,
            (Some(b'\''), _) => {}
            (_, b'\\' | b'`') => return None,
            (_, b'(' | b'{' | b'[') if dollar() => return None,
            (Some(_), _) => {}
            (None, b'\'' | b'"') if dollar() => return None,
            (None, b'(' | b')' | b'<' | b'>' | b'|' | b'&' | b';' | b'\n') => return None,
            (None, b'#') if from.is_none() => return None,
            (None, b' ' | b'\t') => {
                if let Some(from) = from.take() {
                    out.push(word(text.get(from..at)?)?);
                }
            }
            (None, _) => {
                from.get_or_insert(at);
                if matches!(byte, b'\'' | b'"') {
                    quote = Some(byte);
                }
            }
        }
    }
    if quote.is_some() {
        return None;
    }
    if let Some(from) = from {
        out.push(word(text.get(from..)?)?);
    }
    Some(out)
}

/// Takes one word, unless it may be an assignment.
fn word(text: &str) -> Option<&str> {
    let named = text.starts_with(|letter: char| letter.is_ascii_alphabetic() || letter == '_');
    (!named || !text.contains('=')).then_some(text)
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use super::super::syntax::tests::{lines, parsed};
    use super::*;

    #[test]
    fn what_is_read_is_what_the_parser_reads() {
        let mut read_here = 0;
        for line in lines() {
            for part in line.split([';', '|', '&']).chain([line.as_str()]) {
                let Some(program) = read(part) else { continue };
                read_here += 1;
                assert_eq!(Some(program.to_string()), parsed(part).map(|program| program.to_string()), "{part}");
            }
        }
        assert!(read_here > 500, "{read_here} were read");
    }

    #[test]
    fn more_than_words_is_left_to_the_parser() {
        for line in [
            "", "  ", "a=b", "a b=c", "a; b", "a | b", "a > b", "a & ", "`a`", "$(a)", "${a}", "a \\b", "# a", "a #b",
            "$'a'", "$\"a\"", "\"$(a)\"", "'a", "\"a", "if a", "! a", "time a", "f()", "[[ a ]]", "@(a|b)", "a\nb",
        ] {
            assert!(read(line).is_none(), "{line}");
        }
        for line in ["a", " a  b\t'c d' ", "a --b=c \"$d e\" {f,g} *.h a#b '$(x)' \"it's\"", "a ü [b] ~ %c ?\n"] {
            assert_eq!(
                read(line).map(|program| program.to_string()),
                parsed(line).map(|program| program.to_string()),
                "{line}"
            );
            assert!(read(line).is_some(), "{line}");
        }
    }
}
