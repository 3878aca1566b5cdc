//! Whether two versions of a git configuration run the same programs and reach the same places.

/// Keys that run nothing and lead nowhere: section, then name.
const PLAIN: &[(&str, &[&str])] = &[
    (
        "core",
        &[
            "repositoryformatversion",
            "filemode",
            "bare",
            "logallrefupdates",
            "ignorecase",
            "precomposeunicode",
            "symlinks",
            "autocrlf",
            "eol",
            "safecrlf",
            "quotepath",
            "abbrev",
            "sparsecheckout",
            "sparsecheckoutcone",
        ],
    ),
    ("branch", &["remote", "merge", "rebase", "description", "pushremote", "autosetuprebase", "autosetupmerge"]),
    ("user", &["name", "email"]),
    ("remote", &["fetch", "tagopt", "prune", "skipdefaultupdate"]),
    ("push", &["default", "autosetupremote", "followtags"]),
    ("pull", &["rebase", "ff"]),
    ("init", &["defaultbranch"]),
    ("extensions", &["objectformat", "worktreeconfig", "refstorage"]),
    ("color", &["ui"]),
    ("gc", &["auto"]),
    ("maintenance", &["auto", "strategy"]),
];

/// Keys of a branch that may be an address in the place of a name.
const LEADING: &[&str] = &["remote", "pushremote"];

/// Words of a configuration that are looked up as paths.
const MOST_WORDS: usize = 1_000;

/// Says whether all keys that are not known as plain have the same values in both. What cannot be read differs.
pub(super) fn runs_the_same(old: &str, new: &str) -> bool {
    match (others(old), others(new)) {
        (Some(old), Some(new)) => old == new,
        _ => false,
    }
}

/// Lists the lines of a configuration whose keys are not plain, each with its section.
fn others(text: &str) -> Option<Vec<(String, String)>> {
    let mut section = String::new();
    let mut found = Vec::new();
    for line in text.lines().map(str::trim) {
        if line.is_empty() || line.starts_with(['#', ';']) {
            continue;
        }
        // A value that goes on in the next line, and a key behind a section's bracket, are not read here.
        if line.ends_with('\\') {
            return None;
        }
        if let Some(rest) = line.strip_prefix('[') {
            let (name, after) = rest.rsplit_once(']')?;
            if !after.trim().is_empty() {
                return None;
            }
            section = name.to_owned();
            continue;
        }
        let key = line.split(['=', ' ', '\t']).next()?.to_ascii_lowercase();
        let kind = section.split([' ', '.', '"']).next()?.to_ascii_lowercase();
        let plain = PLAIN.iter().any(|(known, keys)| *known == kind && keys.contains(&key.as_str()));
        let leads = LEADING.contains(&key.as_str()) && !names_remote(line, text);
        if !plain || leads {
            found.push((section.clone(), line.to_owned()));
        }
    }
    Some(found)
}

/// Says whether the value of a line is a remote of this configuration or the repository itself: another is an address or a
/// folder.
fn names_remote(line: &str, text: &str) -> bool {
    let value = line.split_once('=').map_or("", |(_, value)| value.trim());
    let is_name = value.chars().all(|c| c.is_ascii_alphanumeric() || "-_".contains(c));
    value == "." || is_name && text.contains(&format!("[remote \"{value}\"]"))
}

/// Lists the words of values whose keys are not plain, without quotes and what a shell sets between words; of what cannot be
/// read all words.
pub(super) fn words(text: &str) -> Vec<String> {
    let lines = others(text).map_or_else(
        || text.lines().map(str::to_owned).collect(),
        |found| found.into_iter().map(|(_, line)| line).collect::<Vec<_>>(),
    );
    let values = lines.iter().map(|line| line.split_once('=').map_or(line.as_str(), |(_, value)| value));
    values.flat_map(split).take(MOST_WORDS).collect()
}

