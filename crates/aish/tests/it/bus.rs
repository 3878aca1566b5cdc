//! The program on a real nats-server: the chat service as a worker, and a plugin's tool in a question.
//!
//! The other side speaks the bus's own protocol, which is lines of text.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use aish_testkit::model_server::{ModelServer, Script};
use aish_testkit::nats_server::NatsServer;
use aish_testkit::skip;
use serde_json::{Value, json};

/// Longer than anything takes that is not hung.
const HUNG: Duration = Duration::from_secs(60);

struct Server(NatsServer);

impl Server {
    /// Starts a server, or says that the test cannot run.
    fn start() -> Option<Self> {
        NatsServer::start(std::thread::current().name().unwrap_or_default()).map(Self)
    }

    /// Starts a server with users of its own, or says that the test cannot run.
    fn with_users(users: &str) -> Option<Self> {
        NatsServer::configured(std::thread::current().name().unwrap_or_default(), users).map(Self)
    }

    /// Starts a server that keeps nothing, or says that the test cannot run.
    fn without_jetstream() -> Option<Self> {
        NatsServer::without_jetstream(std::thread::current().name().unwrap_or_default()).map(Self)
    }

    fn url(&self) -> String {
        self.0.url()
    }

    fn aish(&self, model: &ModelServer) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_aish"));
        command
            .env_clear()
            .env("HOME", self.0.folder())
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("OPENAI_BASE_URL", model.url())
            .env("OPENAI_MODEL", "scripted")
            .current_dir(self.0.folder());
        command
    }
}

/// A client of the bus.
struct Client {
    read: BufReader<TcpStream>,
    write: TcpStream,
}

/// A message: its subject, where a reply goes, its payload.
struct Message {
    subject: String,
    reply: Option<String>,
    payload: Value,
}

impl Client {
    fn connect(server: &Server) -> Self {
        let write = TcpStream::connect(("127.0.0.1", server.0.port())).unwrap();
        write.set_read_timeout(Some(HUNG)).unwrap();
        let mut client = Self { read: BufReader::new(write.try_clone().unwrap()), write };
        client.send("CONNECT {\"verbose\":false}\r\n");
        client
    }

    fn send(&mut self, text: &str) {
        self.write.write_all(text.as_bytes()).unwrap();
    }

    fn publish(&mut self, subject: &str, reply: &str, payload: &Value) {
        let payload = payload.to_string();
        self.send(&format!("PUB {subject} {reply} {}\r\n{payload}\r\n", payload.len()));
    }

    /// Returns the next message; none when the wait is over before one comes.
    fn next(&mut self, wait: Duration) -> Option<Message> {
        self.write.set_read_timeout(Some(wait)).unwrap();
        let mut line = String::new();
        loop {
            match self.read.read_line(&mut line) {
                Ok(0) => panic!("the server hung up"),
                Ok(_) => {}
                Err(_) if line.is_empty() => return None,
                // The rest of the line is on its way.
                Err(_) => continue,
            }
            let words: Vec<&str> = line.split_whitespace().collect();
            match words.as_slice() {
                ["PING"] => self.send("PONG\r\n"),
                ["MSG", subject, _, rest @ .., length] => {
                    self.write.set_read_timeout(Some(HUNG)).unwrap();
                    let mut payload = vec![0; length.parse::<usize>().unwrap() + 2];
                    self.read.read_exact(&mut payload).unwrap();
                    return Some(Message {
                        subject: (*subject).to_owned(),
                        reply: rest.first().map(|reply| (*reply).to_owned()),
                        payload: serde_json::from_slice(&payload).unwrap_or_default(),
                    });
                }
                _ => {}
            }
            line.clear();
        }
    }

    /// Asks, and asks again after each wait, until there is an answer.
    fn request(&mut self, subject: &str, payload: &Value, wait: Duration) -> Value {
        let inbox = format!("inbox.{}", subject.replace('.', "_"));
        self.send(&format!("SUB {inbox} {}\r\n", subject.len()));
        let begun = Instant::now();
        loop {
            assert!(begun.elapsed() < HUNG, "nobody answers {subject}");
            self.publish(subject, &inbox, payload);
            let answer = self.next(wait).filter(|message| message.subject == inbox);
            if let Some(message) = answer {
                return message.payload;
            }
        }
    }
}

