//! Subjects that come from outside.

/// Returns whether a subject may be published to on a stranger's word: plain words with dots between them, none of the
/// server's own (`$SYS`, `$JS`, `$KV`).
pub(crate) fn is_plain(subject: &str) -> bool {
    let word = |word: &str| {
        !word.is_empty() && word.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'='))
    };
    subject.len() <= 255 && subject.split('.').all(word)
}

/// Returns whether a subject is one that the service itself listens to or tells of.
pub(crate) fn is_ours(subject: &str, prefix: &str) -> bool {
    let rest = subject.strip_prefix(prefix).and_then(|rest| rest.strip_prefix('.'));
    rest.is_some_and(|rest| ["llm", "event"].iter().any(|word| rest == *word || rest.starts_with(&format!("{word}."))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_subjects_of_others() {
        for subject in ["_INBOX.abc.1", "dice.roll", "plugin.dice.roll-2"] {
            assert!(is_plain(subject) && !is_ours(subject, "rosey"), "{subject}");
        }
        for subject in ["", "a..b", ".a", "a.*", "a.>", "$KV.x", "$JS.API.STREAM.DELETE.x", "a b", "a\r\nPUB x"] {
            assert!(!is_plain(subject), "{subject}");
        }
        assert!(is_ours("rosey.llm.chat", "rosey") && is_ours("rosey.event.llm.tool", "rosey"));
        assert!(!is_ours("rosey.llmx", "rosey") && !is_ours("rosey.command.dice.roll", "rosey"));
    }
}
