//! Ends of nested constructs in a word's source text, found without recursion.

use alloc::vec::Vec;

use super::budget::{Budget, Work};

/// Finds the end of what was opened just before `text`: the offset of the `close` that belongs to it.
///
/// Quotes, escapes and brackets of the same kind inside are skipped.
///
/// What is looked at is paid for, found or not.
pub(crate) fn closing(text: &str, open: char, close: char, budget: &Budget) -> Option<usize> {
    if budget.is_spent() {
        return None;
    }
    let found = unpaid(text, open, close);
    budget.pay(Work::Close, found.unwrap_or(text.len())).then_some(found)?
}

/// Brackets of one kind, the first of which is open already.
struct Brackets {
    open: char,
    close: char,
    /// How many more are open.
    depth: usize,
}

impl Brackets {
    /// Takes a letter; says whether it closes the first of them.
    fn closed_by(&mut self, letter: char) -> bool {
        if letter == self.open {
            self.depth += 1;
        } else if letter == self.close {
            let Some(depth) = self.depth.checked_sub(1) else { return true };
            self.depth = depth;
        }
        false
    }
}

fn unpaid(text: &str, open: char, close: char) -> Option<usize> {
    let mut outermost = Brackets { open, close, depth: 0 };
    // Those of substitutions in double quotes: inside, quotes begin anew, and are double ones again when it closes.
    let mut substitutions: Vec<Brackets> = Vec::new();
    let mut quote: Option<char> = None;
    let mut letters = text.char_indices().peekable();
    while let Some((at, letter)) = letters.next() {
        match (quote, letter) {
            (Some('\''), '\'') => quote = None,
            (Some('\''), _) => {}
            (_, '\\') => {
                letters.next();
            }
            (Some('`'), '`') | (Some('"'), '"') => quote = None,
            (Some('"'), '$') => {
                if let Some((_, open)) = letters.next_if(|(_, next)| matches!(next, '(' | '{')) {
                    let close = if open == '(' { ')' } else { '}' };
                    substitutions.push(Brackets { open, close, depth: 0 });
                    quote = None;
                }
            }
            (Some(_), _) => {}
            (None, '\'' | '"' | '`') => quote = Some(letter),
            (None, _) => {
                if substitutions.last_mut().unwrap_or(&mut outermost).closed_by(letter) {
                    // Where none is open it was the outermost.
                    let Some(_) = substitutions.pop() else { return Some(at) };
                    quote = Some('"');
                }
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn closed(text: &str, open: char, close: char) -> Option<usize> {
        closing(text, open, close, &Budget::default())
    }

    #[test]
    fn ends_are_found_through_quotes() {
        let check = |text: &str, inside: &str| {
            assert_eq!(closed(text, '(', ')').map(|end| &text[..end]), Some(inside), "{text}");
        };
        check("a)b", "a");
        check("a (b) c) d", "a (b) c");
        check("echo ')' \")\" \\) ) x", "echo ')' \")\" \\) ");
        check("echo \"$(echo \")\")\" ) x", "echo \"$(echo \")\")\" ");
        check("echo `echo )` ) x", "echo `echo )` ");
        assert_eq!(closed("a (b", '(', ')'), None);
    }
}
