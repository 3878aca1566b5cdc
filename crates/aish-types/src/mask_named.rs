//! Takes out of command lines what is a secret by the name before it: `--password VALUE`, `API_TOKEN=VALUE`, `Authorization: VALUE`,
//! `"client_secret": "VALUE"`. For logs; [`super::mask`] takes out what has the look of a key.

use alloc::string::String;
use alloc::vec::Vec;

use crate::mask::MASKED;
use crate::secret_name::{NameContext, is_secret_name};

/// Masks a command line, word by word as a shell tells them apart.
pub fn mask_named(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut hides = false;
    for piece in pieces(line) {
        push(&mut out, piece, &mut hides);
    }
    out
}

/// Masks the words of an argument vector.
pub fn mask_words<'w>(words: impl IntoIterator<Item = &'w str>) -> Vec<String> {
    let mut hides = false;
    let masked = words.into_iter().map(|word| {
        let mut out = String::with_capacity(word.len());
        push(&mut out, word, &mut hides);
        out
    });
    masked.collect()
}

/// Adds a word, or the blanks between two; `hides` is true behind an option whose value is a secret.
fn push(out: &mut String, piece: &str, hides: &mut bool) {
    if piece.trim().is_empty() {
        out.push_str(piece);
        return;
    }
    let is_value = core::mem::take(hides) && !piece.starts_with(['-', '$', ';', '&', '|', '>', '<']);
    let quote = piece.chars().next().filter(|first| matches!(first, '\'' | '"'));
    let bare = piece.trim_matches(['\'', '"']);
    if is_value && !bare.is_empty() && !bare.starts_with('$') {
        out.push_str(MASKED);
        return;
    }
    if let Some(option) = bare.strip_prefix("--").or_else(|| bare.strip_prefix('-'))
        && !option.contains('=')
    {
        *hides = is_secret(option);
    }
    match masked(bare) {
        Some(masked) => {
            out.extend(quote);
            out.push_str(&masked);
            out.extend(quote);
        }
        None => out.push_str(piece),
    }
}

/// Returns a word with what is a secret in it masked; none where nothing is.
fn masked(word: &str) -> Option<String> {
    if let Some((name, value)) = word.split_once('=')
        && is_name(name.trim_start_matches('-'))
    {
        let hidden =
            is_secret_assigned(name) && !value.is_empty() && !value.trim_start_matches(['\'', '"']).starts_with('$');
        if hidden {
            return Some([name, "=", MASKED].concat());
        }
        // `--env=API_TOKEN=VALUE`
        let inner = if name.starts_with('-') { masked(value) } else { None };
        return inner.map_or_else(|| listed(word), |inner| Some([name, "=", &inner].concat()));
    }
    if let Some((name, value)) = word.split_once(':')
        && is_name(name)
        && value.starts_with(' ')
    {
        let hidden = is_secret(name) && !value.trim().is_empty() && !value.contains('$');
        // `Authorization: Bearer VALUE` keeps the word for its kind.
        let kind = value.trim().split_once(' ').filter(|(kind, _)| kind.bytes().all(|byte| byte.is_ascii_alphabetic()));
        let kind = kind.map(|(kind, _)| [kind, " "].concat()).unwrap_or_default();
        return hidden.then(|| [name, ": ", &kind, MASKED].concat());
    }
    fields(word).or_else(|| listed(word))
}

/// `A=1,API_TOKEN=VALUE`: several in one word.
fn listed(word: &str) -> Option<String> {
    let (mut found, mut hides) = (false, false);
    let mut out = String::with_capacity(word.len());
    for piece in word.split_inclusive([',', ';', ':']) {
        let end = piece.trim_end_matches([',', ';', ':']);
        let mark = piece.get(end.len()..).unwrap_or_default();
        if let Some((name, value)) = end.split_once('=') {
            let value = value.trim_start_matches(['\'', '"']);
            hides = is_name(name) && is_secret(name) && !value.is_empty() && !value.starts_with('$');
            found |= hides;
            out.push_str(if hides { name } else { end });
            out.push_str(if hides { "=" } else { "" });
        } else if !hides {
            out.push_str(end);
        }
        // What follows without a name may be the rest of the value.
        out.push_str(if hides { MASKED } else { "" });
        out.push_str(mark);
    }
    found.then_some(out)
}

