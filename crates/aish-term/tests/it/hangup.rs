//! A terminal that goes away.

use std::io::{Read as _, Write as _};
use std::time::{Duration, Instant};

use portable_pty::{CommandBuilder, PtySize, native_pty_system};

/// A program that lives on without its terminal is told of the end of the input, instead of spinning on it.
#[test]
fn a_closed_terminal_ends_the_read() {
    let pair = native_pty_system().openpty(PtySize::default()).unwrap();
    let mut command = CommandBuilder::new("sh");
    command.args(["-c", "trap '' HUP; exec \"$0\" \"$@\""]);
    command.arg(std::env::current_exe().unwrap());
    command.args(["--exact", "child::scenario", "--nocapture", "--test-threads=1"]);
    command.env("AISH_TERM_SCENARIO", "lines");
    command.env("TERM", "xterm");
    let mut child = pair.slave.spawn_command(command).unwrap();
    drop(pair.slave);
    let mut output = pair.master.try_clone_reader().unwrap();
    let mut input = pair.master.take_writer().unwrap();
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
    drop((output, input, pair.master));
    let deadline = Instant::now() + Duration::from_secs(20);
    while child.try_wait().unwrap().is_none() {
        assert!(Instant::now() < deadline, "it goes on without its terminal");
        std::thread::sleep(Duration::from_millis(10));
    }
}
