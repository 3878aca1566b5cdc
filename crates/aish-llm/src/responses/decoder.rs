//! Turns the events of a response into ours.

use std::collections::{BTreeMap, VecDeque};

use aish_types::Usage;
use serde_json::{Value, json};

use super::places::Places;
use crate::api::Api;
use crate::assembly::{Assembly, CallPiece, CutBy};
use crate::event::{ChatError, FinishReason, StreamEvent};
use crate::exchange::{Decoder, Progress, parsed};
use crate::failure::Failure;
use crate::lenient::{Number, says_something};
use crate::names::WireNames;
use crate::wire::Seal;

/// The state of one response.
pub(crate) struct ResponsesDecoder {
    names: WireNames,
    first_free_id: usize,
    seal: Option<Seal>,
    places: Places,
    /// The items that are done, by their place: what of them goes back.
    kept: BTreeMap<u64, Value>,
    calls: BTreeMap<u64, OpenCall>,
    /// Text that came in deltas, by item; what an item says at its end is said only where nothing came before.
    said: BTreeMap<u64, String>,
    thought: String,
    usage: Option<Usage>,
    finish: Option<FinishReason>,
    any_token: bool,
}

#[derive(Default)]
struct OpenCall {
    id: String,
    name: String,
    arguments: String,
}

impl OpenCall {
    /// Takes the arguments as they are at their end; where they are left out, those that came in deltas stand.
    fn take_whole(&mut self, source: &Value) {
        match source.get("arguments") {
            Some(Value::String(arguments)) if !arguments.is_empty() => arguments.clone_into(&mut self.arguments),
            Some(arguments @ Value::Object(_)) => self.arguments = arguments.to_string(),
            _ => {}
        }
    }
}

impl ResponsesDecoder {
    pub(crate) fn new(names: WireNames, first_free_id: usize, seal: Seal) -> Self {
        Self {
            names,
            first_free_id,
            seal: Some(seal),
            places: Places::default(),
            kept: BTreeMap::new(),
            calls: BTreeMap::new(),
            said: BTreeMap::new(),
            thought: String::new(),
            usage: None,
            finish: None,
            any_token: false,
        }
    }

    fn say(&mut self, at: u64, text: &str, out: &mut VecDeque<StreamEvent>) {
        if !text.is_empty() {
            self.any_token = true;
            self.said.entry(at).or_default().push_str(text);
            out.push_back(StreamEvent::Text(text.to_owned()));
        }
    }

    fn think(&mut self, text: &str, out: &mut VecDeque<StreamEvent>) {
        if !text.is_empty() {
            self.any_token = true;
            self.thought.push_str(text);
            out.push_back(StreamEvent::Reasoning(text.to_owned()));
        }
    }

    /// Takes an item that begins.
    fn open(&mut self, at: u64, item: &Value) {
        if text(item, "type") == "function_call" {
            self.any_token = true;
            let call = self.calls.entry(at).or_default();
            for (known, said) in [(&mut call.id, text(item, "call_id")), (&mut call.name, text(item, "name"))] {
                if !said.is_empty() {
                    said.clone_into(known);
                }
            }
        }
    }

    /// Takes an item that is whole.
    fn close(&mut self, at: u64, item: &Value, out: &mut VecDeque<StreamEvent>) {
        match text(item, "type") {
            "message" => {
                let whole: String = list(item, "content").iter().map(said_by).collect();
                if !self.said.contains_key(&at) {
                    self.say(at, &whole, out);
                }
                let mut kept = json!({"type": "message", "text": self.said.get(&at).cloned().unwrap_or_default()});
                if let (Some(phase), Some(kept)) =
                    (item.get("phase").filter(|phase| !phase.is_null()), kept.as_object_mut())
                {
                    kept.insert("phase".into(), phase.clone());
                }
                self.kept.insert(at, kept);
            }
            "reasoning" => {
                if self.thought.is_empty() {
                    let parts = list(item, "summary").iter().chain(list(item, "content"));
                    let whole: Vec<&str> = parts.map(|part| text(part, "text")).collect();
                    self.think(&whole.join("\n\n"), out);
                }
                // Without its encrypted content, a server that kept nothing cannot take it back.
                if let Some(encrypted) = item.get("encrypted_content").filter(|content| content.is_string()) {
                    let summary = item.get("summary").cloned().unwrap_or_else(|| json!([]));
                    let kept = json!({"type": "reasoning", "summary": summary, "encrypted_content": encrypted});
                    self.kept.insert(at, kept);
                }
            }
            "function_call" => {
                self.open(at, item);
                let call = self.calls.entry(at).or_default();
                call.take_whole(item);
                self.kept.insert(at, json!({"type": "function_call", "call_id": call.id}));
            }
            _ => {}
        }
    }

