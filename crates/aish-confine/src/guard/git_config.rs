//! Whether two versions of a git configuration run the same programs and reach the same places. It is read as git reads it
//! (`config.c`, `git_parse_source`): what is read otherwise here could hide a key.

use super::script_words;

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
    let (Some(old), Some(new)) = (entries(old), entries(new)) else { return false };
    // A remote that leads somewhere was there before: a new address is not plain.
    let remotes: Vec<&str> = old.iter().filter_map(Entry::remote_with_address).collect();
    let others = |entries: &'_ [Entry]| -> Vec<Entry> {
        entries.iter().filter(|entry| !entry.is_plain(&remotes)).cloned().collect()
    };
    others(&old) == others(&new)
}

/// A key with its value.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Entry {
    /// The section's name in small letters, then what stands in quotes beside it or behind its dot.
    section: String,
    subsection: String,
    /// The key in small letters.
    key: String,
    /// The value without quotes, escapes and comments; none for a key that stands alone, which means true.
    value: Option<String>,
}

impl Entry {
    fn is_plain(&self, remotes: &[&str]) -> bool {
        let known = PLAIN.iter().any(|(known, keys)| *known == self.section && keys.contains(&self.key.as_str()));
        let value = self.value.as_deref().unwrap_or_default();
        let leads = LEADING.contains(&self.key.as_str()) && value != "." && !remotes.contains(&value);
        known && !leads
    }

    fn remote_with_address(&self) -> Option<&str> {
        (self.section == "remote" && self.key == "url").then_some(self.subsection.as_str())
    }
}

/// Lists the keys of a configuration; none where git would refuse it.
fn entries(text: &str) -> Option<Vec<Entry>> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text).replace("\r\n", "\n");
    let mut rest = text.as_str();
    let (mut section, mut subsection) = (String::new(), String::new());
    let mut found = Vec::new();
    loop {
        rest = rest.trim_start_matches(is_blank);
        let Some(first) = rest.chars().next() else { return Some(found) };
        if matches!(first, '#' | ';') {
            rest = rest.split_once('\n').map_or("", |(_, rest)| rest);
        } else if let Some(behind) = rest.strip_prefix('[') {
            (section, subsection, rest) = heading(behind)?;
        } else if first.is_ascii_alphabetic() {
            let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '-')).unwrap_or(rest.len());
            let (key, behind) = rest.split_at(end);
            let behind = behind.trim_start_matches([' ', '\t']);
            let (value, behind) = match behind.strip_prefix('=') {
                Some(behind) => value(behind).map(|(value, behind)| (Some(value), behind))?,
                None if behind.is_empty() || behind.starts_with('\n') => (None, behind),
                None => return None,
            };
            rest = behind;
            let (section, subsection) = (section.clone(), subsection.clone());
            found.push(Entry { section, subsection, key: key.to_ascii_lowercase(), value });
        } else {
            return None;
        }
    }
}

/// Reads what stands behind a bracket: section, subsection, and the rest behind the closing one.
fn heading(text: &str) -> Option<(String, String, &str)> {
    let end = text.find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '-' | '.')))?;
    let (name, rest) = text.split_at(end);
    let name = name.to_ascii_lowercase();
    if let Some(rest) = rest.strip_prefix(']') {
        let (section, subsection) = name.split_once('.').unwrap_or((&name, ""));
        return Some((section.to_owned(), subsection.to_owned(), rest));
    }
    let rest = rest.strip_prefix([' ', '\t', '\r'])?.trim_start_matches([' ', '\t', '\r']).strip_prefix('"')?;
    let mut subsection = String::new();
    let mut letters = rest.chars();
    loop {
        match letters.next()? {
            '\n' => return None,
            '"' => break,
            '\\' => subsection.push(letters.next().filter(|letter| *letter != '\n')?),
            letter => subsection.push(letter),
        }
    }
    Some((name, subsection, letters.as_str().strip_prefix(']')?))
}

