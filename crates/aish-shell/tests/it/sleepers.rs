use std::time::{Duration, Instant};

/// Every `sleep` of one length that no other test has: what a shell left behind, looked up in `/proc`.
///
/// Only programs that are `sleep` already count: what is forked or a `nohup` before it has begun the program has not yet
/// asked not to be hung up on.
pub(crate) struct Sleepers {
    /// Seconds to sleep for, as an argument.
    pub(crate) length: String,
}

impl Sleepers {
    /// The sleepers of this process whose length begins with `seconds`; a fraction tells the tests apart.
    pub(crate) fn new(seconds: u32, fraction: &str) -> Sleepers {
        Sleepers { length: format!("{}.{fraction}", seconds + std::process::id()) }
    }

    /// The processes that sleep now.
    pub(crate) fn alive(&self) -> Vec<i32> {
        let command = format!("sleep\0{}\0", self.length);
        let entries = std::fs::read_dir("/proc").unwrap().filter_map(Result::ok);
        let processes = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
        processes
            .filter(|process| {
                std::fs::read(format!("/proc/{process}/cmdline")).is_ok_and(|line| line == command.as_bytes())
            })
            .collect()
    }

    /// Waits until `count` of them sleep.
    pub(crate) async fn wait_for(&self, count: usize) {
        let since = Instant::now();
        while self.alive().len() != count {
            assert!(since.elapsed() < Duration::from_secs(60), "{} sleep, not {count}", self.alive().len());
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }
}
