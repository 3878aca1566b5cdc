//! Real bash is the oracle: the same commands, typed into `bash --norc -i` in a terminal of its own, must give the same
//! output, status and folder at every step. Process ids are the only thing that may differ.

use std::io::{Read as _, Write as _};
use std::sync::mpsc;
use std::time::Duration;

use aish_process::Environment;
use aish_shell::{Options, Shell};
use aish_testkit::pty::{Command, Pseudoterminal, hang_up};

use crate::headless::run;

/// One step as seen from outside.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Seen {
    output: String,
    status: i32,
    cwd: String,
}

/// A plain interactive bash that is typed into.
struct Oracle {
    keys: std::fs::File,
    output: mpsc::Receiver<Vec<u8>>,
    child: std::process::Child,
    _pty: Pseudoterminal,
}

impl Oracle {
    fn start(folder: &std::path::Path) -> Self {
        let mut pty = Pseudoterminal::open(80, 24).unwrap();
        // Nothing that is typed may show, as nothing that aish sends shows.
        let command = Command::new("sh")
            .args(["-c", "stty -echo; exec bash --norc --noediting -i"])
            .current_dir(folder)
            .env_clear()
            .envs(variables())
            .env("PS1", "\u{1e}$? $PWD\u{1f}")
            .env("PS2", "");
        let child = pty.start(command).unwrap();
        let mut reader = pty.end().unwrap();
        let (sender, output) = mpsc::channel();
        std::thread::spawn(move || {
            let mut buffer = [0; 65536];
            while let Ok(count @ 1..) = reader.read(&mut buffer) {
                if sender.send(buffer[..count].to_vec()).is_err() {
                    return;
                }
            }
        });
        let keys = pty.end().unwrap();
        let mut oracle = Self { keys, output, child, _pty: pty };
        oracle.until_prompt();
        oracle.step("PS1=$'\\x1e$? $PWD\\x1f' PS2=; export -n PS1 PS2");
        oracle
    }

    fn step(&mut self, command: &str) -> Seen {
        self.keys.write_all(format!("{command}\n").as_bytes()).unwrap();
        self.until_prompt()
    }

    /// Says whether bash itself waits for a line, as far as the kernel tells.
    fn is_reading(&self) -> bool {
        let pid = self.child.id();
        let place = std::fs::read_to_string(format!("/proc/{pid}/wchan")).unwrap_or_default();
        let state = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        let sleeps = state.rsplit(") ").next().is_some_and(|rest| rest.starts_with('S'));
        sleeps && matches!(place.trim(), "wait_woken" | "n_tty_read" | "0" | "")
    }

    /// Reads up to the prompt that comes after the last line that was typed.
    fn until_prompt(&mut self) -> Seen {
        let mut text = Vec::new();
        // A command of several lines has a prompt after each that ends a command; nothing comes after the last one.
        let mut limit = Duration::from_secs(20);
        loop {
            match self.output.recv_timeout(limit) {
                Ok(chunk) => text.extend(chunk),
                // On a busy machine it may not have come to the next line yet.
                Err(mpsc::RecvTimeoutError::Timeout) if text.ends_with(b"\x1f") && !self.is_reading() => {}
                Err(_) => break,
            }
            limit = match text.ends_with(b"\x1f") {
                true => Duration::from_millis(60),
                false => Duration::from_secs(20),
            };
        }
        let text = String::from_utf8_lossy(&text).replace('\r', "");
        let (mut output, mut last) = (String::new(), "");
        let mut rest = text.as_str();
        while let Some((before, prompt)) = rest.split_once('\u{1e}') {
            output.push_str(before);
            let (prompt, after) = prompt.split_once('\u{1f}').expect("a whole prompt");
            (last, rest) = (prompt, after);
        }
        let (status, cwd) = last.split_once(' ').unwrap_or_else(|| panic!("no prompt in {text:?}"));
        Seen { output: output + rest, status: status.parse().unwrap(), cwd: cwd.into() }
    }
}

impl Drop for Oracle {
    fn drop(&mut self) {
        hang_up(&mut self.child);
    }
}

fn variables() -> Vec<(String, String)> {
    let mut variables: Vec<_> = [("HOME", "/nonexistent"), ("TERM", "dumb"), ("LANG", "C.UTF-8"), ("HISTFILE", "")]
        .map(|(n, v)| (n.into(), v.into()))
        .into();
    variables.push(("PATH".into(), std::env::var("PATH").unwrap()));
    variables
}

