//! The process that turns a page of the web into markdown, with pages that were written to harm it.

use std::io::Write as _;
use std::process::{Command, Output, Stdio};

/// Runs the process over a page.
fn markdown(page: &[u8]) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_aish"))
        .arg("__page")
        .env_clear()
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // One that was ended does not read on.
    let _ = child.stdin.take().unwrap().write_all(page);
    child.wait_with_output().unwrap()
}

#[test]
fn a_page_becomes_markdown() {
    let done = markdown(b"<title>t</title><h1>Head</h1><script>x()</script><p>a <b>b</b>");
    assert!(done.status.success(), "{done:?}");
    assert_eq!(String::from_utf8_lossy(&done.stdout), "# Head\n\na **b**");
}

/// Each of the many open elements is opened again in each of the many paragraphs: the square of what the page has.
#[test]
fn a_page_that_grows_without_bounds_ends() {
    let mut page: Vec<u8> = (0..60_000).flat_map(|number| format!("<b a={number}>").into_bytes()).collect();
    page.extend(b"<p>".repeat(60_000));
    let done = markdown(&page);
    assert!(!done.status.success(), "{:?}", done.status);
    assert!(done.stdout.is_empty());
}
