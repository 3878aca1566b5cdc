//! A canary in the environment: it reaches no model, no log, no history and no memory, encoded or not.

use std::path::Path;

use aish_testkit::model_server::{Expect, ModelServer, OpenAiStream, Script};

use crate::place::{HUNG, Place, line, quit, wait};

const CANARY: &str = "canary-r1ver-4711";
const ENCODED: &str = "Y2FuYXJ5LXIxdmVyLTQ3MTE";

pub(crate) fn files(folder: &Path, found: &mut Vec<std::path::PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        if path.is_dir() {
            files(&path, found);
        } else {
            found.push(path);
        }
    }
}

#[test]
fn a_canary_reaches_nothing_that_is_kept_or_sent() {
    let reply = |text: &str| OpenAiStream::answer(text).reply();
    let clean = || Expect::chat().not_contains(CANARY).not_contains(ENCODED);
    let script = Script::new()
        .step(clean().contains("[redacted]"), reply("CMD: printenv DEPLOY_TOKEN; printenv DEPLOY_TOKEN | base64"))
        .step(clean().contains("[exec: printenv"), reply("Seen."))
        .step(clean(), reply("Typed."))
        .step(clean().contains("Which lasting facts"), reply(&format!("user: My favourite word is {CANARY}.")));
    let server = ModelServer::start(script).unwrap();
    let mut place = Place::new(&server.url(), "[models.scripted]\nendpoint = \"{model}\"\n");
    place.set("DEPLOY_TOKEN", CANARY);
    let session = place.shell(&[]);
    line(&session, "printenv DEPLOY_TOKEN", CANARY);
    session.type_bytes(b"?what is this?\r").unwrap();
    assert!(session.wait_until(HUNG, |screen| screen.contains("[y]es")), "{}", session.contents());
    session.type_bytes(b"y").unwrap();
    wait(&session, |screen| screen.contains("Seen."));
    line(&session, &format!("?I always use {CANARY} here"), "Typed.");
    line(&session, &format!("echo {CANARY} {ENCODED}"), ENCODED);
    line(&session, &format!(":memory add the word is {CANARY}"), "looks like a secret");
    quit(session);
    server.finish();
    let mut kept = Vec::new();
    files(&place.path(""), &mut kept);
    assert!(kept.iter().any(|path| path.ends_with("aish.db")), "{kept:?}");
    for path in kept {
        let bytes = std::fs::read(&path).unwrap();
        for form in [CANARY, ENCODED] {
            let holds = bytes.windows(form.len()).any(|window| window == form.as_bytes());
            assert!(!holds, "{} holds {form}", path.display());
        }
    }
}
