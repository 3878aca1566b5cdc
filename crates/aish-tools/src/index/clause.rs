//! Which clause of a request asks: `the run has been red since Monday, show me its failed jobs` asks in its second.

use super::lexicon::Lexicon;
use super::shape;

/// What ends a clause, with the blank behind it.
const ENDS: [&str; 10] = [", ", "; ", ": ", ". ", "? ", "! ", " - ", " – ", " — ", "\n"];
/// Words before the one that begins a clause.
const JOINING: [&str; 13] =
    ["so", "then", "please", "and", "but", "now", "just", "hence", "can", "could", "you", "kindly", "quickly"];
/// Words that begin a request and tell nothing to do.
const WISHING: [&str; 6] = ["let", "give", "tell", "want", "need", "id"];
/// Pairs of words that begin one.
const WISHES: [[&str; 2]; 6] =
    [["i", "need"], ["i", "want"], ["we", "need"], ["we", "want"], ["i", "would"], ["i", "d"]];
/// Verbs that make a statement of what began like an order: `run 17 has failed`.
const STATING: [&str; 12] = ["is", "are", "was", "were", "has", "have", "had", "does", "did", "got", "gets", "keeps"];
/// Words behind which such a verb states nothing by itself: `check whether it is up`.
const BINDING: [&str; 11] = ["whether", "if", "that", "what", "which", "who", "whose", "how", "where", "why", "when"];

/// Characters of a request that are looked at.
const MAX_TEXT: usize = 1_000;

/// Returns the number of words that stand before the clause that asks: 0 when the first one does, or none.
pub(super) fn asking(text: &str, lexicon: &Lexicon) -> usize {
    let end = text.char_indices().nth(MAX_TEXT).map_or(text.len(), |(end, _)| end);
    let mut before = 0;
    for clause in clauses(text.get(..end).unwrap_or_default()) {
        let words = lexicon.split(clause);
        if asks(&words, lexicon) {
            return before;
        }
        before += words.len();
    }
    0
}

/// Splits a text into its clauses.
fn clauses(text: &str) -> Vec<&str> {
    let mut out = Vec::new();
    let mut rest = text;
    while let Some((at, length)) = ENDS.iter().filter_map(|end| Some((rest.find(end)?, end.len()))).min() {
        let (clause, behind) = rest.split_at(at);
        out.push(clause);
        rest = behind.get(length..).unwrap_or_default();
    }
    out.push(rest);
    out
}

fn asks(words: &[String], lexicon: &Lexicon) -> bool {
    let joining = words.iter().take_while(|word| JOINING.contains(&word.as_str())).count();
    let words = words.get(joining..).unwrap_or_default();
    let word = |at: usize| words.get(at).map(String::as_str).unwrap_or_default();
    let orders = || lexicon.is_action(&lexicon.stem(word(0))) && !lexicon.describes(words, 0) && !states(words);
    WISHING.contains(&word(0)) || WISHES.contains(&[word(0), word(1)]) || shape::is_question(words) || orders()
}

/// Says whether a clause tells how things are.
fn states(words: &[String]) -> bool {
    let verb = words.iter().position(|word| STATING.contains(&word.as_str()));
    let bound = words.iter().position(|word| BINDING.contains(&word.as_str()));
    verb.is_some_and(|verb| bound.is_none_or(|bound| bound > verb))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_clause_that_asks_is_found() {
        for (request, expected) in [
            ("show me the logs, the container is broken", 0),
            ("the container is broken, show me the logs", 4),
            ("run 17 has failed; list its jobs", 4),
            ("check whether it is up, then tell me", 0),
            ("the site was slow. Which hosts were busy?", 4),
            ("all users, with their groups", 0),
            ("nobody can read it, so pull what is stored", 4),
        ] {
            assert_eq!(asking(request, Lexicon::shared()), expected, "{request}");
        }
    }
}
