//! Which model to ask when nothing is configured: the environment, then a local server that answers.
//!
//! The environment comes in as a map. No list of models is fetched when one is named. A local server is asked only for
//! what tells llama.cpp and Ollama from anything else on their ports: a conversation must not go to a stranger.

use std::collections::BTreeMap;
use std::time::Duration;

use aish_types::Secret;
use serde::Deserialize;
use tokio::time::timeout;

use crate::abilities::Abilities;
use crate::api::Api;
use crate::endpoint::{Endpoint, EndpointError};
use crate::http::{HttpClient, json_of};
use crate::options::ModelOptions;
use crate::provider::Provider as _;
use crate::remote::RemoteProvider;

/// The model of OpenAI that is asked when only a key is there.
const OPENAI_MODEL: &str = "gpt-5-mini";
/// The model of Anthropic that is asked when only a key is there.
const ANTHROPIC_MODEL: &str = "claude-haiku-4-5";
/// How long a local server may take to answer, where nothing else is said.
const LOCAL_WAIT: Duration = Duration::from_millis(300);
/// How long a list of models may take.
const LIST_WAIT: Duration = Duration::from_secs(2);

/// Which wire format a server speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProviderKind {
    /// OpenAI's chat completions.
    OpenAi,
    /// Anthropic's messages.
    Anthropic,
}

impl ProviderKind {
    /// Returns the wire that such a server is spoken to over.
    pub fn api(self, endpoint: &Endpoint, key: Option<&Secret>) -> Api {
        match self {
            Self::OpenAi => Api::of(endpoint, key),
            Self::Anthropic => Api::Messages,
        }
    }
}

/// Where a found model was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// Variables of the environment.
    Environment,
    /// A llama.cpp server on this machine.
    LlamaCpp,
    /// LM Studio on this machine.
    LmStudio,
    /// vLLM on this machine.
    Vllm,
    /// Ollama on this machine.
    Ollama,
}

/// A server that was found.
#[derive(Debug, Clone)]
pub struct Found {
    /// The wire format.
    pub kind: ProviderKind,
    /// Where its API begins.
    pub endpoint: Endpoint,
    /// The model, where it is known already; else [`Found::first_model`] asks.
    pub model: Option<String>,
    /// The key, where there is one.
    pub key: Option<Secret>,
    /// The variable that the key comes from.
    pub key_variable: Option<&'static str>,
    /// Where it was found.
    pub origin: Origin,
    /// How many parameters the model has, where the server's list says it.
    pub parameters: Option<u64>,
}

/// Why the environment's endpoint cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{variable} is no endpoint")]
pub struct EnvironmentError {
    /// The environment variable that was read.
    pub variable: &'static str,
    /// What is wrong with it.
    #[source]
    pub cause: EndpointError,
}

/// Reads the environment: `OPENAI_BASE_URL`, `OPENAI_API_KEY`, `OPENAI_MODEL`, then the same three of Anthropic.
///
/// An address or a key is enough; an empty variable counts as unset.
pub fn from_environment(variables: &BTreeMap<String, String>) -> Result<Option<Found>, EnvironmentError> {
    let families = [
        (
            ProviderKind::OpenAi,
            ["OPENAI_BASE_URL", "OPENAI_API_KEY", "OPENAI_MODEL"],
            ("https://api.openai.com", OPENAI_MODEL),
        ),
        (
            ProviderKind::Anthropic,
            ["ANTHROPIC_BASE_URL", "ANTHROPIC_API_KEY", "ANTHROPIC_MODEL"],
            ("https://api.anthropic.com", ANTHROPIC_MODEL),
        ),
    ];
    let value = |name: &str| variables.get(name).map(|text| text.trim()).filter(|text| !text.is_empty());
    for (kind, [url_variable, key_variable, model_variable], (home, home_model)) in families {
        let (url, key) = (value(url_variable), value(key_variable));
        if url.is_none() && key.is_none() {
            continue;
        }
        let endpoint =
            Endpoint::parse(url.unwrap_or(home)).map_err(|cause| EnvironmentError { variable: url_variable, cause })?;
        let at_home = endpoint.as_str() == home;
        let model = value(model_variable).or(at_home.then_some(home_model)).map(str::to_owned);
        let key = key.map(|key| Secret::new(key.to_owned()));
        let key_variable = key.is_some().then_some(key_variable);
        let origin = Origin::Environment;
        return Ok(Some(Found { kind, endpoint, model, key, key_variable, origin, parameters: None }));
    }
    Ok(None)
}

/// Where local servers are looked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LocalServers {
    /// llama.cpp's server, at its old port and its new one.
    pub llama_cpp: Vec<String>,
    /// LM Studio; `http://127.0.0.1:1234` unless said otherwise.
    pub lm_studio: String,
    /// vLLM; `http://127.0.0.1:8000` unless said otherwise.
    pub vllm: String,
    /// Ollama; `http://127.0.0.1:11434` unless said otherwise.
    pub ollama: String,
    /// How long each may take to answer; 0.3 s unless said otherwise.
    pub wait: Duration,
}

impl Default for LocalServers {
    fn default() -> Self {
        Self {
            llama_cpp: ["http://127.0.0.1:8080", "http://127.0.0.1:9931"].map(str::to_owned).to_vec(),
            lm_studio: "http://127.0.0.1:1234".into(),
            vllm: "http://127.0.0.1:8000".into(),
            ollama: "http://127.0.0.1:11434".into(),
            wait: LOCAL_WAIT,
        }
    }
}