    /// Takes the response at its end.
    fn end(&mut self, response: &Value, out: &mut VecDeque<StreamEvent>) -> Result<Progress, ChatError> {
        if let Some(usage) = response.get("usage").filter(|usage| usage.is_object()) {
            let count = |pointer: &str| usage.pointer(pointer).and_then(|count| Number::from(count).0).unwrap_or(0);
            let (prompt, completion) = (count("/input_tokens"), count("/output_tokens"));
            self.usage = Some(Usage {
                prompt,
                completion,
                cached: count("/input_tokens_details/cached_tokens").min(prompt),
                written: count("/input_tokens_details/cache_write_tokens").min(prompt),
                reasoning: count("/output_tokens_details/reasoning_tokens").min(completion),
                estimated: false,
            });
        }
        if matches!(text(response, "status"), "failed" | "cancelled")
            || response.get("error").is_some_and(says_something)
        {
            let error = response.get("error").filter(|error| says_something(error));
            return Err(match error {
                Some(error) => Failure::from_value(error).in_stream(self.any_token),
                None => ChatError::Interrupted(format!("the server gave it up ({})", text(response, "status"))),
            });
        }
        // Servers that turn chat completions into responses may leave single events out.
        if self.kept.is_empty() {
            for (at, item) in list(response, "output").iter().enumerate() {
                let place = self.places.ended(u64::try_from(at).ok(), text(item, "id"));
                self.close(place, item, out);
            }
        }
        self.finish = Some(match response.pointer("/incomplete_details/reason").and_then(Value::as_str) {
            Some("content_filter") => FinishReason::ContentFilter,
            Some(_) => FinishReason::Length,
            None if text(response, "status") == "incomplete" => FinishReason::Length,
            None => FinishReason::Stop,
        });
        Ok(Progress::Done)
    }
}

impl Decoder for ResponsesDecoder {
    fn event(&mut self, data: &str, out: &mut VecDeque<StreamEvent>) -> Result<Progress, ChatError> {
        let data = data.trim();
        if data.is_empty() {
            return Ok(Progress::More);
        }
        if data == "[DONE]" {
            let ended = if self.any_token { Ok(Progress::Done) } else { Err("the stream ended before the answer did") };
            return ended.map_err(|why| ChatError::Interrupted(why.into()));
        }
        let event: Value = parsed(data)?;
        let index = event.get("output_index").and_then(|index| Number::from(index).0);
        let item = event.get("item").unwrap_or(&Value::Null);
        let (id, delta) = (text(&event, "item_id"), text(&event, "delta"));
        match text(&event, "type") {
            "response.output_item.added" => {
                let at = self.places.begun(index, text(item, "id"));
                self.open(at, item);
            }
            "response.output_text.delta" | "response.refusal.delta" => {
                let at = self.places.grown(index, id);
                self.say(at, delta, out);
            }
            "response.reasoning_summary_text.delta" | "response.reasoning_text.delta" => self.think(delta, out),
            "response.reasoning_summary_part.added" if !self.thought.is_empty() => self.think("\n\n", out),
            "response.function_call_arguments.delta" => {
                self.any_token = true;
                let at = self.places.grown(index, id);
                self.calls.entry(at).or_default().arguments.push_str(delta);
            }
            "response.function_call_arguments.done" => {
                let at = self.places.grown(index, id);
                self.calls.entry(at).or_default().take_whole(&event);
            }
            "response.output_item.done" => {
                let at = self.places.ended(index, text(item, "id"));
                self.close(at, item, out);
            }
            "response.completed" | "response.incomplete" | "response.failed" => {
                return self.end(event.get("response").unwrap_or(&Value::Null), out);
            }
            "error" => return Err(Failure::from_body(data).in_stream(self.any_token)),
            "" if event.get("error").is_some_and(says_something) => {
                return Err(Failure::from_body(data).in_stream(self.any_token));
            }
            _ => {}
        }
        Ok(Progress::More)
    }

    fn document(&mut self, body: &str, out: &mut VecDeque<StreamEvent>) -> Result<(), ChatError> {
        let body = body.trim_start_matches('\u{feff}').trim();
        let response: Value = serde_json::from_str(body).unwrap_or_default();
        if list(&response, "output").is_empty() {
            return Err(Failure::from_body(body).in_document());
        }
        self.end(&response, out).map(drop)
    }

    fn cut(&mut self) {
        self.finish = Some(FinishReason::Length);
    }

    fn finish(&mut self, out: &mut VecDeque<StreamEvent>) {
        let finish = FinishReason::of(self.finish, !self.calls.is_empty());
        let cut = CutBy::of(finish);
        let mut assembly = Assembly::default();
        for (index, call) in &self.calls {
            let OpenCall { id, name, arguments } = call;
            assembly.push(CallPiece { index: Some(*index), id, name, arguments, extra: None });
        }
        out.extend(assembly.release(&self.names, cut, self.first_free_id));
        let items: Vec<Value> = std::mem::take(&mut self.kept).into_values().collect();
        let is_wanted = items.iter().any(|item| text(item, "type") == "reasoning" || item.get("phase").is_some());
        if let Some(seal) = self.seal.take().filter(|_| is_wanted) {
            let thought = std::mem::take(&mut self.thought);
            out.push_back(StreamEvent::State(seal.state(Api::Responses, thought, Value::Array(items))));
        }
        out.extend(self.usage.map(StreamEvent::Usage));
        out.push_back(StreamEvent::Finished(finish));
    }
}

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}

