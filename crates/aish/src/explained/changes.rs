//! What a command changes, in words: one line for each way of changing.

use aish_safety::Changes;
use aish_safety::change::{GitChange, How, PathText, Reach, Target};

/// The most things that a line names.
const SHOWN: usize = 8;
/// What stands in a path for a piece that the text does not tell.
const UNTOLD: char = '\u{FFFC}';

/// Says what a command changes and what no undo could name, a line for each way of changing.
pub(super) fn lines(changes: &Changes) -> Vec<String> {
    let mut told: Vec<(&str, Vec<String>)> = Vec::new();
    let named = changes.targets.iter().map(target);
    for (deed, what) in named.chain(changes.unnamed.iter().map(|what| ("undo cannot bring back", what.clone()))) {
        match told.iter_mut().find(|(before, _)| *before == deed) {
            Some((_, all)) if all.contains(&what) => {}
            Some((_, all)) => all.push(what),
            None => told.push((deed, vec![what])),
        }
    }
    told.iter().map(|(deed, all)| format!("{deed}: {}", listed(all))).collect()
}

fn listed(all: &[String]) -> String {
    let more = all.len().saturating_sub(SHOWN);
    let shown = all.get(..all.len() - more).unwrap_or_default().join(", ");
    if more > 0 { format!("{shown} and {more} more") } else { shown }
}

/// Returns how a target is changed, and what it is.
fn target(target: &Target) -> (&'static str, String) {
    match target {
        Target::Path { path, how, reach, names } => {
            let path = shown(path);
            let what = match reach {
                Reach::Itself => path,
                Reach::Tree if names.is_empty() => format!("{path} and all below it"),
                Reach::Tree => format!("{} below {path}", names.join(", ")),
            };
            (deed(*how), what)
        }
        Target::Into { destination, sources, how, reach: _ } => {
            let sources: Vec<String> = sources.iter().map(shown).collect();
            (deed(*how), format!("{}, or in it what is called as {}", shown(destination), listed(&sources)))
        }
        Target::Git { folder: _, what } => git(what),
    }
}

const fn deed(how: How) -> &'static str {
    match how {
        How::Attributes => "changes mode, owner or times",
        How::Move => "renames",
        How::Remove => "deletes or replaces",
        How::Write => "writes",
    }
}

fn git(what: &GitChange) -> (&'static str, String) {
    let of = |paths: &[PathText]| match paths {
        [] => "all of the repository".to_owned(),
        paths => listed(&paths.iter().map(shown).collect::<Vec<_>>()),
    };
    match what {
        GitChange::Tracked { against: _, paths } => ("puts tracked files back", of(paths)),
        GitChange::Untracked { ignored: false, paths } => ("deletes untracked files", of(paths)),
        GitChange::Untracked { ignored: true, paths } => ("deletes untracked and ignored files", of(paths)),
        GitChange::Records { refs } if refs.is_empty() => ("moves", "the branch that is checked out".to_owned()),
        GitChange::Records { refs } => ("moves", listed(refs)),
    }
}

fn shown(path: &PathText) -> String {
    let text = path.text.replace(UNTOLD, "…");
    match &path.folder {
        Some(folder) if !text.starts_with(['/', '~']) => format!("{}/{text}", folder.trim_end_matches('/')),
        Some(_) | None => text,
    }
}

#[cfg(test)]
mod tests {
    use aish_safety::{PolicyRules, Surroundings, analyse};

    use super::*;

    fn check(command: &str, expected: &[&str]) {
        let changes = analyse(command, &Surroundings::default(), &PolicyRules::default()).changes;
        assert_eq!(lines(&changes), expected, "{command}");
    }

    #[test]
    fn changes_are_told_by_how_they_change() {
        check("ls", &[]);
        check("echo a > out.txt; echo b >> more.txt; echo c > out.txt", &["writes: out.txt, more.txt"]);
        check(
            "cd sub && rm -rf build && chmod +x run",
            &["deletes or replaces: sub/build and all below it", "changes mode, owner or times: sub/run"],
        );
        check("cp a b", &["writes: b, or in it what is called as a"]);
        check("find . -name '*.o' -delete", &["deletes or replaces: *.o below ."]);
        check(
            "git reset --hard HEAD~1",
            &["puts tracked files back: all of the repository", "moves: the branch that is checked out"],
        );
        check("git clean -fdx", &["deletes untracked and ignored files: all of the repository"]);
        check("git push -f", &["undo cannot bring back: what `git push -f` changes"]);
        check(
            "rm $x/a 1 2 3 4 5 6 7 8 9 10",
            &[
                "deletes or replaces: 1, 2, 3, 4, 5, 6, 7, 8 and 2 more",
                "undo cannot bring back: what `rm …/a 1 2 3 4 5 6 7 8 9 10` changes: its names are not known before it runs",
            ],
        );
    }
}
