//! What a model can do, as its own server tells: llama.cpp, vLLM, LM Studio, Ollama, OpenRouter, Groq, Mistral, Anthropic.
//!
//! Each server has names of its own for the same things; what it does not say stays unknown.

use serde_json::Value;

/// What a model can do, as far as its server tells.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Abilities {
    /// Tokens of a prompt and its answer together.
    pub context: Option<u64>,
    /// Tokens of an answer at most.
    pub output: Option<u64>,
    /// Whether it calls tools.
    pub tools: Option<bool>,
    /// Whether it sees images.
    pub images: Option<bool>,
    /// How it can think, in the server's words; none where the server does not say.
    pub thinking: Option<Vec<String>>,
    /// Whether it takes a temperature.
    pub sampling: Option<bool>,
    /// How many parameters it has.
    pub parameters: Option<u64>,
}

/// What lists of models call the size of a context: vLLM, OpenRouter, Groq, Mistral, Anthropic, LM Studio.
const CONTEXT_KEYS: [&str; 6] = [
    "max_model_len",
    "context_length",
    "context_window",
    "max_input_tokens",
    "loaded_context_length",
    "max_context_length",
];
/// What they call the longest answer.
const OUTPUT_KEYS: [&str; 4] =
    ["max_completion_tokens", "max_output_tokens", "max_tokens", "/top_provider/max_completion_tokens"];

impl Abilities {
    /// Reads the entry of a model in a server's list.
    pub(crate) fn listed(entry: &Value) -> Self {
        let words = |pointer: &str| -> Option<Vec<&str>> {
            Some(entry.pointer(pointer)?.as_array()?.iter().filter_map(Value::as_str).collect())
        };
        let has = |pointer: &str, word: &str| words(pointer).map(|words| words.contains(&word));
        let flag = |pointer: &str| entry.pointer(pointer).and_then(Value::as_bool);
        let supported = |name: &str| flag(&format!("/capabilities/{name}/supported"));
        let thinking = entry.pointer("/capabilities/thinking/types").and_then(Value::as_object).map(|types| {
            let is = |kind: &&String| flag(&format!("/capabilities/thinking/types/{kind}/supported")) == Some(true);
            types.keys().filter(is).cloned().collect()
        });
        let parameters = words("/supported_parameters");
        Self {
            context: CONTEXT_KEYS.iter().find_map(|key| positive(entry.get(*key)?)),
            output: OUTPUT_KEYS
                .iter()
                .find_map(|key| positive(if key.starts_with('/') { entry.pointer(key)? } else { entry.get(*key)? })),
            tools: flag("/capabilities/function_calling")
                .or_else(|| parameters.as_ref().map(|words| words.contains(&"tools")))
                .or_else(|| has("/capabilities", "tool_use")),
            images: flag("/capabilities/vision")
                .or_else(|| supported("image_input"))
                .or_else(|| has("/architecture/input_modalities", "image"))
                .or_else(|| entry.get("type").and_then(Value::as_str).and_then(lm_studio_sees)),
            thinking: thinking.or_else(|| {
                let reasons = parameters.as_ref()?.contains(&"reasoning");
                Some(if reasons { vec!["reasoning".to_owned()] } else { Vec::new() })
            }),
            sampling: parameters.as_ref().map(|words| words.contains(&"temperature")),
            parameters: entry.pointer("/meta/n_params").and_then(positive),
        }
    }

    /// Reads llama.cpp's `GET /props`.
    pub(crate) fn props(reply: &Value) -> Self {
        let size = reply.pointer("/default_generation_settings/n_ctx").or_else(|| reply.get("n_ctx"));
        let caps = |name: &str| reply.pointer(&format!("/chat_template_caps/{name}")).and_then(Value::as_bool);
        let tools = match (caps("supports_tools"), caps("supports_tool_calls")) {
            (None, None) => None,
            (offered, called) => Some(offered.unwrap_or(true) && called.unwrap_or(true)),
        };
        let images = reply.pointer("/modalities/vision").and_then(Value::as_bool);
        Self { context: size.and_then(positive), tools, images, ..Self::default() }
    }

    /// Reads Ollama's `POST /api/show`. Its context is what the model sets: the one that it was trained for is not the
    /// one that it is run with.
    pub(crate) fn shown(reply: &Value) -> Self {
        let words = reply.get("capabilities").and_then(Value::as_array);
        let has = |word: &str| words.map(|words| words.iter().any(|known| known.as_str() == Some(word)));
        let parameters = reply.get("parameters").and_then(Value::as_str).unwrap_or_default();
        let context =
            parameters.lines().find_map(|line| line.trim_start().strip_prefix("num_ctx")?.trim().parse().ok());
        let size = reply.pointer("/details/parameter_size").and_then(Value::as_str);
        Self {
            context: context.filter(|size| *size > 0),
            tools: has("tools"),
            images: has("vision"),
            thinking: has("thinking").map(|thinks| if thinks { vec!["thinking".to_owned()] } else { Vec::new() }),
            parameters: reply
                .pointer("/model_info/general.parameter_count")
                .and_then(positive)
                .or_else(|| size.and_then(parameter_count)),
            ..Self::default()
        }
    }

    /// Takes over what this does not say and another says.
    pub(crate) fn or(self, other: Self) -> Self {
        Self {
            context: self.context.or(other.context),
            output: self.output.or(other.output),
            tools: self.tools.or(other.tools),
            images: self.images.or(other.images),
            thinking: self.thinking.or(other.thinking),
            sampling: self.sampling.or(other.sampling),
            parameters: self.parameters.or(other.parameters),
        }
    }