/// `"client_secret": "VALUE"` in the text of an object.
fn fields(text: &str) -> Option<String> {
    let mut out = String::new();
    let mut done = 0;
    for (at, _) in text.match_indices("\":") {
        let Some(before) = text.get(done..at) else { continue };
        let name = before.rsplit('"').next().unwrap_or_default();
        let behind = text.get(at + 2..).unwrap_or_default();
        let blanks = behind.len() - behind.trim_start().len();
        let Some(value) = behind.trim_start().strip_prefix('"') else { continue };
        let Some(end) = value.find('"').filter(|end| *end > 0 && is_name(name) && is_secret(name)) else { continue };
        let from = at + 2 + blanks + 1;
        out.push_str(text.get(done..from).unwrap_or_default());
        out.push_str(MASKED);
        done = from + end;
    }
    (done > 0).then(|| out + text.get(done..).unwrap_or_default())
}

fn is_name(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.'))
}

fn is_secret(name: &str) -> bool {
    is_secret_name(name.as_bytes(), NameContext::Text)
}

/// Says whether what a word assigns to a name is a secret. Without dashes the name may be that of a variable.
fn is_secret_assigned(name: &str) -> bool {
    is_secret(name) || !name.starts_with('-') && is_secret_name(name.as_bytes(), NameContext::Variable)
}

/// Cuts a line into words, quotes with what is in them, and the blanks between.
fn pieces(line: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let (mut from, mut quote, mut blank, mut escaped) = (0, None, None, false);
    for (at, letter) in line.char_indices() {
        let is_blank = quote.is_none() && !escaped && letter.is_whitespace();
        if blank.is_some_and(|blank| blank != is_blank) {
            pieces.push(line.get(from..at).unwrap_or_default());
            from = at;
        }
        blank = Some(is_blank);
        match quote {
            _ if escaped => escaped = false,
            None if letter == '\\' => escaped = true,
            None if matches!(letter, '\'' | '"') => quote = Some(letter),
            Some('"') if letter == '\\' => escaped = true,
            Some(open) if open == letter => quote = None,
            None | Some(_) => {}
        }
    }
    pieces.push(line.get(from..).unwrap_or_default());
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_name_says_is_a_secret_is_masked() {
        for (line, expected) in [
            ("tool --token hunter2 x", "tool --token [redacted] x"),
            ("tool --token=hunter2 x", "tool --token=[redacted] x"),
            ("tool --db-password 'two words' x", "tool --db-password [redacted] x"),
            ("tool -password \"a b\"", "tool -password [redacted]"),
            ("API_KEY=abc GITHUB_TOKEN='d e' tool", "API_KEY=[redacted] GITHUB_TOKEN=[redacted] tool"),
            ("curl -H 'Authorization: Bearer a.b' u", "curl -H 'Authorization: Bearer [redacted]' u"),
            ("curl -H \"X-Api-Key: abc\" u", "curl -H \"X-Api-Key: [redacted]\" u"),
            (
                r#"curl -d '{"user":"a","password": "b","clientSecret":"c"}' u"#,
                r#"curl -d '{"user":"a","password": "[redacted]","clientSecret":"[redacted]"}' u"#,
            ),
            (
                "STRIPE_KEY=abc LDAP_BIND_PW=abc tool --otp 123456",
                "STRIPE_KEY=[redacted] LDAP_BIND_PW=[redacted] tool --otp [redacted]",
            ),
            ("x --api-key k --accessKey l", "x --api-key [redacted] --accessKey [redacted]"),
            (
                "x --env=API_TOKEN=abc -e A=1,API_TOKEN=abc,B=2",
                "x --env=API_TOKEN=[redacted] -e A=1,API_TOKEN=[redacted],B=2",
            ),
            ("x -e A=1;DB_PASSWORD=ab,c;B=2", "x -e A=1;DB_PASSWORD=[redacted],[redacted];B=2"),
            ("x --env=A=1;DB_PASSWORD=abc y", "x --env=A=1;DB_PASSWORD=[redacted] y"),
        ] {
            assert_eq!(mask_named(line), expected);
        }
        let words = ["tool", "--password", "Sup3r S3cret", "--token=x", "y"];
        assert_eq!(mask_words(words).join(" "), "tool --password [redacted] --token=[redacted] y");
    }

    #[test]
    fn what_only_speaks_of_secrets_stays() {
        for line in [
            "sort --key 2 f",
            "tool --password-file f",
            "tool --password-stdin < f",
            "tool --token $TOKEN",
            "tool --token \"$TOKEN\" x",
            "tool --token --verbose",
            "TOKEN=$OTHER tool",
            "TOKEN=\"$OTHER\" tool",
            "grep -r token src",
            "echo 'a: b' \"c\\\" d\"  e",
            "git commit -m 'Add a token: done'",
            "PATH=/bin ls",
            "PWD=/tmp ls",
            "sort_key=name tool --key=name",
            "x --monkey y",
            "x --token",
            "",
            "'",
            "\\",
        ] {
            assert_eq!(mask_named(line), line);
        }
    }
}
