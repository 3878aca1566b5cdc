//! Reads which arguments of a program name what it writes to.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use crate::builder::Builder;
use crate::writes::{Place, Writes};

/// Parses one word.
///
/// # Errors
/// In words.
pub(super) fn parse(text: &str, builder: &mut Builder) -> Result<Writes, String> {
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
