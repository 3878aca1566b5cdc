//! The fake MCP server: `testkit-mcp-server [SCRIPT.json|-]` over standard streams, `--http` over HTTP.

use std::process::ExitCode;

use aish_testkit::mcp_server::{HttpServer, McpScript, serve_stdio};

fn main() -> ExitCode {
    let mut script = McpScript::default();
    let mut http = false;
    for argument in std::env::args().skip(1) {
        match argument.as_str() {
            "--http" => http = true,
            "--lmcp" => script = McpScript::lmcp(),
            text => {
                let text = if text.starts_with('{') { Ok(text.to_owned()) } else { std::fs::read_to_string(text) };
                match text
                    .map_err(|error| error.to_string())
                    .and_then(|text| serde_json::from_str(&text).map_err(|error| error.to_string()))
                {
                    Ok(read) => script = read,
                    Err(error) => return complain(&error),
                }
            }
        }
    }
    if !http {
        return ExitCode::from(serve_stdio(&script));
    }
    match HttpServer::start(script) {
        Ok(server) => {
            use std::io::Write;
            let _ = writeln!(std::io::stdout(), "{}", server.url());
            loop {
                std::thread::park();
            }
        }
        Err(error) => complain(&error.to_string()),
    }
}

fn complain(why: &str) -> ExitCode {
    use std::io::Write;
    let _ = writeln!(std::io::stderr(), "testkit-mcp-server: {why}");
    ExitCode::from(2)
}