fn model(script: Value) -> ModelServer {
    ModelServer::start(Script::from_value(script).unwrap()).unwrap()
}

#[test]
fn the_service_answers_on_the_bus_and_ends_at_sigterm() {
    let Some(server) = Server::start() else { return };
    let model = model(json!({"steps": [{"reply": {"text": "Hello Ann."}}]}));
    let mut worker =
        server.aish(&model).args(["service", "--nats", &server.url()]).stderr(Stdio::piped()).spawn().unwrap();
    let mut told = BufReader::new(worker.stderr.take().unwrap()).lines();
    assert!(told.any(|line| line.unwrap().contains("answers on rosey.llm.>")), "it says where it listens");
    let mut client = Client::connect(&server);
    // The line comes a moment before the worker listens.
    let status = client.request("rosey.llm.status", &json!({}), Duration::from_millis(200));
    assert_eq!(status["success"], json!(true), "{status}");
    let chat = json!({"channel": "a", "user": "ann", "message": "hi"});
    let reply = client.request("rosey.llm.chat", &chat, HUNG);
    assert_eq!((&reply["success"], &reply["content"]), (&json!(true), &json!("Hello Ann.")), "{reply}");
    aish_testkit::send_signal("TERM", worker.id());
    assert_eq!(worker.wait().unwrap().code(), Some(0));
    model.verify().unwrap();
}

/// A plugin with a die, by hand.
fn dice_plugin(server: &Server) -> Client {
    let mut plugin = Client::connect(server);
    plugin.send("SUB rosey.llm.tools.announce 1\r\nSUB dice.roll 2\r\nPING\r\n");
    plugin
}

fn register_when_asked(plugin: &mut Client) {
    let announced = plugin.next(HUNG).expect("all plugins are asked to register");
    assert_eq!(announced.subject, "rosey.llm.tools.announce");
    let schema = json!({"type": "object", "properties": {"sides": {"type": "integer"}}, "required": ["sides"]});
    let tool = json!({"name": "roll", "description": "Rolls a die", "parameters": schema, "subject": "dice.roll"});
    let registration = json!({"plugin": "dice", "instance": "1", "version": "1", "ttl_s": 60, "tools": [tool]});
    plugin.publish("rosey.llm.tools.register", "", &registration);
}

#[test]
fn a_plugins_tool_answers_in_a_question() {
    let Some(server) = Server::start() else { return };
    let mut plugin = dice_plugin(&server);
    let model = model(json!({"steps": [
        {"reply": {"calls": [{"name": "dice.roll", "arguments": "{\"sides\":6}"}]}},
        {"reply": {"text": "A four."}},
    ]}));
    let asking = server
        .aish(&model)
        .args(["ask", "--yes", "roll a die"])
        .env("AISH_NATS_URL", server.url())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    register_when_asked(&mut plugin);
    let call = plugin.next(HUNG).expect("the tool is called");
    assert_eq!((call.subject.as_str(), &call.payload["arguments"]["sides"]), ("dice.roll", &json!(6)));
    let result = json!({"tool_call_id": call.payload["call_id"], "success": true, "result": "rolled 4"});
    plugin.publish(&call.reply.unwrap(), "", &result);
    let output = asking.wait_with_output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(String::from_utf8_lossy(&output.stdout), "A four.\n", "{stderr}");
    let requests = model.verify().unwrap();
    let last = String::from_utf8_lossy(&requests.last().unwrap().body).into_owned();
    assert!(last.contains("rolled 4"), "{last}");
}

/// The seed's programmatic example as it stands there, with what it needs round it.
const EXAMPLE: &str = r##"
import asyncio, json, sys
import nats

# From another plugin

async def use_llm_with_tools(nc, question: str) -> str:
    """Ask LLM with tool support."""
    response = await nc.request(
        "rosey.llm.chat",
        json.dumps({
            "channel": "#test",
            "user": "system",
            "message": question,
            "enable_tools": True,
        }).encode(),
        timeout=30.0
    )
    
    data = json.loads(response.data.decode())
    return data.get("content", "")

