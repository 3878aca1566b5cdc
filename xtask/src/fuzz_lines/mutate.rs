//! Lines changed at random: letters and pieces taken out, doubled, swapped, put into others, repeated to the bound.

use super::random::Random;

/// What stands for something in one of the languages.
const MARKS: &[&str] = &[
    "'",
    "\"",
    "`",
    "$(",
    "${",
    "$((",
    "(",
    ")",
    "{",
    "}",
    "[",
    "]",
    "<<",
    "<<<",
    "|",
    "&&",
    ";",
    "\n",
    "\\",
    "=",
    "==",
    "#",
    "*",
    "?",
    "~",
    "!",
    "/",
    "//",
    ",",
    "..",
    "<(",
    ">(",
    "$'",
    "${ ",
    "${|",
    "<<E\n",
    "\nE\n",
    "do ",
    "done",
    "fi",
    "case x in ",
    "esac",
    "[[ ",
    " ]]",
    "coproc ",
    "function ",
    "| getline",
    "system(",
    "print | ",
    "eval ",
    "qx{",
    "%x(",
    "q{",
    "#{",
    "/*",
    "*/",
    "--",
    "\\!",
    "$$",
    "\u{0}",
    "ü",
    "\u{200b}",
    "999999999999",
    "-",
    " ",
    "\t",
    "\r",
    "{a,b}",
    "$x$x",
    "@",
    "^",
    "%",
    "s/a/b/e",
    "{}",
    ":::",
];

/// Changes one line; `other` is another that pieces may come from, `longest` the most bytes that pieces are repeated to.
pub(super) fn mutate(line: &str, other: &str, longest: usize, random: &mut Random) -> String {
    let mut out: Vec<char> = line.chars().collect();
    for _ in 0..=random.below(4) {
        change(&mut out, other, random);
    }
    let text: String = out.into_iter().collect();
    match random.below(12) {
        0 => repeated(&text, longest, random),
        1 => inside(&text, random),
        _ => text,
    }
}

fn change(line: &mut Vec<char>, other: &str, random: &mut Random) {
    let from = random.below(line.len() + 1);
    let to = (from + random.below(12)).min(line.len());
    match random.below(7) {
        0 => drop(line.drain(from..to)),
        1 => {
            let piece: Vec<char> = line.get(from..to).unwrap_or_default().to_vec();
            drop(line.splice(from..from, piece));
        }
        2 | 3 => {
            let mark = random.pick(MARKS).copied().unwrap_or_default();
            drop(line.splice(from..from, mark.chars()));
        }
        4 => {
            let mark = random.pick(MARKS).copied().unwrap_or_default();
            drop(line.splice(from..to, mark.chars()));
        }
        5 => {
            let other: Vec<char> = other.chars().collect();
            let start = random.below(other.len() + 1);
            let end = (start + random.below(64)).min(other.len());
            drop(line.splice(from..from, other.get(start..end).unwrap_or_default().iter().copied()));
        }
        _ => line.truncate(from.max(1)),
    }
}

/// Repeats a piece of a line up to a length, perhaps to the longest that is judged; what stands around it stays.
fn repeated(line: &str, longest: usize, random: &mut Random) -> String {
    let letters: Vec<char> = line.chars().collect();
    let from = random.below(letters.len() + 1);
    let to = (from + 1 + random.below(24)).min(letters.len());
    let text = |range: Option<&[char]>| range.unwrap_or_default().iter().collect::<String>();
    let (before, piece, behind) = (text(letters.get(..from)), text(letters.get(from..to)), text(letters.get(to..)));
    let length = longest >> [0, 2, 4, 8].get(random.below(4)).copied().unwrap_or(8);
    let room = length.saturating_sub(before.len() + behind.len());
    let numbered = random.below(3) == 0;
    let mut out = before;
    let mut made = 0;
    for number in 0.. {
        let start = out.len();
        out.push_str(&piece);
        if numbered {
            out.push_str(&number.to_string());
        }
        made += out.len() - start;
        if piece.is_empty() || made + piece.len() + 6 > room {
            break;
        }
    }
    out.push_str(&behind);
    out
}

/// Puts a line into one or more others.
fn inside(line: &str, random: &mut Random) -> String {
    let mut out = line.to_string();
    for _ in 0..=random.below(3) {
        out = match random.below(8) {
            0 => format!("bash -c '{out}'"),
            1 => format!("echo $({out})"),
            2 => format!("awk 'BEGIN {{ system(\"{out}\") }}'"),
            3 => format!("python3 -c 'import os; os.system(\"{out}\")'"),
            4 => format!("for i in 1 2 3; do {out}; done"),
            5 => format!("echo '{out}' | sh"),
            6 => format!("${{ {out}; }}"),
            _ => format!("x='{out}'; eval \"$x\""),
        };
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_changed_and_some_reach_the_bound() {
        let mut random = Random::new(7);
        let made: Vec<String> =
            (0..400).map(|_| mutate("ls -la | grep 'x'", "awk '{ print $1 }'", 65_536, &mut random)).collect();
        let distinct: std::collections::BTreeSet<&String> = made.iter().collect();
        assert!(distinct.len() > 350, "{}", distinct.len());
        assert!(made.iter().any(|line| line.len() > 60_000));
        assert!(made.iter().all(|line| line.len() < 2 * 65_536));
    }
}