    /// Says it in words for a person; empty where nothing is known.
    pub fn words(&self) -> String {
        let count = |what: &str, tokens: Option<u64>| tokens.map(|tokens| format!("{tokens} tokens of {what}"));
        let can =
            |what: &str, can: Option<bool>| can.map(|can| if can { what.to_owned() } else { format!("no {what}") });
        let thinking = self.thinking.as_ref().map(|kinds| {
            if kinds.is_empty() { "no thinking".to_owned() } else { format!("thinking ({})", kinds.join(", ")) }
        });
        let parts = [
            count("context", self.context),
            count("answer", self.output),
            can("tools", self.tools),
            can("images", self.images),
            thinking,
            can("temperature", self.sampling),
        ];
        parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
    }
}

fn positive(value: &Value) -> Option<u64> {
    value.as_u64().filter(|number| *number > 0)
}

fn lm_studio_sees(kind: &str) -> Option<bool> {
    match kind {
        "vlm" => Some(true),
        "llm" => Some(false),
        _ => None,
    }
}

/// Reads `494.03M` and `8B`.
fn parameter_count(text: &str) -> Option<u64> {
    let text = text.trim();
    let unit = match text.chars().next_back()? {
        'K' => 1_000,
        'M' => 1_000_000,
        'B' => 1_000_000_000,
        _ => return None,
    };
    let (whole, part) = text.get(..text.len() - 1)?.split_once('.').unwrap_or((text.get(..text.len() - 1)?, ""));
    let tenths: u64 = part.chars().chain("0".chars()).next()?.to_digit(10)?.into();
    whole.parse::<u64>().ok()?.checked_mul(unit)?.checked_add(tenths * (unit / 10))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn lists_tell_in_their_own_words() {
        let of = |entry: &Value| Abilities::listed(entry);
        let openrouter = json!({"id": "x", "context_length": 200_000, "architecture": {"input_modalities": ["text", "image"]},
            "supported_parameters": ["tools", "reasoning", "max_tokens"], "top_provider": {"max_completion_tokens": 64_000}});
        let read = of(&openrouter);
        assert_eq!((read.context, read.output), (Some(200_000), Some(64_000)));
        assert_eq!((read.tools, read.images, read.sampling), (Some(true), Some(true), Some(false)));
        assert_eq!(read.thinking, Some(vec!["reasoning".to_owned()]));
        let anthropic = json!({"id": "c", "max_input_tokens": 1_000_000, "max_tokens": 128_000, "capabilities": {
            "image_input": {"supported": true},
            "thinking": {"types": {"adaptive": {"supported": true}, "enabled": {"supported": false}}}}});
        let read = of(&anthropic);
        assert_eq!((read.context, read.output, read.images), (Some(1_000_000), Some(128_000), Some(true)));
        assert_eq!(read.thinking, Some(vec!["adaptive".to_owned()]));
        let mistral = json!({"id": "m", "max_context_length": 131_072, "capabilities": {"function_calling": false, "vision": true}});
        assert_eq!((of(&mistral).tools, of(&mistral).images), (Some(false), Some(true)));
        let studio = json!({"id": "q", "type": "llm", "capabilities": ["tool_use"], "max_context_length": 32_768,
            "loaded_context_length": 8192});
        assert_eq!((of(&studio).context, of(&studio).tools, of(&studio).images), (Some(8192), Some(true), Some(false)));
        let groq = json!({"id": "g", "context_window": 131_072, "max_completion_tokens": 32_768});
        assert_eq!((of(&groq).context, of(&groq).output, of(&groq).tools), (Some(131_072), Some(32_768), None));
        assert_eq!(of(&json!({"meta": {"n_params": 134_515_008}})).parameters, Some(134_515_008));
        assert_eq!(of(&json!("no")), Abilities::default());
    }

    #[test]
    fn llama_cpp_and_ollama_tell_on_pages_of_their_own() {
        let props = json!({"default_generation_settings": {"n_ctx": 4096}, "modalities": {"vision": false, "audio": false},
            "chat_template_caps": {"supports_tools": true, "supports_tool_calls": false}});
        let read = Abilities::props(&props);
        assert_eq!((read.context, read.tools, read.images), (Some(4096), Some(false), Some(false)));
        assert_eq!(Abilities::props(&json!({"n_ctx": 0})), Abilities::default());
        let shown = json!({"capabilities": ["completion", "vision"], "parameters": "stop \"x\"\nnum_ctx   32768",
            "details": {"parameter_size": "494.03M"}, "model_info": {"qwen2.context_length": 32_768}});
        let read = Abilities::shown(&shown);
        assert_eq!((read.context, read.tools, read.images), (Some(32_768), Some(false), Some(true)));
        assert_eq!((read.parameters, read.thinking), (Some(494_000_000), Some(Vec::new())));
        assert_eq!(Abilities::shown(&json!({})), Abilities::default());
    }

    #[test]
    fn sizes_are_read_as_they_are_written() {
        for (text, count) in [
            ("8B", Some(8_000_000_000)),
            ("1.5B", Some(1_500_000_000)),
            ("", None),
            ("x", None),
            ("B", None),
            ("é", None),
        ] {
            assert_eq!(parameter_count(text), count, "{text}");
        }
    }

    #[test]
    fn what_is_known_is_said() {
        let known = Abilities {
            context: Some(8),
            tools: Some(false),
            thinking: Some(vec!["on".into()]),
            ..Abilities::default()
        };
        assert_eq!(known.words(), "8 tokens of context, no tools, thinking (on)");
        assert_eq!(Abilities::default().words(), "");
    }
}