fn list<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value.get(key).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

/// Returns the words of a part of a message.
fn said_by(part: &Value) -> &str {
    match text(part, "type") {
        "refusal" => text(part, "refusal"),
        _ => text(part, "text"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::names::NameRule;
    use crate::request::{ChatRequest, Purpose};

    fn decoded(events: &[Value]) -> (Result<Progress, ChatError>, Vec<StreamEvent>) {
        let names = WireNames::new(NameRule::Strict, &ChatRequest::new(Vec::new(), Purpose::Main));
        let seal = Seal { endpoint: String::new(), model: String::new(), bound: None };
        let (mut decoder, mut out) = (ResponsesDecoder::new(names, 1, seal), VecDeque::new());
        let mut progress = Ok(Progress::More);
        for event in events {
            progress = decoder.event(&event.to_string(), &mut out);
        }
        if progress.is_ok() {
            decoder.finish(&mut out);
        }
        (progress, out.into())
    }

    /// The events of a call; `place` is put into each of them.
    fn call(id: &str, place: &Value) -> [Value; 4] {
        let item =
            json!({"type": "function_call", "id": format!("fc_{id}"), "call_id": id, "name": "x", "arguments": ""});
        let mut done = item.clone();
        done["arguments"] = json!(format!("{{\"n\":\"{id}\"}}"));
        let rest = json!({"item_id": format!("fc_{id}"), "delta": done["arguments"], "arguments": done["arguments"]});
        [
            ("response.output_item.added", json!({"item": item})),
            ("response.function_call_arguments.delta", rest.clone()),
            ("response.function_call_arguments.done", rest),
            ("response.output_item.done", json!({"item": done})),
        ]
        .map(|(kind, mut event)| {
            event["type"] = json!(kind);
            if !place.is_null() {
                event["output_index"] = place.clone();
            }
            event
        })
    }

    fn calls(events: &[Value]) -> Vec<String> {
        let calls = decoded(events).1.into_iter().filter_map(|event| match event {
            StreamEvent::ToolCall(call) => Some(format!("{} {}", call.id, call.arguments)),
            _ => None,
        });
        calls.collect()
    }

    #[test]
    fn no_call_is_lost_where_the_index_is_wrong_or_missing() {
        let expected = ["a {\"n\":\"a\"}", "b {\"n\":\"b\"}"];
        let completed = json!({"type": "response.completed", "response": {"status": "completed"}});
        for places in [[json!(0), json!(1)], [json!(0), json!(0)], [json!(null), json!(null)], [json!("0"), json!("1")]]
        {
            let (a, b) = (call("a", &places[0]), call("b", &places[1]));
            let in_turn: Vec<Value> = a.iter().chain(&b).chain([&completed]).cloned().collect();
            assert_eq!(calls(&in_turn), expected, "{places:?}");
            let mixed: Vec<Value> = a.iter().zip(&b).flat_map(|(a, b)| [a, b]).chain([&completed]).cloned().collect();
            assert_eq!(calls(&mixed), expected, "{places:?}, one within the other");
        }
    }

    #[test]
    fn arguments_stand_where_their_end_leaves_them_out_and_may_be_an_object() {
        let completed = json!({"type": "response.completed", "response": {"status": "completed"}});
        let mut left_out = call("a", &json!(0));
        left_out[2]["arguments"] = json!(null);
        left_out[3]["item"]["arguments"] = json!("");
        let mut objects = call("a", &json!(0));
        objects[1]["delta"] = json!("");
        objects[2]["arguments"] = json!({"n": "a"});
        objects[3]["item"]["arguments"] = json!({"n": "a"});
        for events in [left_out, objects] {
            let events: Vec<Value> = events.into_iter().chain([completed.clone()]).collect();
            assert_eq!(calls(&events), ["a {\"n\":\"a\"}"]);
        }
    }

    #[test]
    fn counts_in_quotes_are_counts_and_an_ended_response_says_how() {
        let usage = json!({"input_tokens": "500", "output_tokens": 30.0});
        let completed = json!({"type": "response.completed", "response": {"status": "completed", "usage": usage}});
        let counted = decoded(&[completed]).1.into_iter().find_map(|event| match event {
            StreamEvent::Usage(usage) => Some((usage.prompt, usage.completion)),
            _ => None,
        });
        assert_eq!(counted, Some((500, 30)));
        let error = json!({"code": "invalid_prompt", "message": "no"});
        let failed = json!({"type": "response.failed", "response": {"status": "failed", "error": error}});
        assert!(matches!(decoded(&[failed]).0, Err(ChatError::Refused { status: 400, .. })));
        let cancelled = json!({"type": "response.completed", "response": {"status": "cancelled"}});
        assert!(matches!(decoded(&[cancelled]).0, Err(ChatError::Interrupted(_))));
    }
}
