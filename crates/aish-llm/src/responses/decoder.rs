//! Turns the events of a response into ours.

use std::collections::{BTreeMap, VecDeque};

use aish_types::Usage;
use serde_json::{Value, json};

use crate::assembly::{Assembly, CallPiece, CutBy};
use crate::event::{ChatError, FinishReason, StreamEvent};
use crate::exchange::{Decoder, Progress, parsed};
use crate::failure::Failure;
use crate::names::WireNames;
use crate::wire::{Api, Seal};

/// The state of one response.
pub(crate) struct ResponsesDecoder {
    names: WireNames,
    first_free_id: usize,
    seal: Option<Seal>,
    /// The items that are done, by their index: what of them goes back.
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

impl ResponsesDecoder {
    pub(crate) fn new(names: WireNames, first_free_id: usize, seal: Seal) -> Self {
        Self {
            names,
            first_free_id,
            seal: Some(seal),
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
            text(item, "call_id").clone_into(&mut call.id);
            text(item, "name").clone_into(&mut call.name);
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
                if let Some(call) = self.calls.get_mut(&at) {
                    text(item, "arguments").clone_into(&mut call.arguments);
                }
                self.kept.insert(at, json!({"type": "function_call", "call_id": text(item, "call_id")}));
            }
            _ => {}
        }
    }

    /// Takes the response at its end.
    fn end(&mut self, response: &Value, out: &mut VecDeque<StreamEvent>) -> Result<Progress, ChatError> {
        if let Some(usage) = response.get("usage").filter(|usage| usage.is_object()) {
            let count = |pointer: &str| usage.pointer(pointer).and_then(Value::as_u64).unwrap_or(0);
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
        if text(response, "status") == "failed" || response.get("error").is_some_and(Value::is_object) {
            let error = response.get("error").cloned().unwrap_or_default();
            return Err(Failure::from_value(&error).in_stream(self.any_token));
        }
        // Servers that turn chat completions into responses may leave single events out.
        if self.kept.is_empty() {
            for (at, item) in list(response, "output").iter().enumerate() {
                self.close(u64::try_from(at).unwrap_or(u64::MAX), item, out);
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
        let at = event.get("output_index").and_then(Value::as_u64).unwrap_or(0);
        let item = event.get("item").unwrap_or(&Value::Null);
        let delta = text(&event, "delta");
        match text(&event, "type") {
            "response.output_item.added" => self.open(at, item),
            "response.output_text.delta" | "response.refusal.delta" => self.say(at, delta, out),
            "response.reasoning_summary_text.delta" | "response.reasoning_text.delta" => self.think(delta, out),
            "response.reasoning_summary_part.added" if !self.thought.is_empty() => self.think("\n\n", out),
            "response.function_call_arguments.delta" => {
                self.any_token = true;
                self.calls.entry(at).or_default().arguments.push_str(delta);
            }
            "response.function_call_arguments.done" => {
                text(&event, "arguments").clone_into(&mut self.calls.entry(at).or_default().arguments);
            }
            "response.output_item.done" => self.close(at, item, out),
            "response.completed" | "response.incomplete" | "response.failed" => {
                return self.end(event.get("response").unwrap_or(&Value::Null), out);
            }
            "error" => return Err(Failure::from_body(data).in_stream(self.any_token)),
            "" if event.get("error").is_some_and(|error| !error.is_null()) => {
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
            let failure = Failure::from_body(body);
            let is_error = response.get("error").is_some_and(|error| !error.is_null());
            return Err(if is_error { failure.in_document() } else { ChatError::Unreadable(failure.message) });
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
