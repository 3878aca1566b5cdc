//! Serves a script of the model server, for programs that are tested from outside.
//!
//! `testkit-model-server SCRIPT.yaml|SCRIPT.json|--tokens N [--apart] [--until-eof] [--log FILE]` prints the endpoint
//! (`http://127.0.0.1:PORT`) as one line and serves until it is killed. With `--until-eof` it ends at the end of its
//! standard input, with status 1 and the reasons on stderr when the script was not kept. `--log` writes each request
//! as a JSON line {method, path, body} when it ends. `--tokens N` answers every completion with N short words at full speed,
//! all in one write; with `--apart` each token is a write of its own, as servers send them.

use std::ffi::OsString;
use std::io::{Read, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use aish_testkit::model_server::{Expect, ModelServer, OpenAiStream, RecordedRequest, Reply, Script, Split};

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // Nobody is left to tell when stderr is closed.
            drop(writeln!(std::io::stderr(), "testkit-model-server: {error}"));
            ExitCode::FAILURE
        }
    }
}

struct Options {
    script: Script,
    until_eof: bool,
    log: Option<PathBuf>,
}

fn options() -> Result<Options, Box<dyn std::error::Error>> {
    let mut script = None;
    let mut until_eof = false;
    let mut log = None;
    let mut apart = false;
    let mut tokens = None;
    let mut arguments = std::env::args_os().skip(1);
    while let Some(argument) = arguments.next() {
        let mut value = |name: &str| -> Result<OsString, String> {
            arguments.next().ok_or_else(|| format!("{name} needs a value"))
        };
        match argument.to_str() {
            Some("--until-eof") => until_eof = true,
            Some("--log") => log = Some(PathBuf::from(value("--log")?)),
            Some("--apart") => apart = true,
            Some("--tokens") => tokens = Some(value("--tokens")?.to_str().unwrap_or_default().parse()?),
            _ => script = Some(Script::parse(&std::fs::read_to_string(&argument)?)?),
        }
    }
    let script = script
        .or_else(|| tokens.map(|count| full_speed(count, apart)))
        .ok_or("usage: testkit-model-server SCRIPT|--tokens N [--apart] [--until-eof] [--log FILE]")?;
    Ok(Options { script, until_eof, log })
}

/// A script that answers all that comes with so many tokens.
fn full_speed(count: usize, apart: bool) -> Script {
    let list = serde_json::json!({"object": "list", "data": [{"id": "scripted", "object": "model"}]});
    let reply = OpenAiStream::tokens(count).reply();
    let reply = if apart { reply.split(Split::Every(usize::MAX)) } else { reply };
    Script::new().always(Expect::chat(), reply).always(Expect::request("GET", "/v1/models"), Reply::json(200, &list))
}

fn run() -> Result<(), Box<dyn std::error::Error>> {
    let options = options()?;
    let server = ModelServer::start(options.script)?;
    let mut stdout = std::io::stdout();
    writeln!(stdout, "{}", server.url())?;
    stdout.flush()?;
    if !options.until_eof {
        loop {
            std::thread::park();
        }
    }
    std::io::stdin().read_to_end(&mut Vec::new())?;
    if let Some(path) = options.log {
        let lines: String = server.requests().iter().map(line).collect();
        std::fs::write(path, lines)?;
    }
    server.verify()?;
    Ok(())
}

fn line(request: &RecordedRequest) -> String {
    let body = request.json().unwrap_or_else(|| request.text().into());
    format!("{}\n", serde_json::json!({"method": request.method, "path": request.path, "body": body}))
}
