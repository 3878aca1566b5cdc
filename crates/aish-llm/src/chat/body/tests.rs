//! Each vendor's own words, by its host.

use serde_json::{Value, json};

use super::body;
use crate::endpoint::Endpoint;
use crate::names::{NameRule, WireNames};
use crate::options::{ModelOptions, Thinking};
use crate::quirks::Quirks;
use crate::request::{ChatRequest, Purpose};
use crate::wire::Asked;

/// Writes a request to an address; returns what of it is about thinking.
fn written(address: &str, thinking: Option<Thinking>, effort: Option<&str>) -> Value {
    let options = ModelOptions { thinking, effort: effort.map(Into::into), ..ModelOptions::new("m") };
    let request = ChatRequest::new(Vec::new(), Purpose::Main);
    let names = WireNames::new(NameRule::Strict, &request);
    let endpoint = Endpoint::parse(address).unwrap();
    let asked = Asked {
        options: &options,
        quirks: Quirks::default(),
        names: &names,
        request: &request,
        endpoint: &endpoint,
        most_tokens: None,
    };
    let mut sent: Value = serde_json::from_slice(&body(&asked).unwrap()).unwrap();
    let fields = sent.as_object_mut().unwrap();
    for key in ["model", "stream", "stream_options", "messages"] {
        fields.remove(key);
    }
    sent
}

#[test]
fn nothing_is_said_of_thinking_where_nothing_is_configured() {
    for address in
        ["https://api.deepseek.com", "https://api.z.ai", "https://openrouter.ai/api", "http://127.0.0.1:8080"]
    {
        assert_eq!(written(address, None, None), json!({}), "{address}");
    }
}

#[test]
fn each_vendor_is_told_in_its_own_words() {
    let (on, off, budget) = (Some(Thinking::On), Some(Thinking::Off), Some(Thinking::Budget(2000)));
    for (address, thinking, expected) in [
        ("https://api.deepseek.com", off, json!({"thinking": {"type": "disabled"}})),
        ("https://api.moonshot.ai", on, json!({"thinking": {"type": "enabled"}})),
        ("https://api.z.ai/api/paas/v4", on, json!({"thinking": {"type": "enabled", "clear_thinking": false}})),
        ("https://open.bigmodel.cn/api/paas/v4", off, json!({"thinking": {"type": "disabled"}})),
        ("https://openrouter.ai/api", on, json!({"reasoning": {"enabled": true}})),
        ("https://openrouter.ai/api", budget, json!({"reasoning": {"max_tokens": 2000}})),
        ("https://api.groq.com/openai", off, json!({"reasoning_effort": "none"})),
        ("https://api.mistral.ai", off, json!({"reasoning_effort": "none"})),
        ("https://api.minimax.io", on, json!({})),
        ("https://generativelanguage.googleapis.com/v1beta/openai", on, json!({})),
        ("http://127.0.0.1:8080", off, json!({"chat_template_kwargs": {"enable_thinking": false}})),
        // A host whose name only ends alike is a stranger's.
        ("https://notdeepseek.com", on, json!({"chat_template_kwargs": {"enable_thinking": true}})),
    ] {
        assert_eq!(written(address, thinking, None), expected, "{address}");
    }
    for address in
        ["https://api.x.ai", "https://generativelanguage.googleapis.com/v1beta/openai", "http://127.0.0.1:11434"]
    {
        assert_eq!(written(address, None, Some("low")), json!({"reasoning_effort": "low"}), "{address}");
    }
}
