//! Tool calls, assembled from what servers send of them.
//!
//! The rule: the given index; else a new id, or a name after complete JSON, opens a call; else the last call grows.
//! A different id under the same index is a new call (Ollama gives every call index 0).

use std::collections::HashMap;

use aish_types::{CallId, ToolCall};
use serde_json::Value;

use crate::event::{FinishReason, StreamEvent};
use crate::names::WireNames;

/// A piece of a call, as one delta has it; an empty text counts as absent.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct CallPiece<'a> {
    pub(crate) index: Option<u64>,
    pub(crate) id: &'a str,
    pub(crate) name: &'a str,
    pub(crate) arguments: &'a str,
    /// What the server wants to see again with the call.
    pub(crate) extra: Option<&'a Value>,
}

#[derive(Debug, Default)]
struct OpenCall {
    extra: Option<Value>,
    index: Option<u64>,
    id: String,
    name: String,
    arguments: String,
}

/// The calls of one answer, in the order in which they began.
#[derive(Debug, Default)]
pub(crate) struct Assembly {
    calls: Vec<OpenCall>,
    /// The last call of each index.
    by_index: HashMap<u64, usize>,
    /// The last call of each id that a server gave.
    by_id: HashMap<String, usize>,
}

/// Why calls of an answer must not run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CutBy {
    /// The completion's limit.
    Length,
    /// The provider's filter.
    Filter,
}

impl CutBy {
    /// Returns why the calls of a completion must not run; none where they may.
    pub(crate) const fn of(finish: FinishReason) -> Option<Self> {
        match finish {
            FinishReason::Length => Some(Self::Length),
            FinishReason::ContentFilter => Some(Self::Filter),
            FinishReason::Stop | FinishReason::ToolCalls => None,
        }
    }
}

impl Assembly {
    pub(crate) fn is_empty(&self) -> bool {
        self.calls.is_empty()
    }

    /// Takes one piece.
    pub(crate) fn push(&mut self, piece: CallPiece<'_>) {
        let at = match piece.index {
            Some(index) => self.by_index.get(&index).copied(),
            None if piece.id.is_empty() => self.calls.len().checked_sub(1),
            None => self.by_id.get(piece.id).copied(),
        };
        let open =
            at.and_then(|at| Some((at, self.calls.get_mut(at)?))).filter(|(_, call)| !call.is_over_before(piece));
        let at = match open {
            Some((at, call)) => {
                call.grow(piece);
                at
            }
            None => {
                self.calls.push(OpenCall {
                    index: piece.index,
                    id: piece.id.into(),
                    name: piece.name.into(),
                    arguments: piece.arguments.into(),
                    extra: piece.extra.cloned(),
                });
                self.calls.len() - 1
            }
        };
        self.note(at);
    }

    /// Notes by which index and id a call is found.
    fn note(&mut self, at: usize) {
        let Some(call) = self.calls.get(at) else { return };
        if let Some(index) = call.index {
            let last = self.by_index.entry(index).or_insert(at);
            *last = at.max(*last);
        }
        match self.by_id.get_mut(&call.id) {
            Some(last) => *last = at.max(*last),
            None if call.id.is_empty() => {}
            None => {
                self.by_id.insert(call.id.clone(), at);
            }
        }
    }

    /// Takes out what the server wants to see again, by the ids that [`Assembly::release`] gives.
    pub(crate) fn take_extras(&mut self, first_free: usize) -> Vec<(CallId, Value)> {
        let numbered = self.calls.iter_mut().enumerate();
        numbered.filter_map(|(at, call)| Some((call.id(first_free + at), call.extra.take()?))).collect()
    }

    /// Releases the calls, whole or as malformed. `first_free` numbers the ids that the server did not give.
    pub(crate) fn release(self, names: &WireNames, cut: Option<CutBy>, first_free: usize) -> Vec<StreamEvent> {
        let mut uses: HashMap<&str, usize> = HashMap::new();
        self.calls.iter().for_each(|call| *uses.entry(&call.id).or_default() += 1);
        let twice = |id: &str| !id.is_empty() && uses.get(id).is_some_and(|count| *count > 1);
        let doubled: Vec<bool> = self.calls.iter().map(|call| twice(&call.id)).collect();
        self.calls
            .into_iter()
            .zip(doubled)
            .enumerate()
            .map(|(at, (mut call, doubled))| {
                call.unwrap_arguments();
                let reason = call.fault(doubled, cut);
                let id = call.id(first_free + at);
                let arguments = if call.arguments.trim().is_empty() { String::new() } else { call.arguments };
                let call = ToolCall { id, name: names.full(&call.name), arguments };
                match reason {
                    None => StreamEvent::ToolCall(call),
                    Some(reason) => StreamEvent::MalformedCall { call, reason },
                }
            })
            .collect()
    }
}

