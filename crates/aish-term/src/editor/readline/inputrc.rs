//! `~/.inputrc`: which keys call what, and which settings this editor has.

use super::functions;

/// What a key does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Bound {
    /// Calls a function of readline.
    Function(&'static str),
    /// Types this text.
    Macro(String),
    /// Nothing: the key was taken out.
    Nothing,
}

/// What an inputrc says, as far as this editor has it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Inputrc {
    /// Keys of the emacs mode, later ones count.
    pub(super) keys: Vec<(String, Bound)>,
    /// `set editing-mode`: whether it is vi's.
    pub vi: Option<bool>,
    /// What it says that this editor does not have, a line each.
    pub left_out: Vec<String>,
}

/// Files that include others, at most this deep.
const DEPTH: usize = 4;

/// Lines that are left out, at most this many of them named.
const NAMED: usize = 100;

/// Settings that hold here as they are, or that say nothing to an editor like this one.
#[rustfmt::skip]
const SETTINGS: &[&str] = &[
    "bell-style", "bind-tty-special-chars", "blink-matching-paren", "byte-oriented", "colored-completion-prefix",
    "colored-stats", "completion-display-width", "completion-ignore-case", "completion-map-case",
    "completion-prefix-display-length", "completion-query-items", "convert-meta", "echo-control-characters",
    "enable-bracketed-paste", "enable-keypad", "enable-meta-key", "expand-tilde", "input-meta", "keyseq-timeout",
    "mark-directories", "mark-modified-lines", "mark-symlinked-directories", "match-hidden-files", "meta-flag",
    "output-meta", "page-completions", "print-completions-horizontally", "show-all-if-ambiguous",
    "show-all-if-unmodified", "show-mode-in-prompt", "visible-stats",
];

/// The readline whose keys these are, that of bash 5.2: `$if version` compares with it.
const VERSION: (u32, u32) = (8, 2);

/// Reads an inputrc for a terminal (`TERM`); `include` reads the files that it includes.
pub fn read(text: &str, term: Option<&str>, include: &dyn Fn(&str) -> Option<String>) -> Inputrc {
    let mut inputrc = Inputrc::default();
    let term = term.unwrap_or("dumb");
    let mut reader = Reader { out: &mut inputrc, term, conditions: Vec::new(), keymap: "emacs".to_owned() };
    reader.text(text, include, 0);
    inputrc
}

struct Reader<'a> {
    out: &'a mut Inputrc,
    term: &'a str,
    /// Whether each open `$if` holds.
    conditions: Vec<bool>,
    keymap: String,
}

impl Reader<'_> {
    fn text(&mut self, text: &str, include: &dyn Fn(&str) -> Option<String>, depth: usize) {
        for line in text.lines().take(10_000) {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            if let Some(directive) = line.strip_prefix('$') {
                self.directive(directive, include, depth);
            } else if self.conditions.iter().all(|holds| *holds) {
                self.line(line);
            }
        }
    }

    fn directive(&mut self, directive: &str, include: &dyn Fn(&str) -> Option<String>, depth: usize) {
        let (word, rest) = directive.split_once(char::is_whitespace).unwrap_or((directive, ""));
        let rest = rest.trim();
        match word {
            "if" => {
                let holds = self.holds(rest);
                self.conditions.push(holds);
            }
            "else" => {
                if let Some(last) = self.conditions.last_mut() {
                    *last = !*last;
                }
            }
            "endif" => drop(self.conditions.pop()),
            "include" if depth < DEPTH && self.conditions.iter().all(|holds| *holds) => {
                if let Some(text) = include(rest) {
                    self.text(&text, include, depth + 1);
                }
            }
            _ => {}
        }
    }

    /// `mode=vi`, `term=xterm`, `version >= 8.0`, `editing-mode == vi`, or the name of a program.
    fn holds(&self, condition: &str) -> bool {
        let Some(at) = condition.find(['=', '!', '<', '>']) else {
            let program = condition.split_whitespace().next().unwrap_or_default();
            return program.eq_ignore_ascii_case("bash");
        };
        let (name, rest) = condition.split_at(at);
        let value = rest.trim_start_matches(['=', '!', '<', '>']);
        let (name, operator, value) =
            (name.trim(), rest.get(..rest.len() - value.len()).unwrap_or_default(), value.trim());
        let is_vi = (value == "vi") == (self.out.vi == Some(true));
        match (name, operator) {
            ("mode", "=") | ("editing-mode", "=" | "==") => is_vi,
            ("editing-mode", "!=") => !is_vi,
            ("term", "=") => value == self.term || self.term.split('-').next() == Some(value),
            ("version", operator) => version(value).is_some_and(|wanted| match operator {
                "=" | "==" => VERSION == wanted,
                "!=" => VERSION != wanted,
                "<" => VERSION < wanted,
                "<=" => VERSION <= wanted,
                ">" => VERSION > wanted,
                ">=" => VERSION >= wanted,
                _ => false,
            }),
            _ => false,
        }
    }

    fn line(&mut self, line: &str) {
        if let Some(setting) = line.strip_prefix("set ") {
            let mut words = setting.split_whitespace();
            let (name, value) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
            match name.to_ascii_lowercase().as_str() {
                "editing-mode" => self.out.vi = Some(value == "vi"),
                "keymap" => value.clone_into(&mut self.keymap),
                name if SETTINGS.contains(&name) => {}
                _ => self.leave_out(line),
            }
            return;
        }
        let Some((key, value)) = key_and_value(line) else { return self.leave_out(line) };
        if !self.keymap.starts_with("emacs") {
            return self.leave_out(line);
        }
        let bound = match value.chars().next() {
            Some(quote @ ('"' | '\'')) => bound_text(value.get(1..).unwrap_or_default(), quote),
            Some(_) => {
                let name = value.split_whitespace().next().unwrap_or_default();
                functions::known(&name.to_ascii_lowercase()).map(Bound::Function)
            }
            None => Some(Bound::Nothing),
        };
        match bound {
            Some(bound) if super::chord::sequence(&key).is_some() => self.out.keys.push((key, bound)),
            Some(_) | None => self.leave_out(line),
        }
    }

    fn leave_out(&mut self, line: &str) {
        if self.out.left_out.len() < NAMED {
            self.out.left_out.push(aish_types::sanitize(line).into_owned());
        }
    }
}

