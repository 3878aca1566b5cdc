//! Names of variables behind a `$`, names of users behind a `~`, and the folders that both stand for.

use std::path::{Path, PathBuf};

use aish_shell::Snapshot;
use aish_term::Candidate;

use super::place::Place;
use super::plain;

/// Offers variables where the name of one is being typed.
pub(super) fn complete(place: &Place<'_>, snapshot: &Snapshot) -> Option<Vec<Candidate>> {
    if place.quote == Some('\'') {
        return None;
    }
    let at = place.typed.rfind('$').filter(|&at| !is_escaped(place.typed, at))?;
    let behind = place.typed.get(at + 1..)?;
    let (brace, begun) = behind.strip_prefix('{').map_or(("", behind), |begun| ("{", begun));
    if !begun.bytes().all(|byte| byte == b'_' || byte.is_ascii_alphanumeric()) {
        return None;
    }
    let span = place.start + at..place.start + place.typed.len();
    let names = snapshot.variables.iter().chain(snapshot.environment.keys());
    let mut names: Vec<&String> =
        names.filter(|name| name.starts_with(begun) && !name.starts_with("__aish_")).collect();
    names.sort_unstable();
    names.dedup();
    let candidates = names.into_iter().map(|name| {
        let value = snapshot.environment.get(name);
        let is_folder = value.is_some_and(|value| value.starts_with('/') && Path::new(value).is_dir());
        let end = match (brace, is_folder) {
            ("", true) => "/",
            ("", false) => "",
            (_, true) => "}/",
            (_, false) => "}",
        };
        let mut candidate = plain(&format!("${brace}{name}{end}"), span.clone());
        candidate.space_after = !is_folder && place.quote.is_none();
        candidate.display = Some(format!("${name}"));
        candidate.description = value.map(|value| value.chars().take(60).collect());
        candidate
    });
    Some(candidates.collect())
}

/// Offers users where the name of one is being typed behind a `~`.
pub(super) fn users(place: &Place<'_>) -> Option<Vec<Candidate>> {
    let begun = place.typed.strip_prefix('~').filter(|begun| !begun.contains('/') && place.quote.is_none())?;
    let span = place.start..place.start + place.typed.len();
    let names = accounts().into_iter().map(|(name, _)| name).filter(|name| name.starts_with(begun));
    let home = |name: &str| Candidate { space_after: false, ..plain(&format!("~{name}/"), span.clone()) };
    let mut found: Vec<Candidate> = names.map(|name| home(&name)).collect();
    if begun.is_empty() {
        found.insert(0, home(""));
    }
    Some(found)
}

/// Returns what a path's beginning stands for: `~`, `~name`, `$NAME`, `${NAME}`. Other text stands for itself; none where
/// it cannot be known.
pub(super) fn expanded(path: &str, quote: Option<char>, variable: &dyn Fn(&str) -> Option<String>) -> Option<String> {
    if quote == Some('\'') {
        return Some(path.to_owned());
    }
    let mut path = path.to_owned();
    if let Some(rest) = path.strip_prefix('~').filter(|_| quote.is_none()) {
        let (name, rest) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
        let home = match name {
            "" => std::env::home_dir().or_else(|| variable("HOME").map(PathBuf::from)),
            name => accounts().into_iter().find(|(known, _)| known == name).map(|(_, home)| home),
        };
        path = format!("{}{rest}", home?.display());
    }
    let mut out = String::new();
    let mut rest = path.as_str();
    while let Some(at) = rest.find('$') {
        if is_escaped(rest, at) {
            out.push_str(rest.get(..=at)?);
            rest = rest.get(at + 1..)?;
            continue;
        }
        out.push_str(rest.get(..at)?);
        let behind = rest.get(at + 1..)?;
        let (name, behind) = match behind.strip_prefix('{') {
            Some(braced) => braced.split_once('}')?,
            None => {
                let end = behind.find(|c: char| c != '_' && !c.is_ascii_alphanumeric()).unwrap_or(behind.len());
                behind.split_at(end)
            }
        };
        out.push_str(&variable(name)?);
        rest = behind;
    }
    Some(out + rest)
}

/// Says whether a backslash takes a character's meaning away.
fn is_escaped(text: &str, at: usize) -> bool {
    text.get(..at).is_some_and(|before| before.chars().rev().take_while(|&c| c == '\\').count() % 2 == 1)
}

/// The machine's accounts with their home folders.
fn accounts() -> Vec<(String, PathBuf)> {
    let text = std::fs::read_to_string("/etc/passwd").unwrap_or_default();
    let account = |line: &str| {
        let mut fields = line.split(':');
        Some((fields.next()?.to_owned(), PathBuf::from(fields.nth(4)?)))
    };
    text.lines().filter_map(account).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn snapshot() -> Snapshot {
        Snapshot {
            variables: ["HOMER", "local_name"].map(str::to_owned).into(),
            environment: [("HOME", "/"), ("HOST", "h")].map(|(name, value)| (name.into(), value.into())).into(),
            ..Snapshot::default()
        }
    }

    #[test]
    fn variables_are_offered_as_they_are_written() {
        let values = |before: &str| -> Option<Vec<String>> {
            let place = Place::find(before);
            complete(&place, &snapshot()).map(|found| {
                found
                    .into_iter()
                    .map(|candidate| format!("{}{}", &before[..candidate.span.start], candidate.value))
                    .collect()
            })
        };
        assert_eq!(values("ls $HOM").unwrap(), ["ls $HOME/", "ls $HOMER"]);
        assert_eq!(values("ls \"$HOM").unwrap(), ["ls \"$HOME/", "ls \"$HOMER"]);
        assert_eq!(values("ls a${HOS").unwrap(), ["ls a${HOST}"]);
        assert_eq!(values("echo $loc").unwrap(), ["echo $local_name"]);
        for none in ["ls '$HOM", "ls \\$HOM", "ls $HOME/", "ls $(HOM", "ls x"] {
            assert_eq!(values(none).filter(|found| !found.is_empty()), None, "{none}");
        }
    }

    #[test]
    fn beginnings_of_paths_stand_for_folders() {
        let variable = |name: &str| (name == "HOME").then(|| "/home/me".to_owned());
        for (path, quote, expected) in [
            ("$HOME/a", None, Some("/home/me/a")),
            ("${HOME}/$HOME", Some('"'), Some("/home/me//home/me")),
            ("$HOME/a", Some('\''), Some("$HOME/a")),
            ("\\$HOME/a", None, Some("\\$HOME/a")),
            ("$NONE/a", None, None),
            ("~root/a", None, Some("/root/a")),
            ("~nobody-of-that-name/a", None, None),
            ("~/a", Some('"'), Some("~/a")),
        ] {
            assert_eq!(expanded(path, quote, &variable).as_deref(), expected, "{path}");
        }
    }
}
