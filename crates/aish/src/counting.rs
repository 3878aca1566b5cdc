//! Token counts for the context's budget.

use aish_llm::ToolSpec;

/// Counts tokens for the model that is asked.
#[derive(Debug, Clone, Default)]
pub struct Counting {}

impl Counting {
    /// Returns the id of the tokenizer that counts now.
    pub fn tokenizer(&self) -> &str {
        "chars"
    }

    /// Counts the tokens of a text. Never fails; 0 for an empty text.
    pub async fn count(&self, text: &str) -> u64 {
        text.len() as u64 / 4
    }

    /// Says whether the endpoint can count: `yes`, `no`, `not yet asked`.
    pub fn endpoint_counts(&self) -> &'static str {
        "not yet asked"
    }

    /// Counts the tokens of tool schemas.
    pub async fn count_schemas(&self, tools: &[ToolSpec]) -> u64 {
        let mut total = 0;
        for tool in tools {
            let text = format!("{}\n{}\n{}", tool.name, tool.description, tool.parameters);
            total += self.count(&text).await;
        }
        total
    }
}
