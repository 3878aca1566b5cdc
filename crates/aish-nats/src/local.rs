//! The service without a bus: JSON lines in, JSON lines out, the same payloads.
//!
//! A line is the payload of one request with its `subject` in it (`rosey.llm.chat`, `llm.chat`, `chat`); the payload may
//! also stand apart, under `payload`. A line without a subject that has a `message` is a chat. The reply is one line:
//! the reply's payload with the request's `subject` and, where it had one, its `id`. Requests are answered as they are
//! done, not in their order; at the end of the input the open ones are finished.

use std::io;
use std::sync::Arc;

use aish_types::lines::{Line, Lines};
use serde_json::{Value, json};
use tokio::io::{AsyncBufRead, AsyncBufReadExt, AsyncWrite, AsyncWriteExt};
use tokio::sync::{Semaphore, mpsc};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::service::Service;
use crate::service::reply::Failure;

/// Requests that are worked on at once.
const AT_ONCE: usize = 32;
/// Bytes of a line round its payload.
const ROUND_A_PAYLOAD: usize = 10_000;

/// Answers the lines of `input` on `output` until the input ends or `cancel` is given.
///
/// # Errors
/// When the input cannot be read or the output cannot be written; a closed output is no error.
pub async fn serve_lines(
    service: Arc<Service>,
    mut input: impl AsyncBufRead + Unpin,
    output: impl AsyncWrite + Unpin + Send + 'static,
    cancel: CancellationToken,
) -> io::Result<()> {
    let (replies, waiting) = mpsc::channel(AT_ONCE);
    let writer = tokio::spawn(write(output, waiting));
    let room = Arc::new(Semaphore::new(AT_ONCE));
    let mut tasks = JoinSet::new();
    // A little more than a payload, for what stands round it; what that is too long for is refused by itself.
    let most = service.options.max_payload.saturating_add(ROUND_A_PAYLOAD);
    let mut lines = Lines::new(most);
    loop {
        let read = tokio::select! {
            read = read_line(&mut input, &mut lines) => read?,
            () = cancel.cancelled() => None,
        };
        let line = match read {
            None => break,
            Some(Line::TooLong) => {
                let failure = Failure::TooLarge(format!("a line has at most {most} bytes"));
                let _ = replies.send(failure.reply().into()).await;
                continue;
            }
            Some(Line::Whole(line)) => line,
        };
        if line.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        let Ok(permit) = Arc::clone(&room).acquire_owned().await else { break };
        let (service, replies, cancel) = (Arc::clone(&service), replies.clone(), cancel.clone());
        tasks.spawn(async move {
            if let Some(reply) = answer(&service, &line, &cancel).await {
                let _ = replies.send(reply).await;
            }
            drop(permit);
        });
        while tasks.try_join_next().is_some() {}
    }
    while tasks.join_next().await.is_some() {}
    drop(replies);
    service.flush().await;
    match writer.await {
        Ok(Err(error)) if error.kind() != io::ErrorKind::BrokenPipe => Err(error),
        Ok(_) => Ok(()),
        Err(error) => Err(io::Error::other(error)),
    }
}

/// Reads the next line, the last one with or without its end; `None` is the end of the input.
async fn read_line(input: &mut (impl AsyncBufRead + Unpin), lines: &mut Lines) -> io::Result<Option<Line>> {
    loop {
        let available = input.fill_buf().await?;
        if available.is_empty() {
            return Ok(lines.finish().map(Line::Whole));
        }
        let (taken, line) = lines.take(available);
        input.consume(taken);
        if line.is_some() {
            return Ok(line);
        }
    }
}

async fn write(mut output: impl AsyncWrite + Unpin, mut waiting: mpsc::Receiver<Value>) -> io::Result<()> {
    while let Some(reply) = waiting.recv().await {
        output.write_all(format!("{reply}\n").as_bytes()).await?;
        output.flush().await?;
    }
    Ok(())
}

async fn answer(service: &Service, line: &[u8], cancel: &CancellationToken) -> Option<Value> {
    let mut request: Value = match serde_json::from_slice(line) {
        Ok(request @ Value::Object(_)) => request,
        Ok(_) => return Some(Failure::bad_request("a line is a JSON object").reply().into()),
        Err(error) => return Some(Failure::bad_request(format!("no JSON: {error}")).reply().into()),
    };
    let subject = request.get("subject").and_then(Value::as_str).map(String::from);
    let subject =
        subject.unwrap_or_else(|| if request.get("message").is_some() { "chat".into() } else { String::new() });
    let id = request.get("id").cloned();
    let payload = match request.get_mut("payload").map(Value::take) {
        Some(payload) => payload,
        None => request,
    };
    let operation = operation(&subject, &service.options.prefix);
    let most = service.options.max_payload;
    // A payload is no longer than its line.
    let answered = if line.len() > most && payload.to_string().len() > most {
        service.refused(operation, &service.too_large(), serde_json::from_value(payload).unwrap_or_default())
    } else {
        service.handle_value(operation, payload, None, cancel).await?
    };
    let mut reply = answered.reply.clone();
    service.sent(answered).await;
    if let Some(map) = reply.as_object_mut() {
        map.insert("subject".into(), json!(subject));
        if let Some(id) = id {
            map.insert("id".into(), id);
        }
    }
    Some(reply)
}

/// Takes the prefix and `llm` off a subject.
pub(crate) fn operation<'a>(subject: &'a str, prefix: &str) -> &'a str {
    let subject = subject.strip_prefix(prefix).and_then(|rest| rest.strip_prefix('.')).unwrap_or(subject);
    subject.strip_prefix("llm.").unwrap_or(subject)
}
