//! A cap of $0.01 over a session that would spend $0.05, with fallbacks and summaries.

use std::collections::BTreeMap;
use std::sync::Arc;

use aish_llm::{BrokerModel, Chain, ChatError, Endpoint, ModelOptions, Price, RemoteProvider, TokenizerChoice};
use aish_testkit::model_server::{Expect, ModelServer, OpenAiStream, Script, Times};
use aish_types::{Message, Money};

use super::{asker, play, turn};
use crate::context_size::ContextSizes;
use crate::ledger::{Ledger, Limits};

/// Tokens of a reply at most, and what every scripted reply reports.
const REPLY: u32 = 100;

fn server(answer: &str, prompt: u64) -> ModelServer {
    let reply = OpenAiStream::new("m").role().words(answer).finish("stop").usage(prompt, REPLY.into(), 0).done();
    ModelServer::start(Script::new().times(Times::Any, Expect::chat(), reply.reply())).unwrap()
}

fn model(endpoint: &str, dollars: f64) -> BrokerModel {
    let options = ModelOptions { max_tokens: Some(REPLY), ..ModelOptions::new(endpoint) };
    let provider = Arc::new(RemoteProvider::chat(Endpoint::parse(endpoint).unwrap(), options));
    let price = Some(Price::from_dollars(dollars, dollars, None));
    BrokerModel { provider, endpoint: Some(endpoint.to_owned()), max_tokens: Some(REPLY), price }
}

#[tokio::test]
async fn a_cap_of_one_cent_holds_over_a_session_that_would_spend_five() {
    let (spare, small) = (server("Here it is.", 400), server("They talked.", 250));
    // The asked model is not there: every answer is the fallback's.
    let dead = aish_testkit::ports::unused().unwrap();
    let models = BTreeMap::from([
        ("main".to_owned(), model(&format!("http://127.0.0.1:{dead}"), 2.0)),
        ("spare".to_owned(), model(&spare.url(), 2.0)),
        ("small".to_owned(), model(&small.url(), 0.5)),
    ]);
    let fallback = vec!["spare".into()];
    let chain = Chain { default: "main".into(), fast: Some("small".into()), fallback, ..Chain::default() };
    let limits = Limits {
        cap_at: Some(Money::from_dollars(0.01)),
        warn_at: Some(Money::from_dollars(0.008)),
        ..Limits::default()
    };
    let mut asker = asker(models, chain, Ledger::new(limits, Money::ZERO), TokenizerChoice::Auto, false);
    // Two exchanges fit: the older ones are summarised.
    asker.sizes = ContextSizes::new(Some(400), BTreeMap::new());
    let mut turn = turn(400);
    let (mut answered, mut refused, mut warnings) = (0_u64, 0_u64, 0);
    for at in 0..60 {
        let question = format!("Question {at}: {}", "what is in this folder, and why? ".repeat(6));
        match play(&mut asker, &mut turn, &question).await {
            Ok(_) => answered += 1,
            Err(ChatError::SpendRefused(why)) => {
                assert!(why.contains("cap of $0.010000"), "{why}");
                refused += 1;
            }
            Err(other) => panic!("{other:?}"),
        }
        warnings += u32::from(asker.ledger.warning().is_some());
    }
    let summaries = small.finish().len() as u64;
    assert_eq!(spare.finish().len() as u64, answered);
    // A thousandth of a dollar for an answer, 175 millionths for a summary.
    let charged = Money::from_nanos(answered * 1_000_000 + summaries * 175_000);
    assert_eq!(asker.ledger.spent(), charged, "the books are what the servers charge");
    assert!(charged <= Money::from_dollars(0.01), "{charged} for {answered} answers and {summaries} summaries");
    // Not one more answer would have fitted.
    assert!(charged + Money::from_dollars(0.00125) > Money::from_dollars(0.01), "{charged}");
    assert!(summaries > 0 && answered > 4 && refused > 40, "{answered} {summaries} {refused}");
    assert_eq!(warnings, 1);
    assert!((answered + refused) * 1_000_000 > 50_000_000, "uncapped it would have been over five cents");
}

#[tokio::test]
async fn what_is_summarised_fits_the_model_that_summarises() {
    let (main, small) = (server("Here it is.", 400), server("They talked.", 250));
    let models =
        BTreeMap::from([("main".to_owned(), model(&main.url(), 2.0)), ("small".to_owned(), model(&small.url(), 0.5))]);
    let chain = Chain { default: "main".into(), fast: Some("small".into()), ..Chain::default() };
    let mut asker = asker(models, chain, Ledger::default(), TokenizerChoice::Auto, false);
    asker.sizes = ContextSizes::new(Some(400), BTreeMap::new());
    let mut turn = turn(400);
    // A session that another model had, with more room.
    let long = "what is in this folder? ".repeat(80);
    let question = |at: usize| Message::user(format!("Question {at}: {long}"));
    turn.transcript_mut().load((0..100).flat_map(|at| [question(at), Message::assistant("Nothing.")]));
    play(&mut asker, &mut turn, "And now?").await.unwrap();
    main.finish();
    let sent: Vec<String> = small.finish().iter().map(|sent| sent.text()).collect();
    assert_eq!(sent.len(), 1);
    assert!(sent[0].len() < 3 * 4096 + 1000, "{}", sent[0].len());
    assert!(sent[0].contains("Summarize") && sent[0].contains("Question 0:") && sent[0].contains("Question 99:"));
}
