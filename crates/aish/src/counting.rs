//! Token counts for the context's budget.

use aish_llm::{BrokerModel, Support, TokenCounter, TokenizerChoice, ToolSpec};

/// Counts tokens for the model that is asked.
#[derive(Clone)]
pub struct Counting {
    counter: TokenCounter,
    model: Option<BrokerModel>,
    choice: TokenizerChoice,
    /// The two sets of schemas that were counted last, with their tokenizer and tokens.
    schemas: std::sync::Arc<std::sync::Mutex<Vec<(String, String, u64)>>>,
}

impl Counting {
    /// Makes a counter for a model; without one it counts four bytes a token.
    pub fn new(counter: TokenCounter, model: Option<BrokerModel>, choice: TokenizerChoice) -> Self {
        Self { counter, model, choice, schemas: std::sync::Arc::default() }
    }

    /// Counts for another model from now on.
    pub fn set_model(&mut self, model: Option<BrokerModel>, choice: TokenizerChoice) {
        self.model = model;
        self.choice = choice;
    }

    /// Returns the id of the tokenizer that counts now.
    pub fn tokenizer(&self) -> String {
        match &self.model {
            Some(model) => self.counter.tokenizer(model, &self.choice).as_str().to_owned(),
            None => "chars".to_owned(),
        }
    }

    /// Counts the tokens of a text. Never fails; 0 for an empty text.
    pub async fn count(&self, text: &str) -> u64 {
        self.count_and_name(text).await.0
    }

    /// Counts the tokens of a text and names the tokenizer that did.
    pub async fn count_and_name(&self, text: &str) -> (u64, String) {
        match &self.model {
            Some(model) => {
                let counted = self.counter.count(model, &self.choice, text).await;
                (counted.count, counted.tokenizer.as_str().to_owned())
            }
            None => (text.len() as u64 / 4, "chars".to_owned()),
        }
    }

    /// Says whether the endpoint can count: `yes`, `no`, `not yet asked`, or that there is none.
    pub fn endpoint_counts(&self) -> &'static str {
        match self.model.as_ref().and_then(|model| model.endpoint.as_deref()) {
            None => "there is none",
            Some(endpoint) => match self.counter.supported(endpoint) {
                Support::Yes => "yes",
                Support::No => "no",
                Support::NotAsked => "not yet asked",
            },
        }
    }

    /// Counts the tokens of tool schemas, once for as long as they and the tokenizer stay the same.
    pub async fn count_schemas(&self, tools: &[ToolSpec]) -> u64 {
        if tools.is_empty() {
            return 0;
        }
        let lines: Vec<String> =
            tools.iter().map(|tool| format!("{}\n{}\n{}", tool.name, tool.description, tool.parameters)).collect();
        let text = lines.join("\n");
        let tokenizer = self.tokenizer();
        let schemas = || self.schemas.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let known = schemas().iter().find(|(by, of, _)| *by == tokenizer && *of == text).map(|(_, _, tokens)| *tokens);
        if let Some(tokens) = known {
            return tokens;
        }
        let tokens = self.count(&text).await;
        let mut known = schemas();
        // All tools, and the two that may stand for them.
        known.truncate(1);
        known.insert(0, (tokenizer, text, tokens));
        tokens
    }
}

/// Reads `models.NAME.tokenizer`.
pub fn choice(text: &str) -> TokenizerChoice {
    match text {
        "auto" => TokenizerChoice::Auto,
        "endpoint" => TokenizerChoice::Endpoint,
        "o200k" => TokenizerChoice::O200k,
        "cl100k" => TokenizerChoice::Cl100k,
        "chars" => TokenizerChoice::Chars,
        file => TokenizerChoice::File(file.into()),
    }
}