/// Takes out what may differ: process ids, and the notices of jobs that are done.
///
/// Bash tells of a job that ended while it waited for a command before the prompt that comes after that command. The
/// live shell waits for its commands in `PROMPT_COMMAND`, which is before a prompt: what ended meanwhile is told (and
/// forgotten, so that a `wait` for it finds no such job) before the next command and not after it. In both, whether a
/// job that ends at about the same time as a command is told of at once or one prompt later is chance. Notices of jobs
/// that ended in another way than well (`Terminated`, `Exit 3`) are compared.
fn without_pids(text: &str) -> String {
    let is_notice = |line: &str| {
        line.starts_with('[') && line.split_whitespace().nth(1).is_some_and(|word| word == "Done") && line.contains(']')
    };
    // `[1] 25`: in a PID namespace of its own a process id may be short.
    let started = |line: &str| {
        let (job, pid) = line.strip_suffix('\n')?.split_once("] ")?;
        (job.starts_with('[') && pid.bytes().all(|byte| byte.is_ascii_digit())).then(|| format!("{job}] PID\n"))
    };
    let lines = text.split_inclusive('\n').filter(|line| !is_notice(line));
    let text: String = lines.map(|line| started(line).unwrap_or_else(|| line.to_owned())).collect();
    let text = text.as_str();
    let pid = |word: &str| word.len() >= 3 && word.bytes().all(|byte| byte.is_ascii_digit());
    text.split_inclusive([' ', '\n'])
        .map(|word| match pid(word.trim_end()) && text.contains("[1]") {
            true => word.replace(word.trim_end(), "PID"),
            false => word.to_owned(),
        })
        .collect()
}

async fn check(name: &str, steps: &[String]) -> Vec<String> {
    let ours = tempfile::tempdir().unwrap();
    let theirs = tempfile::tempdir().unwrap();
    let mut environment = Environment::empty();
    for (name, value) in variables() {
        environment.set(name, value);
    }
    let shell = Shell::start(Options { environment, cwd: Some(ours.path().into()), ..Options::headless() });
    let place = |text: &str, folder: &std::path::Path| without_pids(&text.replace(folder.to_str().unwrap(), "FOLDER"));
    let mut seen = Vec::new();
    for step in steps {
        let result = run(&shell, step).await;
        seen.push(Seen {
            output: place(&result.output.text().replace('\r', ""), ours.path()),
            status: result.status,
            cwd: place(&result.cwd.display().to_string(), ours.path()),
        });
        // Typing takes a person's time, as it does with the oracle; jobs that end meanwhile are noticed by both.
        tokio::time::sleep(Duration::from_millis(60)).await;
    }
    let mut oracle = Oracle::start(theirs.path());
    let mut faults = Vec::new();
    for (step, seen) in steps.iter().zip(seen) {
        let expected = oracle.step(step);
        let expected = Seen {
            output: place(&expected.output, theirs.path()),
            cwd: place(&expected.cwd, theirs.path()),
            ..expected
        };
        if seen != expected {
            faults.push(format!("{name}: {step}\n   bash {expected:?}\n   aish {seen:?}"));
        }
    }
    shell.stop().await;
    faults
}

/// Reads cases: `### name` begins one, `#-` divides its steps.
fn cases(text: &str) -> Vec<(String, Vec<String>)> {
    text.split("### ")
        .skip(1)
        .map(|case| {
            let (name, body) = case.split_once('\n').unwrap();
            (name.into(), body.trim_end().split("\n#-\n").map(|step| step.trim_end_matches('\n').into()).collect())
        })
        .collect()
}

async fn check_all(text: &str) {
    let mut faults = Vec::new();
    let cases = cases(text);
    assert!(!cases.is_empty());
    for (name, steps) in &cases {
        faults.extend(check(name, steps).await);
    }
    assert!(faults.is_empty(), "{} of {} cases differ:\n{}", faults.len(), cases.len(), faults.join("\n"));
}

macro_rules! topics {
    ($($topic:ident),*) => {
        $(#[tokio::test]
        async fn $topic() {
            check_all(include_str!(concat!("cases/", stringify!($topic), ".sh"))).await;
        })*
    };
}

topics!(state, quoting, here_documents, functions, traps, jobs, control_flow, options, expansions, redirections);
