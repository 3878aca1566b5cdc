//! A resumed session sends what the running one would have sent, byte for byte.

use aish_journal::session::path_of;
use aish_testkit::model_server::{Expect, ModelServer, OpenAiStream, Script};

use crate::place::{Place, line, quit, wait};

const CONFIG: &str = "[shell]\nconfirm_cmd = true\n[models.scripted]\nendpoint = \"{model}\"\n[memory]\nauto = false\n";

/// What the first part of the conversation is answered with.
fn script(last: &str) -> Script {
    let call = |expression: &str| {
        OpenAiStream::call("call-1", "calculator", &format!("{{\"expression\":\"{expression}\"}}")).reply()
    };
    let text = |text: &str| OpenAiStream::answer(text).reply();
    Script::new()
        .chat(call("17*23"))
        .chat(text("It is **391**.\nCMD: echo one-$((1+1))"))
        .chat(text("Both are done."))
        .chat(call("2/"))
        .chat(text("That is no sum."))
        .chat(text(last))
}

/// Plays the conversation; the last question in the same run, or in another one that resumes.
fn play(config: &str, resume: bool) -> (Vec<u8>, Place) {
    let server = ModelServer::start(script("The end.")).unwrap();
    let place = Place::new(&server.url(), config);
    let mut session = place.shell(&[]);
    session.type_bytes("?what is 17*23, and then some — ünï\r".as_bytes()).unwrap();
    assert!(session.wait_until(crate::place::HUNG, |screen| screen.contains("[y]es")), "{}", session.contents());
    session.type_bytes(b"y").unwrap();
    wait(&session, |screen| screen.contains("Both are done."));
    line(&session, "echo shown to the model", "\nshown to the model\n");
    line(&session, "?and 2/", "That is no sum.");
    if resume {
        quit(session);
        session = place.shell(&["--resume"]);
        wait(&session, |screen| screen.contains("goes on with"));
    }
    line(&session, "?now end", "The end.");
    quit(session);
    (server.finish().last().unwrap().body.clone(), place)
}

fn text(body: &[u8]) -> String {
    String::from_utf8(body.to_vec()).unwrap()
}

#[test]
fn the_same_request_is_sent_byte_for_byte() {
    let (running, _place) = play(CONFIG, false);
    let (resumed, place) = play(CONFIG, true);
    assert!(text(&running).contains("\"role\":\"tool\"") && text(&running).contains("one-2"), "{}", text(&running));
    assert!(text(&running).contains("[exec: echo shown to the model]"), "{}", text(&running));
    assert_eq!(text(&running), text(&resumed));
    assert_eq!(place.session_ids().len(), 1, "it goes on in its own log");
}

#[test]
fn strict_templates_get_the_same_request_too() {
    let config = format!("{CONFIG}[context]\nuse_tool_role = false\n");
    assert_eq!(text(&play(&config, false).0), text(&play(&config, true).0));
}

#[test]
fn what_left_the_context_stays_out_with_its_summary() {
    let play = |resume: bool| {
        let reply = |text: &str| OpenAiStream::answer(text).reply();
        let long = format!("{} alpha.", "word ".repeat(300));
        let script = Script::new()
            .chat(reply(&long))
            .chat(reply("Beta."))
            .step(Expect::chat().contains("Summarize"), reply("They spoke of alpha."))
            .chat(reply("Gamma."))
            .step(Expect::chat().contains("Summarize").contains("They spoke of alpha."), reply("Alpha, then beta."))
            .chat(reply("The end."));
        let server = ModelServer::start(script).unwrap();
        let place = Place::new(&server.url(), &format!("{CONFIG}[context]\nmax_turns = 4\n"));
        let mut session = place.shell(&[]);
        line(&session, "?walrus", "alpha.");
        line(&session, "?second", "Beta.");
        line(&session, "?third", "Gamma.");
        if resume {
            quit(session);
            session = place.shell(&["--resume"]);
        }
        // The first summary is not made anew: it is the beginning of the second.
        line(&session, "?fourth", "The end.");
        quit(session);
        text(&server.finish().last().unwrap().body)
    };
    let running = play(false);
    assert!(running.contains("Alpha, then beta.") && !running.contains("walrus"), "{running}");
    assert_eq!(running, play(true));
}

#[test]
fn what_was_reset_stays_forgotten() {
    let reply = |text: &str| OpenAiStream::answer(text).reply();
    let last = Expect::chat().not_contains("walrus").contains("zebra");
    let server = ModelServer::start(Script::new().chat(reply("One.")).step(last, reply("Two."))).unwrap();
    let place = Place::new(&server.url(), CONFIG);
    let session = place.shell(&[]);
    line(&session, "?walrus", "One.");
    line(&session, ":reset", "2 messages forgotten");
    quit(session);
    let session = place.shell(&["--resume"]);
    line(&session, "?zebra", "Two.");
    quit(session);
    server.finish();
}

#[test]
fn a_call_without_a_result_is_answered_when_the_log_is_read() {
    let aborted = Expect::chat().contains("the call was aborted before it had a result").contains("call-1");
    let reply = |text: &str| OpenAiStream::answer(text).reply();
    let call = OpenAiStream::call("call-1", "calculator", "{\"expression\":\"1+1\"}");
    let script = Script::new().chat(call.reply()).chat(reply("Two.")).step(aborted, reply("Again."));
    let server = ModelServer::start(script).unwrap();
    let place = Place::new(&server.url(), CONFIG);
    let session = place.shell(&[]);
    line(&session, "?1+1", "Two.");
    quit(session);
    // As a crash behind the call leaves it, with half a line at the end.
    let id = place.session_ids().remove(0);
    let path = path_of(&place.sessions(), &id.as_str().into()).unwrap();
    let log = std::fs::read_to_string(&path).unwrap();
    let until: Vec<&str> = log.lines().take_while(|line| !line.contains("\"role\":\"tool\"")).collect();
    std::fs::write(&path, format!("{}\n{{\"kind\":\"turn\",\"id\":9", until.join("\n"))).unwrap();
    let session = place.shell(&["--resume", &id]);
    wait(&session, |screen| screen.contains("had no result"));
    line(&session, "?go on", "Again.");
    quit(session);
    server.finish();
}

#[test]
fn a_session_that_is_open_is_forked() {
    let reply = |text: &str| OpenAiStream::answer(text).reply();
    let second = Expect::chat().contains("first");
    let server =
        ModelServer::start(Script::new().chat(reply("One.")).step(second, reply("Two.")).chat(reply("Three.")))
            .unwrap();
    let place = Place::new(&server.url(), CONFIG);
    let one = place.shell(&[]);
    line(&one, "?first", "One.");
    let two = place.shell(&["--resume"]);
    wait(&two, |screen| screen.contains("is open elsewhere; this is a fork of it"));
    line(&two, "?second", "Two.");
    line(&one, "?third", "Three.");
    quit(one);
    quit(two);
    assert_eq!(place.session_ids().len(), 2);
    let last = text(&server.finish().last().unwrap().body);
    assert!(!last.contains("second"), "each has its own turns: {last}");
}
