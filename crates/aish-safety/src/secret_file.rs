//! Whether a file is asked about when it is read, for those who go through very many files.

use crate::command::path::Viewpoint;
use crate::command::{Surroundings, analyse};
use crate::file_access::{Act, FileAccess};
use crate::policy::PolicyRules;
use crate::verdict::Verdict;

/// The longest path that is told without its command, in bytes.
const LONGEST: usize = 1_024;

/// Says whether the command that shows a file would be asked about. `path` is absolute; `home` is the person's home folder.
///
/// Nearly every path is told by itself, which takes a twentieth of the time; one with letters that may mean something to a
/// shell is judged with its command.
pub fn is_asked_about(path: &str, home: Option<&str>) -> bool {
    if !(path.starts_with('/') && path.len() <= LONGEST && path.chars().all(is_plain)) {
        return command_is_asked_about(path, home);
    }
    let from = Viewpoint { folder: Some("/"), start: Some("/"), home };
    let tells = |text: &str| {
        let place = from.seen(text, false);
        place.is_secret() || place.is_device() || place.is_plainly_secret()
    };
    // A command takes what stands behind these for a name too.
    let mut parts = path.split(['=', '@', ':', ',']);
    tells(path) || parts.any(|part| !part.is_empty() && part.len() < path.len() && tells(part))
}

/// Says the same by judging the command.
fn command_is_asked_about(path: &str, home: Option<&str>) -> bool {
    let access = FileAccess { path: path.into(), act: Act::Read };
    let surroundings = Surroundings { home: home.map(Into::into), folder: Some("/".into()), ..Surroundings::default() };
    analyse(&access.command(), &surroundings, &PolicyRules::default()).judgement.verdict > Verdict::Allow
}

/// Letters that mean nothing to any shell within quotes, and nothing to the judgement.
fn is_plain(letter: char) -> bool {
    letter.is_alphanumeric() || matches!(letter, '/' | '.' | '_' | '-' | '+' | ' ' | '=' | '@' | ':' | ',' | '~' | '%')
}

#[cfg(test)]
mod tests {
    use alloc::format;
    use alloc::string::String;
    use alloc::vec::Vec;

    use aish_programs::words::secret_files::{EXCEPTIONS, MEANT, MORE_PATHS, NAMES, PATHS};
    use aish_programs::words::secret_words::{COPIES, MORE_NAMES, PLAIN, PLAIN_WITH_DOT, WORDS};
    use aish_types::secret_files::{AT_HOME, ELSEWHERE};

    use super::*;

    /// Checks paths one by one and with their command; returns how many are told by themselves, and how many are asked about.
    fn check(paths: &[String]) -> (usize, usize) {
        let mut told = (0, 0);
        for (at, path) in paths.iter().enumerate() {
            let home = ["/home/me", "/root", "/home/me/", "/"].get(at % 5).copied();
            let is = is_asked_about(path, home);
            assert_eq!(is, command_is_asked_about(path, home), "{path} with home {home:?}");
            told.0 += usize::from(path.chars().all(is_plain));
            told.1 += usize::from(is);
        }
        told
    }

    fn folders() -> Vec<String> {
        let known = [PATHS, MORE_PATHS, AT_HOME, ELSEWHERE].into_iter().flatten();
        let known = known.map(|path| path.trim_matches('/').replace('*', "x"));
        let kernel = ["proc/self", "proc/1/root", "proc/1/task/1", "sys/kernel/debug", "dev", "dev/shm", "private/etc"];
        let plain = ["", "src", "usr/share", "a/../.ssh", "a/./b//c", ".git/modules/x", "secrets", "x.git", "..."];
        known.chain([kernel.as_slice(), &plain].concat().into_iter().map(Into::into)).collect()
    }

    fn names() -> Vec<String> {
        let known = [NAMES, MEANT, EXCEPTIONS, MORE_NAMES, PLAIN, PLAIN_WITH_DOT, WORDS].into_iter().flatten();
        let known = known.flat_map(|name| [name.replace(['*', '?'], "x"), name.replace('*', "")]);
        let copies = COPIES.iter().map(|end| format!(".env.{end}"));
        let plain = ["main.rs", "config", "sda", "mem", "environ", "größe.txt", "a b", "", ".", "..", "x~", "#x#"];
        known.chain(copies).chain(plain.into_iter().map(Into::into)).collect()
    }

    #[test]
    fn a_path_is_told_as_its_command_is_judged() {
        let (folders, names) = (folders(), names());
        let starts = ["/", "/home/me/", "/home/other/", "/root/", "/srv/app/"];
        let mixes = [
            "", "", "", "x=", "@scope/", "a:", "b,", "=~/", "it's ", "$x", "(a)", "[id]", "{a}", "a;b", "\"", "\\",
            "\n",
        ];
        let mut paths = Vec::new();
        let (folder_of, name_of) = (|at: usize| &folders[at % folders.len()], |at: usize| &names[at % names.len()]);
        for at in 0..folders.len().max(names.len()) {
            let start = starts[at % starts.len()];
            let mix = mixes[at / 3 % mixes.len()];
            let (folder, name) = (folder_of(at * 7 + at / 50), name_of(at * 5 + at / 70));
            paths.push(format!("{start}{folder}/{mix}{name}"));
            paths.push(format!("{start}{folder}{mix}/sub/{name}"));
            paths.push(format!("{start}{folder}").to_ascii_uppercase());
            paths.push(format!("{start}{folder}"));
            paths.push(format!("{start}lib/{name}").replace("x", "X"));
        }
        let (told, asked) = check(&paths);
        let few = paths.len() / 10;
        assert!(told > few && asked > few && paths.len() - asked > few, "{told} and {asked} of {}", paths.len());
    }

    #[test]
    fn what_is_no_ordinary_path_is_judged_with_its_command() {
        let long = format!("/srv/{}", "a".repeat(5_000));
        let deep = format!("/srv{}", "/a".repeat(5_000));
        let paths =
            ["", "x", "~/.ssh/id_rsa", ".env", "secrets/x", "/", "//", "/srv/\u{fffc}", "/srv/\u{202e}x", &long, &deep];
        check(&paths.map(String::from));
        let most = format!("/srv/{}/.env", "a,=:@".repeat(200));
        check(&[most]);
    }
}
