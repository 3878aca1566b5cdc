//! Lines that are put into the history of the shell and run from there.

use alloc::string::String;

use super::walk::Walker;
use super::word::{HOLE, Stream, Taint, Word};

/// Under this name, which no variable has, the line is kept that the history was given last.
const LAST_LINE: &str = "!!";

impl Walker<'_> {
    /// Keeps the line that `history -s` or `print -s` is given, and judges it.
    pub(crate) fn keep_line(&mut self, arguments: &[Word]) {
        let words = arguments.get(1..).unwrap_or_default();
        let (text, ..) = super::unwrap::join(words);
        self.within("the history".into(), |walker| walker.apart_from(|walker| walker.text(&text, &Stream::default())));
        self.state.variables.insert(LAST_LINE.into(), alloc::vec![alloc::vec![Word::literal(text)]]);
    }

    /// Runs the line that was kept last, as `fc -s old=new` changes it.
    pub(crate) fn run_kept_line(&mut self, arguments: &[Word]) -> Stream {
        let kept = self.state.variables.get(LAST_LINE).and_then(|values| values.first()?.first().cloned());
        let Some(line) = kept else { return Stream::unknown(Taint::NONE) };
        let mut text = line.text;
        for word in arguments.iter().filter(|word| !word.text.starts_with('-')) {
            if let Some((old, new)) = word.text.split_once('=').filter(|(old, _)| !old.is_empty()) {
                text = self.budget.replaced(&text, old, new).unwrap_or_else(|| String::from(HOLE));
            }
        }
        self.within("the history".into(), |walker| walker.deeper(|walker| walker.text(&text, &Stream::default())))
    }
}

/// Says whether an option of `history` or `print` keeps a line to be run later.
pub(crate) fn keeps_line(option: &str) -> bool {
    option.len() <= 4
        && option.strip_prefix('-').is_some_and(|letters| letters.contains(['s', 'z']) && !letters.starts_with('-'))
}
