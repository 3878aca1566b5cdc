//! What leaves for a model: the last request, and the hosts of which the person was told before the first one.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use aish_journal::{hold, replace};
use aish_llm::{Broker, ChatRequest, Endpoint};
use aish_types::{Block, Message, ToolCall};

/// The request that was sent last.
#[derive(Debug, Clone)]
pub struct Sent {
    /// The model, as its server calls it.
    pub model: String,
    /// Where it is; none for one that runs on this machine.
    pub endpoint: Option<String>,
    /// The request.
    pub request: ChatRequest,
}

impl Sent {
    /// Writes the request whole, as text for a person.
    pub fn text(&self) -> String {
        let place = self.endpoint.as_deref().unwrap_or("this machine");
        let mut text = format!("to {} at {place}\n", self.model);
        for message in &self.request.messages {
            text.push_str(&said(message));
        }
        for tool in &self.request.tools {
            text.push_str(&format!("--- tool {}\n{}\n{}\n", tool.name, tool.description, tool.parameters));
        }
        if let Some(schema) = &self.request.schema {
            text.push_str(&format!("--- the answer fits\n{schema}\n"));
        }
        text
    }
}

/// Writes one message.
fn said(message: &Message) -> String {
    let (who, content, blocks): (String, &str, &[Block]) = match message {
        Message::System { content } => ("system".to_owned(), content, &[]),
        Message::User { content, blocks } => ("user".to_owned(), content, blocks),
        Message::Assistant { content, .. } => ("assistant".to_owned(), content, &[]),
        Message::Tool { name, content, blocks, .. } => (format!("result of {name}"), content, blocks),
    };
    let mut text = format!("--- {who}\n");
    if !content.is_empty() {
        text.push_str(content.trim_end_matches('\n'));
        text.push('\n');
    }
    for block in blocks {
        text.push_str(&match block {
            Block::Image { media_type, data } => format!("(an image, {media_type}, {} bytes of base64)\n", data.len()),
            Block::Audio { media_type, data } => format!("(audio, {media_type}, {} bytes of base64)\n", data.len()),
            Block::Resource { uri, data, .. } => {
                format!("(a resource, {uri}, {} bytes of base64)\n", data.as_ref().map_or(0, String::len))
            }
        });
    }
    if let Message::Assistant { tool_calls, state, .. } = message {
        for ToolCall { name, arguments, .. } in tool_calls {
            text.push_str(&format!("calls {name} {arguments}\n"));
        }
        if let Some(state) = state {
            text.push_str(&format!("(what its server wants to see again: {} bytes)\n", state.data.to_string().len()));
        }
    }
    text
}

/// The hosts outside this machine of which the person was told, kept in a file.
#[derive(Debug)]
pub struct ToldHosts {
    /// None where nothing is kept: then each session tells.
    path: Option<PathBuf>,
    /// Read at the first need.
    known: Mutex<Option<BTreeSet<String>>>,
}

impl ToldHosts {
    /// Makes the list over a file of the state, which need not be there.
    pub fn at(path: Option<PathBuf>) -> Self {
        Self { path, known: Mutex::new(None) }
    }

    fn kept(&self) -> BTreeSet<String> {
        let text = self.path.as_ref().and_then(|path| std::fs::read_to_string(path).ok());
        text.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default()
    }

    /// Returns what is to be said before a request to a model and those that take its place; none where all of it stays on
    /// this machine or was said before.
    pub fn before(&self, broker: &Broker, model: &str) -> Option<String> {
        let chain = broker.chain();
        let ruled = chain.rules.iter().map(|rule| rule.model.as_str());
        let also = chain.fallback.iter().map(String::as_str).chain(chain.fast.as_deref()).chain(ruled);
        let names = std::iter::once(model).chain(also).collect::<BTreeSet<&str>>();
        let hosts: BTreeSet<String> =
            names.into_iter().filter_map(|name| broker.model(name)?.endpoint.as_deref()).filter_map(outside).collect();
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let known = known.get_or_insert_with(|| self.kept());
        let new: Vec<String> = hosts.into_iter().filter(|host| known.insert(host.clone())).collect();
        if new.is_empty() {
            return None;
        }
        if let Some(path) = &self.path {
            let _held = hold(path);
            // Other sessions have told of hosts meanwhile.
            known.append(&mut self.kept());
            // What cannot be kept is said again.
            let _ = serde_json::to_vec(known).map(|text| replace(path, &text));
        }
        Some(format!(
            "this goes to {}, outside this machine: what you ask and attach, the folder and branch, the commands that you ran \
             since and what they showed (shell.output_to_model), memories that fit, what tools return, and before it \
             what was said in this session; known secrets are taken out. In the shell :sent shows the last request whole",
            new.join(" and ")
        ))
    }
}

