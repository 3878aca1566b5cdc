//! What the shell puts round a question before a model gets it, and how the question is found again.

/// The mark before memories.
pub const MEMORY: &str = "<memory>";
/// The mark behind memories.
pub const MEMORY_END: &str = "</memory>";
/// The mark before what was piped in.
pub const INPUT: &str = "<input>";
/// The mark behind what was piped in.
pub const INPUT_END: &str = "</input>";

/// A user message taken apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Parts<'a> {
    /// Memories, without their marks; empty when there are none.
    pub memory: &'a str,
    /// Commands with their outputs and exit codes; empty when there are none.
    pub outputs: &'a str,
    /// What the person typed; empty for a message that only holds a command's output.
    pub question: &'a str,
    /// What was piped in, without its marks; empty when nothing was.
    pub input: &'a str,
}

/// Takes a user message apart.
pub fn parts(message: &str) -> Parts<'_> {
    let mut parts = Parts::default();
    let mut text = message;
    if let Some((memory, rest)) = text.strip_prefix(MEMORY).and_then(|rest| rest.split_once(MEMORY_END)) {
        parts.memory = memory.trim();
        text = rest.trim_start();
    }
    if text.starts_with("[exec: ") {
        // Outputs may hold anything, marks too: the last one counts, so that no output is taken for the person's words.
        let end = text.rfind("\n[exit code: ").and_then(|at| Some(at + text.get(at..)?.find("]\n\n")? + 1));
        let (outputs, rest) = end.and_then(|end| text.split_at_checked(end)).unwrap_or((text, ""));
        parts.outputs = outputs.trim();
        text = rest;
    }
    if let Some(before) = text.strip_suffix(INPUT_END)
        && let Some((question, input)) = before.split_once("\n\n<input>\n")
    {
        parts.input = input.trim();
        text = question;
    }
    parts.question = text.trim();
    parts
}

/// Returns what the person typed of a user message: without memories and outputs of commands before it, and without
/// what was piped in behind it. Empty for a message that only holds a command's output.
pub fn typed(message: &str) -> &str {
    parts(message).question
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

    #[test]
    fn all_parts_are_found() {
        let message = "<memory>\n- tea\n</memory>\n\n[exec: ls]\na\n[exit code: 0]\n\nwhy?\n\n<input>\nx\n</input>";
        let expected =
            Parts { memory: "- tea", outputs: "[exec: ls]\na\n[exit code: 0]", question: "why?", input: "x" };
        assert_eq!(parts(message), expected);
    }
}
