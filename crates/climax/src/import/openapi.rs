//! A config made from an OpenAPI document (2.0, 3.0, 3.1): a tool an operation.
//!
//! Reading order: `document` (the text and its references), `schema` (what an argument's schema comes to), `operation`
//! (one operation), `yaml` (the file). Everything is bounded: a document is a stranger's. References lead within the document
//! alone, and requests to one origin alone: an operation that the document has at another one is left out and told.

mod body;
mod document;
mod operation;
mod schema;
mod servers;
mod yaml;

use std::collections::HashSet;

use serde_json::Value;

use crate::http::{Api, Auth, Method, Operation, Scheme, Slot};
use document::Document;
use operation::Reader;

/// Operations that are read.
const MAX_OPERATIONS: usize = 5_000;
/// Bytes that the file may have.
const MAX_YAML: usize = 32 * 1024 * 1024;
/// Methods that are not called.
const OTHER_METHODS: [&str; 3] = ["options", "trace", "query"];
/// Remarks that are told one by one.
const MAX_REMARKS: usize = 40;

/// What the person said of an import.
#[derive(Debug, Clone, Default)]
pub struct ImportOptions<'w> {
    /// The base URL, in the place of the document's.
    pub server: Option<&'w str>,
    /// The variable that holds the token.
    pub auth_env: Option<&'w str>,
}

/// A config that was made of a document.
#[derive(Debug)]
pub struct ApiDraft {
    /// The API, with the token that would go to it.
    pub api: Api,
    /// Sentences on what could not be taken over, bounded.
    pub remarks: Vec<String>,
    name: String,
    description: String,
    asks: Option<Scheme>,
    tools: Vec<ToolDraft>,
}

/// One tool.
#[derive(Debug)]
struct ToolDraft {
    name: String,
    description: String,
    operation: Operation,
    args: Vec<ArgDraft>,
}

/// One argument.
#[derive(Debug)]
struct ArgDraft {
    name: String,
    description: String,
    required: bool,
    schema: serde_json::Map<String, Value>,
    slot: Slot,
}

impl ApiDraft {
    /// Reads a document.
    ///
    /// # Errors
    /// In words, when it is no OpenAPI document, or says no URL that requests could go to.
    pub fn read(text: &str, wanted: &ImportOptions<'_>) -> Result<Self, String> {
        let document = Document::read(text)?;
        let mut remarks = Vec::new();
        let url = servers::base(&document, wanted.server, &mut remarks)?;
        let asks = servers::scheme(&document, &mut remarks);
        let auth = wanted.auth_env.map(|env| Auth { env: env.to_owned(), scheme: asks.clone().unwrap_or_default() });
        let api = Api { url, auth };
        let title = document.text(&["info", "title"]).unwrap_or("api").to_owned();
        let description = document.text(&["info", "description"]).or(document.text(&["info", "summary"]));
        let description = first_paragraph(description.filter(|text| !text.trim().is_empty()).unwrap_or(&title), 300);
        let name = short_name(&title);
        let mut reader = Reader::new(&document, &api.url, &name, asks.as_ref());
        let tools = read_all(&document, &mut reader, &mut remarks);
        remarks.append(&mut reader.remarks);
        Ok(Self { api, remarks: bounded(remarks), name, description, asks, tools })
    }

    /// Counts the tools.
    pub fn len(&self) -> usize {
        self.tools.len()
    }

    /// Says whether there is no tool.
    pub fn is_empty(&self) -> bool {
        self.tools.is_empty()
    }

    /// Says whether the document's operations want a token.
    pub fn wants_token(&self) -> bool {
        self.asks.is_some()
    }
}

