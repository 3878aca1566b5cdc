//! One worker of the service: takes requests off the queue group, answers them, beats, and goes on for others that died.

use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt;
use serde_json::Value;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::bus::{Bus, BusError, subject};
use crate::local::operation;
use crate::service::recovery::Watch;
use crate::service::reply::Failure;
use crate::service::{Answered, Service};

/// Requests that a worker is at, at once.
const AT_ONCE: usize = 256;
/// How often a worker beats.
const BEAT: Duration = Duration::from_secs(1);
/// How long the open requests may take when the worker is to end.
const LAST_WORK: Duration = Duration::from_secs(30);
/// How long the server may take for what the worker says at its end.
const LAST_WORDS: Duration = Duration::from_secs(5);

/// What the plugins' own subjects begin with, behind `PREFIX.llm.`; they are not the queue group's.
const PLUGIN_OPERATIONS: [&str; 4] = ["tools.register", "tools.unregister", "tools.heartbeat", "tools.announce"];

/// Answers requests until `cancel` is given, then finishes the open ones.
///
/// # Errors
/// When the subjects cannot be listened to.
pub async fn serve(bus: Bus, service: Arc<Service>, cancel: CancellationToken) -> Result<(), BusError> {
    let prefix = service.options.prefix.clone();
    let all = format!("{prefix}.llm.>");
    let fail = |cause: String| BusError::Subscribe { subject: all.clone(), cause };
    let queue = format!("{prefix}-llm");
    let mut requests = bus.client.queue_subscribe(all.clone(), queue).await.map_err(|error| fail(error.to_string()))?;
    bus.settle().await.map_err(|error| fail(error.to_string()))?;
    service.beat().await;
    let stop_beating = CancellationToken::new();
    let mut beating = JoinSet::new();
    beating.spawn(beat(bus.clone(), Arc::clone(&service), stop_beating.clone()));
    let room = Arc::new(Semaphore::new(AT_ONCE));
    let mut tasks = JoinSet::new();
    loop {
        let request = tokio::select! {
            request = requests.next() => request,
            () = cancel.cancelled() => None,
        };
        let Some(request) = request else { break };
        let operation = operation(request.subject.as_str(), &prefix).to_owned();
        if PLUGIN_OPERATIONS.contains(&operation.as_str()) {
            continue;
        }
        let Ok(permit) = Arc::clone(&room).acquire_owned().await else { break };
        let (bus, service) = (bus.clone(), Arc::clone(&service));
        tasks.spawn(async move {
            // Not cancelled with the worker: what was begun is finished.
            let inbox = request.reply.as_ref().map(|inbox| inbox.as_str());
            let answered = service.handle(&operation, &request.payload, inbox, &CancellationToken::new()).await;
            if let Some(answered) = answered {
                let to = answered.reply_to.clone().or_else(|| inbox.map(String::from));
                send(&bus, &service, answered, to).await;
            }
            drop(permit);
        });
        while tasks.try_join_next().is_some() {}
    }
    let _ = requests.unsubscribe().await;
    let finished = async { while tasks.join_next().await.is_some() {} };
    if tokio::time::timeout(LAST_WORK, finished).await.is_err() {
        tracing::warn!("requests were still open at the end; another worker goes on with them");
    }
    stop_beating.cancel();
    let last = async {
        while beating.join_next().await.is_some() {}
        service.flush().await;
        let _ = bus.client.flush().await;
    };
    if tokio::time::timeout(LAST_WORDS, last).await.is_err() {
        tracing::warn!("the server is away; what was used last is not counted");
        beating.shutdown().await;
    }
    Ok(())
}

async fn send(bus: &Bus, service: &Service, answered: Answered, to: Option<String>) {
    if let Some(to) = to.filter(|to| subject::is_plain(to)) {
        let bytes = reply_bytes(&answered.reply, bus.client.max_payload());
        if let Err(error) = bus.client.publish(to, bytes.into()).await {
            tracing::warn!(%error, "a reply was not sent yet");
            service.put_off(answered);
            return;
        }
    }
    service.sent(answered).await;
}

/// Writes a reply, or, where it is larger than the server takes, an error in its place.
fn reply_bytes(reply: &Value, most: usize) -> Vec<u8> {
    let bytes = reply.to_string().into_bytes();
    if bytes.len() <= most {
        return bytes;
    }
    let failure = Failure::TooLarge(format!("the reply has {} bytes; the bus takes {most}", bytes.len()));
    let request_id = reply.get("request_id").and_then(Value::as_str);
    Value::from(failure.reply().named(request_id)).to_string().into_bytes()
}

async fn beat(bus: Bus, service: Arc<Service>, stop: CancellationToken) {
    let mut ticks = tokio::time::interval(BEAT);
    ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    let mut looking = JoinSet::new();
    let mut at_work = JoinSet::new();
    let mut watch = Some(Watch::default());
    loop {
        tokio::select! {
            () = stop.cancelled() => return,
            Some(_) = at_work.join_next() => {}
            Some(Ok((seen, recovered))) = looking.join_next() => {
                watch = Some(seen);
                for recovered in recovered {
                    let (bus, service) = (bus.clone(), Arc::clone(&service));
                    at_work.spawn(async move {
                        if let Some(answered) = service.go_on(recovered, &CancellationToken::new()).await {
                            let to = answered.reply_to.clone();
                            send(&bus, &service, answered, to).await;
                        }
                    });
                }
            }
            _ = ticks.tick() => {
                service.beat().await;
                service.flush().await;
                // Looking at what others left may take long; the beat goes on, else we would look dead ourselves.
                if let Some(mut seen) = watch.take() {
                    let service = Arc::clone(&service);
                    looking.spawn(async move {
                        let recovered = service.recover(&mut seen).await;
                        (seen, recovered)
                    });
                }
            }
        }
    }
}
