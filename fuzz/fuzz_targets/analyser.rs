//! The judgement of commands: never panics, never overflows, and its time is bounded by the input's length.
#![no_main]

use std::time::{Duration, Instant};

use aish_safety::{PolicyRules, Surroundings, analyse};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Ok(command) = std::str::from_utf8(data) else { return };
    let start = Instant::now();
    let analysis = analyse(command, &Surroundings::default(), &PolicyRules::default());
    let _ = analysis.render();
    let bound = Duration::from_secs(2) + Duration::from_micros(100) * u32::try_from(command.len()).unwrap_or(u32::MAX);
    assert!(start.elapsed() < bound, "{} bytes took {:?}", command.len(), start.elapsed());
});
