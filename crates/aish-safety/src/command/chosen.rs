//! What an option chooses of all that a program could show: a template (`{{.State.Status}}`), a format (`%h %s`) or names
//! separated by commas (`ActiveState,MainPID`). Whoever asks has a list of what carries no secret; what is not understood is not in it.

use alloc::vec::Vec;

/// Words of templates that compute with what they are given, and reach nothing else.
const COMPUTE: &[&str] = &[
    "and", "eq", "false", "ge", "gt", "if", "index", "join", "json", "le", "len", "lower", "lt", "ne", "nil", "not",
    "or", "print", "printf", "println", "slice", "split", "table", "title", "true", "truncate", "upper",
];

/// Says whether a value chooses something, and nothing but what is known.
pub(super) fn chooses_only(value: &str, known: &dyn Fn(&str) -> bool) -> bool {
    match value.contains("{{") {
        // No other kind of choice is mixed with these.
        _ if value.contains('#') && !value.contains(['%', ',']) && !value.contains("{{") => {
            value.split('#').skip(1).all(|behind| is_plain_placeholder(behind, known))
        }
        _ if value.contains("#{") => false,
        true => template(value, known).is_some(),
        false if value.contains('%') => super::placeholders::are_known(value, known),
        false => {
            let mut names = value.split([',', ' ']).filter(|name| !name.is_empty()).peekable();
            names.peek().is_some() && names.all(known)
        }
    }
}

/// Letters behind a `#`, with the names that they stand for (tmux(1), "FORMATS").
const LETTERS: &[(char, &str)] = &[
    ('D', "pane_id"),
    ('F', "window_flags"),
    ('H', "host"),
    ('I', "window_index"),
    ('P', "pane_index"),
    ('S', "session_name"),
    ('T', "pane_title"),
    ('W', "window_name"),
    ('h', "host_short"),
];

/// Says whether what stands behind a `#` is a placeholder that is known, by its name in brackets or a letter.
fn is_plain_placeholder(text: &str, known: &dyn Fn(&str) -> bool) -> bool {
    let Some(inside) = text.strip_prefix('{') else {
        return LETTERS.iter().any(|(letter, name)| text.starts_with(*letter) && known(name));
    };
    inside.split_once('}').is_some_and(|(name, _)| {
        // How wide it is stands before it.
        let is_width = |width: &str| width.bytes().all(|letter| b"=-p0123456789".contains(&letter));
        known(name.split_once(':').filter(|(width, _)| is_width(width)).map_or(name, |(_, name)| name))
    })
}

/// Goes through a template's actions; none where one may show more than what is known.
fn template(text: &str, known: &dyn Fn(&str) -> bool) -> Option<()> {
    // Of each block that is open, whether the dot stands for a part of what is known.
    let mut blocks: Vec<bool> = Vec::new();
    let mut rest = text;
    while let Some((_, behind)) = rest.split_once("{{") {
        rest = action(behind, &mut blocks, known)?;
    }
    Some(())
}

/// Reads one action to its end; returns what stands behind it.
fn action<'t>(text: &'t str, blocks: &mut Vec<bool>, known: &dyn Fn(&str) -> bool) -> Option<&'t str> {
    let inside = blocks.last().copied().unwrap_or_default();
    let mut opens = None;
    let mut rest = text.trim_start_matches('-').trim_start();
    let mut first = true;
    // What continues an expression (`$x.Name`, `(index .State 0).Name`) is a part of what was looked at.
    let mut continues = false;
    loop {
        let letter = rest.chars().next()?;
        let tail = rest.get(letter.len_utf8()..)?;
        let mut bound = false;
        rest = match letter {
            '}' => return close(tail.strip_prefix('}')?, opens, blocks),
            '"' | '`' => string(tail, letter)?,
            '.' => {
                let (name, behind) = chain(rest);
                if !continues && !inside && !is_known(name, known) {
                    return None;
                }
                bound = true;
                behind
            }
            '$' => {
                let (name, behind) = word(tail);
                // A dollar alone is everything.
                if name.is_empty() && !is_known(chain(behind).0, known) {
                    return None;
                }
                bound = true;
                behind
            }
            ')' => {
                bound = true;
                tail
            }
            _ if letter.is_ascii_alphabetic() => {
                let (name, behind) = word(rest);
                match name {
                    "range" | "with" if first => opens = Some(true),
                    "if" if first => opens = Some(inside),
                    "else" | "end" if first => {
                        let closed = behind.trim_start().trim_start_matches('-').strip_prefix("}}")?;
                        let block = blocks.pop()?;
                        if name == "else" {
                            // The dot is that of the block around it.
                            blocks.push(block && blocks.last().copied().unwrap_or_default());
                        }
                        return Some(closed);
                    }
                    _ if COMPUTE.contains(&name) => {}
                    _ => return None,
                }
                behind
            }
            _ if letter.is_ascii_digit() || " \t(|,:=-".contains(letter) => tail,
            _ => return None,
        };
        continues = bound;
        first = false;
    }
}

