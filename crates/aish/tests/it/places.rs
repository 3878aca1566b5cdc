//! Homes that cannot be written: full, or read only. One warning, and the work goes on.

use std::process::Output;

use aish_testkit::model_server::{Expect, ModelServer, OpenAiStream, Script};
use aish_testkit::skip;

use crate::place::{Place, line, quit};

const CONFIG: &str = "[models.scripted]\nendpoint = \"{model}\"\n[memory]\nauto = false\n";

fn server() -> ModelServer {
    let reply = OpenAiStream::answer("Paris.").reply();
    ModelServer::start(Script::new().always(Expect::chat(), reply)).unwrap()
}

fn texts(output: &Output) -> (String, String) {
    (String::from_utf8_lossy(&output.stdout).into_owned(), String::from_utf8_lossy(&output.stderr).into_owned())
}

#[test]
fn a_home_that_cannot_be_written_costs_the_answer_nothing() {
    let server = server();
    let mut place = Place::new(&server.url(), CONFIG);
    // Nobody can make a folder there, not even root.
    place.set("XDG_STATE_HOME", "/proc/nothing");
    let output = place.command(env!("CARGO_BIN_EXE_aish"), &["ask", "capital of France?"]).output().unwrap();
    let (out, err) = texts(&output);
    assert_eq!((output.status.code(), out.as_str()), (Some(0), "Paris.\n"), "{err}");
    assert_eq!(err.matches("this session is not kept").count(), 1, "{err}");
    let session = place.shell(&[]);
    line(&session, "?capital of France?", "Paris.");
    line(&session, "?and again?", "Paris.");
    assert_eq!(session.contents().matches("this session is not kept").count(), 1, "{}", session.contents());
    quit(session);
}

#[test]
fn a_full_disk_is_said_once_and_leaves_whole_lines() {
    // A disk of 256 KiB of its own, in a mount namespace of its own; full but for a few blocks.
    let script = "mount -t tmpfs -o size=256k none \"$1\" && mkdir -p \"$1/aish/sessions\" || exit 99\n\
                  shift; state=$1; shift\n\
                  head -c 60k /dev/zero > \"$state/fill\"\n\
                  for round in 1 2 3 4 5 6 7 8; do\n\
                    \"$@\" ask \"capital of France, round $round?\" || exit 98\n\
                    head -c 24k /dev/zero >> \"$state/fill\" 2>/dev/null\n\
                  done\n\
                  for file in \"$state\"/aish/sessions/*.jsonl; do echo \"== $file\"; cat \"$file\"; done\n";
    let server = server();
    let place = Place::new(&server.url(), CONFIG);
    let state = place.path(".local/state").display().to_string();
    std::fs::create_dir_all(&state).unwrap();
    for flags in [&["-m"][..], &["-U", "-r", "-m"]] {
        let mut arguments = flags.to_vec();
        arguments.extend(["sh", "-c", script, "sh", &state, &state, env!("CARGO_BIN_EXE_aish")]);
        let output = place.command("unshare", &arguments).output().unwrap();
        let (out, err) = texts(&output);
        match output.status.code() {
            Some(0) => {
                assert_eq!(out.matches("Paris.\n").count(), 8, "{out}\n{err}");
                let told = err.matches("is not kept").count() + err.matches("are not kept").count();
                assert!(told >= 1, "nothing was said of the full disk: {err}");
                let logs = out.split("== ").skip(1);
                for line in logs.flat_map(|log| log.lines().skip(1)) {
                    serde_json::from_str::<serde_json::Value>(line).unwrap_or_else(|error| panic!("{error}: {line}"));
                }
                return;
            }
            Some(98) => panic!("an answer was lost: {out}\n{err}"),
            _ => {}
        }
    }
    skip("a_full_disk_is_said_once_and_leaves_whole_lines", "a file system cannot be mounted here");
}

#[test]
fn an_autonomous_run_stops_by_itself_on_a_full_disk() {
    // Full but for a few kilobytes: some steps can be written down, then none.
    let script = "mount -t tmpfs -o size=512k none \"$1\" && mkdir -p \"$1/aish/sessions\" || exit 99\n\
                  shift; state=$1; shift\n\
                  \"$@\" ask \"capital of France?\" >/dev/null || exit 98\n\
                  head -c 600k /dev/zero > \"$state/fill\" 2>/dev/null\n\
                  truncate -s -28k \"$state/fill\"\n\
                  \"$@\" norris \"write numbers\" >&2; echo \"code $?\"\n\
                  cat \"$state/aish/audit.jsonl\"\n";
    let talk = "I go on with the next number, and say so at some length. ".repeat(40);
    let mut steps = Script::new().chat(OpenAiStream::answer("Paris."));
    for number in 0..24 {
        steps = steps.chat(OpenAiStream::answer(&format!("{talk}\n\nCMD: echo number-{number} | tee -a numbers")));
    }
    let server = ModelServer::start(steps).unwrap();
    let place = Place::new(&server.url(), CONFIG);
    let state = place.path(".local/state").display().to_string();
    std::fs::create_dir_all(&state).unwrap();
    for flags in [&["-m"][..], &["-U", "-r", "-m"]] {
        let mut arguments = flags.to_vec();
        arguments.extend(["sh", "-c", script, "sh", &state, &state, env!("CARGO_BIN_EXE_aish")]);
        let output = place.command("unshare", &arguments).output().unwrap();
        let (out, err) = texts(&output);
        match output.status.code() {
            Some(0) => {
                assert!(out.starts_with("code 3\n"), "it ends like a run that was halted: {out}\n{err}");
                assert!(err.contains("No space left on device"), "{err}");
                let lines = out.lines().skip(1).map(|line| {
                    serde_json::from_str::<serde_json::Value>(line).unwrap_or_else(|error| panic!("{error}: {line}"))
                });
                let approved = lines.filter(|line| line["approved"] == true).count();
                let numbers = std::fs::read_to_string(place.path("work/numbers")).unwrap_or_default().lines().count();
                assert!(numbers < 24, "it went on without a record: {numbers}");
                assert!(numbers <= approved, "{numbers} effects, {approved} in the audit: {out}\n{err}");
                return;
            }
            Some(98) => panic!("the answer before was lost: {out}\n{err}"),
            _ => {}
        }
    }
    skip("an_autonomous_run_stops_by_itself_on_a_full_disk", "a file system cannot be mounted here");
}