fn read_all(document: &Document, reader: &mut Reader<'_>, remarks: &mut Vec<String>) -> Vec<ToolDraft> {
    let (mut tools, mut names, mut bytes) = (Vec::new(), HashSet::new(), 0_usize);
    let paths = document.root.get("paths").and_then(Value::as_object);
    let (mut left, mut others) = (0_usize, 0_usize);
    for (path, item) in paths.into_iter().flatten() {
        let Some(item) = document.resolve(item).and_then(Value::as_object) else {
            if path.starts_with('/') {
                let path: String = path.chars().take(200).collect();
                remarks.push(format!("{} is left out: it leads nowhere in this file", aish_types::visible(&path)));
            }
            continue;
        };
        others += OTHER_METHODS.iter().filter(|method| item.get(**method).is_some_and(Value::is_object)).count();
        for method in Method::ALL {
            let Some(operation) = item.get(&method.as_str().to_ascii_lowercase()).and_then(Value::as_object) else {
                continue;
            };
            if tools.len() >= MAX_OPERATIONS || bytes >= MAX_YAML {
                left += 1;
                continue;
            }
            let Some(mut tool) = reader.operation(path, method, item, operation) else { continue };
            tool.name = unused(tool.name, &mut names);
            bytes += yaml::tool(&tool).len();
            tools.push(tool);
        }
    }
    if others > 0 {
        let methods = OTHER_METHODS.map(str::to_ascii_uppercase).join(", ");
        remarks.push(format!("operations with other methods ({methods}) are left out: {others}"));
    }
    if left > 0 {
        remarks.push(format!("{left} operations were left out: a config holds {MAX_OPERATIONS}, in 32 MiB"));
    }
    tools
}

/// Numbers a name that is taken.
fn unused(name: String, taken: &mut HashSet<String>) -> String {
    let mut unused = name.clone();
    let mut number = 2;
    while !taken.insert(unused.clone()) {
        unused = format!("{name}_{number}");
        number += 1;
    }
    unused
}

fn bounded(mut remarks: Vec<String>) -> Vec<String> {
    if remarks.len() > MAX_REMARKS {
        let more = remarks.len() - MAX_REMARKS;
        remarks.truncate(MAX_REMARKS);
        remarks.push(format!("and {more} more of this kind"));
    }
    remarks
}

/// Makes the name of an API of its title: two words at most, without those that every title has.
fn short_name(title: &str) -> String {
    const EMPTY: &[&str] = &["the", "api", "apis", "rest", "http", "openapi", "swagger", "for", "of", "a", "an", "and"];
    let is_version = |word: &str| {
        word.bytes().all(|b| b.is_ascii_digit())
            || word.strip_prefix('v').is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|b| b.is_ascii_digit()))
    };
    // A name such as GitHub stays one word.
    let title = title.to_ascii_lowercase();
    let words = title
        .split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|word| !word.is_empty() && !EMPTY.contains(word) && !is_version(word));
    let name: String = words.take(2).collect::<Vec<_>>().join("_").chars().take(24).collect();
    if name.is_empty() { "api".into() } else { name }
}

/// Writes a name in small letters, digits and `_`: `listAllPets` is `list_all_pets`.
fn snake(text: &str) -> String {
    let mut out = String::new();
    let mut before = ' ';
    let mut letters = text.chars().take(200).peekable();
    while let Some(c) = letters.next() {
        if !c.is_ascii_alphanumeric() {
            if !out.ends_with('_') && !out.is_empty() {
                out.push('_');
            }
        } else {
            let ends_word = letters.peek().is_some_and(char::is_ascii_lowercase);
            let begins =
                c.is_ascii_uppercase() && (before.is_ascii_lowercase() || (before.is_ascii_uppercase() && ends_word));
            if begins && !out.ends_with('_') && !out.is_empty() {
                out.push('_');
            }
            out.push(c.to_ascii_lowercase());
        }
        before = c;
    }
    out.trim_end_matches('_').to_owned()
}

/// Returns the first paragraph of a text as one line of at most so many characters, without what hides.
fn first_paragraph(text: &str, most: usize) -> String {
    let head: String = text.trim().chars().take(most * 4).collect();
    let paragraph = head.split("\n\n").next().unwrap_or_default();
    let line = paragraph.split_whitespace().collect::<Vec<_>>().join(" ");
    let line = aish_types::visible(&line).into_owned();
    if line.chars().count() <= most {
        return line;
    }
    let cut: String = line.chars().take(most).collect();
    let end = cut.rfind(". ").map_or(cut.len(), |at| at + 1);
    cut.get(..end).unwrap_or(&cut).trim_end().to_owned()
}
