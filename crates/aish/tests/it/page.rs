//! The exported page in a real browser: it shows the session, runs nothing, and asks nobody for anything.

use std::net::TcpListener;
use std::path::Path;
use std::process::Command;

use aish_journal::{SessionHead, SessionLog, WallClock};
use aish_testkit::skip;
use aish_types::{Message, ToolCall};

use crate::place::Place;

const CHROMIUM: &str = "/usr/bin/chromium";

#[test]
fn a_browser_shows_it_and_runs_nothing() {
    let test = "a_browser_shows_it_and_runs_nothing";
    if !Path::new(CHROMIUM).exists() {
        return skip(test, "there is no chromium (as root: apt-get install chromium)");
    }
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let outside = format!("http://{}/x", listener.local_addr().unwrap());
    let script = format!("<script>document.title='owned';new Image().src='{outside}'</script>");
    let place = Place::new("http://127.0.0.1:9", "");
    let log =
        SessionLog::create(&place.sessions(), "s-1".into(), SessionHead::default(), WallClock::default()).unwrap();
    let call = ToolCall { id: "c".into(), name: "web.get".into(), arguments: format!("{{\"url\":\"{outside}\"}}") };
    let messages = [
        Message::user(format!("What does {script} do?")),
        Message::Assistant { content: String::new(), tool_calls: vec![call], state: None },
        Message::Tool {
            tool_call_id: "c".into(),
            name: "web.get".into(),
            content: format!("</pre></details>{script}<img src={outside} onerror=\"document.title='owned'\">"),
            blocks: vec![],
        },
        Message::assistant(format!(
            "{script}\n\n![picture]({outside})\n\n<iframe src=\"{outside}\"></iframe>\n\n\
             <style>@import url({outside});</style>\n\n```html\n{script}\n```\n\n[link](javascript:document.title='owned')"
        )),
    ];
    for message in &messages {
        log.append(message, None, Some("m")).unwrap();
    }
    let page = place.path("page.html");
    let file = page.display().to_string();
    let export = ["sessions", "export", "s-1", "--output", &file];
    let exported = place.command(env!("CARGO_BIN_EXE_aish"), &export).output().unwrap();
    assert!(exported.status.success(), "{}", String::from_utf8_lossy(&exported.stderr));
    let profile = place.path("profile").display().to_string();
    let mut browser = Command::new(CHROMIUM);
    browser.args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run"]);
    browser.arg(format!("--user-data-dir={profile}")).args(["--virtual-time-budget=3000", "--dump-dom"]);
    let shown = browser.arg(format!("file://{file}")).output().unwrap();
    let dom = String::from_utf8_lossy(&shown.stdout).into_owned();
    if dom.is_empty() {
        return skip(test, "chromium does not start here");
    }
    // A browser that runs scripts writes back what it made of the page.
    assert!(dom.contains("<title>s-1</title>") && !dom.contains("<title>owned"), "{dom}");
    assert_eq!(
        dom.matches("<script").count() + dom.matches("<iframe").count() + dom.matches("<img").count(),
        0,
        "{dom}"
    );
    assert_eq!(dom.matches("<style").count(), 1, "{dom}");
    assert!(dom.contains("<details class=\"tool\">") && dom.contains("What does &lt;script&gt;"), "{dom}");
    assert!(listener.accept().is_err(), "the page asked somebody");
}
