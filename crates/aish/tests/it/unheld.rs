//! Commands of the model where no layer works: on a system without user name spaces, with Landlock and without. What runs
//! unasked opens nothing that is hidden. Real filters on system calls, real bash, canaries.

use std::collections::BTreeMap;
use std::process::{Command, Output, Stdio};
use std::thread;

use aish_testkit::model_server::{ModelServer, Script};
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule, TargetArch,
};

use crate::person::Home;

/// What is in each hidden file.
const CANARY: &str = "canary-5b1d";

/// Lines that try to show a hidden file; `H` is the home folder.
const ATTEMPTS: &str = include_str!("unheld/attempts.txt");

/// `clone` flag of a user name space.
const NEW_USER: u64 = 0x1000_0000;

/// Refuses a system call from this thread and what it starts, as a system does that lacks it.
fn refuse(call: i64, rules: Vec<SeccompRule>, answer: u32) {
    let filter = SeccompFilter::new(
        BTreeMap::from([(call, rules)]),
        SeccompAction::Allow,
        SeccompAction::Errno(answer),
        TargetArch::try_from(std::env::consts::ARCH).unwrap(),
    );
    seccompiler::apply_filter(&BpfProgram::try_from(filter.unwrap()).unwrap()).unwrap();
}

/// Runs `aish` where nothing makes name spaces, and no Landlock is there either when `bare`.
fn aish(home: &Home, bare: bool, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_aish"));
    command.args(arguments).env_clear().envs(home.all_variables()).current_dir(home.work()).stdin(Stdio::null());
    without_name_spaces(bare, || command.output().unwrap())
}

/// Does something where nothing makes name spaces, and no Landlock is there either when `bare`.
pub(crate) fn without_name_spaces<T: Send>(bare: bool, work: impl FnOnce() -> T + Send) -> T {
    let filtered = || {
        let flag = SeccompCondition::new(0, SeccompCmpArgLen::Dword, SeccompCmpOp::MaskedEq(NEW_USER), NEW_USER);
        let (clone, create_ruleset, not_permitted, no_such_call) =
            (libc::SYS_clone, libc::SYS_landlock_create_ruleset, 1, 38);
        refuse(clone, vec![SeccompRule::new(vec![flag.unwrap()]).unwrap()], not_permitted);
        if bare {
            refuse(create_ruleset, Vec::new(), no_such_call);
        }
        work()
    };
    // The filter holds for one thread and its children.
    thread::scope(|scope| scope.spawn(filtered).join().unwrap())
}

fn home(line: &str) -> (Home, ModelServer) {
    let home = Home::outside_temporary_folders();
    for (name, text) in [
        (".ssh/id_ed25519", CANARY),
        (".ssh/config", CANARY),
        (".aws/credentials", CANARY),
        (".mozilla/firefox/p/logins", CANARY),
        ("vault/note", CANARY),
        ("work/.env", CANARY),
        ("work/sub/.env.local", CANARY),
        ("work/a", "plain-text\n"),
        ("work/b", "other\n"),
        ("work/sub/c", "deep\n"),
    ] {
        let path = home.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    std::fs::write(home.work().join("list"), home.path(".ssh/config").display().to_string()).unwrap();
    std::fs::write(home.work().join("zeros"), format!("{}\0", home.path(".ssh/config").display())).unwrap();
    for (link, to) in [("work/innocent", ".ssh/id_ed25519"), ("work/keys", ".ssh"), ("work/open", "vault/note")] {
        std::os::unix::fs::symlink(home.path(to), home.path(link)).unwrap();
    }
    let config = home.path(".config/aish");
    std::fs::create_dir_all(&config).unwrap();
    std::fs::write(config.join("config.toml"), "[confine]\nhidden = [\"~/vault\"]\n").unwrap();
    let line = line.replace("H/", &home.path("").display().to_string());
    let script =
        serde_json::json!({"steps": [{"reply": {"text": format!("CMD: {line}")}}, {"reply": {"text": "done"}}]});
    let model = ModelServer::start(Script::parse(&script.to_string()).unwrap()).unwrap();
    (home.with("OPENAI_BASE_URL", &model.url()), model)
}

fn shown(line: &str, bare: bool) -> String {
    let (home, model) = home(line);
    let output = aish(&home, bare, &["ask", "--json", "go on"]);
    let mut all = String::from_utf8_lossy(&output.stdout).into_owned();
    all.push_str(&String::from_utf8_lossy(&output.stderr));
    assert!(!model.requests().is_empty(), "{line}: {all}");
    for request in model.requests().iter().skip(1) {
        all.push_str(&String::from_utf8_lossy(&request.body));
    }
    all
}

#[test]
fn the_filters_take_away_what_they_should() {
    for (bare, found) in [(false, "landlock: "), (true, "bare: ")] {
        let (home, _model) = home("ls");
        let output = aish(&home, bare, &["doctor"]);
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(said.contains(found), "{said}");
    }
}

#[test]
fn what_is_written_out_and_not_hidden_runs_unasked() {
    for line in ["cat a", "grep -n plain a b", "head -5 a | tail -1", "sort < a", "ls >/dev/null; cat a", "cat sub/c a"]
    {
        for bare in [false, true] {
            let all = shown(line, bare);
            assert!(all.contains("plain-text"), "{line} {bare}: {all}");
        }
    }
    // The kernel keeps it from what is hidden, so that it need not be written out.
    let all = shown("cat *", false);
    assert!(all.contains("plain-text") && !all.contains(CANARY), "{all}");
}

#[test]
fn no_line_shows_what_is_hidden_where_nothing_holds_it() {
    for line in attempts() {
        let all = shown(line, true);
        assert!(!all.contains(CANARY), "{line}: {all}");
    }
}

#[test]
fn no_line_shows_what_is_hidden_where_landlock_holds_it() {
    for line in attempts() {
        let all = shown(line, false);
        assert!(!all.contains(CANARY), "{line}: {all}");
    }
}

fn attempts() -> impl Iterator<Item = &'static str> {
    ATTEMPTS.lines().filter(|line| !line.is_empty() && !line.starts_with("# "))
}
