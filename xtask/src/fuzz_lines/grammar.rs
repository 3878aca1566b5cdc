//! Lines made from grammars: each rule has ways to write it, of which one is taken at random.

use std::collections::BTreeMap;

use super::random::Random;

/// The grammars, one text a group of languages.
const TEXTS: [&str; 6] = [
    include_str!("grammars/shell.txt"),
    include_str!("grammars/awk.txt"),
    include_str!("grammars/sed.txt"),
    include_str!("grammars/sql.txt"),
    include_str!("grammars/code.txt"),
    include_str!("grammars/tcl.txt"),
];
/// The deepest nesting of rules; below it the ways without rules are taken.
const MAX_DEPTH: usize = 14;
/// The longest line that is begun, in bytes.
const MAX_BYTES: usize = 16_384;

/// A piece of one way.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Piece {
    Text(String),
    Rule(String),
}

/// The rules by name.
#[derive(Debug)]
pub(super) struct Grammar(BTreeMap<String, Vec<Vec<Piece>>>);

impl Grammar {
    /// Reads the grammars that are part of this program.
    pub(super) fn new() -> Self {
        let mut ways: BTreeMap<String, Vec<&str>> = BTreeMap::new();
        let mut rule = String::new();
        for line in TEXTS.iter().flat_map(|text| text.lines()).filter(|line| !line.starts_with('#')) {
            match line.strip_prefix('=').filter(|name| is_name(name)) {
                Some(name) => rule = name.to_string(),
                None => ways.entry(rule.clone()).or_default().push(line),
            }
        }
        let names: Vec<String> = ways.keys().cloned().collect();
        let read = |way: &&str| {
            let text = way.replace("\\n", "\n").replace("\\t", "\t").replace("\\r", "\r").replace("\\s", " ");
            pieces(&text, &names)
        };
        Self(ways.iter().map(|(name, ways)| (name.clone(), ways.iter().map(read).collect())).collect())
    }

    /// Makes one line.
    pub(super) fn line(&self, random: &mut Random) -> String {
        let mut out = String::new();
        self.write("line", 0, random, &mut out);
        out
    }

    fn write(&self, rule: &str, depth: usize, random: &mut Random, out: &mut String) {
        let Some(ways) = self.0.get(rule).filter(|_| out.len() < MAX_BYTES) else { return };
        let ends = |way: &&Vec<Piece>| way.iter().all(|piece| matches!(piece, Piece::Text(_)));
        let short: Vec<&Vec<Piece>> = ways.iter().filter(|_| depth >= MAX_DEPTH).filter(ends).collect();
        let way = if short.is_empty() { random.pick(ways) } else { random.pick(&short).copied() };
        if depth > 2 * MAX_DEPTH {
            return;
        }
        for piece in way.into_iter().flatten() {
            match piece {
                Piece::Text(text) => out.push_str(text),
                Piece::Rule(rule) => self.write(rule, depth + 1, random, out),
            }
        }
    }
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|letter| letter.is_ascii_lowercase() || letter == '-')
}

/// Cuts one way into its pieces; brackets around what is no rule are text.
fn pieces(way: &str, names: &[String]) -> Vec<Piece> {
    let mut out = Vec::new();
    let mut text = String::new();
    let mut rest = way;
    while let Some((before, after)) = rest.split_once('<') {
        text.push_str(before);
        match after.split_once('>').filter(|(name, _)| names.iter().any(|known| known == name)) {
            Some((name, tail)) => {
                out.push(Piece::Text(std::mem::take(&mut text)));
                out.push(Piece::Rule(name.to_string()));
                rest = tail;
            }
            None => {
                text.push('<');
                rest = after;
            }
        }
    }
    text.push_str(rest);
    out.push(Piece::Text(text));
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_language_is_written_and_a_seed_tells_the_lines() {
        let grammar = Grammar::new();
        let lines = |seed| {
            let mut random = Random::new(seed);
            (0..3_000).map(|_| grammar.line(&mut random)).collect::<Vec<_>>()
        };
        let made = lines(1);
        for program in [
            "awk",
            "sed",
            "psql",
            "python3 -c",
            "perl",
            "node",
            "ruby",
            "php",
            "jq",
            "tclsh",
            "expect -c",
            "bconsole",
            "$(",
            "<<E",
            "${|",
        ] {
            assert!(made.iter().any(|line| line.contains(program)), "{program}");
        }
        assert_eq!(made, lines(1));
        assert_ne!(made, lines(2));
        assert!(!made.iter().any(|line| line.contains("<word>") || line.contains("<simple>")));
    }

    #[test]
    fn what_is_no_rule_is_text() {
        let names = ["a".to_string()];
        let text = |text: &str| Piece::Text(text.into());
        assert_eq!(pieces("x <a> <b>", &names), [text("x "), Piece::Rule("a".into()), text(" <b>")]);
        assert_eq!(pieces("a << b", &names), [text("a << b")]);
    }
}
