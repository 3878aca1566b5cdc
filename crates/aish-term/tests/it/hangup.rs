//! A terminal that goes away.

use std::io::{Read as _, Write as _};
use std::time::{Duration, Instant};

use aish_testkit::pty::{Command, Pseudoterminal};

/// A program that lives on without its terminal is told of the end of the input, instead of spinning on it.
#[test]
fn a_closed_terminal_ends_the_read() {
    let mut pty = Pseudoterminal::open(80, 24).unwrap();
    let command = Command::new("sh")
        .args(["-c", "trap '' HUP; exec \"$0\" \"$@\""])
        .arg(std::env::current_exe().unwrap())
        .args(["--exact", "child::scenario", "--nocapture", "--test-threads=1"])
        .env("AISH_TERM_SCENARIO", "lines")
        .env("TERM", "xterm");
    let mut child = pty.start(command).unwrap();
    let (mut output, mut input) = (pty.end().unwrap(), pty.end().unwrap());
    let mut seen: Vec<u8> = Vec::new();
    let mut buffer = [0; 1024];
    while !seen.windows(2).any(|window| window == b"> ") {
        let read = output.read(&mut buffer).unwrap();
        assert!(read > 0, "{}", String::from_utf8_lossy(&seen));
        if buffer[..read].windows(4).any(|window| window == b"\x1b[6n") {
            input.write_all(b"\x1b[1;1R").unwrap();
        }
        seen.extend_from_slice(&buffer[..read]);
    }
    drop((output, input, pty));
    let deadline = Instant::now() + Duration::from_secs(20);
    while child.try_wait().unwrap().is_none() {
        assert!(Instant::now() < deadline, "it goes on without its terminal");
        std::thread::sleep(Duration::from_millis(10));
    }
}
