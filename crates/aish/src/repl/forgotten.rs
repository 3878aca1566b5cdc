//! Lines that are to go from the history: what the person takes out of bash's list goes from ours too.

use std::collections::BTreeSet;

use super::Repl;

/// What a line does to bash's list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Forgets {
    /// `history -d NUMBER`.
    Lines,
    /// `history -c`.
    All,
}

/// Says what a line does to bash's list of lines.
pub(super) fn of(line: &str) -> Option<Forgets> {
    let scan = aish_syntax::scan(line);
    let text = |word: &aish_syntax::Word| line.get(word.range()).unwrap_or_default();
    let command = scan.words.iter().find(|word| word.role == aish_syntax::Role::Command && text(word) == "history")?;
    let behind = scan.words.iter().filter(|word| word.command == command.command && word.start > command.start);
    let options: Vec<&str> = behind.map(text).filter(|word| word.starts_with('-') && !word.starts_with("--")).collect();
    let has = |letter: char| options.iter().any(|option| option.contains(letter));
    // A list that is read anew is not meant to be gone.
    match (has('c') && !line.contains("-r"), has('d')) {
        (true, _) => Some(Forgets::All),
        (false, true) => Some(Forgets::Lines),
        (false, false) => None,
    }
}

impl Repl {
    /// Takes bash's list before a line that takes lines out of it.
    pub(super) async fn listed_before(&self, line: &str) -> Option<(Forgets, Vec<String>)> {
        let forgets = of(line)?;
        Some((forgets, self.live.history_list().await))
    }

    /// Takes out of our history what a line took out of bash's list.
    pub(super) async fn forget_with_bash(&mut self, forgets: Forgets, before: &[String]) {
        if forgets == Forgets::All {
            return self.clear_history().await;
        }
        let after: BTreeSet<String> = self.live.history_list().await.into_iter().collect();
        let gone: BTreeSet<&String> = before.iter().filter(|line| !after.contains(*line)).collect();
        for line in gone {
            if let Err(error) = self.history.delete(Some(line)) {
                self.complain(&crate::failure::chain(&error));
            }
        }
    }

    /// Deletes all lines of the history after a yes.
    pub async fn clear_history(&mut self) {
        let label = "[aish] delete all lines of aish's own history, of earlier sessions too? Nothing brings them back.\n\
                     [y]es  [n]o ";
        if self.editor.choose(label, &['y', 'n']).await != Some('y') {
            return self.say("aish's own history is as it was");
        }
        match self.history.delete(None) {
            Ok(count) => {
                let word = if count == 1 { "line is" } else { "lines are" };
                self.say(&format!("{count} {word} deleted"));
            }
            Err(error) => self.complain(&crate::failure::chain(&error)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_take_something_out_are_known() {
        for (line, expected) in [
            ("history -c", Some(Forgets::All)),
            ("history -d 5", Some(Forgets::Lines)),
            ("cd x && history -d 5-7; history -w", Some(Forgets::Lines)),
            ("history -c; history -r", None),
            ("history", None),
            ("history -w", None),
            ("echo history -c", None),
            ("grep -c x history", None),
        ] {
            assert_eq!(of(line), expected, "{line}");
        }
    }
}
