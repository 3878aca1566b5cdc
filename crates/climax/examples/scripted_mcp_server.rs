//! The fake MCP server of the test kit over standard streams, for this crate's tests: its argument is the script's file, so
//! that the server can change and its command line not.

use std::process::ExitCode;

use aish_testkit::mcp_server::{McpScript, serve_stdio};

fn main() -> ExitCode {
    let text = std::env::args().nth(1).and_then(|path| std::fs::read_to_string(path).ok());
    let script = text.and_then(|text| serde_json::from_str::<McpScript>(&text).ok());
    ExitCode::from(serve_stdio(&script.unwrap_or_default()))
}
