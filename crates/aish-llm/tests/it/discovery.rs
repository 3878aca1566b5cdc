use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use aish_llm::discovery::{Found, LocalServers, Origin, ProviderKind, from_environment};
use aish_llm::{Abilities, RemoteProvider};
use aish_testkit::model_server::{Expect, OpenAiStream, Reply, Script};
use serde_json::json;

use crate::harness::{LIMIT, ask, options, run, start};

fn environment(variables: &[(&str, &str)]) -> Option<Found> {
    let map: BTreeMap<String, String> =
        variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    from_environment(&map).unwrap()
}

fn check(variables: &[(&str, &str)], expected: Option<(ProviderKind, &str, Option<&str>)>) {
    let found = environment(variables);
    let shown = found.as_ref().map(|found| (found.kind, found.endpoint.as_str(), found.model.as_deref()));
    assert_eq!(shown, expected, "{variables:?}");
}

#[test]
fn the_environment_names_an_endpoint() {
    let (openai, anthropic) = (ProviderKind::OpenAi, ProviderKind::Anthropic);
    check(&[], None);
    check(&[("OPENAI_BASE_URL", " "), ("OPENAI_MODEL", "m")], None);
    check(&[("OPENAI_BASE_URL", "http://h:1/v1/")], Some((openai, "http://h:1", None)));
    check(&[("OPENAI_BASE_URL", "http://h:1"), ("OPENAI_MODEL", "m")], Some((openai, "http://h:1", Some("m"))));
    check(&[("OPENAI_API_KEY", "k")], Some((openai, "https://api.openai.com", Some("gpt-5-mini"))));
    check(&[("ANTHROPIC_API_KEY", "k")], Some((anthropic, "https://api.anthropic.com", Some("claude-haiku-4-5"))));
    check(
        &[("ANTHROPIC_API_KEY", "k"), ("ANTHROPIC_MODEL", "m")],
        Some((anthropic, "https://api.anthropic.com", Some("m"))),
    );
    check(&[("ANTHROPIC_API_KEY", "k"), ("OPENAI_BASE_URL", "http://h:1")], Some((openai, "http://h:1", None)));
    let map = BTreeMap::from([("OPENAI_BASE_URL".to_owned(), "localhost".to_owned())]);
    assert_eq!(from_environment(&map).unwrap_err().to_string(), "OPENAI_BASE_URL is no endpoint");
}

#[tokio::test]
async fn no_list_is_fetched_when_a_model_is_named() {
    let list = json!({"object": "list", "data": [{"id": "first"}, {"id": "second"}]});
    let server = start(
        Script::new()
            .step(Expect::request("GET", "/v1/models").header("authorization", "Bearer k"), Reply::json(200, &list)),
    );
    let found = environment(&[("OPENAI_BASE_URL", &server.url()), ("OPENAI_API_KEY", "k")]).unwrap();
    assert_eq!(found.first_model().await.as_deref(), Some("first"));
    server.finish();

    let server = start(OpenAiStream::answer("ok").reply());
    let url = format!("{}/v1", server.url());
    let found = environment(&[("OPENAI_BASE_URL", &url), ("OPENAI_MODEL", "m")]).unwrap();
    assert_eq!(found.first_model().await.as_deref(), Some("m"));
    let provider = RemoteProvider::new(found.kind.api(&found.endpoint, None), found.endpoint, options());
    assert_eq!(run(&provider, ask("hi")).await.text(), "ok");
    server.finish();
}

/// Local servers at these addresses; the others are nowhere.
fn servers(llama_cpp: &[&str], ollama: &str) -> LocalServers {
    LocalServers {
        llama_cpp: llama_cpp.iter().map(|server| (*server).to_owned()).collect(),
        ollama: ollama.to_owned(),
        lm_studio: "http://127.0.0.1:1".to_owned(),
        vllm: "http://127.0.0.1:1".to_owned(),
        wait: LIMIT,
    }
}

