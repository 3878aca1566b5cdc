//! Where a server's program runs, and which file it is: the same words mean another program in another folder.

use std::path::{Path, PathBuf};

/// Says whether what runs may hang on the folder that it runs in: whether an argument is neither an absolute path, nor an
/// address, nor an option without a value.
pub(super) fn hangs_on_folder(args: &[String]) -> bool {
    !args.iter().all(|arg| is_fixed(arg))
}

/// Says whether a word means the same in every folder.
fn is_fixed(word: &str) -> bool {
    let is_address = || {
        word.split_once("://").is_some_and(|(scheme, _)| {
            !scheme.is_empty() && scheme.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'.' | b'-'))
        })
    };
    match word.strip_prefix("--") {
        Some(option) => option.split_once('=').is_none_or(|(_, value)| is_fixed(value)),
        // What stands behind the letter may be its value.
        None if word.starts_with('-') => word.chars().count() <= 2,
        None => word.starts_with('/') || is_address(),
    }
}

/// Says whether a program is named by a path that leads on from a folder.
pub(crate) fn is_relative(command: &str) -> bool {
    command.contains('/') && !command.starts_with(['/', '~', '$'])
}

/// Makes a path absolute, as seen from the folder that we are in.
pub(super) fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf())
}

/// Finds the file that a program's name means to a start in a folder; none where there is none that may be run.
pub(crate) fn program_file(command: &str, path: Option<&str>, folder: Option<&Path>) -> Option<PathBuf> {
    let folder = absolute(folder.unwrap_or(Path::new(".")));
    let is_program = |file: &PathBuf| {
        use std::os::unix::fs::PermissionsExt as _;
        file.metadata().is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
    };
    if command.contains('/') {
        return Some(folder.join(command)).filter(is_program);
    }
    std::env::split_paths(path?).map(|at| folder.join(at).join(command)).find(is_program)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_line_hangs_on_its_folder_unless_nothing_of_it_leads_there() {
        for (args, hangs) in [
            (&[][..], false),
            (&["/opt/a/server.js", "--stdio", "-v", "--root=/srv", "https://h/x"], false),
            (&["./srv.py"], true),
            (&["srv.py"], true),
            (&["-m", "notes"], true),
            (&["-mnotes"], true),
            (&["-y", "@acme/notes-mcp"], true),
            (&["--config=a.json"], true),
            (&["-c", "./run"], true),
            (&["../up"], true),
        ] {
            let args: Vec<String> = args.iter().map(|arg| (*arg).to_owned()).collect();
            assert_eq!(hangs_on_folder(&args), hangs, "{args:?}");
        }
    }

    #[test]
    fn a_programs_file_is_found_as_a_start_finds_it() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("bin/run");
        std::fs::create_dir(folder.path().join("bin")).unwrap();
        std::fs::write(&file, "").unwrap();
        let find = |command: &str, path: &str| program_file(command, Some(path), Some(folder.path()));
        assert_eq!(find("./bin/run", ""), None, "it may not be run");
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        std::fs::set_permissions(&file, mode).unwrap();
        assert_eq!(find("bin/run", ""), Some(file.clone()));
        assert_eq!(find("run", "/nowhere:bin"), Some(file), "a folder of PATH may lead on from there");
        assert_eq!(find("sh", "/nowhere:/bin"), Some("/bin/sh".into()));
        assert_eq!((find("run", "/bin"), program_file("sh", None, None)), (None, None));
    }
}
