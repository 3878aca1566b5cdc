//! A call of a server while it runs: what the server says and asks goes to the client of this call.
//!
//! In the era without requests to the client, a question ends the client's request, and the client comes back with the answer.
//! The call on the server goes on meanwhile: it is parked under the ticket of the client's call, and the next round takes it
//! up where it was. It is never run a second time.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use aish_mcp::server::{CallScope, ElicitAnswer};
use aish_types::ToolOutcome;
use serde_json::Value;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::gateway::{Event, OpenLine, Question};

/// How the keys of a server's questions begin.
const KEY: &str = "server-";
/// How often a server may ask the person or the model during one call: each time the client waits, or pays.
const MAX_ASKED: usize = 64;
/// The most calls that are parked.
const MAX_PARKED: usize = 256;

/// A call of a server that is under way.
pub(super) struct RunningCall {
    pub(super) outcome: JoinHandle<ToolOutcome>,
    pub(super) events: mpsc::Receiver<Event>,
    pub(super) cancel: CancellationToken,
    pub(super) _line: OpenLine,
    /// The question that is open.
    pub(super) open: Option<Event>,
    /// How many questions there were.
    pub(super) asked: usize,
}

/// Calls whose clients are about to come back with an answer.
#[derive(Default)]
pub(super) struct Parking(Mutex<HashMap<String, RunningCall>>);

impl Parking {
    /// Takes up the call that was parked under the ticket of this one.
    ///
    /// # Errors
    /// The outcome, when the client answers a question of a call that is no more.
    pub(super) fn resume(&self, scope: &CallScope) -> Result<Option<RunningCall>, Box<ToolOutcome>> {
        let Some(ticket) = scope.ticket() else { return Ok(None) };
        let parked = self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(ticket);
        if parked.is_none() && scope.has_answered(KEY) {
            let text = "the call ended while its server's question was open; it may have run, and is not run again";
            return Err(Box::new(ToolOutcome::failure(text)));
        }
        Ok(parked)
    }

    fn park(&self, ticket: &str, call: RunningCall) {
        let mut calls = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        calls.retain(|_, call| !call.outcome.is_finished());
        if calls.len() < MAX_PARKED {
            calls.insert(ticket.to_owned(), call);
        } else {
            call.cancel.cancel();
        }
    }
}

/// Parks a call that is left with an open question, and cancels one that is left otherwise.
struct Seat<'s> {
    call: Option<RunningCall>,
    parking: &'s Parking,
    ticket: Option<&'s str>,
}

impl Drop for Seat<'_> {
    fn drop(&mut self) {
        let Some(call) = self.call.take() else { return };
        match self.ticket {
            Some(ticket) if call.open.is_some() && !call.cancel.is_cancelled() => self.parking.park(ticket, call),
            Some(_) | None => call.cancel.cancel(),
        }
    }
}

/// Follows a call to its end, for the client of this scope.
pub(super) async fn follow(call: RunningCall, scope: &CallScope, parking: &Parking) -> ToolOutcome {
    let mut seat = Seat { call: Some(call), parking, ticket: scope.ticket() };
    let Some(call) = seat.call.as_mut() else { return ToolOutcome::failure("there is no call") };
    let crashed = |_| ToolOutcome::failure("the call crashed");
    loop {
        if call.open.is_some() {
            answer(call, scope).await;
            continue;
        }
        tokio::select! {
            biased;
            event = call.events.recv() => match event {
                Some(Event::Progress { done, total, message }) => {
                    scope.progress(done, total, message.as_deref()).await;
                }
                Some(event @ (Event::Ask(_) | Event::Write(_))) => {
                    call.asked += 1;
                    if call.asked <= MAX_ASKED {
                        call.open = Some(event);
                    } else if call.asked == MAX_ASKED + 1 {
                        // Whoever waits for an answer is told no when its question is dropped.
                        tracing::warn!("a server asked {MAX_ASKED} times during one call; it is answered no more");
                    }
                }
                // The line is open as long as the call is.
                None => return (&mut call.outcome).await.unwrap_or_else(crashed),
            },
            outcome = &mut call.outcome => return outcome.unwrap_or_else(crashed),
            () = scope.cancel.cancelled() => {
                call.cancel.cancel();
                return (&mut call.outcome).await.unwrap_or_else(crashed);
            }
        }
    }
}

/// Puts the open question to the client. It stays open until there is an answer: this may be dropped while it waits.
async fn answer(call: &mut RunningCall, scope: &CallScope) {
    let key = format!("{KEY}{}", call.asked);
    let cancelled = scope.cancel.cancelled();
    match &call.open {
        Some(Event::Ask(question)) => {
            let answer = tokio::select! {
                answer = ask(scope, &key, question) => answer,
                () = cancelled => None,
            };
            if let Some(Event::Ask(question)) = call.open.take() {
                // A server that no longer waits has had its answer.
                let _ = question.reply.send(answer);
            }
        }
        Some(Event::Write(question)) => {
            let written = tokio::select! {
                written = scope.sample(Some(&key), question.body.clone()) => written.ok(),
                () = cancelled => None,
            };
            if let Some(Event::Write(question)) = call.open.take() {
                let _ = question.reply.send(written);
            }
        }
        Some(Event::Progress { .. }) | None => call.open = None,
    }
}

/// The form that came back; a plain no is `Some(None)`.
async fn ask(scope: &CallScope, key: &str, question: &Question<Option<Option<Value>>>) -> Option<Option<Value>> {
    let message = format!("The MCP server {} asks: {}", question.alias, question.message);
    match scope.elicit_as(Some(key), &message, question.body.clone()).await {
        Ok(ElicitAnswer::Accepted(form)) => Some(Some(form)),
        Ok(ElicitAnswer::Declined) => Some(None),
        Ok(ElicitAnswer::Cancelled) => None,
        Err(error) => {
            tracing::warn!("{} asked something that nobody could be asked: {error}", question.alias);
            Some(None)
        }
    }
}