#[tokio::test]
async fn servers_at_every_port_are_found() {
    assert_eq!(LocalServers::default().llama_cpp, ["http://127.0.0.1:8080", "http://127.0.0.1:9931"]);
    let nowhere = "http://127.0.0.1:1";
    for (owner, origin) in
        [("llamacpp", Origin::LlamaCpp), ("organization_owner", Origin::LmStudio), ("vllm", Origin::Vllm)]
    {
        let meta = json!({"n_params": 134_515_008, "n_ctx_train": 2048});
        let list =
            json!({"data": [{"id": "text-embed", "owned_by": owner}, {"id": "m", "owned_by": owner, "meta": meta}]});
        let server = start(Script::new().always(Expect::request("GET", "/v1/models"), Reply::json(200, &list)));
        let mut local = servers(&[nowhere], nowhere);
        match origin {
            Origin::LmStudio => local.lm_studio = server.url(),
            Origin::Vllm => local.vllm = server.url(),
            _ => local.llama_cpp.push(server.url()),
        }
        let found = local.find().await.unwrap();
        assert_eq!((found.origin, found.model.as_deref()), (origin, Some("m")));
        assert_eq!(found.parameters, Some(134_515_008));
        assert_eq!(found.warning(&Abilities::default()), None);
        server.finish();
    }
}

#[tokio::test]
async fn ollamas_default_context_is_said() {
    for (parameters, warns) in [("stop \"<end>\"", true), ("num_ctx 32768", false)] {
        let tags = json!({"models": [{"name": "llama3.2"}]});
        let list = json!({"data": [{"id": "llama3.2", "owned_by": "library"}]});
        let shown =
            json!({"parameters": parameters, "capabilities": ["completion"], "details": {"parameter_size": "3.2B"}});
        let script = Script::new()
            .step(Expect::request("GET", "/api/tags"), Reply::json(200, &tags))
            .step(Expect::request("GET", "/props"), Reply::error(404, "not found"))
            .step(Expect::request("GET", "/v1/models"), Reply::json(200, &list))
            .step(Expect::request("POST", "/api/show").body(json!({"model": "llama3.2"})), Reply::json(200, &shown));
        let server = start(script);
        let found = servers(&[], &server.url()).find().await.unwrap();
        let abilities = found.abilities(LIMIT).await;
        assert_eq!((abilities.tools, abilities.parameters), (Some(false), Some(3_200_000_000)));
        assert_eq!(found.warning(&abilities).is_some(), warns);
        server.finish();
    }
}

#[tokio::test]
async fn a_local_server_is_known_by_its_answer() {
    let llama = || json!({"object": "list", "data": [{"id": "qwen.gguf", "object": "model", "owned_by": "llamacpp"}]});
    let ollama = || json!({"models": [{"name": "nomic-embed-text"}, {"name": "llama3.2:latest"}]});
    let stranger = || json!({"data": [{"id": "x", "owned_by": "someone"}]});
    for (at_llama, at_ollama, expected) in [
        (llama(), ollama(), Some((Origin::LlamaCpp, "qwen.gguf"))),
        (stranger(), ollama(), Some((Origin::Ollama, "llama3.2:latest"))),
        (stranger(), json!({"models": []}), None),
    ] {
        let one = start(Script::new().step(Expect::request("GET", "/v1/models"), Reply::json(200, &at_llama)));
        let two = start(Script::new().step(Expect::request("GET", "/api/tags"), Reply::json(200, &at_ollama)));
        let found = servers(&[&one.url()], &two.url()).find().await;
        let shown = found.as_ref().map(|found| (found.origin, found.model.as_deref().unwrap_or_default()));
        assert_eq!(shown, expected);
        one.finish();
        two.finish();
    }
}

#[tokio::test]
async fn silent_and_absent_servers_do_not_hold_anybody_up() {
    let one = start(Script::new().step(Expect::any(), Reply::silence()));
    let two = start(Script::new().step(Expect::any(), Reply::html(200, "<html></html>")));
    let local = LocalServers { wait: LocalServers::default().wait, ..servers(&[&one.url()], &two.url()) };
    let began = Instant::now();
    assert!(local.find().await.is_none());
    assert!(began.elapsed() < Duration::from_secs(30), "{:?}", began.elapsed());
    drop((one, two));
    assert!(local.find().await.is_none());
}
