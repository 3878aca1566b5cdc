//! `web_fetch`: a page of the web as markdown, a part at a time.

use std::sync::Arc;

use aish_safety::Subject;
use aish_types::{BoxFuture, CallContext, ToolDefinition, ToolOutcome};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::builtin::{Builtin, definition};
use crate::parameter::{Parameter, ParameterKind};
use crate::plan::Plan;
use crate::schema::Faults;

/// Characters of a page that one call returns.
const PART: usize = 12_000;

/// A page as text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    /// Where it was in the end, after servers sent on.
    pub address: String,
    /// Its text as markdown, without terminal control.
    pub text: String,
    /// Whether it was longer than what is read.
    pub is_cut: bool,
}

/// Why a page was not opened.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PageError {
    /// The address is none that is opened, or a server sent on to one.
    #[error("{0}")]
    Refused(String),
    /// The host is not there, does not answer, or has no such page.
    #[error("{0}")]
    Unreachable(String),
    /// What came is no text, or cannot be made into one.
    #[error("{0}")]
    Unreadable(String),
    /// It was cancelled.
    #[error("interrupted")]
    Cancelled,
}

/// Opens pages of the web. Who implements it checks addresses, and bounds time, bytes and redirects.
pub trait Pages: Send + Sync {
    /// Writes an address as it is asked for: a host in letters of other scripts as it is looked up, numbers in every notation
    /// as the address that they are. Nothing is sent for that.
    ///
    /// # Errors
    /// When it is no address that is opened.
    fn address(&self, address: &str) -> Result<String, PageError>;

    /// Opens the page at an address, until it is cancelled.
    ///
    /// # Errors
    /// When the address is not opened, or no page came of it; the words are for the model.
    fn page<'a>(&'a self, address: &'a str, cancel: &'a CancellationToken) -> BoxFuture<'a, Result<Page, PageError>>;
}

/// The tool.
pub(crate) struct WebFetch {
    pub(crate) pages: Arc<dyn Pages>,
}

impl Builtin for WebFetch {
    fn definition(&self) -> ToolDefinition {
        let parameters = [
            Parameter::required("url", ParameterKind::String),
            Parameter::optional("offset", ParameterKind::Integer).describe("First character"),
        ];
        let mut definition = definition("web_fetch", "Read a web page as markdown.", &parameters);
        definition.hints.open_world = Some(true);
        definition.category = "web".into();
        definition.examples = vec!["what does this page say".into(), "read the documentation at an address".into()];
        definition.tags = ["url", "http", "internet", "website", "download"].map(String::from).into();
        definition
    }

    fn plan(self: Arc<Self>, arguments: &Value, _context: &CallContext) -> Result<Plan, Faults> {
        let address = arguments.get("url").and_then(Value::as_str).unwrap_or_default();
        // What is judged and asked about is what is opened: letters can look like others.
        let address = self.pages.address(address).map_err(|why| Faults(vec![why.to_string()]))?;
        let offset = arguments.get("offset").and_then(Value::as_u64).unwrap_or(0);
        let offset = usize::try_from(offset).unwrap_or(usize::MAX);
        Ok(Plan::of(Subject::Page { address: address.clone() }, move |_call, context| async move {
            match self.pages.page(&address, &context.cancel).await {
                Ok(page) => part(&page, offset),
                Err(why) => ToolOutcome::failure(why.to_string()),
            }
        }))
    }
}

/// Writes a part of a page, and how to go on.
fn part(page: &Page, offset: usize) -> ToolOutcome {
    let all = page.text.chars().count();
    if all == 0 {
        return ToolOutcome::success(format!("{}: there is no text on this page", page.address));
    }
    if offset >= all {
        return ToolOutcome::failure(format!("offset {offset} is behind the end of the page ({all} characters)"));
    }
    let text: String = page.text.chars().skip(offset).take(PART).collect();
    let end = offset + text.chars().count();
    let cut = if page.is_cut { ", the rest of it was not read" } else { "" };
    let rest = if end < all {
        format!("\n\n[characters {offset} to {end} of {all}{cut}; go on with offset {end}]")
    } else if page.is_cut {
        format!("\n\n[characters {offset} to {end} of {all}{cut}]")
    } else {
        String::new()
    };
    ToolOutcome::success(format!("{}\n\n{text}{rest}", page.address))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Knows one address by another spelling.
    struct Spelling;

    impl Pages for Spelling {
        fn address(&self, address: &str) -> Result<String, PageError> {
            let refused = || PageError::Refused("no page".into());
            (address == "http://ex\u{430}mple.org").then(|| "http://xn--exmple-4nf.org/".into()).ok_or_else(refused)
        }

        fn page<'a>(&'a self, _: &'a str, _: &'a CancellationToken) -> BoxFuture<'a, Result<Page, PageError>> {
            Box::pin(async { Err(PageError::Cancelled) })
        }
    }

    #[test]
    fn what_is_asked_about_is_the_address_as_it_is_opened() {
        let plan = |url: &str| {
            let context =
                CallContext { call: "c".into(), session: "s".into(), user: "me".into(), channel: None, folder: None };
            Arc::new(WebFetch { pages: Arc::new(Spelling) }).plan(&serde_json::json!({ "url": url }), &context)
        };
        let subject = plan("http://ex\u{430}mple.org").unwrap().subject;
        assert_eq!(subject, Subject::Page { address: "http://xn--exmple-4nf.org/".into() });
        assert_eq!(plan("file:///etc/passwd").err().unwrap().0, ["no page"], "nobody is asked about it");
    }

    #[test]
    fn a_long_page_is_read_in_parts() {
        let page = |text: String, is_cut| Page { address: "https://a.example/".into(), text, is_cut };
        let short = part(&page("hi".into(), false), 0);
        assert_eq!(short.text, "https://a.example/\n\nhi");
        let long = page("ä".repeat(PART + 5), true);
        let first = part(&long, 0).text;
        assert!(first.ends_with(&format!(
            "ä\n\n[characters 0 to {PART} of {}, the rest of it was not read; go on with offset {PART}]",
            PART + 5
        )));
        assert!(part(&long, PART).text.starts_with("https://a.example/\n\näääää\n\n[characters"));
        assert!(!part(&long, PART + 5).is_success());
        assert!(part(&page(String::new(), false), 0).text.contains("no text"));
    }
}
