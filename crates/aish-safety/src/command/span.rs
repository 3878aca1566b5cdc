//! Ends of nested constructs in a word's source text, found without recursion.

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

fn unpaid(text: &str, open: char, close: char) -> Option<usize> {
    let mut depth = 0_usize;
    let mut quote: Option<char> = None;
    let mut stack: alloc::vec::Vec<(Option<char>, usize)> = alloc::vec::Vec::new();
    let mut letters = text.char_indices().peekable();
    while let Some((at, letter)) = letters.next() {
        match quote {
            Some('\'') => {
                if letter == '\'' {
                    quote = None;
                }
                continue;
            }
            Some('`') => {
                match letter {
                    '\\' => {
                        letters.next();
                    }
                    '`' => quote = None,
                    _ => {}
                }
                continue;
            }
            Some(_) => match letter {
                '\\' => {
                    letters.next();
                }
                '"' => quote = None,
                '$' if letters.peek().is_some_and(|(_, next)| *next == '(' || *next == '{') => {
                    let opened = letters.next().map_or('(', |(_, next)| next);
                    stack.push((quote, depth));
                    // Inside, quotes begin anew; the end is seen when the bracket closes.
                    quote = None;
                    depth = 0;
                    stack.push((Some(opened), 0));
                }
                _ => {}
            },
            None => {
                if let Some((Some(opened), inner)) = stack.last_mut() {
                    // Inside a substitution inside double quotes.
                    let end = if *opened == '(' { ')' } else { '}' };
                    match letter {
                        '\\' => {
                            letters.next();
                        }
                        '\'' | '"' | '`' => quote = Some(letter),
                        _ if letter == *opened => *inner += 1,
                        _ if letter == end => {
                            if *inner == 0 {
                                stack.pop();
                                if let Some((outer, outer_depth)) = stack.pop() {
                                    quote = outer;
                                    depth = outer_depth;
                                }
                            } else {
                                *inner -= 1;
                            }
                        }
                        _ => {}
                    }
                    continue;
                }
                match letter {
                    '\\' => {
                        letters.next();
                    }
                    '\'' | '"' | '`' => quote = Some(letter),
                    _ if letter == open => depth += 1,
                    _ if letter == close => {
                        if depth == 0 {
                            return Some(at);
                        }
                        depth -= 1;
                    }
                    _ => {}
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
