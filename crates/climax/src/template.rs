//! Texts with `{name}` places; `{{` and `}}` are braces.

/// A piece of a template.
#[derive(Debug, PartialEq, Eq)]
enum Piece<'t> {
    Text(&'t str),
    Place(&'t str),
}

fn pieces(template: &str) -> impl Iterator<Item = Piece<'_>> {
    let mut rest = template;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        for brace in ["{{", "}}"] {
            if let Some(after) = rest.strip_prefix(brace) {
                rest = after;
                return Some(Piece::Text(brace.get(..1).unwrap_or_default()));
            }
        }
        if let Some(after) = rest.strip_prefix('{')
            && let Some((name, after)) = after.split_once('}')
            && !name.contains('{')
        {
            rest = after;
            return Some(Piece::Place(name));
        }
        let skip = rest.chars().next().map_or(0, char::len_utf8);
        let end = rest.get(skip..).and_then(|tail| tail.find(['{', '}'])).map_or(rest.len(), |at| at + skip);
        let (text, after) = rest.split_at(end);
        rest = after;
        Some(Piece::Text(text))
    })
}

/// Returns the names of the places.
pub(crate) fn places(template: &str) -> impl Iterator<Item = &str> {
    pieces(template).filter_map(|piece| match piece {
        Piece::Place(name) => Some(name),
        Piece::Text(_) => None,
    })
}

/// Fills the places; the error is the first name that has no value.
pub(crate) fn fill(template: &str, value: impl Fn(&str) -> Option<String>) -> Result<String, String> {
    let mut out = String::with_capacity(template.len());
    for piece in pieces(template) {
        match piece {
            Piece::Text(text) => out.push_str(text),
            Piece::Place(name) => out.push_str(&value(name).ok_or_else(|| name.to_owned())?),
        }
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_filled() {
        let value = |name: &str| (name != "none").then(|| format!("<{name}>"));
        for (template, expected) in [
            ("Delete {path}?", Ok("Delete <path>?")),
            ("{a}{b}", Ok("<a><b>")),
            ("{{literal}} {a}", Ok("{literal} <a>")),
            ("open { end", Ok("open { end")),
            ("é{a}ü", Ok("é<a>ü")),
            ("{none}", Err("none")),
            ("", Ok("")),
        ] {
            assert_eq!(fill(template, value).as_deref().map_err(String::as_str), expected, "{template}");
        }
    }
}