/// Reads a value up to the end of its line, or of the one that it goes on in: without quotes, escapes and a comment.
fn value(text: &str) -> Option<(String, &str)> {
    let (mut value, mut quoted, mut comment) = (String::new(), false, false);
    // Blanks at the end are none of it unless they were quoted.
    let mut end = 0;
    let mut letters = text.chars();
    loop {
        let Some(letter) = letters.next().filter(|letter| *letter != '\n') else {
            value.truncate(end);
            return (!quoted).then_some((value, letters.as_str()));
        };
        match letter {
            _ if comment => continue,
            '#' | ';' if !quoted => comment = true,
            '"' => quoted = !quoted,
            '\\' => match letters.next()? {
                '\n' => continue,
                't' => value.push('\t'),
                'b' => value.push('\u{8}'),
                'n' => value.push('\n'),
                letter @ ('\\' | '"') => value.push(letter),
                _ => return None,
            },
            letter if is_blank(letter) && !quoted => {
                if !value.is_empty() {
                    value.push(letter);
                }
                continue;
            }
            letter => value.push(letter),
        }
        if !comment {
            end = value.len();
        }
    }
}

fn is_blank(letter: char) -> bool {
    matches!(letter, ' ' | '\t' | '\n' | '\r')
}

/// Lists the words of values whose keys are not plain, without quotes and what a shell sets between words; of what cannot be
/// read all words.
pub(super) fn words(text: &str) -> Vec<String> {
    let Some(entries) = entries(text) else { return split(text) };
    let values = entries.iter().filter(|entry| !entry.is_plain(&[])).filter_map(|entry| entry.value.as_deref());
    values.flat_map(split).take(MOST_WORDS).collect()
}

/// What a configuration names, there or not.
pub(super) enum Named {
    /// A folder of hooks, from the work tree.
    Hooks(String),
    /// More settings, from the folder of the configuration.
    Settings(String),
}

/// Lists what a configuration names for git to go on with; git reads nothing on from one that it refuses.
pub(super) fn named(text: &str) -> Vec<Named> {
    let named = |entry: Entry| match entry.key.as_str() {
        "hookspath" => entry.value.map(Named::Hooks),
        "path" => entry.value.map(Named::Settings),
        _ => None,
    };
    entries(text).unwrap_or_default().into_iter().filter_map(named).take(MOST_WORDS).collect()
}

/// Splits a text at what a shell sets between words, and as a script; at most 1,000.
pub(super) fn split(text: &str) -> Vec<String> {
    let is_between = |c: char| c.is_whitespace() || "\"';|&()<>!".contains(c);
    let words = text.split(is_between).filter(|word| !word.is_empty()).map(str::to_owned);
    words.chain(script_words::of(text).into_iter().map(|word| word.text)).take(MOST_WORDS).collect()
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
            assert_eq!(super::value(value).unwrap(), (expected.to_owned(), ""), "{value}");
        }
        for refused in ["\"a", "a\\q", "\"a\nb\""] {
            assert!(super::value(refused).is_none(), "{refused}");
        }
        let found = named("[core]\n\thooksPath = tools/\\\nhooks # x\n[include] path = \"more\"\n");
        assert!(
            matches!(&found[..], [Named::Hooks(hooks), Named::Settings(more)] if hooks == "tools/hooks" && more == "more")
        );
    }

    #[test]
    fn daily_work_is_plain_and_what_runs_is_not() {
        let tracked = format!(
            "{OLD}[branch \"c\"]\n\tremote = origin\n\tmerge = c\n[branch \"d\"]\n\tremote = .\n[user]\n\tname = a\\\nb # x\n"
        );
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
            "[branch \"x\"]y\n",
            "[branch \"x\"]\n\tremote = https://example.org/a\n",
            "[branch \"x\"]\n\tpushRemote = ../other\n",
            "[branch \"x\"]\n\tremote = other\n",
            // A remote that has no address in the configuration of before may have one in a file.
            "[remote \"other\"]\n\tfetch = x\n[branch \"x\"]\n\tremote = other\n",
            // Keys beside their section, whatever the line ends with.
            "[core] fsmonitor = x # ]\n",
            "[core] hooksPath = x ; ]\n",
            "[include] path = \"]\"\n",
            "[url \"https://example.org/\"] insteadOf = https://github.com/ # ]\n",
            "[alias \"]\"] fsmonitor = x\n",
            "[core \"\\\"]\"] x\n[core] pager = x\n",
            "[core]bare = false\\\n\n[core]pager=x\n",
            "[user]\n\tname = a # \\\n[core]\n\tpager = x\n",
            "[CORE]\r\n\tPager = x\r\n",
            "[core]\n\tfsmonitor\n",
            "[core]\n\tfs monitor = x\n",
        ] {
            assert!(!runs_the_same(OLD, &format!("{OLD}{added}")), "{added}");
        }
    }
}
