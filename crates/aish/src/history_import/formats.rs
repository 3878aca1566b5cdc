//! The files in which bash, zsh and fish keep their histories.

use aish_store::history_import::ImportedLine;

fn line(command: String, started_ms: i64) -> ImportedLine {
    ImportedLine { command, started_ms, ..ImportedLine::default() }
}

/// Reads `~/.bash_history`. With time stamps (`#` and seconds before each entry) an entry may have several lines.
pub(super) fn bash(text: &str, changed_ms: i64) -> Vec<ImportedLine> {
    let stamp = |line: &str| -> Option<i64> {
        let digits = line.strip_prefix('#')?;
        (!digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())).then(|| digits.parse().ok())?
    };
    let mut lines: Vec<ImportedLine> = Vec::new();
    let mut began: Option<i64> = None;
    let mut goes_on = false;
    for text in text.lines() {
        if let Some(seconds) = stamp(text) {
            began = Some(seconds.saturating_mul(1000));
            goes_on = false;
            continue;
        }
        match lines.last_mut() {
            Some(last) if goes_on && began.is_some() => {
                last.command.push('\n');
                last.command.push_str(text);
            }
            _ => lines.push(line(text.to_owned(), began.unwrap_or(changed_ms))),
        }
        goes_on = true;
    }
    lines
}

/// Reads `~/.zsh_history`, plain or extended (`: SECONDS:TOOK;COMMAND`). A newline in a command stands behind a
/// backslash; bytes that zsh uses itself are written as 0x83 and the byte with its sixth bit turned over.
pub(super) fn zsh(bytes: &[u8], changed_ms: i64) -> Vec<ImportedLine> {
    let mut plain = Vec::with_capacity(bytes.len());
    let mut all = bytes.iter();
    while let Some(&byte) = all.next() {
        match byte {
            0x83 => plain.extend(all.next().map(|byte| byte ^ 0x20)),
            byte => plain.push(byte),
        }
    }
    let text = String::from_utf8_lossy(&plain);
    let mut lines = Vec::new();
    let mut entry = String::new();
    for part in text.lines() {
        match part.strip_suffix('\\') {
            Some(begun) => {
                entry.push_str(begun);
                entry.push('\n');
            }
            None => {
                entry.push_str(part);
                lines.push(zsh_entry(&std::mem::take(&mut entry), changed_ms));
            }
        }
    }
    if !entry.is_empty() {
        lines.push(zsh_entry(entry.trim_end_matches('\n'), changed_ms));
    }
    lines
}

fn zsh_entry(entry: &str, changed_ms: i64) -> ImportedLine {
    let extended = || {
        let (head, command) = entry.strip_prefix(": ")?.split_once(';')?;
        let (seconds, took) = head.split_once(':')?;
        let (seconds, took) = (seconds.trim().parse::<i64>().ok()?, took.parse::<u64>().ok()?);
        let mut line = line(command.to_owned(), seconds.saturating_mul(1000));
        line.duration_ms = Some(took.saturating_mul(1000));
        Some(line)
    };
    extended().unwrap_or_else(|| line(entry.to_owned(), changed_ms))
}

/// Reads `fish_history`: `- cmd: COMMAND` and `  when: SECONDS`; `\n` and `\\` in a command are escapes.
pub(super) fn fish(text: &str) -> Vec<ImportedLine> {
    let mut lines: Vec<ImportedLine> = Vec::new();
    for text in text.lines() {
        if let Some(command) = text.strip_prefix("- cmd: ") {
            lines.push(line(unescaped(command), 0));
        } else if let Some(last) = lines.last_mut()
            && let Some(seconds) = text.strip_prefix("  when: ").and_then(|when| when.trim().parse::<i64>().ok())
        {
            last.started_ms = seconds.saturating_mul(1000);
        }
    }
    lines
}

fn unescaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next() {
                Some('n') => out.push('\n'),
                Some(c) => out.push(c),
                None => out.push('\\'),
            },
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(lines: &[ImportedLine]) -> Vec<(&str, i64)> {
        lines.iter().map(|line| (line.command.as_str(), line.started_ms)).collect()
    }

    #[test]
    fn bash_with_and_without_times() {
        assert_eq!(shown(&bash("ls\n#x\ncd a\n", 7)), [("ls", 7), ("#x", 7), ("cd a", 7)]);
        let timed = "#1700000000\nfor i in 1; do\necho $i\ndone\n#1700000009\nls\n";
        assert_eq!(
            shown(&bash(timed, 7)),
            [("for i in 1; do\necho $i\ndone", 1_700_000_000_000), ("ls", 1_700_000_009_000)]
        );
    }

    #[test]
    fn zsh_plain_and_extended() {
        let text = b": 1700000000:3;echo a\\\nb\nls\n: 1700000001:0;echo \x83\xa3\x83\x83\n";
        let lines = zsh(text, 7);
        assert_eq!(shown(&lines[..2]), [("echo a\nb", 1_700_000_000_000), ("ls", 7)]);
        assert_eq!(lines[0].duration_ms, Some(3000));
        assert_eq!(lines.len(), 3);
        // As zsh writes `é` (C3 A9) where its second byte is one of its own.
        assert_eq!(zsh("echo \u{e9}\n".as_bytes(), 0)[0].command, "echo é");
    }

    #[test]
    fn fish_escapes() {
        let text = "- cmd: echo a\\nb \\\\n\n  when: 1700000000\n  paths:\n    - a\n- cmd: ls\n";
        assert_eq!(shown(&fish(text)), [("echo a\nb \\n", 1_700_000_000_000), ("ls", 0)]);
    }
}
