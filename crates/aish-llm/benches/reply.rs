//! What a reply of 2,000 tokens costs: `cargo bench -p aish-llm`.
//!
//! Beside the times, `main` prints the CPU time of this process (client and scripted server together, on Linux) for
//! each reply over HTTP.
#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a benchmark ends where it fails, and prints what it finds"
)]

use std::sync::Arc;

use aish_llm::{ChatRequest, Endpoint, ModelOptions, Provider, Purpose, RemoteProvider, StreamEvent};
use aish_testkit::model_server::{Expect, ModelServer, OpenAiStream, Script, Times};
use aish_types::Message;
use futures_util::StreamExt;
use tokio::runtime::{Builder, Runtime};
use tokio_util::sync::CancellationToken;

fn main() {
    let (runtime, _server, provider) = set_up();
    let rounds = 20;
    let before = thread_cpu_ms();
    for _ in 0..rounds {
        runtime.block_on(reply(&provider));
    }
    if let (Some(before), Some(after)) = (before, thread_cpu_ms()) {
        println!("CPU of the client's thread: {:.2} ms a reply", (after - before) / f64::from(rounds));
    }
    divan::main();
}

fn set_up() -> (Runtime, ModelServer, Arc<RemoteProvider>) {
    let runtime = Builder::new_current_thread().enable_all().build().unwrap();
    let script = Script::new().times(Times::Any, Expect::chat(), OpenAiStream::tokens(2000).reply());
    let server = ModelServer::start(script).unwrap();
    let endpoint = Endpoint::parse(&server.url()).unwrap();
    (runtime, server, Arc::new(RemoteProvider::chat(endpoint, ModelOptions::new("scripted"))))
}

async fn reply(provider: &RemoteProvider) -> usize {
    let request = ChatRequest::new(vec![Message::user("hi")], Purpose::Main);
    let mut stream = provider.stream(request, CancellationToken::new());
    let mut texts = 0;
    while let Some(event) = stream.next().await {
        texts += usize::from(matches!(event.unwrap(), StreamEvent::Text(_)));
    }
    assert_eq!(texts, 2000);
    texts
}

/// Reads the CPU time of this thread, in milliseconds; none where the system does not say.
fn thread_cpu_ms() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    Some(text.split(' ').next()?.parse::<f64>().ok()? / 1e6)
}

#[divan::bench]
fn two_thousand_tokens_over_http(bencher: divan::Bencher<'_, '_>) {
    let (runtime, _server, provider) = set_up();
    bencher.bench_local(|| runtime.block_on(reply(&provider)));
}