/// What a configuration names, there or not.
pub(super) enum Named {
    /// A folder of hooks, from the work tree.
    Hooks(String),
    /// More settings, from the folder of the configuration.
    Settings(String),
}

/// Lists what a configuration names for git to go on with.
pub(super) fn named(text: &str) -> Vec<Named> {
    let named = |line: &str| {
        let (key, value) = line.split_once('=')?;
        let key = key.rsplit(']').next().unwrap_or(key).trim().to_ascii_lowercase();
        match key.as_str() {
            "hookspath" => Some(Named::Hooks(plain(value))),
            "path" => Some(Named::Settings(plain(value))),
            _ => None,
        }
    };
    // A value goes on behind a line that ends with a backslash.
    text.replace("\\\n", "").lines().filter_map(named).take(MOST_WORDS).collect()
}

/// Returns a value as git takes it: without quotes, escapes and a comment.
fn plain(value: &str) -> String {
    let (mut plain, mut quoted) = (String::new(), false);
    // Blanks at the end are none of it unless they were quoted.
    let mut end = 0;
    let mut letters = value.trim_start().chars();
    while let Some(letter) = letters.next() {
        match letter {
            '"' => quoted = !quoted,
            '#' | ';' if !quoted => break,
            '\\' => plain.extend(letters.next()),
            letter => plain.push(letter),
        }
        if quoted || !letter.is_whitespace() {
            end = plain.len();
        }
    }
    plain.truncate(end);
    plain
}

/// Splits a text at what a shell sets between words; at most 1,000.
pub(super) fn split(text: &str) -> Vec<String> {
    let is_between = |c: char| c.is_whitespace() || "\"';|&()<>!".contains(c);
    text.split(is_between).filter(|word| !word.is_empty()).take(MOST_WORDS).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const OLD: &str =
        "[core]\n\tbare = false\n[remote \"origin\"]\n\turl = https://example.org/a\n[branch \"b\"]\n\tmerge = b\n";

    #[test]
    fn values_are_read_as_git_reads_them() {
        for (value, expected) in [
            (" tools/hooks ", "tools/hooks"),
            ("tools/hooks # ours", "tools/hooks"),
            ("\"a b\" ; c", "a b"),
            ("\"a#b \"", "a#b "),
            ("a\\\\b\\\"", "a\\b\""),
            ("", ""),
        ] {
            assert_eq!(plain(value), expected, "{value}");
        }
        let found = named("[core]\n\thooksPath = tools/\\\nhooks # x\n[include] path = \"more\"\n");
        assert!(
            matches!(&found[..], [Named::Hooks(hooks), Named::Settings(more)] if hooks == "tools/hooks" && more == "more")
        );
    }

    #[test]
    fn daily_work_is_plain_and_what_runs_is_not() {
        let tracked = format!("{OLD}[branch \"c\"]\n\tremote = origin\n\tmerge = c\n[branch \"d\"]\n\tremote = .\n");
        for new in [&tracked, "[core]\n\tbare = false\n[remote \"origin\"]\n\turl = https://example.org/a\n", OLD] {
            assert!(runs_the_same(OLD, new), "{new}");
        }
        for added in [
            "[core]\n\tfsmonitor = x\n",
            "[core]\n\thooksPath = x\n",
            "[alias]\n\tst = !x\n",
            "[core] sshCommand = x\n",
            "[include]\n\tpath = x\n",
            "[remote \"origin\"]\n\turl = ext::x\n",
            "[filter \"a\"]\n\tclean = x\n",
            "[user]\n\tname = a\\\n",
            "[branch \"x\"]y\n",
            "[branch \"x\"]\n\tremote = https://example.org/a\n",
            "[branch \"x\"]\n\tpushRemote = ../other\n",
            "[branch \"x\"]\n\tremote = other\n",
        ] {
            assert!(!runs_the_same(OLD, &format!("{OLD}{added}")), "{added}");
        }
    }
}
