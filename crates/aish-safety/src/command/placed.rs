//! Where programs with ways of their own name what they write: the last operand, an archive, files edited in place.

use alloc::vec::Vec;

use super::arguments::Arguments;
use super::word::Word;

/// Returns the letters of an archiver's first word, and whether they stand without a dash.
pub(crate) fn bundle<'w>(arguments: &Arguments<'w>) -> (&'w str, bool) {
    let first = arguments.words.first().map_or("", |word| word.text.as_str());
    (if first.starts_with("--") { "" } else { first.trim_start_matches('-') }, !first.starts_with('-'))
}

/// Says whether an archiver writes an archive.
pub(crate) fn makes_archive(arguments: &Arguments<'_>) -> bool {
    let (cluster, _) = bundle(arguments);
    let asks = |letter: char, long: &str| cluster.contains(letter) || arguments.has(long);
    asks('c', "--create") || asks('r', "--append") || asks('u', "--update")
}

/// Returns the archive that an archiver writes; none where it writes none, or to the pipe.
pub(crate) fn written_archive(arguments: &Arguments<'_>) -> Option<Word> {
    if !makes_archive(arguments) {
        return None;
    }
    let (cluster, bundled) = bundle(arguments);
    let second = || arguments.words.get(1).filter(|_| bundled && cluster.contains('f')).cloned();
    let named = || ["-f", "--file"].iter().find_map(|option| arguments.values(option).next());
    second().or_else(named).filter(|word| word.text != "-")
}

/// Returns sources and destination; `true` where the destination is the very path and no folder to put things in.
pub(crate) fn destination(arguments: &Arguments<'_>, operands: &[Word]) -> Option<(Vec<Word>, Word, bool)> {
    let given = ["-t", "--target-directory"].iter().find_map(|option| arguments.values(option).next());
    if let Some(folder) = given {
        return Some((operands.to_vec(), folder, false));
    }
    let (last, sources) = operands.split_last()?;
    if sources.is_empty() {
        return None;
    }
    let whole = ["-T", "--no-target-directory"].iter().any(|flag| arguments.has(flag));
    Some((sources.to_vec(), last.clone(), whole))
}

/// Returns the files that awk edits in place; none where it does not.
pub(crate) fn scanned_in_place(words: &[Word]) -> Option<Vec<Word>> {
    let is_asked = |pair: &[Word]| matches!(pair, [option, value] if matches!(option.text.as_str(), "-i" | "--include") && value.text == "inplace");
    let at = words.windows(2).position(is_asked)?;
    let rest = words.get(at + 2..).unwrap_or_default();
    Some(rest.iter().filter(|word| !word.text.starts_with('-')).skip(1).cloned().collect())
}

/// Returns the files that perl or ruby edit in place; none where they do not.
pub(crate) fn in_place(words: &[Word]) -> Option<&[Word]> {
    let (mut edits, mut scripted) = (false, false);
    let mut at = 0;
    while let Some(word) = words.get(at).filter(|word| word.text.len() > 1 && word.text.starts_with('-')) {
        at += 1;
        if word.text == "--" {
            break;
        }
        let mut letters = word.text.chars();
        letters.next();
        while let Some(letter) = letters.next() {
            match letter {
                'i' => {
                    edits = true;
                    break;
                }
                'e' | 'E' => {
                    scripted = true;
                    at += usize::from(letters.as_str().is_empty());
                    break;
                }
                'I' | 'r' => {
                    at += usize::from(letters.as_str().is_empty());
                    break;
                }
                'M' | 'm' | 'F' | 'x' | 'C' | 'D' => break,
                _ => {}
            }
        }
    }
    edits.then(|| words.get(at + usize::from(!scripted)..).unwrap_or_default())
}
