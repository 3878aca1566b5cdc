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

/// The values of the live shell's variables, whose names tell that they are secrets.
#[test]
fn secrets_of_the_shell_reach_nothing_that_is_kept_or_sent() {
    const SECRETS: [&str; 5] = ["of-the-rc-4711", "not-exported-4711", "typed-here-4711", "first read 4711", "hunt3r"];
    let clean = || SECRETS.iter().fold(Expect::chat(), |expect, secret| expect.not_contains(secret));
    let answer = |text: &str| OpenAiStream::answer(text).reply();
    let script = Script::new()
        .step(clean().contains("[redacted]"), answer("CMD: echo $RC_TOKEN $PLAIN_PASSWORD"))
        .step(clean().contains("[exec: echo"), answer("First."))
        .step(
            clean().contains("export TYPED_TOKEN=[redacted]").contains("SHORT_PASSWORD=[redacted]"),
            answer("Second."),
        );
    let server = ModelServer::start(script).unwrap();
    let place = Place::new(&server.url(), "[models.scripted]\nendpoint = \"{model}\"\n[memory]\nauto = false\n");
    let rc = "export RC_TOKEN=of-the-rc-4711\nPLAIN_PASSWORD=not-exported-4711\n";
    std::fs::write(place.path(".bashrc"), rc).unwrap();
    let session = place.shell(&[]);
    session.type_bytes(b"?what is of-the-rc-4711?\r").unwrap();
    assert!(session.wait_until(HUNG, |screen| screen.contains("[y]es")), "{}", session.contents());
    session.type_bytes(b"y").unwrap();
    wait(&session, |screen| screen.contains("First."));
    line(&session, "export TYPED_TOKEN=typed-here-4711", "typed-here-4711");
    line(&session, "echo \"$TYPED_TOKEN/$PLAIN_PASSWORD\"", "typed-here-4711/not-exported-4711");
    line(&session, "SHORT_PASSWORD=hunt3r true", "hunt3r");
    session.type_bytes(b"read -r LATE_SECRET\rfirst read 4711\r").unwrap();
    line(&session, "echo \"late: $LATE_SECRET.\"", "late: first read 4711.");
    line(&session, "?and now?", "Second.");
    quit(session);
    let mut kept = Vec::new();
    files(&place.path(".local"), &mut kept);
    files(&place.path(".config"), &mut kept);
    kept.extend([place.path(".bash_history")].into_iter().filter(|path| path.exists()));
    assert!(kept.iter().any(|path| path.ends_with("aish.db")), "{kept:?}");
    for path in kept {
        let bytes = std::fs::read(&path).unwrap();
        for secret in SECRETS {
            assert!(
                !bytes.windows(secret.len()).any(|window| window == secret.as_bytes()),
                "{}: {secret}",
                path.display()
            );
        }
    }
}
