//! `climax import --openapi` and the calls of what it makes, with real servers.

mod calls;
mod documents;
mod server;
mod tokens;

use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

/// The variable of the token in these tests.
const VARIABLE: &str = "SHELF_TOKEN";
/// The token.
const TOKEN: &str = "t-0123456789";

/// What a run of climax told.
#[derive(Debug)]
struct Ran {
    code: Option<i32>,
    out: String,
    told: String,
}

/// A run of climax in a folder, with the token, without a terminal.
fn command(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new("setsid");
    command
        .args(["--wait", env!("CARGO_BIN_EXE_climax")])
        .args(arguments)
        .current_dir(folder)
        .env("HOME", folder)
        .env("XDG_STATE_HOME", folder.join("state"))
        .env(VARIABLE, TOKEN)
        .stdin(std::process::Stdio::null());
    command
}

fn climax(folder: &Path, arguments: &[&str]) -> Ran {
    let output = command(folder, arguments).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Ran { code: output.status.code(), out: text(&output.stdout), told: text(&output.stderr) }
}

/// Calls a tool of `api.yaml` with JSON arguments; the outcome as JSON.
fn call(folder: &Path, tool: &str, arguments: &Value) -> Ran {
    climax(folder, &["call", tool, "--in", "./api.yaml", "--headless-approve", "--json", &arguments.to_string()])
}

/// A document of an API of books at this URL.
fn document(url: &str) -> Value {
    json!({
        "openapi": "3.0.3",
        "info": {"title": "The Shelf API v2", "description": "Books on shelves"},
        "servers": [{"url": format!("{url}/v2")}],
        "security": [{"key": []}],
        "components": {
            "securitySchemes": {"key": {"type": "http", "scheme": "bearer"}},
            "parameters": {"page": {"name": "page[size]", "in": "query", "schema": {"type": "integer", "default": 20}}},
            "schemas": {
                "Book": {"type": "object", "required": ["title"], "properties": {
                    "id": {"type": "integer", "readOnly": true},
                    "title": {"type": "string", "description": "As on the cover"},
                    "shelf": {"type": "string", "enum": ["new", "old"]},
                    "author": {"$ref": "#/components/schemas/Person"}}},
                "Person": {"type": "object", "properties": {
                    "name": {"type": "string"}, "friends": {"type": "array", "items": {"$ref": "#/components/schemas/Person"}}}}
            }
        },
        "paths": {
            "/books": {
                "get": {"operationId": "listBooks", "summary": "List books", "parameters": [
                    {"$ref": "#/components/parameters/page"},
                    {"name": "tag", "in": "query", "schema": {"type": "array", "items": {"type": "string"}}},
                    {"name": "sort", "in": "query", "explode": false, "schema": {"type": "array", "items": {"type": "string"}}},
                    {"name": "X-Trace", "in": "header", "schema": {"type": "string"}}]},
                "post": {"operationId": "addBook", "summary": "Put a book on a shelf", "requestBody": {
                    "required": true, "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Book"}}}}}
            },
            "/books/{id}": {
                "parameters": [{"name": "id", "in": "path", "required": true, "schema": {"type": "string"}}],
                "get": {"operationId": "getBook", "summary": "Get one book"},
                "delete": {"operationId": "removeBook", "summary": "Throw a book away"}
            },
            "/login": {"post": {"operationId": "logIn", "requestBody": {"content": {
                "application/x-www-form-urlencoded": {"schema": {"type": "object", "properties": {
                    "user": {"type": "string"}, "roles": {"type": "array", "items": {"type": "string"}}}}}}}}}
        }
    })
}

/// Writes the document, and imports it with the token for the server that is named.
fn import(folder: &Path, document: &Value, more: &[&str]) -> Ran {
    std::fs::write(folder.join("api.json"), document.to_string()).unwrap();
    let mut arguments = vec!["import", "--openapi", "api.json", "-o", "api.yaml"];
    arguments.extend(more);
    climax(folder, &arguments)
}