impl LocalServers {
    /// Asks all servers at once, each for as long as it may take; llama.cpp wins, then LM Studio, vLLM and Ollama.
    pub async fn find(&self) -> Option<Found> {
        let find = |server, owner, origin| find_owned(server, owner, origin, self.wait);
        let llama_cpp = self.llama_cpp.iter().map(|server| find(server, "llamacpp", Origin::LlamaCpp));
        let (llama_cpp, lm_studio, vllm, ollama) = tokio::join!(
            futures_util::future::join_all(llama_cpp),
            find(&self.lm_studio, "organization_owner", Origin::LmStudio),
            find(&self.vllm, "vllm", Origin::Vllm),
            self.find_ollama(),
        );
        llama_cpp.into_iter().flatten().next().or(lm_studio).or(vllm).or(ollama)
    }

    async fn find_ollama(&self) -> Option<Found> {
        let endpoint = Endpoint::parse(&self.ollama).ok()?;
        let list: OllamaList = get_json(&endpoint, "/api/tags", None, self.wait).await?;
        // Embedding models answer no question.
        let first = list.models.into_iter().find(|model| !model.name.contains("embed"))?;
        Some(Found {
            kind: ProviderKind::OpenAi,
            endpoint,
            model: Some(first.name),
            key: None,
            key_variable: None,
            origin: Origin::Ollama,
            parameters: None,
        })
    }
}

/// Asks a server whose list says in its own way whose it is.
async fn find_owned(server: &str, owner: &str, origin: Origin, wait: Duration) -> Option<Found> {
    let endpoint = Endpoint::parse(server).ok()?;
    let list: ModelList = get_json(&endpoint, "/v1/models", None, wait).await?;
    // Embedding models answer no question.
    let ours = |model: &ListedModel| model.owned_by == owner && !model.id.contains("embed");
    let first = list.data.into_iter().find(ours)?;
    let parameters = first.meta.and_then(|meta| meta.n_params);
    let (kind, model) = (ProviderKind::OpenAi, Some(first.id));
    Some(Found { kind, endpoint, model, key: None, key_variable: None, origin, parameters })
}

impl Found {
    /// Asks a local server what its model can do; what it does not say within this time stays unknown.
    pub async fn abilities(&self, within: Duration) -> Abilities {
        let model = self.model.clone().unwrap_or_default();
        let provider = RemoteProvider::chat(self.endpoint.clone(), ModelOptions::new(model));
        let said = timeout(within, provider.abilities()).await.ok().flatten().unwrap_or_default();
        said.or(Abilities { parameters: self.parameters, ..Abilities::default() })
    }

    /// Says what of the server's own settings cuts a conversation, where it does: Ollama reads no more than its default
    /// context unless the model says another.
    pub fn warning(&self, abilities: &Abilities) -> Option<String> {
        let is_set = abilities.context.is_some();
        let model = self.model.as_deref().filter(|_| self.origin == Origin::Ollama && !is_set)?;
        Some(format!(
            "Ollama cuts conversations with {model} at its default context; start it with OLLAMA_CONTEXT_LENGTH, or \
             set num_ctx in a Modelfile"
        ))
    }

    /// Returns the named model, else asks the server for its list and takes the first; none when it does not say.
    pub async fn first_model(&self) -> Option<String> {
        if let Some(model) = &self.model {
            return Some(model.clone());
        }
        let key = self.key.as_ref().map(|key| (self.kind, key));
        let list: ModelList = get_json(&self.endpoint, "/v1/models", key, LIST_WAIT).await?;
        list.data.into_iter().map(|model| model.id).find(|id| !id.is_empty())
    }
}

#[derive(Deserialize)]
struct ModelList {
    data: Vec<ListedModel>,
}

#[derive(Deserialize)]
struct ListedModel {
    id: String,
    #[serde(default)]
    owned_by: String,
    meta: Option<ListedMeta>,
}

/// What llama.cpp says of its model.
#[derive(Deserialize)]
struct ListedMeta {
    n_params: Option<u64>,
}

#[derive(Deserialize)]
struct OllamaList {
    models: Vec<OllamaModel>,
}

#[derive(Deserialize)]
struct OllamaModel {
    name: String,
}

async fn get_json<T: for<'de> Deserialize<'de>>(
    endpoint: &Endpoint,
    path: &str,
    key: Option<(ProviderKind, &Secret)>,
    wait: Duration,
) -> Option<T> {
    let asking = async {
        let http = HttpClient::new(endpoint.clone(), &ModelOptions { connect_timeout: wait, ..ModelOptions::new("") });
        let mut headers = reqwest::header::HeaderMap::new();
        match key {
            Some((ProviderKind::OpenAi, key)) => Api::Chat.wire().headers(Some(key), &mut headers).ok()?,
            Some((ProviderKind::Anthropic, key)) => Api::Messages.wire().headers(Some(key), &mut headers).ok()?,
            None => {}
        }
        let response = http.send(http.get(path).ok()?.headers(headers)).await.ok()?;
        json_of(response).await
    };
    timeout(wait, asking).await.ok().flatten()
}