/// Returns what a key types: the text up to its closing quote; none of one that no keys type.
fn bound_text(quoted: &str, quote: char) -> Option<Bound> {
    let text = super::chord::unescape(quoted.get(..closing(quoted, quote)).unwrap_or(quoted))?;
    if text.is_empty() {
        return Some(Bound::Nothing);
    }
    super::chord::chords(&text).map(|_| Bound::Macro(text))
}

/// Returns where a quote closes, or the end of the text.
fn closing(quoted: &str, quote: char) -> usize {
    let mut escaped = false;
    let end = quoted.char_indices().find(|(_, c)| {
        let ends = *c == quote && !escaped;
        escaped = *c == '\\' && !escaped;
        ends
    });
    end.map_or(quoted.len(), |(at, _)| at)
}

/// Reads `8.2` or `8`.
fn version(text: &str) -> Option<(u32, u32)> {
    let (major, minor) = text.split_once('.').unwrap_or((text, "0"));
    Some((major.parse().ok()?, minor.parse().ok()?))
}

/// `"\C-x": what`, `Control-x: what`: the key in readline's notation, and what it does.
fn key_and_value(line: &str) -> Option<(String, &str)> {
    if let Some(quoted) = line.strip_prefix('"') {
        let (key, rest) = quoted.split_at_checked(closing(quoted, '"'))?;
        return Some((key.to_owned(), rest.get(1..)?.trim_start().strip_prefix(':')?.trim()));
    }
    let (name, value) = line.split_once(':')?;
    let mut key = String::new();
    let mut rest = name.trim();
    while let Some((modifier, behind)) = rest.split_once('-').filter(|(_, behind)| !behind.is_empty()) {
        match modifier.to_ascii_lowercase().as_str() {
            "control" | "ctrl" | "c" => key.push_str("\\C-"),
            "meta" | "m" | "alt" => key.push_str("\\M-"),
            _ => return None,
        }
        rest = behind;
    }
    key.push_str(match rest.to_ascii_lowercase().as_str() {
        "rubout" | "del" => "\\C-?",
        "esc" | "escape" => "\\e",
        "lfd" | "newline" => "\\C-j",
        "ret" | "return" => "\\C-m",
        "space" | "spc" => " ",
        "tab" => "\\t",
        _ if rest.chars().count() == 1 => rest,
        _ => return None,
    });
    Some((key, value.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_settings_and_conditions_are_read() {
        let text = "# mine\nset editing-mode emacs\nset horizontal-scroll-mode on\n\"\\e[A\": history-search-backward # up\n\
                    Control-u: re-read-init-file\nMeta-Rubout: backward-kill-word\n\"\\C-xg\": \"git \\\"a\\\"\\C-m\" # \"x\"\n\
                    $if mode=vi\n\"x\": undo\n$else\n\"\\C-o\": yank\n$endif\n$if Python\nTAB: undo\n$endif\n$include other\n\
                    $if version >= 8.1\n$if version<8\n\"\\C-a\": undo\n$else\n\"\\C-a\": yank\n$endif\n$endif\n\
                    $if term=xterm\n\"\\C-b\": yank\n$endif\n$if term=linux\n\"\\C-b\": undo\n$endif\n\
                    $if editing-mode == vi\n\"\\C-b\": undo\n$endif\n\"\\C-t\":\n\"\\C-n\": \"\"\n";
        let include = |name: &str| (name == "other").then(|| "\"\\eh\": dump-functions\n".to_owned());
        let read = read(text, Some("xterm-256color"), &include);
        let keys: Vec<(&str, &Bound)> = read.keys.iter().map(|(key, bound)| (key.as_str(), bound)).collect();
        assert_eq!(
            keys,
            [
                ("\\e[A", &Bound::Function("history-search-backward")),
                ("\\M-\\C-?", &Bound::Function("backward-kill-word")),
                ("\\C-xg", &Bound::Macro("git \"a\"\r".into())),
                ("\\C-o", &Bound::Function("yank")),
                ("\\C-a", &Bound::Function("yank")),
                ("\\C-b", &Bound::Function("yank")),
                ("\\C-t", &Bound::Nothing),
                ("\\C-n", &Bound::Nothing),
            ]
        );
        assert_eq!(read.vi, Some(false));
        let expected = ["set horizontal-scroll-mode on", "Control-u: re-read-init-file", "\"\\eh\": dump-functions"];
        assert_eq!(read.left_out, expected);
    }
}
