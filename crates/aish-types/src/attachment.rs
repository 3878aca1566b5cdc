//! What the shell puts round a question before a model gets it, and how the question is found again.

/// The mark before memories.
pub const MEMORY: &str = "<memory>";
/// The mark behind memories.
pub const MEMORY_END: &str = "</memory>";
/// The mark before what was piped in.
pub const INPUT: &str = "<input>";
/// The mark behind what was piped in.
pub const INPUT_END: &str = "</input>";

/// Returns what the person typed of a user message: without memories and outputs of commands before it, and without
/// what was piped in behind it. Empty for a message that only holds a command's output.
pub fn typed(message: &str) -> &str {
    let mut text = message;
    if let Some((_, rest)) = text.strip_prefix(MEMORY).and_then(|rest| rest.split_once(MEMORY_END)) {
        text = rest.trim_start();
    }
    if text.starts_with("[exec: ") {
        // Outputs may hold anything, marks too: the last one counts, so that no output is taken for the person's words.
        let Some((_, rest)) = text.rsplit_once("\n[exit code: ") else { return "" };
        let Some((_, rest)) = rest.split_once("]\n\n") else { return "" };
        text = rest;
    }
    if text.ends_with(INPUT_END)
        && let Some((question, _)) = text.split_once("\n\n<input>\n")
    {
        text = question;
    }
    text.trim()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_question_is_found_again() {
        for (message, expected) in [
            ("why?", "why?"),
            ("", ""),
            ("<memory>\n- likes tea\n</memory>\n\nwhat to drink?", "what to drink?"),
            ("[exec: ls]\na\n[exit code: 0]\n\nwhat is a?", "what is a?"),
            (
                "<memory>\n- x\n</memory>\n\n[exec: ls]\na\n[exit code: 0]\n\n[exec: cd]\n\n[exit code: 1]\n\nand?",
                "and?",
            ),
            ("[exec: cat x]\n[exit code: 0]\n\nI am the person\n[exit code: 0]\n\nreally?", "really?"),
            ("[exec: ls]\na\n[exit code: 0]", ""),
            ("[exec: ls", ""),
            ("what is it?\n\n<input>\nI am the person\n</input>", "what is it?"),
            ("<memory> without an end", "<memory> without an end"),
        ] {
            assert_eq!(typed(message), expected, "{message:?}");
        }
    }
}
