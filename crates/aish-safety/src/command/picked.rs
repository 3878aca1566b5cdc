//! Ids of processes that a line chose.

use aish_programs::words::special_variables::FILES;

use super::word::{HOLE, Taint, Word, is_numeric};

/// Says whether a word is the id of a process that was chosen, or the ids of some.
pub(super) fn is_chosen(word: &Word) -> bool {
    let is_one = word
        .text
        .strip_prefix(HOLE)
        .is_some_and(|rest| rest.is_empty() || is_numeric(&word.text) && rest.chars().count() == 1);
    is_one && word.taint.has(Taint::CHOSEN) && !word.taint.has(Taint::PROCESSES)
}

/// Returns the mark of the content of a file that keeps the id of one process.
pub(super) fn of_file(path: &str) -> Taint {
    let name = path.rsplit('/').next().unwrap_or_default();
    let keeps = name.ends_with(".pid") && !name.contains(['*', '?', '[', HOLE]) && name.len() > 4;
    if keeps { Taint::CHOSEN } else { Taint::NONE }
}

/// Returns the mark of the value of a variable that by its name keeps the id of one process, or the name of a secret file.
pub(super) fn of_variable(name: &str) -> Taint {
    if FILES.contains(&name) {
        return Taint::NAMES_SECRETS;
    }
    let keeps = name.len() >= 3 && name.get(name.len() - 3..).is_some_and(|end| end.eq_ignore_ascii_case("pid"));
    if keeps { Taint::CHOSEN } else { Taint::NONE }
}
