//! In a session servers are asked beside a request what their models can do; a single request asks for nothing more.

use std::collections::BTreeMap;
use std::sync::Arc;

use aish_llm::{BrokerModel, Chain, Endpoint, ModelOptions, RemoteProvider, TokenizerChoice};
use aish_testkit::model_server::{Expect, ModelServer, OpenAiStream, Reply, Script, Times};
use aish_types::Money;
use serde_json::json;

use super::{asker, play, turn};
use crate::ledger::{Ledger, Limits};

#[tokio::test]
async fn a_session_learns_the_context_of_its_model_beside_the_first_request() {
    for goes_on in [false, true] {
        let reply = OpenAiStream::new("m").role().words("Here it is.").finish("stop").usage(40, 4, 0).done();
        let list = json!({"data": [{"id": "m", "max_model_len": 9000}]});
        let script = Script::new().times(Times::Any, Expect::chat(), reply.reply()).times(
            Times::Any,
            Expect::request("GET", "/v1/models"),
            Reply::json(200, &list),
        );
        let server = ModelServer::start(script).unwrap();
        let provider = RemoteProvider::chat(Endpoint::parse(&server.url()).unwrap(), ModelOptions::new("m"));
        let model = BrokerModel { provider: Arc::new(provider), endpoint: None, max_tokens: None, price: None };
        let chain = Chain { default: "m".into(), ..Chain::default() };
        let ledger = Ledger::new(Limits::default(), Money::ZERO);
        let mut asker = asker(BTreeMap::from([("m".to_owned(), model)]), chain, ledger, TokenizerChoice::Auto, false);
        asker.asks_beside = goes_on;
        let mut turn = turn(4096);
        play(&mut asker, &mut turn, "what is here?").await.unwrap();
        let provider = Arc::clone(&asker.broker.model("m").unwrap().provider);
        while goes_on && provider.known_abilities().is_none() {
            tokio::task::yield_now().await;
        }
        play(&mut asker, &mut turn, "and there?").await.unwrap();
        assert_eq!(turn.budget().token_budget, if goes_on { 9000 - 1024 } else { 4096 });
        assert_eq!(server.asides().len(), usize::from(goes_on), "llama.cpp's page, which is not there");
    }
}
