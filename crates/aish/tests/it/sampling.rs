//! A server that has the model write: whoever the person talks with at that moment.

use aish_testkit::model_server::{Expect, ModelServer, OpenAiStream, Script};

use crate::shell::Shell;

/// A program that has the model write when its prompts are listed, and names the prompt after who wrote.
const SERVER: &str = r#"
say() { printf '%s\n' "$1"; }
read a; say '{"jsonrpc":"2.0","id":0,"error":{"code":-32601,"message":"no"}}'
read a; say '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{},"prompts":{}}}}'
read a; read a; say '{"jsonrpc":"2.0","id":2,"result":{"tools":[]}}'
for id in 3 4; do
  read a
  say '{"jsonrpc":"2.0","id":"w-'$id'","method":"sampling/createMessage","params":{"maxTokens":9,"messages":[{"role":"user","content":{"type":"text","text":"Write."}}]}}'
  read answer
  case $answer in *'"one"'*) who=one;; *'"two"'*) who=two;; *) who=nobody;; esac
  say '{"jsonrpc":"2.0","id":'$id',"result":{"prompts":[{"name":"from-'$who'"}]}}'
done
read a
"#;

#[test]
fn another_model_writes_for_servers_once_it_was_chosen() {
    let script = Script::new()
        .step(Expect::chat().contains("\"alpha\"").contains("Write."), OpenAiStream::answer("a").reply())
        .step(Expect::chat().contains("\"beta\"").contains("Write."), OpenAiStream::answer("b").reply());
    let model = ModelServer::start(script).unwrap();
    let home = tempfile::tempdir().unwrap();
    let program = home.path().join("server.sh");
    std::fs::write(&program, SERVER).unwrap();
    let entry = |name: &str, model_name: &str| {
        format!("[models.{name}]\nprovider = \"openai\"\nendpoint = \"{}\"\nmodel = \"{model_name}\"\n", model.url())
    };
    let config = format!(
        "{}{}[mcp.servers.notes]\ncommand = \"sh\"\nargs = [\"{}\"]\nsampling = true\n",
        entry("one", "alpha"),
        entry("two", "beta"),
        program.display()
    );
    let mut shell = Shell::start_in(home.path(), &config, Some(&model));
    shell.enter_until_connected("notes");
    for (name, asks) in [("one", "the model one to write"), ("two", "the model two to write")] {
        shell.enter(&format!(":model {name}"), &[&format!("{name}: ")]);
        shell.type_text("\u{c}");
        shell.wait_prompt();
        shell.type_text(":mcp prompts notes\r");
        // The keys are read once the answers stand there.
        shell.wait(&[asks, "[y]es"]);
        shell.type_text("y");
        shell.wait(&[&format!("notes.from-{name}")]);
        shell.wait_prompt();
    }
    shell.quit();
    model.finish();
}