async def main():
    nc = await nats.connect(sys.argv[1])
    print(await use_llm_with_tools(nc, "What is the capital of France?"))
    await nc.close()

asyncio.run(main())
"##;

#[test]
fn the_seeds_example_is_answered_by_a_real_model() {
    let test = "the_seeds_example_is_answered_by_a_real_model";
    let [python, executable, model] =
        ["AISH_TEST_PYTHON", "AISH_MODEL_EXE", "AISH_TEST_GGUF"].map(|name| std::env::var(name).unwrap_or_default());
    if [&python, &executable, &model].into_iter().any(String::is_empty) {
        skip(test, "AISH_TEST_PYTHON, AISH_MODEL_EXE and AISH_TEST_GGUF are not all set; ./test sets them");
        return;
    }
    let Some(server) = Server::start() else { return };
    let mut aish = Command::new(env!("CARGO_BIN_EXE_aish"));
    aish.env_clear()
        .env("HOME", server.0.folder())
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("AISH_MODEL_EXE", &executable)
        .current_dir(server.0.folder());
    let mut pull = Command::new(aish.get_program());
    pull.env_clear().envs(aish.get_envs().filter_map(|(name, value)| Some((name, value?))));
    let pulled = pull.args(["model", "pull", "smollm2", "--from", &model]).output().unwrap();
    assert!(pulled.status.success(), "{}", String::from_utf8_lossy(&pulled.stderr));
    let mut worker = aish.args(["service", "--nats", &server.url()]).stderr(Stdio::piped()).spawn().unwrap();
    let mut told = BufReader::new(worker.stderr.take().unwrap()).lines();
    assert!(told.any(|line| line.unwrap().contains("answers on rosey.llm.>")), "it says where it listens");
    Client::connect(&server).request("rosey.llm.status", &json!({}), Duration::from_millis(200));
    // The example's own 30 s are not for loading a model, too, on a machine that does other things.
    let first = json!({"channel": "#other", "user": "system", "message": "Say yes.", "enable_tools": true});
    Client::connect(&server).request("rosey.llm.chat", &first, HUNG);
    let output = Command::new(&python).args(["-c", EXAMPLE, &server.url()]).output().unwrap();
    let answer = String::from_utf8_lossy(&output.stdout);
    assert!(answer.contains("Paris"), "{answer}{}", String::from_utf8_lossy(&output.stderr));
    aish_testkit::send_signal("TERM", worker.id());
    assert_eq!(worker.wait().unwrap().code(), Some(0));
}

#[test]
fn a_mapped_plugin_answers_in_a_question() {
    let Some(server) = Server::start() else { return };
    let mut plugin = Client::connect(&server);
    plugin.send("SUB rosey.command.quote.random 1\r\nPING\r\n");
    let model = model(json!({"steps": [
        {"reply": {"calls": [{"name": "quote.random", "arguments": "{\"about\":\"life\"}"}]}},
        {"reply": {"text": "There it is."}},
    ]}));
    let config = server.0.folder().join("config.toml");
    let mapping = "[nats.legacy.\"quote.random\"]\ndescription = \"A quote\"\narguments = {about = \"Of what\"}\nargs_from = \"about\"\n";
    std::fs::write(&config, mapping).unwrap();
    let asking = server
        .aish(&model)
        .args(["ask", "--yes", "a quote about life"])
        .env("AISH_NATS_URL", server.url())
        .env("AISH_CONFIG", &config)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let call = plugin.next(HUNG).expect("the tool is called");
    assert_eq!((call.subject.as_str(), &call.payload["args"]), ("rosey.command.quote.random", &json!("life")));
    plugin.publish(&call.reply.unwrap(), "", &json!({"success": true, "result": "To be"}));
    let output = asking.wait_with_output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(String::from_utf8_lossy(&output.stdout), "There it is.\n", "{stderr}");
    model.verify().unwrap();
}

