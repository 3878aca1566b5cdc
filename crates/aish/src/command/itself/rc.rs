//! Our line in the files that a person's shell reads at its start.

use std::path::{Path, PathBuf};

/// Returns the files of shells that may have our line.
pub(super) fn files(home: &Path, variable: &dyn Fn(&str) -> Option<String>) -> Vec<PathBuf> {
    let folder = |name: &str, otherwise: PathBuf| {
        variable(name).map(PathBuf::from).filter(|path| path.is_absolute()).unwrap_or(otherwise)
    };
    let zsh = folder("ZDOTDIR", home.to_owned());
    let fish = folder("XDG_CONFIG_HOME", home.join(".config")).join("fish");
    let bash = [".bashrc", ".bash_profile", ".profile"].map(|name| home.join(name));
    bash.into_iter().chain([zsh.join(".zshrc"), fish.join("config.fish")]).collect()
}

/// A file's text without our lines.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Rest {
    /// What is left.
    pub(super) text: String,
    /// Our lines, as they stood.
    pub(super) taken: Vec<String>,
    /// The numbers, from 1, of lines that name `aish init` among other things: they stay.
    pub(super) left: Vec<usize>,
}

/// Takes the lines out that are ours and nothing else.
pub(super) fn without_ours(text: &str) -> Rest {
    let mut rest = Rest { text: String::new(), taken: Vec::new(), left: Vec::new() };
    for (at, line) in text.split_inclusive('\n').enumerate() {
        let written = line.trim();
        if is_ours(written) {
            rest.taken.push(written.to_owned());
            continue;
        }
        if written.contains("aish init ") && !written.starts_with('#') {
            rest.left.push(at.saturating_add(1));
        }
        rest.text.push_str(line);
    }
    rest
}

/// Says whether a line is one of those that `docs/own-shell.md` gives, with any path and any keys.
fn is_ours(line: &str) -> bool {
    let code = line.split(" #").next().unwrap_or_default().trim_end();
    let evaluated = code.strip_prefix("eval \"$(").and_then(|rest| rest.strip_suffix(")\""));
    let sourced = code.strip_suffix("| source").map(str::trim_end);
    let Some(command) = evaluated.or(sourced) else { return false };
    // A line that does more than this is somebody's own.
    if command.contains(['|', ';', '&', '$', '`', '<', '>', '(', ')']) {
        return false;
    }
    let words = shell_words::split(command).unwrap_or_default();
    match words.as_slice() {
        [program, init, ..] => Path::new(program).file_name().is_some_and(|name| name == "aish") && init == "init",
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_our_own_lines_go() {
        let text = "alias ll='ls -l'\neval \"$(aish init bash)\"\neval \"$(/opt/a b/aish init bash)\"\n\
                    eval \"$(/usr/bin/aish init zsh --key-ask alt-a)\"   # last line of ~/.zshrc\n\
                    aish init fish | source\ncommand -v aish && eval \"$(aish init bash)\"\n# eval \"$(aish init bash)\"\n\
                    eval \"$(starship init bash)\"\neval \"$(aish init bash; rm -rf x)\"\nexport A=1";
        let rest = without_ours(text);
        assert_eq!(
            rest.text,
            "alias ll='ls -l'\neval \"$(/opt/a b/aish init bash)\"\ncommand -v aish && eval \"$(aish init bash)\"\n\
             # eval \"$(aish init bash)\"\neval \"$(starship init bash)\"\neval \"$(aish init bash; rm -rf x)\"\nexport A=1"
        );
        assert_eq!(rest.taken.len(), 3);
        assert_eq!(rest.left, [3, 6, 9]);
        assert_eq!(without_ours("").text, "");
    }
}
