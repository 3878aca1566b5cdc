//! How operators of a parameter expansion change a text: `${x#p}`, `${x^^}`.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::super::budget::{Budget, Work};
use super::super::path::glob_match;
use super::super::word::HOLE;

pub(super) fn trim(text: &str, pattern: &str, front: bool, longest: bool, budget: &Budget) -> String {
    let mut cuts: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
    if cuts.len() > 4096 {
        return String::from(HOLE);
    }
    // Each cut is held against the whole pattern; one with several stars may go through the text for each of them.
    let steps = match pattern.matches('*').count() {
        0 | 1 => text.len() + pattern.len(),
        _ => text.len().saturating_mul(pattern.len().max(1)),
    };
    if !budget.pay(Work::Scan, cuts.len().saturating_mul(steps)) {
        return String::from(HOLE);
    }
    if front == longest {
        cuts.reverse();
    }
    for cut in cuts {
        let (before, after) = text.split_at_checked(cut).unwrap_or((text, ""));
        let (removed, kept) = if front { (before, after) } else { (after, before) };
        if glob_match(pattern, removed) {
            return kept.into();
        }
    }
    text.into()
}

#[derive(Clone, Copy)]
pub(super) enum Case {
    Upper,
    Lower,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Letters {
    All,
    First,
}

pub(super) fn change_case(text: &str, case: Case, letters: Letters) -> String {
    let change = |text: &str| match case {
        Case::Upper => text.to_uppercase(),
        Case::Lower => text.to_lowercase(),
    };
    if letters == Letters::All {
        return change(text);
    }
    let length = text.chars().next().map_or(0, char::len_utf8);
    let (first, rest) = text.split_at_checked(length).unwrap_or((text, ""));
    format!("{}{rest}", change(first))
}
