//! The program is killed at fifty random points: no finished turn is lost, and nothing runs on.

use std::time::{Duration, Instant};

use aish_journal::SessionLog;
use aish_testkit::model_server::{Expect, ModelServer, OpenAiStream, Script};
use aish_types::Message;

use crate::place::{HUNG, Place, wait};

const ROUNDS: u64 = 50;
const SEED: u64 = 0x5eed_0009;
// A confined run gets no name of ours (`AISH_…`), and has to be found by it too.
const MARK: &str = "TEST_OF_KILLS";

/// The questions, and what comes of them. A question without an answer goes along with the next one: what is to be
/// finished comes first here.
fn server() -> ModelServer {
    let slow = Duration::from_millis(15);
    let text = |text: &str| OpenAiStream::answer(text).reply().pause_between(slow);
    let call = OpenAiStream::call("call-1", "calculator", "{\"expression\":\"123456*789\"}");
    let script = Script::new()
        .always(Expect::chat().last_message("97406784"), text("The sum is large."))
        .always(Expect::chat().last_message("finish plain"), text("Here is a plain answer."))
        .always(Expect::chat().last_message("finish sum"), call.clone().reply().pause_between(slow))
        .always(Expect::chat().last_message("kill sleep"), text("CMD: sleep 86400 & sleep 86399"))
        .always(Expect::chat().last_message("kill quick"), text("CMD: echo quick"))
        .always(Expect::chat().last_message("kill sum"), call.reply().pause_between(slow))
        .always(Expect::chat(), text("Here is a plain answer."));
    ModelServer::start(script).unwrap()
}

/// SplitMix64 (Steele, Lea, Flood 2014).
fn random(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut mixed = (*state ^ (*state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

/// Returns the processes that were started in a round: they all have its mark in their environment.
fn processes(mark: &str) -> Vec<(u32, String)> {
    let wanted = format!("{MARK}={mark}\0");
    let mut found = Vec::new();
    for entry in std::fs::read_dir("/proc").unwrap().flatten() {
        let Some(pid) = entry.file_name().to_str().and_then(|name| name.parse::<u32>().ok()) else { continue };
        let environment = std::fs::read(entry.path().join("environ")).unwrap_or_default();
        let marked = environment.windows(wanted.len()).any(|window| window == wanted.as_bytes());
        // A process that has ended and waits to be asked for its code has no environment any more.
        if marked {
            let name = std::fs::read_to_string(entry.path().join("cmdline")).unwrap_or_default();
            found.push((pid, name.replace('\0', " ")));
        }
    }
    found
}

/// Waits until both jobs run their programs. One that bash has forked and that is on its way to its program loses the
/// hang-up that bash passes on: bash's own handler still takes it.
fn wait_for_jobs(mark: &str) {
    let deadline = Instant::now() + HUNG;
    loop {
        let running = processes(mark);
        if ["sleep 86400 ", "sleep 86399 "].iter().all(|job| running.iter().any(|(_, name)| name == job)) {
            return;
        }
        assert!(Instant::now() < deadline, "{running:?}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn no_finished_turn_is_lost_and_nothing_runs_on() {
    let server = server();
    // A server that never answers and reads nothing: it would run on for ever.
    let config = "[models.scripted]\nendpoint = \"{model}\"\n[memory]\nauto = false\n[shell]\nconfirm_cmd = true\n\
                  [mcp.servers.deaf]\ncommand = \"sleep\"\nargs = [\"86398\"]\n";
    let mut place = Place::new(&server.url(), config);
    let mut state = SEED;
    let mut finished: Vec<String> = Vec::new();
    for round in 0..ROUNDS {
        let mark = format!("{}-{round}", std::process::id());
        place.set(MARK, &mark);
        // The same session all the time: what a killed run left is what the next one reads.
        let arguments: &[&str] = if place.session_ids().is_empty() { &[] } else { &["--resume"] };
        let session = place.shell(arguments);
        let pid = session.process_id().to_string();
        if random(&mut state).is_multiple_of(2) {
            let kind = if random(&mut state).is_multiple_of(2) { "sum" } else { "plain" };
            let question = format!("finish {kind} {round}");
            let answer = if kind == "sum" { "The sum is large." } else { "Here is a plain answer." };
            session.type_bytes(format!("?{question}\r").as_bytes()).unwrap();
            wait(&session, |screen| screen.contains(&question) && screen.contains(answer));
            finished.push(question);
        }
        let kind = ["sum", "plain", "quick", "sleep"][usize::try_from(random(&mut state) % 4).unwrap()];
        session.type_bytes(format!("?kill {kind} {round}\r").as_bytes()).unwrap();
        if matches!(kind, "quick" | "sleep") && !random(&mut state).is_multiple_of(4) {
            assert!(session.wait_until(HUNG, |screen| screen.contains("[y]es")), "{}", session.contents());
            session.type_bytes(b"y").unwrap();
            if kind == "sleep" {
                wait_for_jobs(&mark);
            }
        }
        // The point is drawn, not awaited: anywhere from the line to some time behind the answer.
        std::thread::sleep(Duration::from_micros(random(&mut state) % 250_000));
        aish_testkit::send_signal("KILL", pid.parse().unwrap());
        // The terminal stays open: its end is not what ends the children.
        let deadline = Instant::now() + HUNG;
        loop {
            let left = processes(&mark);
            if left.is_empty() {
                break;
            }
            assert!(Instant::now() < deadline, "round {round}: {left:?} run on");
            std::thread::sleep(Duration::from_millis(10));
        }
        drop(session);
        check(&place, &finished, round);
    }
    assert!(finished.len() as u64 > ROUNDS / 4, "the seed finishes {} turns", finished.len());
}

/// Every finished question is in the log with its answer.
fn check(place: &Place, finished: &[String], round: u64) {
    let ids = place.session_ids();
    if ids.is_empty() {
        assert!(finished.is_empty(), "round {round}");
        return;
    }
    assert_eq!(ids.len(), 1, "round {round}: {ids:?}");
    let session = SessionLog::read(&place.sessions(), &ids[0].as_str().into()).unwrap();
    let bad: Vec<&String> = session.warnings.iter().filter(|warning| warning.contains("no record")).collect();
    assert!(bad.is_empty(), "round {round}: {bad:?}");
    for question in finished {
        let asked = session.turns.iter().position(|turn| turn.message.content() == question);
        let behind = session.turns.iter().skip(asked.unwrap_or_else(|| panic!("round {round}: no {question:?}")) + 1);
        let answer = behind.take_while(|turn| !matches!(turn.message, Message::User { .. })).last();
        let answer = answer.map(|turn| turn.message.content()).unwrap_or_default();
        let expected = if question.starts_with("finish sum") { "The sum is large." } else { "Here is a plain answer." };
        assert_eq!(answer, expected, "round {round}: {question}");
    }
}
