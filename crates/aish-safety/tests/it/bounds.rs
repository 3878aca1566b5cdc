//! Long and flat commands are judged, in time that grows with their length.

use std::time::{Duration, Instant};

use aish_safety::{Surroundings, Verdict, judge_command};

#[test]
fn a_long_command_is_judged_whole() {
    let mut text = "echo one two three; ".repeat(3_000);
    assert_eq!(judge_command(&text, &Surroundings::default()).verdict, Verdict::Allow);
    text.push_str("rm -rf /srv/data");
    let start = Instant::now();
    assert_eq!(judge_command(&text, &Surroundings::default()).verdict, Verdict::Halt);
    assert!(start.elapsed() < Duration::from_secs(20), "{:?}", start.elapsed());
}
