//! `~` and `$VAR` in what a file names.

/// What expansion needs to know of the world: a variable's value by name.
pub trait Variables: Send + Sync {
    /// Returns a variable's value; none when it is not set.
    fn get(&self, name: &str) -> Option<String>;
}

impl<F: Fn(&str) -> Option<String> + Send + Sync> Variables for F {
    fn get(&self, name: &str) -> Option<String> {
        self(name)
    }
}

/// Expands `$NAME` and `${NAME}`; the second value is false when one of them is not set (it then stays as written).
pub fn variables(text: &str, variables: &dyn Variables) -> (String, bool) {
    let mut out = String::with_capacity(text.len());
    let mut all_set = true;
    let mut rest = text;
    while let Some(at) = rest.find('$') {
        let (before, from) = rest.split_at(at);
        out.push_str(before);
        let Some((name, whole)) = name_at(from) else {
            out.push('$');
            rest = from.get(1..).unwrap_or_default();
            continue;
        };
        match variables.get(name) {
            Some(value) => out.push_str(&value),
            None => {
                all_set = false;
                out.push_str(whole);
            }
        }
        rest = from.get(whole.len()..).unwrap_or_default();
    }
    out.push_str(rest);
    (out, all_set)
}

/// Reads the name behind a `$`, and the whole of what stands there.
fn name_at(from: &str) -> Option<(&str, &str)> {
    let after = from.strip_prefix('$')?;
    if let Some(braced) = after.strip_prefix('{') {
        let end = braced.find('}')?;
        let name = braced.get(..end)?;
        return is_name(name).then_some((name, from.get(..end + 3)?));
    }
    let end = after.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(after.len());
    let name = after.get(..end)?;
    is_name(name).then_some((name, from.get(..=end)?))
}

fn is_name(name: &str) -> bool {
    name.chars().next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// Expands a leading `~` to the home folder, and the variables.
pub fn path(text: &str, world: &dyn Variables) -> String {
    match below_home(text, world) {
        Some((home, rest)) => format!("{home}{}", variables(rest, world).0),
        None => variables(text, world).0,
    }
}

/// Expands a leading `~` to the home folder, and nothing else.
pub fn home(text: &str, world: &dyn Variables) -> String {
    below_home(text, world).map_or_else(|| text.to_owned(), |(home, rest)| format!("{home}{rest}"))
}

fn below_home<'t>(text: &'t str, world: &dyn Variables) -> Option<(String, &'t str)> {
    let rest = text.strip_prefix('~').filter(|rest| rest.is_empty() || rest.starts_with('/'))?;
    Some((world.get("HOME")?, rest))
}

/// Expands a command and splits it into words with shell quoting; where the quotes do not match, blanks alone split.
///
/// A variable that is a whole word by itself may hold several words (`$PAGER`); inside a path it is one with the path,
/// blanks and all. `~` counts at the beginning.
pub fn command(text: &str, world: &dyn Variables) -> Vec<String> {
    let split = |text: &str| {
        shell_words::split(text).unwrap_or_else(|_| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>())
    };
    let mut out = Vec::new();
    for (at, word) in split(text).iter().enumerate() {
        let whole = name_at(word).is_some_and(|(_, whole)| whole == word);
        let quoted = ['"', '\''].iter().any(|quote| text.contains(&format!("{quote}{word}{quote}")));
        match (whole && !quoted, at) {
            (true, _) => out.extend(split(&variables(word, world).0)),
            (false, 0) => out.push(path(word, world)),
            (false, _) => out.push(variables(word, world).0),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn world(name: &str) -> Option<String> {
        match name {
            "HOME" => Some("/home/ann".into()),
            "APP" => Some("/opt/app".into()),
            "MY" => Some("/opt/my app".into()),
            "PAGER" => Some("less -R".into()),
            _ => None,
        }
    }

    #[test]
    fn variables_and_home_expand() {
        for (text, expected) in [
            ("$APP/bin", "/opt/app/bin"),
            ("${APP}x", "/opt/appx"),
            ("~/bin", "/home/ann/bin"),
            ("~", "/home/ann"),
            ("a~", "a~"),
            ("~bob/x", "~bob/x"),
            ("$NOPE/x ${NOPE} $ $1 ${", "$NOPE/x ${NOPE} $ $1 ${"),
        ] {
            assert_eq!(path(text, &world), expected, "{text}");
        }
        assert_eq!(variables("x$NOPE", &world), ("x$NOPE".into(), false));
        assert_eq!(variables("$HOME", &world), ("/home/ann".into(), true));
    }

    #[test]
    fn a_command_is_split_with_shell_quoting() {
        for (text, expected) in [
            ("docker compose", vec!["docker", "compose"]),
            ("'/opt/my app/run' -v", vec!["/opt/my app/run", "-v"]),
            ("\"~/my app\" x", vec!["/home/ann/my app", "x"]),
            ("/opt/my\\ app", vec!["/opt/my app"]),
            ("it's broken", vec!["it's", "broken"]),
            ("$MY/run -v", vec!["/opt/my app/run", "-v"]),
            ("\"$MY/run\" -v", vec!["/opt/my app/run", "-v"]),
            ("$PAGER x", vec!["less", "-R", "x"]),
            ("\"$MY\"", vec!["/opt/my app"]),
        ] {
            assert_eq!(command(text, &world), expected, "{text}");
        }
    }
}
