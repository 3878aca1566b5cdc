//! Where requests go, and with what token: the document's word, where the person did not say otherwise.

use reqwest::Url;
use serde_json::{Map, Value};

use super::document::Document;
use crate::http::{Api, Scheme};

/// Returns the base URL: the person's, else the document's first.
pub(super) fn base(document: &Document, said: Option<&str>, remarks: &mut Vec<String>) -> Result<Url, String> {
    if let Some(said) = said {
        return Api::base(said);
    }
    let named = named(document);
    let Some(first) = named.first() else {
        return Err("it does not say where the API is; say it with --server URL".into());
    };
    if let Some(variable) = unfilled(first) {
        return Err(format!(
            "the URL of its API, {first}, has a variable without a value, '{variable}'; say the whole URL with --server URL"
        ));
    }
    let url =
        Api::base(first).map_err(|why| format!("the URL of its API: {why}; say another one with --server URL"))?;
    if named.len() > 1 {
        let others: Vec<&str> = named.iter().skip(1).take(5).map(String::as_str).collect();
        remarks.push(format!(
            "it names other servers, which nothing is sent to: {}; --server chooses one",
            others.join(", ")
        ));
    }
    Ok(url)
}

/// The URLs that the document names.
fn named(document: &Document) -> Vec<String> {
    if document.is_old() {
        let Some(host) = document.text(&["host"]) else { return Vec::new() };
        let schemes = document.at(&["schemes"]).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        let is_open = !schemes.is_empty() && !schemes.iter().any(|scheme| scheme == "https");
        let scheme = if is_open { "http" } else { "https" };
        return vec![format!("{scheme}://{host}{}", document.text(&["basePath"]).unwrap_or_default())];
    }
    document.root.as_object().map(servers).unwrap_or_default()
}

/// The URLs of a list of servers, variables filled in with their defaults.
fn servers(owner: &Map<String, Value>) -> Vec<String> {
    let servers = owner.get("servers").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    servers.iter().take(100).filter_map(filled).collect()
}

/// Returns the name of a variable that a URL still has.
fn unfilled(url: &str) -> Option<&str> {
    let (_, rest) = url.split_once('{')?;
    Some(rest.split('}').next().unwrap_or(rest))
}

/// Fills the variables in that have a value; the others stay as they are.
fn filled(server: &Value) -> Option<String> {
    let mut url = server.get("url")?.as_str()?.to_owned();
    for (name, variable) in server.get("variables").and_then(Value::as_object).into_iter().flatten().take(20) {
        let default = variable.get("default")?;
        let default = default.as_str().map_or_else(|| default.to_string(), str::to_owned);
        url = url.replace(&format!("{{{name}}}"), &default);
        if url.len() > 2_000 {
            return None;
        }
    }
    Some(url)
}

/// Returns how an operation's path begins below the base URL, where it has a server of its own.
///
/// # Errors
/// In words, when that is another origin, or not below the base URL.
pub(super) fn below(base: &Url, own: &[&Map<String, Value>]) -> Result<String, String> {
    let Some(url) = own.iter().map(|owner| servers(owner)).find(|servers| !servers.is_empty()) else {
        return Ok(String::new());
    };
    let known = url.iter().filter(|url| unfilled(url).is_none());
    let found = known.filter_map(|url| base.join(url).ok()).find(|url| url.origin() == base.origin());
    let Some(url) = found else {
        return Err(format!("it is at another server ({})", url.first().map_or("", String::as_str)));
    };
    let whole = url.path().trim_end_matches('/').to_owned();
    match whole.strip_prefix(base.path().trim_end_matches('/')) {
        Some(rest) if rest.is_empty() || rest.starts_with('/') => Ok(rest.to_owned()),
        Some(_) | None => Err(format!("it is at {whole}, which is not below the base URL")),
    }
}

/// Returns how the API wants its token; none where it wants none.
pub(super) fn scheme(document: &Document, remarks: &mut Vec<String>) -> Option<Scheme> {
    let schemes = document.at(&["components", "securitySchemes"]).or(document.at(&["securityDefinitions"]));
    let schemes = schemes.and_then(Value::as_object)?;
    // What all operations ask comes first, then what there is.
    let asked = document.at(&["security"]).and_then(Value::as_array).into_iter().flatten();
    let asked = asked.filter_map(Value::as_object).flat_map(|asked| asked.keys());
    let known = asked.filter_map(|name| schemes.get(name)).chain(schemes.values()).take(50);
    let found = known.filter_map(|scheme| read(document.resolve(scheme)?)).next();
    if found.is_none() && !schemes.is_empty() {
        remarks.push("it wants a token in a way that is not known here; it is sent none".into());
    }
    found
}

fn read(scheme: &Value) -> Option<Scheme> {
    let text = |key: &str| scheme.get(key).and_then(Value::as_str).unwrap_or_default();
    match text("type") {
        "oauth2" | "openIdConnect" => Some(Scheme::Bearer),
        "basic" => Some(Scheme::Basic),
        "http" => match text("scheme").to_ascii_lowercase().as_str() {
            "bearer" => Some(Scheme::Bearer),
            "basic" => Some(Scheme::Basic),
            _ => None,
        },
        "apiKey" => match text("in") {
            "header" => Scheme::read(&format!("header {}", text("name"))),
            "query" => Scheme::read(&format!("query {}", text("name"))),
            _ => None,
        },
        _ => None,
    }
}
