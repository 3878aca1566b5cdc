//! Messages to text: the model's own chat template, and tools for templates that know none.

pub(crate) mod conversation;
pub(crate) mod template;

pub(crate) use conversation::Conversation;
pub(crate) use template::{Template, TemplateError, learn_time_zone};
