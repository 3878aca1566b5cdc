//! Chat with tools: a turn that is played with the record of its request as its log, so that another worker can go on
//! where one died.

use aish_tools::memory::Owner;
use aish_turn::{Budget, Cap, Event, Faults, Outcome, Turn, TurnOptions};
use aish_types::{CallContext, Message, ToolCall, ToolOutcome};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use crate::service::accepted::Claim;
use crate::service::play::{Player, StoredLog};
use crate::service::reply::{Failure, Reply, success};
use crate::service::{Service, history, shown};

/// What a model reads when a worker died between a call and its result.
const ABORTED: &str = "Error: the call was aborted before it had a result; it is not known whether it had an effect";

impl Service {
    /// Goes on with a chat from where its record is, and returns the reply.
    pub(crate) async fn chat(&self, held: &mut Claim, cancel: &CancellationToken) -> Result<Reply, Failure> {
        let request = held.chat.clone();
        let system = self.persona(request.persona.as_deref())?;
        let past = history::load(&*self.state, &request.channel, &system).await?;
        if held.record.messages.is_empty() {
            held.record.messages.push(Message::user(format!("{}: {}", request.user, request.message)));
        }
        close_open_calls(&mut held.record.messages);
        let context = CallContext {
            call: "".into(),
            session: format!("channel:{}", request.channel).into(),
            user: request.user.clone(),
            channel: Some(request.channel.clone()),
            folder: None,
        };
        let mut transcript = past.transcript.clone();
        let exchange = transcript.open_exchange();
        let calls = u32::try_from(held.record.calls_made).unwrap_or(u32::MAX);
        let log = StoredLog::begin(held, &mut transcript, exchange);
        let mut turn = Turn::new(self.turn_options(), transcript, self.budget());
        let mut player = Player::new(self, log, context, request.enable_tools, cancel);
        turn.set_offers(player.offers.clone());
        let outcome = player.play(&mut turn, Event::Resumed { exchange, calls }).await?;
        let failed = player.failed.take();
        drop(player);
        held.record.forgotten = past.forgotten(turn.transcript());
        match (outcome, held.record.messages.last()) {
            (Outcome::Answered | Outcome::Cut | Outcome::Withheld, Some(Message::Assistant { content, .. })) => {
                Ok(self.chat_reply(held, content))
            }
            (Outcome::Failed, _) => Err(Failure::Model(failed.unwrap_or_default())),
            (outcome, _) => Err(Failure::Model(no_answer(&outcome).to_owned())),
        }
    }

    fn turn_options(&self) -> TurnOptions {
        TurnOptions {
            cap: Cap::Calls(u32::try_from(self.options.max_tool_calls).unwrap_or(u32::MAX)),
            faults: Faults::Model,
            commands: false,
            ..TurnOptions::default()
        }
    }

    fn budget(&self) -> Budget {
        Budget {
            max_turns: self.options.max_turns,
            token_budget: self.options.token_budget,
            system_tokens: 0,
            schema_tokens: 0,
            tokens_per_message: 0,
        }
    }

    fn chat_reply(&self, held: &Claim, text: &str) -> Reply {
        success(json!({
            "content": text,
            "tokens_used": held.record.usage.total(),
            "provider": self.model.name(),
            "tool_calls_made": held.record.calls_made,
        }))
    }

    fn persona(&self, name: Option<&str>) -> Result<String, Failure> {
        let Some(name) = name.filter(|name| !name.is_empty()) else { return Ok(self.options.system.clone()) };
        self.options.personas.get(name).cloned().ok_or_else(|| {
            let names = self.options.personas.keys().map(String::as_str);
            let near = aish_types::near::nearest(name, names, 3).join(", ");
            let others = if near.is_empty() { "there is none".to_owned() } else { format!("there are: {near}") };
            Failure::UnknownPersona { name: shown(name), others }
        })
    }

    pub(crate) fn tool_event(&self, context: &CallContext, call: &ToolCall, outcome: &ToolOutcome) {
        let owner = Owner::of(context);
        self.events.publish(
            "tool",
            json!({"channel": owner.channel, "user": owner.user, "tool": call.name, "call_id": call.id,
                   "success": outcome.is_success(), "duration_ms": outcome.duration_ms}),
        );
    }
}

/// Says why a turn ended without an answer.
fn no_answer(outcome: &Outcome) -> &'static str {
    match outcome {
        Outcome::Cut => "the answer was cut by its length limit before anything was said",
        Outcome::Withheld => "the provider withheld the answer",
        Outcome::Empty => "the model gave neither text nor calls",
        Outcome::Interrupted | Outcome::Stopped => "the request was interrupted",
        Outcome::Answered
        | Outcome::Declined
        | Outcome::NothingLeft
        | Outcome::DepthLimit
        | Outcome::Looping
        | Outcome::Failed
        | Outcome::Halted => "the model came to no answer",
    }
}

fn failed(call: &ToolCall, text: &str) -> Message {
    Message::Tool { tool_call_id: call.id.clone(), name: call.name.clone(), content: text.into(), blocks: Vec::new() }
}

/// Gives each call of the last answer that has no result an aborted one: it is never run again.
fn close_open_calls(messages: &mut Vec<Message>) {
    let Some(at) = messages.iter().rposition(|message| matches!(message, Message::Assistant { .. })) else { return };
    let Some((asked, answered)) = messages.get(at).zip(messages.get(at + 1..)) else { return };
    let has_result = |call: &ToolCall| {
        answered.iter().any(|message| matches!(message, Message::Tool { tool_call_id, .. } if *tool_call_id == call.id))
    };
    let open: Vec<Message> =
        asked.tool_calls().iter().filter(|call| !has_result(call)).map(|call| failed(call, ABORTED)).collect();
    messages.extend(open);
}
