//! `CMD:` lines: shell commands that the model proposes in its own text.

use alloc::string::String;
use alloc::vec::Vec;

/// The mark at the start of a line.
pub const MARK: &str = "CMD:";

/// Returns the commands that a text proposes, in order: what follows `CMD:` at the start of a line, without the blanks around it.
///
/// Only the assistant's own text may be given to this; results of tools never are.
pub fn proposed_commands(text: &str) -> Vec<String> {
    text.lines()
        .filter_map(|line| line.strip_prefix(MARK))
        .map(str::trim)
        .filter(|command| !command.is_empty())
        .map(String::from)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_start_of_a_line_counts() {
        let text = "I will look.\nCMD: ls -la\nthen CMD: rm x\n  CMD: indented\nCMD:\nCMD:echo hi  \r\n> CMD: quoted";
        assert_eq!(proposed_commands(text), ["ls -la", "echo hi"]);
    }
}
