//! Brackets behind which a word goes on in shells, where the tokenizer ends it: a list that is assigned, the name that a process
//! substitution stands for.
//!
//! `x=(1)#a touch f` and `ls <(ls)#a; touch f` hold no comment, and `<(ls)x` is one word. What stands apart from what it belongs to
//! (`x+= (ls)`, `ls > (ls)`) is an error to bash, and a substitution to fish.

use brush_parser::Token;

use super::broken;

/// Says whether a text holds a bracket that not all read as the tokens have it.
pub(super) fn is_glued(tokens: &[Token], text: &str) -> bool {
    let computes = broken::arithmetic(tokens);
    let signs = signs_behind_brackets(text);
    let (mut open, mut inside, mut tests) = (alloc::vec::Vec::new(), 0, false);
    for (at, token) in tokens.iter().enumerate() {
        let before = at.checked_sub(1).and_then(|at| tokens.get(at));
        let next = tokens.get(at + 1);
        match token {
            Token::Word(word, _) => tests = word == "[[" || tests && word != "]]",
            _ if at < inside => {}
            Token::Operator(operator, _) if operator == "(" => {
                let touches = before.is_some_and(|before| touch(before, token));
                if touches
                    && before.is_some_and(|before| is_operator(before, &["("]))
                    && let Some(&end) = computes.get(&at)
                {
                    inside = end;
                    continue;
                }
                let belongs = before.is_some_and(|before| is_operator(before, &["<", ">"]) || is_assigned(before));
                if belongs && !touches && !tests {
                    return true;
                }
                open.push(belongs && touches);
            }
            Token::Operator(operator, span) if operator == ")" => {
                let goes_on = open.pop().unwrap_or(false);
                let is_sign = signs.binary_search(&span.end.index).is_ok();
                let is_word = |next: &Token| matches!(next, Token::Word(..)) || is_operator(next, &["<", ">"]);
                let is_more = next.is_some_and(|next| touch(token, next) && is_word(next));
                if (goes_on || tests) && is_sign || goes_on && !tests && is_more {
                    return true;
                }
            }
            Token::Operator(..) => {}
        }
    }
    false
}

/// Returns the places of the signs of comments that touch a closing bracket, in letters.
fn signs_behind_brackets(text: &str) -> alloc::vec::Vec<usize> {
    if !text.contains(")#") {
        return alloc::vec::Vec::new();
    }
    let pairs = text.chars().zip(text.chars().skip(1)).enumerate();
    pairs.filter(|(_, pair)| *pair == (')', '#')).map(|(at, _)| at + 1).collect()
}

fn touch(first: &Token, second: &Token) -> bool {
    first.location().end.index == second.location().start.index
}

fn is_operator(token: &Token, any: &[&str]) -> bool {
    matches!(token, Token::Operator(operator, _) if any.contains(&operator.as_str()))
}

/// Says whether a word assigns what stands behind it: `x=`, `x+=`, `x[1]=`.
fn is_assigned(token: &Token) -> bool {
    let Token::Word(word, _) = token else { return false };
    word.ends_with('=') && word.starts_with(|letter: char| letter == '_' || letter.is_ascii_alphabetic())
}
