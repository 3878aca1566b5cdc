//! Signing in at a server that asks for it, from the command line: the browser, the tokens, and what uses them.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

const TOKEN: &str = "sesame-4711";

/// One request: its first line, its authorization, its body.
#[derive(Debug, Clone)]
struct Seen {
    line: String,
    authorization: String,
    body: String,
}

/// An MCP server and its authorization server in one.
struct Guarded {
    origin: String,
    seen: Arc<Mutex<Vec<Seen>>>,
}

impl Guarded {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let origin = format!("http://{}", listener.local_addr().unwrap());
        let seen: Arc<Mutex<Vec<Seen>>> = Arc::default();
        let (own, log) = (origin.clone(), Arc::clone(&seen));
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (own, log) = (own.clone(), Arc::clone(&log));
                std::thread::spawn(move || answer(stream, &own, &log));
            }
        });
        Self { origin, seen }
    }

    fn requests(&self, begin: &str) -> Vec<Seen> {
        self.seen.lock().unwrap().iter().filter(|seen| seen.line.starts_with(begin)).cloned().collect()
    }
}

fn answer(mut stream: TcpStream, own: &str, log: &Mutex<Vec<Seen>>) -> Option<()> {
    let mut reader = BufReader::new(stream.try_clone().ok()?);
    let mut line = String::new();
    reader.read_line(&mut line).ok()?;
    let (mut length, mut authorization) = (0, String::new());
    loop {
        let mut header = String::new();
        reader.read_line(&mut header).ok()?;
        let Some((name, value)) = header.trim_end().split_once(':') else { break };
        match name.to_ascii_lowercase().as_str() {
            "content-length" => length = value.trim().parse().ok()?,
            "authorization" => authorization = value.trim().to_owned(),
            _ => {}
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    let body = String::from_utf8_lossy(&body).into_owned();
    let seen = Seen { line: line.clone(), authorization, body };
    log.lock().unwrap().push(seen.clone());
    let (status, headers, reply) = reply(own, &seen);
    let reply = if reply.is_null() { String::new() } else { reply.to_string() };
    let head = format!("HTTP/1.1 {status}\r\nContent-Type: application/json\r\nConnection: close\r\n{headers}");
    write!(stream, "{head}Content-Length: {}\r\n\r\n{reply}", reply.len()).ok()
}

fn reply(own: &str, seen: &Seen) -> (&'static str, String, Value) {
    let path = seen.line.split(' ').nth(1).unwrap_or_default();
    let query = |name: &str| {
        let pairs = path.split_once('?').map(|(_, query)| query).unwrap_or_default().split('&');
        pairs.filter_map(|pair| pair.split_once('=')).find(|(key, _)| *key == name).map(|(_, value)| value.to_owned())
    };
    match path.split('?').next().unwrap_or_default() {
        "/.well-known/oauth-protected-resource" | "/.well-known/oauth-protected-resource/mcp" => {
            ("200 OK", String::new(), json!({"resource": format!("{own}/mcp"), "authorization_servers": [own]}))
        }
        "/.well-known/oauth-authorization-server" => (
            "200 OK",
            String::new(),
            json!({"issuer": own, "authorization_endpoint": format!("{own}/authorize"),
                "token_endpoint": format!("{own}/token"), "registration_endpoint": format!("{own}/register"),
                "response_types_supported": ["code"], "code_challenge_methods_supported": ["S256"],
                "grant_types_supported": ["authorization_code", "refresh_token"],
                "token_endpoint_auth_methods_supported": ["none"]}),
        ),
        "/register" => {
            let asked: Value = serde_json::from_str(&seen.body).unwrap_or_default();
            ("201 Created", String::new(), json!({"client_id": "c1", "redirect_uris": asked["redirect_uris"]}))
        }
        "/authorize" => {
            let back = query("redirect_uri").unwrap_or_default().replace("%3A", ":").replace("%2F", "/");
            let state = query("state").unwrap_or_default();
            ("302 Found", format!("Location: {back}?code=abc&state={state}\r\n"), Value::Null)
        }
        "/token" => {
            let token =
                json!({"access_token": TOKEN, "token_type": "Bearer", "expires_in": 3600, "refresh_token": "r-4711"});
            ("200 OK", String::new(), token)
        }
        "/mcp" if !seen.line.starts_with("POST") => ("405 Method Not Allowed", String::new(), Value::Null),
        "/mcp" if seen.authorization != format!("Bearer {TOKEN}") => {
            let metadata = format!("{own}/.well-known/oauth-protected-resource");
            let challenge = format!("WWW-Authenticate: Bearer resource_metadata=\"{metadata}\"\r\n");
            ("401 Unauthorized", challenge, Value::Null)
        }
        "/mcp" => {
            let message: Value = serde_json::from_str(&seen.body).unwrap_or_default();
            let result = match message["method"].as_str() {
                Some("initialize") => json!({"protocolVersion": "2025-06-18", "capabilities": {"tools": {}},
                    "serverInfo": {"name": "guarded", "version": "1"}}),
                Some("tools/list") => json!({"tools": [{"name": "open", "inputSchema": {"type": "object"}}]}),
                _ if message["id"].is_null() => return ("202 Accepted", String::new(), Value::Null),
                _ => {
                    let error = json!({"code": -32601, "message": "Method not found"});
                    return ("200 OK", String::new(), json!({"jsonrpc": "2.0", "id": message["id"], "error": error}));
                }
            };
            ("200 OK", String::new(), json!({"jsonrpc": "2.0", "id": message["id"], "result": result}))
        }
        _ => ("404 Not Found", String::new(), Value::Null),
    }
}

/// A browser that follows the redirect, and notes what it was started with.
fn browser(home: &Path) -> PathBuf {
    let script = r#"#!/bin/bash
get() {
    local rest=${1#http://}
    local host=${rest%%/*}
    exec 3<>"/dev/tcp/${host%:*}/${host#*:}"
    printf 'GET /%s HTTP/1.0\r\nHost: %s\r\n\r\n' "${rest#*/}" "$host" >&3
    cat <&3
    exec 3>&-
}
printf '%s\n' "$#" "$@" >"$0.seen"
back=$(get "$1" | tr -d '\r' | sed -n 's/^Location: //p')
get "$back" >/dev/null
"#;
    let path = home.join("browser");
    std::fs::write(&path, script).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    path
}

fn aish(home: &Path, arguments: &[&str]) -> (Output, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_aish"))
        .args(arguments)
        .env_clear()
        .env("HOME", home)
        .env("PATH", std::env::var("PATH").unwrap_or_default())
        .env("BROWSER", home.join("browser"))
        .current_dir(home)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    (output, said)
}

#[test]
fn safety_11_a_sign_in_is_kept_for_its_server_alone() {
    let (server, other) = (Guarded::start(), Guarded::start());
    let home = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(home.path().join(".config/aish")).unwrap();
    let config = format!(
        "[mcp.servers.web]\nurl = \"{}/mcp\"\n[mcp.servers.other]\nurl = \"{}/mcp\"\n",
        server.origin, other.origin
    );
    std::fs::write(home.path().join(".config/aish/config.toml"), config).unwrap();
    browser(home.path());

    let (_, before) = aish(home.path(), &["tools", "list"]);
    assert!(
        before.contains("mcp: web: the server asks for authorization (HTTP 401); `aish mcp login web` signs in"),
        "{before}"
    );

    let (output, said) = aish(home.path(), &["mcp", "login", "web"]);
    assert!(output.status.success(), "{said}");
    assert!(
        said.contains("web: signed in; 1 tools") && said.contains(&format!("sign in at {}/authorize", server.origin)),
        "{said}"
    );
    assert!(!said.contains("4711"), "{said}");
    let started = std::fs::read_to_string(home.path().join("browser.seen")).unwrap();
    assert!(started.starts_with(&format!("1\n{}/authorize?", server.origin)), "{started}");
    for part in ["code_challenge_method=S256", "code_challenge=", "state=", "resource="] {
        assert!(started.contains(part), "{part} is missing: {started}");
    }
    let exchange = server.requests("POST /token");
    assert!(exchange.len() == 1 && exchange[0].body.contains("code_verifier="), "{exchange:?}");

    let (_, after) = aish(home.path(), &["tools", "list"]);
    assert!(after.contains("web.open"), "{after}");
    assert_eq!(server.requests("POST /token").len(), 1, "the kept token is used");
    assert!(
        other.seen.lock().unwrap().iter().all(|seen| seen.authorization.is_empty()),
        "a token reached another server"
    );
    let folder = home.path().join(".local/state/aish/mcp-tokens");
    for entry in std::fs::read_dir(folder).unwrap() {
        assert_eq!(entry.unwrap().metadata().unwrap().permissions().mode() & 0o777, 0o600);
    }
}

#[test]
fn what_cannot_be_signed_in_at_is_said() {
    let home = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(home.path().join(".config/aish")).unwrap();
    let config = "[mcp.servers.files]\ncommand = \"cat\"\n[mcp.servers.web]\nurl = \"http://127.0.0.1:9/mcp\"\nauth_token = \"x\"\n";
    std::fs::write(home.path().join(".config/aish/config.toml"), config).unwrap();
    for (alias, words) in
        [("files", "nothing to sign in at"), ("web", "in the configuration"), ("nope", "there are: files, web")]
    {
        let (output, said) = aish(home.path(), &["mcp", "login", alias]);
        assert_eq!(output.status.code(), Some(1), "{said}");
        assert!(said.contains(words), "{said}");
    }
}
