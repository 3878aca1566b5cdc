//! What built-ins make of names: attributes of variables, and indices, which are evaluated.

use alloc::string::ToString;

use aish_programs::words::builtins;

use super::state::Kind;
use super::variable_option::perhaps_named;
use super::walk::Walker;
use super::word::Word;

impl Walker<'_> {
    /// Follows the attributes of `declare`: `-n` makes a name stand for another, `-l` and `-u` change its value's letters,
    /// `-i`, and in zsh `-E` and `-F`, evaluate it.
    pub(crate) fn attributes(&mut self, declares: &str, arguments: &[Word]) {
        let given = |letter: char| {
            arguments
                .iter()
                .any(|word| word.text.starts_with('-') && !word.text.starts_with("--") && word.text.contains(letter))
        };
        let (refers, lower, upper, computes) =
            (given('n'), given('l'), given('u'), given('i') || given('E') || given('F'));
        let keyed = self.certainly_keys(declares, arguments);
        for word in arguments.iter().filter(|_| !keyed) {
            // Of its own, or declared as something else: what its indices are is not sure any more.
            self.state.forget_keys(word.text.split(['=', '[']).next().unwrap_or_default());
        }
        if !matches!(declares, "export" | "readonly") {
            // In zsh another kind of variable is empty.
            arguments.iter().filter(|word| !word.text.contains('=')).for_each(|word| self.state.guess(&word.text));
        }
        if !(refers || lower || upper || computes || keyed) {
            return;
        }
        for word in arguments.iter().filter(|word| !word.text.starts_with(['-', '+'])) {
            let name = word.text.split('=').next().unwrap_or_default().to_string();
            if keyed {
                self.state.declare(&name, Kind::Keyed);
            }
            if computes {
                self.state.declare(&name, Kind::Computed);
            }
            if lower || upper || computes {
                // What is assigned to it later comes out as something else.
                self.state.again.insert(name.clone());
            }
            let Some(mut value) = self.state.look_up(&name) else { continue };
            if refers {
                for word in &value {
                    self.named_variable(word);
                }
            }
            if computes {
                for word in &value {
                    self.evaluated(word);
                }
            }
            if refers
                && let [target] = value.as_slice()
                && target.is_known()
            {
                let target = target.text.clone();
                self.state.refer(&name, &target);
            } else if lower || upper {
                for word in &mut value {
                    word.text = if lower { word.text.to_lowercase() } else { word.text.to_uppercase() };
                }
                self.state.assign(&name, value);
            }
        }
    }

    /// Says whether a command makes arrays with keys for sure: nothing else of it, nowhere that it may not run or be taken back.
    pub(super) fn certainly_keys(&self, declares: &str, arguments: &[Word]) -> bool {
        matches!(declares, "declare" | "typeset")
            && self.in_function == 0
            && self.apart == 0
            && arguments.first().is_some_and(|word| word.text == "-A")
            && !arguments.iter().skip(1).any(|word| word.text.starts_with(['-', '+']) || !word.is_known())
    }

    /// Judges the indices of names that a built-in is given: they are evaluated. A name that is not known may have one.
    pub(crate) fn subscripts(&mut self, name: &str, arguments: &[Word]) {
        self.names_of_files(name, arguments);
        if let Some(word) = perhaps_named(name, arguments) {
            self.computes_with_the_unknown(&word.text);
        }
        let mut before = "";
        for word in arguments {
            let text = word.text.as_str();
            if let Some((array, _)) = text.split_once('[') {
                // What the name alone stands for may be that element.
                self.state.guess(array);
            }
            let before = core::mem::replace(&mut before, text);
            let named = match name {
                "let" => {
                    self.evaluated(word);
                    continue;
                }
                "printf" | "test" | "[" if !matches!(before, "-v" | "-R") => continue,
                // Their options are read by themselves.
                "read" | "mapfile" | "readarray" => continue,
                "wait" if !before.starts_with('-') => continue,
                // It is expanded once more, also where it is a key.
                _ if builtins::DECLARES.contains(&name) && text.contains('[') => {
                    let inside = text.split_once('[').map_or("", |(_, inside)| inside);
                    let index = inside.split_once(']').map_or(inside, |(index, _)| index);
                    self.evaluated(&Word { text: index.into(), ..word.clone() });
                    continue;
                }
                _ => text.split('=').next().unwrap_or_default(),
            };
            self.named_variable(&Word { text: named.into(), ..word.clone() });
        }
    }

    /// Asks where names of files are put in for the names of variables, for assignments or for numbers: a file may have
    /// any name, `a[$(command)]` and `PATH=.` too.
    pub(super) fn names_of_files(&mut self, name: &str, arguments: &[Word]) {
        let is_named = |word: &Word| word.is_known() && !word.is_fixed();
        let at = arguments.iter().enumerate().position(|(at, word)| {
            let beside = |at: Option<usize>| at.and_then(|at| arguments.get(at)).map_or("", |word| word.text.as_str());
            let (before, behind) = (beside(at.checked_sub(1)), beside(at.checked_add(1)));
            is_named(word)
                && match name {
                    "test" | "[" => {
                        matches!(before, "-v" | "-R") || COMPARES.contains(&before) || COMPARES.contains(&behind)
                    }
                    "printf" => before == "-v" || word.text.starts_with("-v"),
                    "alias" | "hash" => true,
                    // What is assigned is no name.
                    _ => word.text.split('=').next().is_some_and(|name| name.contains(['*', '?', '['])),
                }
        });
        if let Some(word) = at.and_then(|at| arguments.get(at)) {
            let text = word.text.clone();
            self.computes_with_the_unknown(&text);
        }
    }
}

/// Operators of `test` that compare numbers, which zsh computes.
const COMPARES: &[&str] = &["-eq", "-ne", "-lt", "-le", "-gt", "-ge"];
