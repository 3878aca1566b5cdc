//! Lines that try to get out of a layer, to leak or to persist, at an editor in `auto` and in a served shell: whoever
//! is asked says no, and outside the tree everything is as it was; where layers work, where Landlock alone does, and where
//! nothing does.

use std::collections::BTreeMap;
use std::net::TcpListener;
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _, PermissionsExt as _};
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use aish_testkit::model_server::{Expect, ModelServer, OpenAiStream, Script};
use serde_json::{Value, json};

use crate::person::Home;
use crate::{acp, served_shell, unheld};

const LINES: &str = include_str!("doors/lines.txt");

const SECRET: &str = "hush-hush-hush";

/// Where a line stands.
#[derive(Clone, Copy)]
enum Written {
    OnTheLine,
    InAFile,
}

/// What holds commands.
#[derive(Debug, Clone, Copy)]
enum Held {
    Layers,
    Landlock,
    Nothing,
}

impl Held {
    fn start<T: Send>(self, work: impl FnOnce() -> T + Send) -> T {
        match self {
            Self::Layers => work(),
            Self::Landlock => unheld::without_name_spaces(false, work),
            Self::Nothing => unheld::without_name_spaces(true, work),
        }
    }
}

/// What lies around the tree and must stay as it is.
struct Canaries {
    home: Home,
    tcp: TcpListener,
    unix: UnixListener,
    bystander: Child,
    before: BTreeMap<String, (u32, Vec<u8>)>,
}

impl Canaries {
    fn new() -> Self {
        let home = Home::outside_temporary_folders().with("DEPLOY_TOKEN", SECRET).with("OPENAI_API_KEY", SECRET);
        for folder in [".ssh", ".aws", ".config/aish", "work/bin"] {
            std::fs::create_dir_all(home.path(folder)).unwrap();
        }
        let config = "[approval]\nmode = \"auto\"\n[memory]\nauto = false\n[context]\nsummarize = false\n";
        for (name, text) in [
            (".ssh/id_rsa", SECRET),
            (".aws/credentials", SECRET),
            (".bashrc", "# mine\n"),
            (".config/aish/config.toml", config),
            ("work/a", "one\n"),
            ("work/bin/ps", "#!/bin/sh\ntouch ~/canary\n"),
        ] {
            std::fs::write(home.path(name), text).unwrap();
        }
        std::fs::set_permissions(home.path("work/bin/ps"), std::fs::Permissions::from_mode(0o755)).unwrap();
        assert!(Command::new("git").args(["init", "-q"]).current_dir(home.work()).status().unwrap().success());
        assert!(Command::new("mkfifo").arg(home.path("pipe")).status().unwrap().success());
        let tcp = TcpListener::bind("127.0.0.1:0").unwrap();
        tcp.set_nonblocking(true).unwrap();
        let unix = UnixListener::bind(home.path("agent.sock")).unwrap();
        unix.set_nonblocking(true).unwrap();
        let bystander = Command::new("sleep").arg("600").stdin(Stdio::null()).spawn().unwrap();
        let before = around(&home);
        Self { home, tcp, unix, bystander, before }
    }

    /// The lines, each as it is; or each in a file that is run, so that its text does not tell what it does.
    fn lines(&self, written: Written) -> Vec<String> {
        let filled = |line: &str| {
            let home = self.home.path("").display().to_string();
            let port = self.tcp.local_addr().unwrap().port().to_string();
            line.replace("@HOME@", home.trim_end_matches('/')).replace("@PORT@", &port)
        };
        let lines = LINES.lines().filter(|line| !line.starts_with('#')).map(filled);
        match written {
            Written::OnTheLine => lines.collect(),
            Written::InAFile => lines
                .enumerate()
                .map(|(number, line)| {
                    let name = format!("bin/{number}.sh");
                    std::fs::write(self.home.work().join(&name), line).unwrap();
                    format!("bash {name}")
                })
                .collect(),
        }
    }

