//! The bus and the chat service.

use std::collections::BTreeMap;

use super::super::key::{COUNT, Kind, Overlay};

section! {
    /// `[nats]`.
    Nats in "nats" {
        /// The URL of the NATS server; plugins and the chat service need it.
        url: Option<String> = None, Kind::Text, Overlay::Never;
        /// The file with its credentials.
        creds: Option<String> = None, Kind::Text, Overlay::Never;
        /// The first word of every subject.
        prefix: String = "rosey".to_owned(), Kind::Text, Overlay::Never;
        /// Tools of plugins that do not register, by `plugin.action`.
        legacy: BTreeMap<String, LegacyPlugin> = BTreeMap::new();
    }
}

section! {
    /// `[nats.legacy."PLUGIN.ACTION"]`: a tool of a plugin that answers commands and does not register.
    LegacyPlugin in "nats.legacy.*" {
        /// What the tool does, for the model.
        description: String = String::new(), Kind::Text, Overlay::Never;
        /// Its arguments, all of them texts, with what they mean.
        arguments: BTreeMap<String, String> = BTreeMap::new(), Kind::TextMap, Overlay::Never;
        /// The argument that is sent alone, as a person would type it; without it all are sent.
        args_from: Option<String> = None, Kind::Text, Overlay::Never;
    }
}

section! {
    /// `[service]`.
    Service in "service" {
        /// The tools that the service may run.
        allow: Vec<String> = Vec::new(), Kind::Texts, Overlay::Never;
        /// The most requests of a user in a minute.
        per_minute: u64 = 10, COUNT, Overlay::Lower;
        /// The most requests of a user in an hour.
        per_hour: u64 = 100, COUNT, Overlay::Lower;
        /// The most requests of a user in a day.
        per_day: u64 = 500, COUNT, Overlay::Lower;
        /// The most tool calls for one question; then the model answers without tools.
        max_tool_calls: usize = 5, Kind::Whole(1, 1000), Overlay::Lower;
        /// System prompts, by the name that a request may give as its `persona`.
        personas: BTreeMap<String, String> = BTreeMap::new(), Kind::TextMap, Overlay::Never;
    }
}
