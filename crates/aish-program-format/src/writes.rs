//! Which arguments of a program name what it writes to, as it is written: words separated by blanks.
//!
//! | word | what is written to |
//! |---|---|
//! | `-o`, `--output` | the value of the option |
//! | `@0`, `@2` | the operand of that number, from 0 |
//! | `@1..` | the operands from that number on |
//! | `@last` | the last operand |
//! | `of=` | what stands behind it in an operand |
//! | `-i\|--in-place>@1..` | the same, where one of the options is given |
//! | `!-u\|!-U>@0..` | the same, where none of the options is given |
//! | `clone>@1`, `clone\|image>@last` | the same, where the first operand is that; it is counted too |

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use crate::builder::Builder;
use crate::tables::{Id, List};

/// Something that a program writes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Writes {
    /// The options of which one must be given, or the sub-commands of which the first operand must be one; options behind `!`
    /// of which none may be given. None for always.
    pub with: List,
    /// Where its name stands.
    pub place: Place,
}

/// Where among the arguments a name stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// The value of an option.
    Value(Id),
    /// The operand of that number, from 0.
    Operand(u8),
    /// The operands from that number on.
    From(u8),
    /// The last operand.
    Last,
    /// Behind this text in an operand.
    Behind(Id),
}

/// Parses one word.
///
/// # Errors
/// In words.
pub fn parse(text: &str, builder: &mut Builder) -> Result<Writes, String> {
    let (with, place) = match text.split_once('>') {
        Some((with, place)) => (with.split('|').collect::<Vec<_>>(), place),
        None => (Vec::new(), text),
    };
    if with.iter().any(|one| one.is_empty()) {
        return Err(format!("`{text}` has nothing before `>`"));
    }
    let number = |digits: &str| digits.parse::<u8>().map_err(|_| format!("`@{digits}` is no number of an operand"));
    let place = match place.strip_prefix('@') {
        Some("last") => Place::Last,
        Some(digits) => match digits.strip_suffix("..") {
            Some(digits) => Place::From(number(digits)?),
            None => Place::Operand(number(digits)?),
        },
        None if place.starts_with('-') && place.len() > 1 => Place::Value(builder.text(place)),
        None if place.ends_with('=') && place.len() > 1 => Place::Behind(builder.text(place)),
        None => return Err(format!("`{text}` is neither an option, nor `@…`, nor `…=`")),
    };
    Ok(Writes { with: builder.list(&with), place })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_parsed_and_others_refused() {
        let mut builder = Builder::default();
        let place = |text: &str, builder: &mut Builder| parse(text, builder).map(|one| (one.with.count, one.place));
        assert_eq!(place("@last", &mut builder), Ok((0, Place::Last)));
        assert_eq!(place("-i|--in-place>@1..", &mut builder), Ok((2, Place::From(1))));
        assert_eq!(place("clone>@2", &mut builder), Ok((1, Place::Operand(2))));
        assert!(matches!(place("of=", &mut builder), Ok((0, Place::Behind(_)))));
        assert!(matches!(place("--output", &mut builder), Ok((0, Place::Value(_)))));
        for wrong in ["", "@", "@x", "@1...", "-", "=", "output", ">@1", "-i|>@1", "@300"] {
            assert!(place(wrong, &mut builder).is_err(), "{wrong}");
        }
    }
}