fn close<'t>(rest: &'t str, opens: Option<bool>, blocks: &mut Vec<bool>) -> Option<&'t str> {
    blocks.extend(opens);
    Some(rest)
}

/// Returns what stands behind a string.
fn string(text: &str, quote: char) -> Option<&str> {
    let mut escaped = false;
    let end = text.find(|letter| {
        let ends = letter == quote && !escaped;
        escaped = letter == '\\' && quote == '"' && !escaped;
        ends
    });
    text.get(end? + 1..)
}

/// Splits a name off.
fn word(text: &str) -> (&str, &str) {
    text.split_at(text.find(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_').unwrap_or(text.len()))
}

/// Splits fields off: `.State.Status`.
fn chain(text: &str) -> (&str, &str) {
    let end = text.find(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_' && letter != '.');
    text.split_at(end.unwrap_or(text.len()))
}

/// Says whether fields are known, or a part of what is known.
fn is_known(chain: &str, known: &dyn Fn(&str) -> bool) -> bool {
    known(chain) || chain.match_indices('.').any(|(at, _)| at > 0 && chain.get(..at).is_some_and(known))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_known_is_chosen() {
        let known = |name: &str| [".State", ".Name", ".Config.Image", "MainPID", "pane_id"].contains(&name);
        for plain in [
            "{{.State.Status}}",
            "{{ .Name }}: {{ json .State }}",
            "{{range .State.Health.Log}}{{.Output}}{{end}}{{.Name}}",
            "{{range $k, $v := .State}}{{$k}}={{$v.Name}} {{end}}",
            "{{if .State.Running}}up{{else}}down{{end}}",
            "{{(index .State \"a\").b}}{{printf \"%s .Env\" .Name}}",
            "{{with .State}}{{.Status}}{{else}}none{{end}}",
            "table {{.Name}}",
            "MainPID",
            "MainPID,MainPID",
            "#D: #{pane_id}: #{=-21:pane_id}",
        ] {
            assert!(chooses_only(plain, &known), "{plain}");
        }
        for other in [
            "",
            ",",
            "json",
            "Environment",
            "MainPID,Environment",
            "{{.}}",
            "{{json .}}",
            "{{.Config.Env}}",
            "{{.Config}}",
            "{{.Stateful}}",
            "{{$}}",
            "{{$.Config.Env}}",
            "{{$x := .}}{{$x.Config.Env}}",
            "{{index . \"Config\"}}",
            "{{range .Config.Env}}{{.}}{{end}}",
            "{{range .State}}{{end}}{{.Config.Env}}",
            "{{range .State}}{{else}}{{.Config.Env}}{{end}}",
            "{{with .State}}{{$.Config.Env}}{{end}}",
            "{{with .State}}{{else with .Name}}{{end}}{{.Config.Env}}",
            "{{with .State}}{{if .x}}{{end}}{{end}}{{.Config.Env}}",
            "{{/* range */}}{{.Config.Env}}",
            "{{define \"x\"}}{{.Env}}{{end}}{{template \"x\" .Config}}",
            "{{.State}}{{.Config.Env",
            "{{env \"HOME\"}}",
            "#{API_KEY}",
            "#{E:pane_id}",
            "#S",
            "#D,Environment",
            "#{pane_id},Environment",
            "%% #{API_KEY}",
            "{{.Name}} #{API_KEY}",
            "#{?pane_id,#{API_KEY},x}",
            "#{pane_id} #(id)",
            "#{pane_id",
        ] {
            assert!(!chooses_only(other, &known), "{other}");
        }
    }
}
