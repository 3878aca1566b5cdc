//! What is said of a command: a reason with its targets, texts as they may be shown.

use alloc::string::String;

use super::word::{HOLE, NUMERIC, SHORT_LIVED};

/// Fills a reason's template in.
pub(crate) fn fill(template: &str, program: &str, targets: &[&str]) -> String {
    let mut out = String::with_capacity(template.len() + 16);
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('{') {
        out.push_str(before);
        let Some((name, tail)) = after.split_once('}') else { break };
        match name {
            "program" => out.push_str(program),
            _ if targets.is_empty() => out.push_str("what it is given"),
            _ => {
                for (at, target) in targets.iter().take(3).enumerate() {
                    if at > 0 {
                        out.push_str(", ");
                    }
                    push_shown(&mut out, target);
                }
                if targets.len() > 3 {
                    out.push_str(" and more");
                }
            }
        }
        rest = tail;
    }
    out.push_str(rest);
    out
}

/// Appends a text as it may be shown: the unknown as `…`, no control characters, not too long.
pub(crate) fn push_shown(out: &mut String, text: &str) {
    if text.len() <= 80 && text.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
        out.push_str(text);
        return;
    }
    if text == SHORT_LIVED {
        out.push('…');
        return;
    }
    for (at, letter) in text.chars().enumerate() {
        if at == 80 {
            out.push('…');
            break;
        }
        if letter == HOLE {
            out.push('…');
        } else if letter == NUMERIC {
            // Only says something about the hole before it.
        } else if letter.is_control() {
            out.push(' ');
        } else {
            out.push(letter);
        }
    }
}
