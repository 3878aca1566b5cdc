//! Resources and prompts, free of the protocol's wire format.

use aish_types::{Block, Role};

/// A document that the server offers to be read.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Resource {
    /// The URI that it is read by.
    pub uri: String,
    /// Its name.
    pub name: String,
    /// A title for people.
    pub title: Option<String>,
    /// What it is.
    pub description: Option<String>,
    /// Its media type.
    pub media_type: Option<String>,
    /// Its size in bytes, where known.
    pub size: Option<u64>,
}

/// A pattern of addresses of documents that are not listed one by one.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ResourceTemplate {
    /// The pattern, as in RFC 6570.
    pub uri_template: String,
    /// Its name.
    pub name: String,
    /// A title for people.
    pub title: Option<String>,
    /// What the documents are.
    pub description: Option<String>,
    /// Their media type.
    pub media_type: Option<String>,
}

/// The content of a resource.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ResourceContent {
    /// Text.
    Text {
        /// The URI that was read.
        uri: String,
        /// Its media type.
        media_type: Option<String>,
        /// The contents as text.
        text: String,
    },
    /// Bytes.
    Binary {
        /// The URI that was read.
        uri: String,
        /// Its media type.
        media_type: Option<String>,
        /// Base64, standard alphabet with padding.
        data: String,
    },
}

/// A prompt that the server offers to be filled in.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Prompt {
    /// Its name.
    pub name: String,
    /// A title for people.
    pub title: Option<String>,
    /// What it is for.
    pub description: Option<String>,
    /// Its arguments.
    pub arguments: Vec<PromptArgument>,
}

/// An argument of a prompt.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PromptArgument {
    /// Its name.
    pub name: String,
    /// What it means.
    pub description: Option<String>,
    /// True when the prompt cannot be filled in without it.
    pub required: bool,
}

/// One message of a prompt. Only `Role::User` and `Role::Assistant` exist there; any other is sent as the user's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PromptMessage {
    /// Who speaks.
    pub role: Role,
    /// What is said.
    pub part: Part,
}

/// The content of a prompt's message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Part {
    /// Text.
    Text(String),
    /// An image, audio or a linked resource.
    Block(Block),
    /// A resource with its content.
    Resource(ResourceContent),
}

/// What is to be completed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Completion {
    /// The prompt's name, or the template's address.
    pub of: String,
    /// The argument's name.
    pub argument: String,
    /// What is typed so far.
    pub value: String,
}
