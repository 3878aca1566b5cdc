//! The gate's question to the person behind a client.

use aish_safety::pin::Digest;
use aish_safety::{Answer, Approver, ChangesAnswer, ChangesQuestion, Mode, Question, Subject, Verdict};
use aish_types::{BoxFuture, visible};
use serde_json::{Value, json};

use super::scope::{CallScope, ElicitAnswer};

/// Characters of a difference that a question shows.
const LONGEST_DIFFERENCE: usize = 16 * 1024;

/// How the keys of questions about what a command changed begin.
pub const LAYER_QUESTION: &str = "layer-";
const GATE_QUESTION: &str = "gate-";

/// Asks the person behind the client of this call; a client that cannot ask is nobody.
impl Approver for CallScope {
    fn mode(&self) -> Mode {
        if self.client.elicitation { Mode::Interactive } else { Mode::Headless }
    }

    fn ask<'a>(&'a self, question: &'a Question) -> BoxFuture<'a, Answer> {
        Box::pin(async move {
            let text = question_text(question);
            // An empty form is a yes to what can be taken back, and a no to what cannot: some clients accept forms by themselves.
            let first = if is_without_return(question) { "no" } else { "once" };
            let about = "once runs it; try runs it apart, and what it changed is kept or dropped then";
            let schema = match (first, question.can_try) {
                ("no", _) => form("how", "once runs it, and there is no way back", &["no", "once"]),
                (_, true) => form("how", about, &["once", "try"]),
                (_, false) => form_of(json!({})),
            };
            match self.elicit_as(Some(&key(GATE_QUESTION, &text)), &text, schema).await {
                Ok(ElicitAnswer::Accepted(content)) if says_no(&content) => Answer::No,
                Ok(ElicitAnswer::Accepted(content)) => match choice(&content, "how", first) {
                    Some("once") => Answer::Yes,
                    Some("try") if question.can_try => Answer::Try,
                    Some(_) | None => Answer::No,
                },
                Ok(ElicitAnswer::Declined | ElicitAnswer::Cancelled) => Answer::No,
                Err(error) => {
                    tracing::warn!(%error, "the client could not be asked");
                    Answer::Nobody
                }
            }
        })
    }

    fn changes<'a>(&'a self, question: &'a ChangesQuestion) -> BoxFuture<'a, ChangesAnswer> {
        Box::pin(async move {
            let text = changes_text(question);
            let about = "keep moves what it changed into the tree; drop throws it away";
            let schema = form("changes", about, &["keep", "drop"]);
            match self.elicit_as(Some(&key(LAYER_QUESTION, &text)), &text, schema).await {
                Ok(ElicitAnswer::Accepted(content)) if says_no(&content) => ChangesAnswer::Drop,
                Ok(ElicitAnswer::Accepted(content)) => match choice(&content, "changes", "keep") {
                    Some("keep") => ChangesAnswer::Keep,
                    Some(_) | None => ChangesAnswer::Drop,
                },
                Ok(ElicitAnswer::Declined | ElicitAnswer::Cancelled) => ChangesAnswer::Drop,
                Err(error) => {
                    tracing::warn!(%error, "the client could not be asked");
                    ChangesAnswer::Nobody
                }
            }
        })
    }
}

/// Says whether a question is about a command line of the model that nothing takes back.
fn is_without_return(question: &Question) -> bool {
    question.judgement.verdict == Verdict::Halt && matches!(question.subject, Subject::Command { .. })
}

/// Returns a key of its own for a question: a call may ask something else first in one round, and not any more in the
/// next.
fn key(kind: &str, text: &str) -> String {
    let digest = Digest::of(text.as_bytes());
    format!("{kind}{}", digest.as_str().get(..16).unwrap_or_default())
}

fn form_of(properties: Value) -> Value {
    json!({"type": "object", "properties": properties})
}

/// A form of one choice, the first of which is what an empty form means.
fn form(name: &str, about: &str, choices: &[&str]) -> Value {
    let first = choices.first();
    form_of(json!({name: {"type": "string", "description": about, "enum": choices, "default": first}}))
}

/// Returns what was chosen in a form, which is `first` where nothing was; none where it cannot be understood.
fn choice<'c>(content: &'c Value, name: &str, first: &'c str) -> Option<&'c str> {
    match content {
        Value::Null => Some(first),
        Value::Object(fields) => fields.get(name).map_or(Some(first), Value::as_str),
        Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => None,
    }
}

/// Writes what a command changed as plain text, with its difference.
fn changes_text(question: &ChangesQuestion) -> String {
    let mut text = format!("Keep what this command changed?\n\n{}\n", question.command);
    for line in &question.lines {
        let guarded = line.guarded.map(|why| format!("  ! {why}")).unwrap_or_default();
        text.push_str(&format!("\n{}{guarded}", line.text));
    }
    for remark in &question.remarks {
        text.push_str(&format!("\n{remark}"));
    }
    let diff = (question.diff)();
    if !diff.is_empty() {
        text.push_str(&format!("\n\n{}", aish_types::head_and_tail(&diff, LONGEST_DIFFERENCE).text));
    }
    visible(&text).into_owned()
}

/// Writes a question as plain text: the tool's own sentence, else its name and arguments, then the words that would
/// run, what has changed, what is known beside that, and for what may destroy something the reason.
pub fn question_text(question: &Question) -> String {
    let own = question.confirm_message.clone();
    let mut text = own.unwrap_or_else(|| format!("Run {} {}?", question.tool, question.arguments));
    match &question.subject {
        Subject::Argv { words } => text.push_str(&format!("\n\n{}", shell_words::join(words))),
        Subject::Command { text: line } => text.push_str(&format!("\n\n{line}")),
        Subject::Files { difference, .. } => text.push_str(&format!("\n\n{difference}")),
        Subject::Page { address } => text.push_str(&format!("\n\n{address}")),
        Subject::Tool => {}
    }
    if let Some(drift) = &question.drift {
        text.push_str(&format!("\n\nIts definition has changed:\n{drift}"));
    }
    for note in &question.notes {
        text.push_str(&format!("\n\n{note}"));
    }
    if question.judgement.verdict == Verdict::Halt {
        text.push_str(&format!("\n\n{}", question.reason()));
    }
    visible(&text).into_owned()
}

/// A form that was accepted with a plain no in it is a no.
fn says_no(content: &Value) -> bool {
    content.as_object().is_some_and(|fields| fields.values().any(|value| *value == Value::Bool(false)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_form_is_what_was_chosen_and_an_empty_one_the_first() {
        for (content, chosen) in [
            (Value::Null, Some("keep")),
            (json!({}), Some("keep")),
            (json!({"other": true}), Some("keep")),
            (json!({"changes": "keep"}), Some("keep")),
            (json!({"changes": "drop"}), Some("drop")),
            (json!({"changes": "Keep"}), Some("Keep")),
            (json!({"changes": 1}), None),
            (json!({"changes": null}), None),
            (json!("drop"), None),
            (json!([]), None),
        ] {
            assert_eq!(choice(&content, "changes", "keep"), chosen, "{content}");
        }
    }
}
