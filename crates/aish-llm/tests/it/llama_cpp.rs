//! Against a real llama.cpp server: `AISH_TEST_PYTHON` with xllamacpp and `AISH_TEST_GGUF`, both set by `./test`.

use std::sync::Arc;
use std::time::Duration;

use aish_llm::discovery::{LocalServers, Origin};
use aish_llm::{
    BrokerModel, ChatError, Endpoint, ModelOptions, Provider, RemoteProvider, StreamEvent, Support, TemplateOverhead,
    TokenCounter, TokenizerChoice, Traffic, UseEndpoint,
};
use aish_testkit::llama_server::LlamaServer;
use aish_types::{Message, ToolCall, Usage};

use crate::harness::{Collected, ask, run};

/// Refuses tool turns, as Mistral's old template does.
const STRICT: &str = "{% for m in messages %}{% if m.role == 'tool' %}{{ raise_exception('Only user and assistant roles are supported!') }}{% endif %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}<|im_start|>assistant\n";

fn server(test: &str, template: Option<&str>) -> Option<LlamaServer> {
    LlamaServer::start("aish-llm", test, 4096, template)
}

fn provider(server: &LlamaServer) -> Arc<RemoteProvider> {
    let options = ModelOptions {
        max_tokens: Some(4),
        tokenize_timeout: Duration::from_secs(20),
        timeout: Duration::from_secs(300),
        ..ModelOptions::new("smollm2")
    };
    Arc::new(RemoteProvider::chat(Endpoint::parse(server.url()).unwrap(), options))
}

fn usage(got: &Collected) -> Usage {
    let usage = got.events.iter().find_map(|event| match event {
        StreamEvent::Usage(usage) => Some(*usage),
        _ => None,
    });
    usage.unwrap_or_else(|| panic!("no usage: {got:?}"))
}

/// A conversation of so many turns after the system message.
fn conversation(turns: usize) -> Vec<Message> {
    let mut messages = vec![Message::system("You are aish, a shell. Answer briefly.")];
    for at in 0..turns {
        let text =
            format!("Turn {at}: list the {at} largest files of /var/log/app-{at}.log – größer als {}kB?", at * 37);
        messages.push(if at % 2 == 0 { Message::user(text) } else { Message::assistant(text) });
    }
    messages
}

#[tokio::test]
async fn llama_cpp_streams_counts_and_tells_its_context() {
    let Some(server) = server("llama_cpp_streams_counts_and_tells_its_context", None) else { return };
    let provider = provider(&server);
    let got = run(&*provider, ask("Say hello.")).await;
    assert_eq!((&got.error, got.text().is_empty()), (&None, false), "{got:?}");
    assert!(!usage(&got).estimated && usage(&got).completion > 0);
    assert_eq!(provider.context_size().await, Some(4096));

    let counter = TokenCounter::new(UseEndpoint::Allowed, Traffic::default());
    let endpoint = Some(server.url().to_owned());
    let model = BrokerModel { provider: provider.clone(), endpoint, max_tokens: Some(4), price: None };
    assert_eq!(counter.count(&model, &TokenizerChoice::Auto, "hello world").await.count, 2);
    assert_eq!(counter.supported(server.url()), Support::Yes);
    let file = TokenizerChoice::File(std::env::var_os("AISH_TEST_GGUF").unwrap().into());
    for text in ["hello world", "Grüße – 時計 🕰️\n\n  fn main() { println!(\"{}\", 12345); }"] {
        let by_server = counter.count(&model, &TokenizerChoice::Auto, text).await.count;
        let by_file = counter.count(&model, &file, text).await;
        assert_eq!(by_file.count, by_server, "{text:?} by {}", by_file.tokenizer);
    }

    // What the server says of a small model: its size, and what its template and its parts can do.
    let abilities = provider.abilities().await.unwrap();
    assert_eq!((abilities.context, abilities.images), (Some(4096), Some(false)), "{abilities:?}");

    let nowhere = "http://127.0.0.1:1".to_owned();
    let found = LocalServers {
        llama_cpp: vec![server.url().to_owned()],
        lm_studio: nowhere.clone(),
        vllm: nowhere.clone(),
        ollama: nowhere,
        wait: Duration::from_secs(60),
    }
    .find()
    .await;
    let found = found.unwrap();
    assert_eq!(found.origin, Origin::LlamaCpp);
    assert!(
        found.abilities(Duration::from_secs(60)).await.parameters.is_some_and(|parameters| parameters < 200_000_000),
        "{found:?}"
    );
}

#[tokio::test]
async fn the_count_of_40_turns_is_the_servers_to_one_percent() {
    let Some(server) = server("the_count_of_40_turns_is_the_servers_to_one_percent", None) else { return };
    let counter = TokenCounter::new(UseEndpoint::Allowed, Traffic::default());
    let endpoint = Some(server.url().to_owned());
    let mut overhead = TemplateOverhead::default();
    let mut cached = 0;
    for turns in [1, 3, 41] {
        // Connections of its own: this server closes those that were idle for 5 s, which a long prompt takes.
        let provider = provider(&server);
        let model =
            BrokerModel { provider: provider.clone(), endpoint: endpoint.clone(), max_tokens: Some(1), price: None };
        let messages = conversation(turns);
        let mut counted = 0;
        for message in &messages {
            counted += counter.count(&model, &TokenizerChoice::Auto, message.content()).await.count;
        }
        let number = u64::try_from(messages.len()).unwrap();
        let expected = counted + overhead.tokens(number);
        let got = run(&*provider, aish_llm::ChatRequest { messages, max_tokens: Some(1), ..ask("") }).await;
        let usage = usage(&got);
        if turns == 41 {
            let off = usage.prompt.abs_diff(expected);
            assert!(off * 100 <= usage.prompt, "counted {expected}, the server says {}", usage.prompt);
        }
        overhead.learn(number, counted, usage.prompt);
        cached = cached.max(usage.cached);
    }
    assert!(cached > 0, "a growing conversation hits the prompt cache");
}

#[tokio::test]
async fn a_strict_template_and_a_full_context_have_errors_of_their_own() {
    let Some(server) = server("a_strict_template_and_a_full_context_have_errors_of_their_own", Some(STRICT)) else {
        return;
    };
    let provider = provider(&server);
    let mut request = ask("list files");
    let call = ToolCall { id: "c1".into(), name: "files.list".into(), arguments: "{}".into() };
    request.messages.push(Message::Assistant { content: String::new(), tool_calls: vec![call], state: None });
    request.messages.push(Message::Tool {
        tool_call_id: "c1".into(),
        name: "files.list".into(),
        content: "a.txt".into(),
        blocks: Vec::new(),
    });
    let got = run(&*provider, request).await;
    assert!(matches!(got.error, Some(ChatError::TemplateRefused(_))), "{got:?}");
    let got = run(&*provider, ask(&"word ".repeat(6000))).await;
    assert!(matches!(got.error, Some(ChatError::ContextOverflow(_))), "{got:?}");
}