/// The start of ids that the server did not give.
const GENERATED: &str = "aish_call_";

/// Returns the first number whose generated id is not in the conversation.
pub(crate) fn first_free_id(messages: &[aish_types::Message]) -> usize {
    let numbers = messages.iter().flat_map(aish_types::Message::tool_calls);
    let taken = numbers.filter_map(|call| call.id.as_str().strip_prefix(GENERATED)?.parse::<usize>().ok()).max();
    taken.map_or(1, |taken| taken.saturating_add(1))
}

impl OpenCall {
    /// Returns the server's id, or one of ours with this number.
    fn id(&self, number: usize) -> CallId {
        if self.id.is_empty() { CallId::new(format!("{GENERATED}{number}")) } else { CallId::new(self.id.as_str()) }
    }

    /// Returns whether a piece that points here begins another call instead.
    fn is_over_before(&self, piece: CallPiece<'_>) -> bool {
        if !piece.id.is_empty() && !self.id.is_empty() {
            return piece.id != self.id;
        }
        // Without ids, a name after complete arguments begins a call; a bare repetition of the head does not.
        !piece.name.is_empty()
            && is_object(&self.arguments)
            && !(piece.index.is_some() && piece.name == self.name && piece.arguments.is_empty())
    }

    fn grow(&mut self, piece: CallPiece<'_>) {
        if self.id.is_empty() {
            self.id.push_str(piece.id);
        }
        if self.index.is_none() {
            self.index = piece.index;
        }
        // Some servers repeat the name in every delta, some send it in fragments before the arguments.
        if self.name.is_empty() || (piece.name != self.name && self.arguments.is_empty()) {
            self.name.push_str(piece.name);
        }
        // Some servers begin with what stands for no arguments before they send those that there are.
        let is_bare = piece.id.is_empty() && piece.name.is_empty();
        if is_bare && self.arguments.trim() == "{}" && piece.arguments.trim_start().starts_with('{') {
            self.arguments.clear();
        }
        self.arguments.push_str(piece.arguments);
        if self.extra.is_none() {
            self.extra = piece.extra.cloned();
        }
    }

    /// Takes arguments out of a text that they were written into once more; `null` is none.
    fn unwrap_arguments(&mut self) {
        match serde_json::from_str(&self.arguments) {
            Ok(Value::String(inner)) if is_object(&inner) && inner.trim_start().starts_with('{') => {
                self.arguments = inner
            }
            Ok(Value::Null) => self.arguments.clear(),
            Ok(_) | Err(_) => {}
        }
    }

    fn fault(&self, doubled: bool, cut: Option<CutBy>) -> Option<String> {
        if let Some(cut) = cut {
            return Some(match cut {
                CutBy::Length => "the answer was cut by its length limit".into(),
                CutBy::Filter => "the provider withheld the rest of the answer".into(),
            });
        }
        if self.name.trim().is_empty() {
            return Some("it names no tool".into());
        }
        if doubled {
            return Some(format!("its id {:?} is used twice", self.id));
        }
        if self.arguments.trim().is_empty() {
            return None;
        }
        match serde_json::from_str::<serde::de::IgnoredAny>(&self.arguments) {
            Err(error) => Some(format!("its arguments are no JSON: {error}")),
            Ok(_) if !self.arguments.trim_start().starts_with('{') => Some("its arguments are no JSON object".into()),
            Ok(_) => None,
        }
    }
}