/// Returns the host of an endpoint that is not on this machine.
fn outside(endpoint: &str) -> Option<String> {
    let endpoint = Endpoint::parse(endpoint).ok()?;
    (!endpoint.is_loopback()).then(|| endpoint.host())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use aish_llm::{BrokerModel, Chain, ModelOptions, RemoteProvider};
    use aish_types::ToolName;

    use super::*;

    fn broker(endpoints: &[(&str, &str)], fallback: &[&str]) -> Broker {
        let model = |endpoint: &str| {
            let parsed = Endpoint::parse(endpoint).unwrap();
            let provider = RemoteProvider::new(aish_llm::Api::Chat, parsed, ModelOptions::new("m"));
            BrokerModel {
                provider: std::sync::Arc::new(provider),
                endpoint: Some(endpoint.to_owned()),
                max_tokens: None,
                price: None,
            }
        };
        let models: BTreeMap<_, _> = endpoints.iter().map(|(name, at)| ((*name).to_owned(), model(at))).collect();
        let fallback = fallback.iter().map(|name| (*name).to_owned()).collect();
        Broker::new(models, Chain { default: endpoints[0].0.to_owned(), fallback, ..Chain::default() })
    }

    #[test]
    fn each_host_outside_is_told_once_and_those_of_this_machine_never() {
        let folder = tempfile::tempdir().unwrap();
        let path = Some(folder.path().join("told-hosts.json"));
        let own =
            broker(&[("a", "http://127.0.0.1:8080"), ("b", "http://localhost:1"), ("c", "http://[::1]:1")], &["b"]);
        let told = ToldHosts::at(path.clone());
        for name in ["a", "b", "c", "none"] {
            assert_eq!(told.before(&own, name), None, "{name}");
        }
        let far = broker(&[("a", "https://api.one.example/v1"), ("b", "https://two.example")], &["b"]);
        let line = told.before(&far, "a").unwrap();
        assert!(line.starts_with("this goes to api.one.example and two.example,"), "{line}");
        assert_eq!(told.before(&far, "a"), None);
        // Another start knows it, and a file of garbage tells again.
        assert_eq!(ToldHosts::at(path.clone()).before(&far, "b"), None);
        std::fs::write(path.as_ref().unwrap(), "no json").unwrap();
        assert!(ToldHosts::at(path).before(&far, "b").is_some());
        assert!(ToldHosts::at(None).before(&far, "a").is_some());
    }

    #[test]
    fn a_request_is_shown_whole() {
        let call = ToolCall { id: "c1".into(), name: ToolName::new("shell"), arguments: r#"{"command":"ls"}"#.into() };
        let image = Block::Image { media_type: "image/png".into(), data: "aGk=".into() };
        let request = ChatRequest {
            tools: vec![aish_llm::ToolSpec {
                name: ToolName::new("shell"),
                description: "Run it.".into(),
                parameters: serde_json::json!({"type": "object"}),
            }],
            ..ChatRequest::new(
                vec![
                    Message::system("You are aish.\n"),
                    Message::User { content: "look".into(), blocks: vec![image] },
                    Message::Assistant { content: String::new(), tool_calls: vec![call], state: None },
                    Message::Tool {
                        tool_call_id: "c1".into(),
                        name: ToolName::new("shell"),
                        content: "a\nb\n".into(),
                        blocks: Vec::new(),
                    },
                ],
                aish_llm::Purpose::Main,
            )
        };
        let sent = Sent { model: "m".into(), endpoint: Some("https://one.example".into()), request };
        insta::assert_snapshot!(sent.text(), @r#"
        to m at https://one.example
        --- system
        You are aish.
        --- user
        look
        (an image, image/png, 4 bytes of base64)
        --- assistant
        calls shell {"command":"ls"}
        --- result of shell
        a
        b
        --- tool shell
        Run it.
        {"type":"object"}
        "#);
    }
}
