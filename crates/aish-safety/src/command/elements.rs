//! What of an assignment may not be what the name alone stands for.

use brush_parser::ast;

use super::word::Word;

/// Says whether a command that declares variables sets them: not where they are functions, or only shown.
pub(super) fn surely_declares(words: &[Word]) -> bool {
    let is_plain = |word: &Word| {
        word.text.strip_prefix('-').is_some_and(|flags| flags.chars().all(|flag| "rxaAgltui".contains(flag)))
    };
    words.iter().skip(1).all(|word| !word.text.starts_with(['-', '+']) || is_plain(word))
}

/// Says whether an assignment says which elements of an array it sets.
pub(super) fn chooses_elements(assignment: &ast::Assignment) -> bool {
    match (&assignment.name, &assignment.value) {
        (ast::AssignmentName::ArrayElementName(..), _) => true,
        (_, ast::AssignmentValue::Array(items)) => items.iter().any(|(key, _)| key.is_some()),
        _ => false,
    }
}