fn is_object(text: &str) -> bool {
    text.trim_end().ends_with('}') && serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::names::NameRule;
    use crate::request::{ChatRequest, Purpose};

    fn piece<'a>(index: Option<u64>, id: &'a str, name: &'a str, arguments: &'a str) -> CallPiece<'a> {
        CallPiece { index, id, name, arguments, extra: None }
    }

    fn names() -> WireNames {
        let request = ChatRequest::new(Vec::new(), Purpose::Main);
        WireNames::new(NameRule::Dotted, &request)
    }

    /// Runs pieces through and writes each call as `id name arguments`, a malformed one with `!` in front.
    fn check(pieces: &[CallPiece<'_>], expected: &[&str]) {
        let mut assembly = Assembly::default();
        pieces.iter().for_each(|piece| assembly.push(*piece));
        let shown: Vec<String> = assembly
            .release(&names(), None, 1)
            .into_iter()
            .map(|event| match event {
                StreamEvent::ToolCall(call) => format!("{} {} {}", call.id, call.name, call.arguments),
                StreamEvent::MalformedCall { call, .. } => format!("!{} {} {}", call.id, call.name, call.arguments),
                other => panic!("{other:?}"),
            })
            .collect();
        assert_eq!(shown, expected, "{pieces:?}");
    }

    #[test]
    fn follows_the_index() {
        check(
            &[
                piece(Some(0), "a", "x", ""),
                piece(Some(1), "b", "y", "{"),
                piece(Some(0), "", "", "{\"n\":"),
                piece(Some(1), "", "", "}"),
                piece(Some(0), "", "", "1}"),
            ],
            &["a x {\"n\":1}", "b y {}"],
        );
    }

    #[test]
    fn a_new_id_under_the_same_index_is_a_new_call() {
        check(&[piece(Some(0), "a", "x", "{}"), piece(Some(0), "b", "x", "{}")], &["a x {}", "b x {}"]);
    }

    #[test]
    fn without_an_index_ids_and_names_tell() {
        check(
            &[
                piece(None, "a", "x", "{"),
                piece(None, "", "", "}"),
                piece(None, "b", "y", "{}"),
                piece(None, "a", "", ""),
            ],
            &["a x {}", "b y {}"],
        );
        check(
            &[piece(None, "", "x", "{}"), piece(None, "", "x", "{\"n\":2}")],
            &["aish_call_1 x {}", "aish_call_2 x {\"n\":2}"],
        );
        check(&[piece(None, "", "x", "{\"a\":"), piece(None, "", "", "1}")], &["aish_call_1 x {\"a\":1}"]);
    }

    #[test]
    fn a_repeated_or_fragmented_name_stays_one_call() {
        check(
            &[piece(Some(0), "a", "x", "{\"n\""), piece(Some(0), "a", "x", ":1"), piece(Some(0), "a", "x", "}")],
            &["a x {\"n\":1}"],
        );
        check(
            &[piece(Some(0), "a", "get_", ""), piece(Some(0), "", "time", ""), piece(Some(0), "", "", "{}")],
            &["a get_time {}"],
        );
        check(&[piece(Some(0), "", "x", "{}"), piece(Some(0), "", "x", "")], &["aish_call_1 x {}"]);
    }

    #[test]
    fn no_arguments_are_fine_and_bad_ones_are_not_run() {
        check(&[piece(Some(0), "a", "x", "")], &["a x "]);
        check(&[piece(Some(0), "a", "x", "{\"n\":")], &["!a x {\"n\":"]);
        check(&[piece(Some(0), "a", "x", "[1]")], &["!a x [1]"]);
        check(&[piece(Some(0), "a", "x", "{} {}")], &["!a x {} {}"]);
        check(&[piece(Some(0), "a", "", "{}")], &["!a  {}"]);
        check(&[piece(Some(0), "a", "x", "\"[1]\"")], &["!a x \"[1]\""]);
    }

    #[test]
    fn arguments_that_are_written_oddly_are_arguments() {
        check(&[piece(Some(0), "a", "x", "\"{\\\"n\\\":1}\"")], &["a x {\"n\":1}"]);
        check(&[piece(Some(0), "a", "x", "null")], &["a x "]);
        check(
            &[piece(Some(0), "a", "x", "{}"), piece(Some(0), "", "", "{\"n\""), piece(Some(0), "", "", ":1}")],
            &["a x {\"n\":1}"],
        );
    }

    #[test]
    fn the_same_id_twice_runs_neither() {
        check(&[piece(Some(0), "a", "x", "{}"), piece(Some(1), "a", "y", "{}")], &["!a x {}", "!a y {}"]);
    }

    /// All of them are read within seconds; looking through all calls for each took minutes.
    #[test]
    fn two_hundred_thousand_calls_are_read_in_one_go() {
        let began = std::time::Instant::now();
        let mut assembly = Assembly::default();
        let ids: Vec<String> = (0..200_000).map(|id| format!("call_{id}")).collect();
        for (index, id) in (0_u64..).zip(&ids) {
            assembly.push(piece(Some(index), id, "x", "{}"));
            assembly.push(piece(Some(index), "", "", " "));
        }
        let released = assembly.release(&names(), None, 1);
        assert_eq!(released.len(), ids.len());
        assert!(released.iter().all(|event| matches!(event, StreamEvent::ToolCall(_))));
        assert!(began.elapsed() < std::time::Duration::from_secs(60), "{:?}", began.elapsed());
    }

    #[test]
    fn a_cut_answer_runs_no_call() {
        let mut assembly = Assembly::default();
        assembly.push(piece(Some(0), "a", "x", "{}"));
        let released = assembly.release(&names(), Some(CutBy::Length), 1);
        assert!(matches!(released.as_slice(), [StreamEvent::MalformedCall { .. }]), "{released:?}");
    }
}
