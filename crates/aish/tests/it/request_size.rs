//! How large a request is: the first one, and what each further tool adds to it.

use std::process::Command;

use aish_testkit::model_server::{Expect, ModelServer, OpenAiStream, Script};
use serde_json::Value;

/// The first request of a question, as its bytes.
fn first_request(config: &str) -> Vec<u8> {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join(".config/aish");
    std::fs::create_dir_all(&folder).unwrap();
    let server =
        ModelServer::start(Script::new().step(Expect::chat(), OpenAiStream::answer("Hello.").reply())).unwrap();
    let model = format!("[models.m]\nendpoint = \"{}\"\nmodel = \"m\"\n", server.url());
    std::fs::write(folder.join("config.toml"), format!("{config}\n{model}")).unwrap();
    let said = Command::new(env!("CARGO_BIN_EXE_aish"))
        .args(["ask", "hi"])
        .env_clear()
        .env("HOME", home.path())
        .env("PATH", std::env::var_os("PATH").unwrap())
        .current_dir(home.path())
        .output()
        .unwrap();
    assert!(said.status.success(), "{said:?}");
    server.finish().remove(0).body
}

#[test]
fn the_first_request_is_small_and_each_tool_adds_little() {
    let body = first_request("");
    let request: Value = serde_json::from_slice(&body).unwrap();
    let tools = request["tools"].as_array().unwrap();
    let sizes: Vec<(usize, &str)> =
        tools.iter().map(|tool| (tool.to_string().len(), tool["function"]["name"].as_str().unwrap())).collect();
    println!("{} bytes, {} tools: {sizes:?}", body.len(), tools.len());
    let further = sizes.iter().filter(|(_, name)| !FIRST_TOOLS.contains(name));
    let of_further: usize = further.clone().map(|(size, _)| size + ",".len()).sum();
    assert!(body.len() - of_further <= 4096, "{} bytes: {sizes:?}", body.len());
    assert_eq!(further.filter(|(size, _)| *size > 250).collect::<Vec<_>>(), Vec::<&(usize, &str)>::new());
}

/// Tools that the first release offered.
const FIRST_TOOLS: [&str; 6] = ["calculator", "get_time", "roll_dice", "search_memory", "remember", "shell"];
