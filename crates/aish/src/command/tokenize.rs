//! `aish tokenize`: how many tokens a text has.

use std::io::{self, IsTerminal as _, Read as _};

use aish_llm::{TokenCounter, UseEndpoint};
use serde_json::json;

use crate::arguments::{SharedFlags, TokenizeFlags};
use crate::base::Base;
use crate::counting::Counting;
use crate::exit::ExitCode;
use crate::failure::Failure;
use crate::run::complain;
use crate::search::find_models;

/// Counts and prints `N<TAB>method`, or a JSON object {tokens, method, model}.
///
/// # Errors
/// When standard input cannot be read.
pub async fn run(
    base: &Base,
    shared: &SharedFlags,
    flags: &TokenizeFlags,
    print: &mut dyn FnMut(&str),
) -> Result<ExitCode, Failure> {
    let text = if !flags.text.is_empty() {
        flags.text.join(" ")
    } else if io::stdin().is_terminal() {
        complain("nothing to count; try: aish tokenize hello world");
        return Ok(ExitCode::Usage);
    } else {
        let mut bytes = Vec::new();
        io::stdin().lock().read_to_end(&mut bytes)?;
        String::from_utf8_lossy(&bytes).into_owned()
    };
    let found = find_models(base, shared.model.as_deref()).await;
    found.notices.iter().for_each(|notice| complain(notice));
    let name = found.default.clone().unwrap_or_default();
    let use_endpoint = if base.config.tokenize.use_endpoint { UseEndpoint::Allowed } else { UseEndpoint::Forbidden };
    let counter = TokenCounter::new(use_endpoint, found.broker.traffic());
    let choice = found.places.get(&name).map(|place| place.tokenizer.clone()).unwrap_or_default();
    let counting = Counting::new(counter, found.broker.model(&name).cloned(), choice);
    let tokens = counting.count(&text).await;
    let method = counting.tokenizer();
    if flags.json {
        let model = found.default;
        print(&json!({"tokens": tokens, "method": method, "model": model}).to_string());
    } else {
        print(&format!("{tokens}\t{method}"));
    }
    Ok(ExitCode::Ok)
}
