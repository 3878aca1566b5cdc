//! JSON lines: `{v, seq, type, …}`, one event a line, documented in `docs/json-events.md`.

use std::io::{BufWriter, Write};
use std::time::Duration;

use serde_json::{Map, Value, json};

use super::{Shown, Surface};
use aish_turn::{Checked, End, Outcome, Spent};

/// The version of the event format.
const VERSION: u64 = 1;

/// Writes events as JSON lines.
pub struct JsonSurface<W: Write> {
    out: BufWriter<W>,
    seq: u64,
}

impl<W: Write + Send> JsonSurface<W> {
    /// Makes a surface over a stream.
    pub fn new(out: W) -> Self {
        Self { out: BufWriter::new(out), seq: 0 }
    }

    fn write(&mut self, kind: &str, fields: Value) {
        let mut event = Map::new();
        event.insert("v".into(), VERSION.into());
        event.insert("seq".into(), self.seq.into());
        event.insert("type".into(), kind.into());
        if let Value::Object(fields) = fields {
            event.extend(fields);
        }
        self.seq += 1;
        // A reader that went away is not our fault; the turn goes on to its end.
        let _ = writeln!(self.out, "{}", Value::Object(event));
        // Pieces of the answer that come at once are written at once.
        if !matches!(kind, "text" | "reasoning") {
            let _ = self.out.flush();
        }
    }
}

impl<W: Write + Send> Surface for JsonSurface<W> {
    fn show(&mut self, shown: Shown<'_>, _now: Duration) {
        match shown {
            Shown::TurnStart => self.write("turn_start", json!({})),
            Shown::Text(text) => self.write("text", json!({ "text": text })),
            Shown::Reasoning(text) => self.write("reasoning", json!({ "text": text })),
            Shown::Waiting | Shown::AnswerEnd => {}
            Shown::Fitting(answer) => self.write("answer", json!({ "value": answer.value })),
            Shown::Calling(call) => {
                self.write("tool_call", json!({"id": call.id, "name": call.name, "arguments": call.arguments}));
            }
            Shown::Verdict { tool, judgement, approved } => self.write(
                "verdict",
                json!({"name": tool, "verdict": judgement.verdict, "rule": judgement.rule, "reason": judgement.reason,
                       "approved": approved}),
            ),
            Shown::Outcome { tool, outcome } => self.write(
                "tool_result",
                json!({"name": tool, "success": outcome.is_success(), "text": outcome.text, "truncated": outcome.truncated,
                       "duration_ms": outcome.duration_ms}),
            ),
            Shown::Usage { model, usage, cost } => self.write(
                "usage",
                json!({"model": model, "prompt_tokens": usage.prompt, "completion_tokens": usage.completion,
                       "cached_tokens": usage.cached, "reasoning_tokens": usage.reasoning, "estimated": usage.estimated,
                       "dollars": cost.map(aish_types::Money::dollars)}),
            ),
            Shown::Changes { event, .. } => self.write("changes", event.clone()),
            Shown::Notice(text) => self.write("notice", json!({ "text": text })),
            Shown::Error(text) => self.write("error", json!({ "message": text })),
            Shown::TurnEnd(outcome) => self.write("turn_end", json!({ "outcome": outcome_word(outcome) })),
            Shown::RunEnd { end, spent, text, .. } => self.write("turn_end", run_end(end, spent, text)),
        }
    }

    fn flush(&mut self) {
        let _ = self.out.flush();
    }
}

/// Returns the fields of the end of an autonomous run.
fn run_end(end: &End, spent: &Spent, text: &str) -> Value {
    let mut fields = json!({
        "outcome": end.as_str(), "text": text, "steps": spent.steps, "tool_calls": spent.tool_calls,
        "tokens": spent.tokens, "dollars": spent.money.dollars(), "duration_ms": spent.millis,
    });
    let more = match end {
        End::Done(checked) => json!({ "checked": *checked == Checked::Yes }),
        End::Limit(limit) => json!({ "limit": limit.as_str() }),
        End::Halted(judgement) => json!({ "rule": judgement.rule, "reason": judgement.reason }),
        End::GaveUp | End::Stuck | End::Failed | End::Interrupted => json!({}),
    };
    if let (Value::Object(fields), Value::Object(more)) = (&mut fields, more) {
        fields.extend(more);
    }
    fields
}

/// Returns the word for an outcome in the event stream.
pub fn outcome_word(outcome: &Outcome) -> &'static str {
    match outcome {
        Outcome::Answered => "answered",
        Outcome::Cut => "cut",
        Outcome::Withheld => "withheld",
        Outcome::Empty => "empty",
        Outcome::Declined => "declined",
        Outcome::NothingLeft => "nothing_left",
        Outcome::DepthLimit => "depth_limit",
        Outcome::Looping => "looping",
        Outcome::Failed => "failed",
        Outcome::Halted => "halted",
        Outcome::Interrupted => "interrupted",
        Outcome::Stopped => "stopped",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_numbered_lines() {
        let mut out = Vec::new();
        let mut surface = JsonSurface::new(&mut out);
        surface.show(Shown::TurnStart, Duration::ZERO);
        surface.show(Shown::Text("a\nb"), Duration::ZERO);
        surface.show(Shown::TurnEnd(&Outcome::Answered), Duration::ZERO);
        drop(surface);
        let lines: Vec<Value> =
            String::from_utf8(out).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(lines[0], json!({"v": 1, "seq": 0, "type": "turn_start"}));
        assert_eq!(lines[1], json!({"v": 1, "seq": 1, "type": "text", "text": "a\nb"}));
        assert_eq!(lines[2]["outcome"], "answered");
    }
}
