//! Sessions as lines of a list.

use aish_store::SessionSummary;
use aish_types::{SessionId, sanitize};

/// Columns of what was said first.
const WIDTH: usize = 60;

/// Writes a list of sessions, `most` lines of it; the running one has a star.
pub fn table(all: &[SessionSummary], most: usize, running: Option<&SessionId>) -> Vec<String> {
    let mut lines: Vec<String> = all
        .iter()
        .take(most)
        .map(|summary| {
            let mark = if running == Some(&summary.id) { "*" } else { " " };
            format!("{mark} {}", of(summary))
        })
        .collect();
    if all.len() > most {
        lines.push(format!("  and {} more: `aish sessions list`", all.len() - most));
    }
    lines
}

/// Writes one session: id, time of the last change, turns, and its name, with what was said first where that made it.
pub fn of(summary: &SessionSummary) -> String {
    let time = jiff::Timestamp::from_millisecond(summary.modified_ms)
        .map(|at| at.to_zoned(crate::zone::local()).strftime("%Y-%m-%d %H:%M").to_string())
        .unwrap_or_default();
    let what = match (&summary.title, &summary.first_words) {
        (Some(title), _) => format!("[{title}]"),
        (None, Some(words)) => match summary.name() {
            Some(name) => format!("{name}: {words}"),
            None => words.clone(),
        },
        (None, None) => String::new(),
    };
    let what: String = sanitize(&what).replace('\n', " ").chars().take(WIDTH).collect();
    let turns = if summary.turns == 1 { "turn " } else { "turns" };
    format!("{}  {time}  {:>4} {turns}  {what}", summary.id, summary.turns).trim_end().to_owned()
}
