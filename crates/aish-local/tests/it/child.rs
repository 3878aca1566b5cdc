//! The provider against children that misbehave: shell scripts that speak the protocol, or do not.

use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::time::Duration;

use aish_llm::{ChatError, ChatRequest, FinishReason, Provider, Purpose, StreamEvent};
use aish_local::{LocalModel, LocalOptions, ModelFile};
use aish_types::Message;
use futures_util::StreamExt;
use tokio_util::sync::CancellationToken;

const HELLO: &str = r#"echo '{"event":"hello","protocol":1}'; read load; echo '{"event":"loaded","id":1,"info":{"context":99}}'; read ask"#;

struct Fake {
    _folder: tempfile::TempDir,
    model: LocalModel,
}

fn fake(script: &str) -> Fake {
    let folder = tempfile::tempdir().unwrap();
    let executable = folder.path().join("aish-model");
    std::fs::write(&executable, format!("#!/bin/sh\n{script}\n")).unwrap();
    std::fs::set_permissions(&executable, std::fs::Permissions::from_mode(0o755)).unwrap();
    let model = ModelFile { name: "tiny".into(), path: PathBuf::from("/tiny.gguf"), bytes: 1 };
    let options = LocalOptions { executable, model, context: None, threads: None };
    Fake { _folder: folder, model: LocalModel::new(options) }
}

fn request() -> ChatRequest {
    ChatRequest::new(vec![Message::user("Hi")], Purpose::Main)
}

async fn answer(fake: &Fake) -> Vec<Result<StreamEvent, ChatError>> {
    let stream = fake.model.stream(request(), CancellationToken::new());
    tokio::time::timeout(Duration::from_secs(20), stream.collect()).await.unwrap()
}

#[tokio::test]
async fn events_arrive_in_order_with_their_end() {
    let script = format!(
        r#"{HELLO}
echo '{{"event":"text","id":2,"text":"Hel"}}'
echo '{{"event":"text","id":2,"text":"lo"}}'
echo '{{"event":"end","id":2,"reason":"length","usage":{{"prompt":5,"completion":2,"cached":1}},"timing":{{}}}}'
read more"#
    );
    let events: Vec<StreamEvent> = answer(&fake(&script)).await.into_iter().map(Result::unwrap).collect();
    assert_eq!(events[..2], [StreamEvent::Text("Hel".into()), StreamEvent::Text("lo".into())]);
    let StreamEvent::Usage(usage) = events[2] else { panic!("{events:?}") };
    assert_eq!((usage.prompt, usage.completion, usage.cached, usage.estimated), (5, 2, 1, false));
    assert_eq!(events[3..], [StreamEvent::Finished(FinishReason::Length)]);
}

#[tokio::test]
async fn a_child_that_dies_is_an_error_with_its_last_words_and_is_started_again() {
    let script =
        format!("{HELLO}\necho '{{\"event\":\"text\",\"id\":2,\"text\":\"a\"}}'\necho 'out of memory' >&2\nexit 9");
    let fake = fake(&script);
    for _ in 0..2 {
        let events = answer(&fake).await;
        assert_eq!(events[0], Ok(StreamEvent::Text("a".into())));
        assert!(matches!(&events[1], Err(ChatError::Process(text)) if text.contains("out of memory")), "{events:?}");
        assert_eq!(events.len(), 2);
    }
}

#[tokio::test]
async fn another_version_of_the_protocol_is_named() {
    let events = answer(&fake(r#"echo '{"event":"hello","protocol":2}'; read load"#)).await;
    assert!(matches!(&events[0], Err(ChatError::Process(text)) if text.contains("version 2")), "{events:?}");
    let events = answer(&fake("echo nonsense; read load")).await;
    assert!(matches!(&events[0], Err(ChatError::Process(text)) if text.contains("another language")), "{events:?}");
}

#[tokio::test]
async fn a_refusal_to_load_is_the_answer() {
    let script = r#"echo '{"event":"hello","protocol":1}'; read load
echo '{"event":"error","id":1,"kind":"not_gguf","message":"/tiny.gguf is no GGUF file"}'; read more"#;
    assert_eq!(answer(&fake(script)).await, [Err(ChatError::Process("/tiny.gguf is no GGUF file".into()))]);
}

#[tokio::test]
async fn a_processor_that_is_too_old_is_named() {
    let script =
        r#"echo '{"event":"error","id":null,"kind":"processor","message":"this processor lacks AVX2"}'; exit 1"#;
    assert_eq!(answer(&fake(script)).await, [Err(ChatError::Process("this processor lacks AVX2".into()))]);
}

#[tokio::test]
async fn a_missing_executable_is_an_error() {
    let mut fake = fake("");
    fake._folder = tempfile::tempdir().unwrap();
    assert!(matches!(answer(&fake).await[..], [Err(ChatError::Process(_))]));
}

#[tokio::test]
async fn cancelling_reaches_the_child() {
    // The script answers only when the cancellation has come.
    let script = format!(
        r#"{HELLO}
read cancel
case $cancel in *cancel*2*) echo "$cancel" > "$0.cancelled" ;; esac
read more"#
    );
    let fake = fake(&script);
    let cancel = CancellationToken::new();
    let mut stream = fake.model.stream(request(), cancel.clone());
    // The question is out when the process runs.
    fake.model.warm_up().await.unwrap();
    let first = tokio::time::timeout(Duration::from_millis(300), stream.next()).await;
    assert!(first.is_err(), "nothing has come yet");
    cancel.cancel();
    assert_eq!(stream.next().await, Some(Err(ChatError::Cancelled)));
    assert_eq!(stream.next().await, None);
    let mark = fake._folder.path().join("aish-model.cancelled");
    let reached = async {
        while !mark.exists() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(20), reached).await.unwrap();
}
