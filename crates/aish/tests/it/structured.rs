//! Answers that fit a schema, from a real llama.cpp server with a small model.

use std::process::Command;

use aish_testkit::llama_server::LlamaServer;
use serde_json::Value;

#[test]
fn llama_cpp_holds_a_small_model_to_a_schema() {
    let test = "llama_cpp_holds_a_small_model_to_a_schema";
    let Some(server) = LlamaServer::start("aish", test, 2048, None) else { return };
    let home = tempfile::tempdir().unwrap();
    let schema = home.path().join("schema.json");
    // Nothing that a model writes of its own accord.
    let text = r#"{"type": "object", "additionalProperties": false, "required": ["verdict", "score"], "properties": {
        "verdict": {"enum": ["quite-so", "not-so"]}, "score": {"type": "integer", "minimum": 1, "maximum": 9}}}"#;
    std::fs::write(&schema, text).unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_aish"))
        .args(["ask", "--no-tools", "--schema"])
        .arg(&schema)
        .arg("Is water wet?")
        .env_clear()
        .env("HOME", home.path())
        .env("PATH", std::env::var_os("PATH").unwrap())
        .env("OPENAI_BASE_URL", server.url())
        .env("OPENAI_MODEL", "smollm2")
        .output()
        .unwrap();
    let (out, err) = (String::from_utf8(output.stdout).unwrap(), String::from_utf8_lossy(&output.stderr).into_owned());
    assert!(output.status.success(), "{out}{err}");
    let answer: Value = serde_json::from_str(&out).unwrap_or_else(|error| panic!("{error}: {out}{err}"));
    assert!(["quite-so", "not-so"].contains(&answer["verdict"].as_str().unwrap()), "{answer}");
    assert!((1..=9).contains(&answer["score"].as_i64().unwrap()), "{answer}");
    assert!(!err.contains("does not fit"), "held to it at once: {err}");
}