#[test]
fn tools_of_plugins_are_listed_and_called_from_the_command_line() {
    let Some(server) = Server::start() else { return };
    let model = model(json!({"steps": []}));
    let mut plugin = dice_plugin(&server);
    let mut ask = |arguments: &[&str], answer: &mut dyn FnMut(&mut Client)| {
        let child = server
            .aish(&model)
            .arg("tools")
            .args(arguments)
            .env("AISH_NATS_URL", server.url())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        register_when_asked(&mut plugin);
        answer(&mut plugin);
        let output = child.wait_with_output().unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (output.status.code(), text(&output.stdout), text(&output.stderr))
    };
    let reply = |result: Value| {
        move |plugin: &mut Client| {
            let call = plugin.next(HUNG).expect("the tool is called");
            assert_eq!(call.payload["arguments"], json!({"sides": 6}));
            plugin.publish(&call.reply.unwrap(), "", &result);
        }
    };
    let mut quiet = |_: &mut Client| {};
    let begun = Instant::now();
    loop {
        // A list waits for no plugin in particular: one that takes long is missing.
        let (code, listed, _) = ask(&["list"], &mut quiet);
        assert_eq!(code, Some(0));
        if listed.lines().any(|line| line.starts_with("dice.roll ") && line.ends_with("  Rolls a die")) {
            break;
        }
        assert!(begun.elapsed() < HUNG, "{listed}");
    }
    let (_, described, _) = ask(&["describe", "dice.roll"], &mut quiet);
    assert!(described.contains("\"source\": \"nats:dice\""), "{described}");
    let call = ["call", "--yes", "dice.roll", r#"{"sides": "6"}"#];
    let good = ask(&call, &mut reply(json!({"success": true, "result": "rolled 4"})));
    assert_eq!(good, (Some(0), "rolled 4\n".into(), String::new()));
    let (code, told, why) =
        ask(&call, &mut reply(json!({"success": false, "error": {"code": "busy", "message": "later"}})));
    assert_eq!((code, told.as_str()), (Some(1), ""));
    assert!(why.contains("later"), "{why}");
    let (code, _, why) = ask(&["call", "--yes", "dice.roll", "{}"], &mut quiet);
    assert!(code == Some(1) && why.contains("Missing required argument 'sides'"), "{why}");
    let (code, _, why) = ask(&["call", "dice.roll", r#"{"sides": 6}"#], &mut quiet);
    assert!(code == Some(3), "nobody has approved a stranger's tool: {code:?} {why}");
    let (code, _, why) = ask(&["call", "dice.rol", "{}"], &mut quiet);
    assert!(code == Some(1) && why.contains("Unknown tool: dice.rol. Did you mean: dice.roll"), "{why}");
    // A tool of our own waits for no bus.
    let mut own = server.aish(&model);
    own.args(["tools", "call", "calculator", r#"{"expression": "6*7"}"#]).env("AISH_NATS_URL", "nats://127.0.0.1:9");
    let output = own.output().unwrap();
    assert_eq!((output.stdout.as_slice(), output.stderr.as_slice()), (&b"42\n"[..], &b""[..]));
}

#[test]
fn a_bus_that_cannot_be_used_is_said() {
    let Some(bare) = Server::without_jetstream() else { return };
    let Some(guarded) = Server::with_users("authorization { user: ann, password: right }\n") else { return };
    let model = model(json!({"steps": []}));
    let wrong = guarded.url().replace("nats://", "nats://ann:wr0ng@");
    for (server, url, says) in [
        (&bare, bare.url(), "is the server running with JetStream?"),
        (&guarded, wrong.clone(), "authorization violation"),
    ] {
        let output = server.aish(&model).args(["service", "--nats", &url]).stdin(Stdio::null()).output().unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code() == Some(1) && stderr.contains(says), "{:?} {stderr}", output.status);
        assert!(!stderr.contains("wr0ng"), "{stderr}");
    }
    let listed = guarded.aish(&model).args(["tools", "list"]).env("AISH_NATS_URL", &wrong).output().unwrap();
    let stderr = String::from_utf8_lossy(&listed.stderr);
    assert!(String::from_utf8_lossy(&listed.stdout).contains("calculator"), "the other tools are there");
    assert!(stderr.contains("authorization violation") && !stderr.contains("wr0ng"), "{stderr}");
}
