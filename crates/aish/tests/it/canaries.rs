//! Secrets of MCP servers, plain and encoded: they reach no model, no log, no history and no trace.

use aish_testkit::model_server::{ModelServer, Script};
use serde_json::json;

use crate::secrets::files;
use crate::shell::Shell;

const CANARY: &str = "c4nary/8c1f?t0ken";

/// The canary as it is and as it may be written.
fn forms() -> Vec<String> {
    let hex: String = CANARY.bytes().map(|byte| format!("{byte:02x}")).collect();
    [CANARY, "YzRuYXJ5LzhjMWY", "c4nary%2F8c1f%3Ft0ken", &hex, &hex.to_uppercase()].map(str::to_owned).into()
}

/// A program that gets the canary in its environment and gives it away in a result, an error and a log line.
const SERVER: &str = r#"
say() { printf '%s\n' "$1"; }
read a; say '{"jsonrpc":"2.0","id":0,"error":{"code":-32601,"message":"no"}}'
read a; say '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}}}}'
read a; read a; say '{"jsonrpc":"2.0","id":2,"result":{"tools":[{"name":"leak"}]}}'
plain=$(printf %s "$API_KEY")
base=$(printf %s "$API_KEY" | base64)
hex=$(printf %s "$API_KEY" | od -An -tx1 | tr -d ' \n')
upper=$(printf %s "$hex" | tr a-f A-F)
echo "key $plain $hex" >&2
read a
say '{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"error","data":"key '"$plain $base"'"}}'
text="$plain $base c4nary%2F8c1f%3Ft0ken $hex $upper"
say '{"jsonrpc":"2.0","id":3,"result":{"content":[{"type":"text","text":"'"$text"'"}]}}'
read a; say '{"jsonrpc":"2.0","id":4,"error":{"code":1,"message":"bad key '"$plain"'"}}'
read a
"#;

#[test]
fn safety_15_encoded_canaries_in_what_a_server_says_reach_nothing() {
    let call = json!({"reply": {"calls": [{"name": "leaky.leak", "arguments": "{}"}]}});
    let steps = json!([call, {"reply": {"text": "Seen."}}, call, {"reply": {"text": "Seen again."}}]);
    let model = ModelServer::start(Script::from_value(json!({ "steps": steps })).unwrap()).unwrap();
    let home = tempfile::tempdir().unwrap();
    let program = home.path().join("server.sh");
    std::fs::write(&program, SERVER).unwrap();
    let config = format!(
        "[mcp.auto_approve]\n\"leaky.*\" = true\n[mcp.servers.leaky]\ncommand = \"sh\"\nargs = [\"{}\"]\nenv = {{ API_KEY = \"{CANARY}\" }}\n",
        program.display()
    );
    let mut shell = Shell::start_in(home.path(), &config, Some(&model));
    shell.enter_until_connected("leaky");
    shell.type_text("?call it\r");
    shell.wait(&["Seen."]);
    shell.wait_prompt();
    shell.type_text("?and again\r");
    shell.wait(&["bad key [redacted]"]);
    shell.wait_prompt();
    shell.quit();
    let requests = model.requests();
    let told = requests.iter().any(|request| String::from_utf8_lossy(&request.body).contains("[redacted]"));
    assert!(told, "the result came back without its secret");
    for form in forms() {
        for request in &requests {
            assert!(!String::from_utf8_lossy(&request.body).contains(&form), "a request holds {form}");
        }
    }
    let mut kept = Vec::new();
    files(&home.path().join(".local"), &mut kept);
    assert!(kept.iter().any(|path| path.to_string_lossy().contains("sessions")), "{kept:?}");
    for path in kept {
        let bytes = std::fs::read(&path).unwrap();
        for form in forms() {
            let holds = bytes.windows(form.len()).any(|window| window == form.as_bytes());
            assert!(!holds, "{} holds {form}", path.display());
        }
    }
}