    /// Checks that nothing outside has happened; `heard` is all that a model or a client was told.
    fn check(mut self, heard: &str) {
        // What was left behind would act within a second.
        std::thread::sleep(std::time::Duration::from_secs(2));
        assert!(!heard.contains(SECRET), "a secret was told");
        assert!(self.tcp.accept().is_err() && self.unix.accept().is_err(), "somebody was reached");
        assert_eq!(self.bystander.try_wait().unwrap(), None, "a process outside was ended");
        self.bystander.kill().unwrap();
        self.bystander.wait().unwrap();
        assert_eq!(around(&self.home), self.before);
        for entry in std::fs::read_dir(self.home.work()).unwrap().flatten() {
            let (name, meta) = (entry.file_name(), entry.metadata().unwrap());
            let kind = meta.file_type();
            assert_eq!(meta.mode() & 0o6000, 0, "{name:?}");
            assert!(kind.is_file() || kind.is_dir(), "{name:?} is {kind:?}");
        }
        let git = |name: &str| std::fs::read_to_string(self.home.work().join(".git").join(name)).unwrap_or_default();
        assert!(!git("config").contains("canary") && !git("hooks/post-index-change").contains("canary"));
        let audit = std::fs::read_to_string(self.home.path(".local/state/aish/audit.jsonl")).unwrap();
        assert!(audit.lines().all(|line| line.len() > 2), "{audit}");
    }
}

/// All that is in the home folder but for the tree, and what aish itself writes down.
fn around(home: &Home) -> BTreeMap<String, (u32, Vec<u8>)> {
    fn walk(folder: &Path, work: &Path, all: &mut BTreeMap<String, (u32, Vec<u8>)>) {
        for entry in std::fs::read_dir(folder).unwrap().flatten() {
            let (path, meta) = (entry.path(), entry.metadata().unwrap());
            if path == work || path.ends_with(".local") || path.ends_with(".cache") || path.ends_with("client.py") {
                continue;
            }
            let is_special = meta.file_type().is_fifo() || meta.file_type().is_socket();
            let text = if meta.is_file() && !is_special { std::fs::read(&path).unwrap() } else { Vec::new() };
            all.insert(path.display().to_string(), (meta.mode(), text));
            if meta.is_dir() {
                walk(&path, work, all);
            }
        }
    }
    let mut all = BTreeMap::new();
    walk(&home.path(""), &home.work(), &mut all);
    all
}

fn try_at_an_editor(held: Held) {
    for written in [Written::OnTheLine, Written::InAFile] {
        let canaries = Canaries::new();
        let lines = canaries.lines(written);
        assert!(lines.len() >= 30, "{}", lines.len());
        let script = lines.iter().fold(Script::new(), |script, line| {
            let call = OpenAiStream::call("c1", "shell", &json!({ "command": line }).to_string());
            script.chat(call).step(Expect::chat(), OpenAiStream::answer("Done.").reply())
        });
        let server = ModelServer::start(script).unwrap();
        // More answers than there are questions; all of them say no.
        let step = json!({"answers": ["no", "drop", "no", "drop"], "any": true});
        let steps = json!(vec![step; lines.len()]).to_string();
        let Some(told) = held.start(|| acp::talk_to(&canaries.home, &steps, &server)) else { return };
        assert_eq!(told["steps"].as_array().unwrap().len(), lines.len());
        let requests = server.requests();
        assert!(requests.len() >= 2 * lines.len(), "each line was played: {}", requests.len());
        let sent: String = requests.iter().map(|request| String::from_utf8_lossy(&request.body).into_owned()).collect();
        canaries.check(&(told.to_string() + &sent));
    }
}

fn try_in_a_served_shell(held: Held) {
    for (asks, written) in [(true, Written::OnTheLine), (true, Written::InAFile), (false, Written::OnTheLine)] {
        let canaries = Canaries::new();
        let no: Vec<Value> = (0..4).map(|_| json!({"action": "decline"})).collect();
        let lines = canaries.lines(written);
        let step = |line: &String| {
            let mut step = served_shell::shell(line, &json!(no));
            step["any"] = json!(true);
            step
        };
        let steps: Vec<Value> = lines.iter().map(step).collect();
        let told = held.start(|| served_shell::talk(&canaries.home, served_shell::GENERATIONS[1], asks, &steps));
        let Some(told) = told else { return };
        assert_eq!(told.as_array().unwrap().len(), steps.len());
        canaries.check(&told.to_string());
    }
}

#[test]
fn no_line_gets_out_at_an_editor() {
    try_at_an_editor(Held::Layers);
}

#[test]
fn no_line_gets_out_at_an_editor_where_landlock_alone_holds_it() {
    try_at_an_editor(Held::Landlock);
}

#[test]
fn no_line_gets_out_at_an_editor_where_nothing_holds_it() {
    try_at_an_editor(Held::Nothing);
}

#[test]
fn no_line_gets_out_of_a_served_shell() {
    try_in_a_served_shell(Held::Layers);
}

#[test]
fn no_line_gets_out_of_a_served_shell_where_landlock_alone_holds_it() {
    try_in_a_served_shell(Held::Landlock);
}

#[test]
fn no_line_gets_out_of_a_served_shell_where_nothing_holds_it() {
    try_in_a_served_shell(Held::Nothing);
}
