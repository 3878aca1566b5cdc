//! The budget of a conversation with a real llama.cpp server.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use aish_llm::{BrokerModel, Chain, Endpoint, ModelOptions, RemoteProvider, TokenizerChoice};
use aish_testkit::llama_server::LlamaServer;
use aish_turn::Turn;
use aish_types::Message;

use super::{Asker, play, turn};
use crate::ledger::Ledger;

/// Tokens of a reply.
const REPLY: u32 = 4;

fn asker(server: &LlamaServer, tokenizer: TokenizerChoice, tools: bool) -> Asker {
    let minute = Duration::from_secs(60);
    let options = ModelOptions { max_tokens: Some(REPLY), tokenize_timeout: minute, ..ModelOptions::new("smollm2") };
    let provider = Arc::new(RemoteProvider::chat(Endpoint::parse(server.url()).unwrap(), options));
    let model = BrokerModel { provider, endpoint: Some(server.url().to_owned()), max_tokens: Some(REPLY), price: None };
    let chain = Chain { default: "m".into(), ..Chain::default() };
    super::asker(BTreeMap::from([("m".to_owned(), model)]), chain, Ledger::default(), tokenizer, tools)
}

fn question(at: usize) -> String {
    format!("Which of my log files grew most since yesterday, größer als {at} kB, and why?")
}

/// Adds exchanges as a session that goes on has them.
fn load(turn: &mut Turn, exchanges: std::ops::Range<usize>) {
    let messages = exchanges.flat_map(|at| [Message::user(question(at)), Message::assistant(question(at + 100))]);
    turn.transcript_mut().load(messages);
}

#[tokio::test]
async fn our_count_of_40_turns_is_the_servers_and_its_context_is_the_budget() {
    let test = "our_count_of_40_turns_is_the_servers_and_its_context_is_the_budget";
    let Some(server) = LlamaServer::start("aish", test, 6144, None) else { return };
    let file = TokenizerChoice::File(std::env::var_os("AISH_TEST_GGUF").unwrap().into());
    for (tokenizer, tools) in [(TokenizerChoice::Endpoint, false), (file, true)] {
        let (mut asker, mut turn) = (asker(&server, tokenizer.clone(), tools), turn(4096));
        // Two requests are the lesson.
        for at in 0..2 {
            play(&mut asker, &mut turn, &question(at)).await.unwrap();
        }
        load(&mut turn, 2..19);
        let (estimate, usage) = play(&mut asker, &mut turn, &question(20)).await.unwrap();
        assert_eq!(turn.transcript().entries().len(), 40);
        let off = estimate.abs_diff(usage.prompt);
        assert!(off * 100 <= usage.prompt, "{tokenizer:?}: {estimate} counted, {} reported", usage.prompt);
        assert!(!usage.estimated && usage.cached > 0, "the prefix is in the server's cache: {usage:?}");
        assert_eq!(turn.budget().token_budget, 4096, "nobody asks for the size of a context that is far from full");
        let budget = asker.sizes.learn("m", &asker.broker, 3000).await;
        assert_eq!(budget, 6144 - u64::from(REPLY), "the server says how long its context is");
    }
}

#[tokio::test]
async fn without_a_tokenizer_the_count_is_scaled_to_what_the_server_reports() {
    let test = "without_a_tokenizer_the_count_is_scaled_to_what_the_server_reports";
    let Some(server) = LlamaServer::start("aish", test, 4096, None) else { return };
    let (mut asker, mut turn) = (asker(&server, TokenizerChoice::Auto, false), turn(4096));
    load(&mut turn, 0..20);
    play(&mut asker, &mut turn, &question(20)).await.unwrap();
    let counted: u64 = turn
        .transcript()
        .render(aish_turn::ToolResults::Messages)
        .iter()
        .map(|message| message.content().len() as u64 / 4)
        .sum();
    let (estimate, usage) = play(&mut asker, &mut turn, &question(21)).await.unwrap();
    assert!(counted * 100 < usage.prompt * 90, "bytes / 4 are too few for this text: {counted} of {}", usage.prompt);
    let off = estimate.abs_diff(usage.prompt);
    assert!(off * 100 <= usage.prompt * 10, "{estimate} estimated, {} reported", usage.prompt);
    assert_eq!(asker.counting.count("hello world").await, 2, "token_count itself stays bytes / 4");
}
