//! Sessions in which something was said.

use aish_journal::SessionLog;
use aish_store::{SessionSummary, Sessions};
use aish_types::sanitize;

use crate::failure::Failure;

/// The most sessions that are looked through, the newest first.
const MOST: usize = 1_000;
/// Characters before and after what was found.
const AROUND: usize = 40;

/// A session in which all words stand in one message.
#[derive(Debug, Clone, PartialEq)]
pub struct Hit {
    /// The session.
    pub session: SessionSummary,
    /// What stands around the first word, in one line.
    pub excerpt: String,
}

/// Searches what was said in all sessions, the newest first; case does not matter. Sessions that cannot be read are passed
/// over.
///
/// # Errors
/// In words for the person, when there are no words, or the sessions cannot be listed.
pub fn search(sessions: &Sessions, words: &str) -> Result<Vec<Hit>, Failure> {
    let words: Vec<String> = words.split_whitespace().map(str::to_lowercase).collect();
    let Some(first) = words.first() else { return Err(Failure::user("which words? `search WORDS`")) };
    let all = sessions.list()?;
    let mut hits = Vec::new();
    for session in all.into_iter().take(MOST) {
        let Ok(log) = SessionLog::read(sessions.folder(), &session.id) else { continue };
        let said = log.turns.iter().map(|turn| turn.message.content());
        let mut fitting = said.filter(|text| {
            let lower = text.to_lowercase();
            words.iter().all(|word| lower.contains(word))
        });
        if let Some(text) = fitting.next() {
            hits.push(Hit { session, excerpt: excerpt(text, first) });
        }
    }
    Ok(hits)
}

fn excerpt(text: &str, word: &str) -> String {
    let text = sanitize(text).split_whitespace().collect::<Vec<_>>().join(" ");
    let lower: Vec<char> = text.to_lowercase().chars().collect();
    let wanted: Vec<char> = word.chars().collect();
    let at = lower.windows(wanted.len().max(1)).position(|window| window == wanted).unwrap_or_default();
    let from = at.saturating_sub(AROUND);
    let part: String = text.chars().skip(from).take(wanted.len() + 2 * AROUND).collect();
    let before = if from > 0 { "…" } else { "" };
    let after = if text.chars().count() > from + part.chars().count() { "…" } else { "" };
    format!("{before}{part}{after}")
}

#[cfg(test)]
mod tests {
    use super::excerpt;

    #[test]
    fn what_stands_around_is_shown() {
        assert_eq!(excerpt("a short text", "short"), "a short text");
        let long = format!("{} Needle\nhere {}", "x ".repeat(60), "y ".repeat(60));
        let shown = excerpt(&long, "needle");
        assert!(shown.starts_with('…') && shown.ends_with('…') && shown.contains("Needle here"), "{shown}");
    }
}
