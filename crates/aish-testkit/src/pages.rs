//! The commands that the documentation shows, as a person would type them.

use std::path::Path;

/// Lists the lines of a page's `sh` blocks that start a program, as `bash` can run them: where a line shows what may be left
/// out and what stands for something else, that is written out.
#[must_use]
pub fn commands(page: &str, program: &str) -> Vec<String> {
    let mut is_inside = false;
    let mut found = Vec::new();
    for line in page.lines() {
        if line.starts_with("```") {
            is_inside = line == "```sh";
        } else if is_inside && starts(line, program) {
            found.push(written_out(line));
        }
    }
    found
}

/// Lists those of all pages: the README and `docs`, each with its page before it.
///
/// # Errors
///
/// The page that cannot be read.
pub fn all_commands(root: &Path, program: &str) -> std::io::Result<Vec<(String, String)>> {
    let mut pages = vec![root.join("README.md")];
    for entry in std::fs::read_dir(root.join("docs"))? {
        pages.push(entry?.path());
    }
    pages.retain(|page| page.extension().is_some_and(|extension| extension == "md"));
    pages.sort();
    let mut found = Vec::new();
    for page in pages {
        let name = page.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let text = std::fs::read_to_string(&page)?;
        found.extend(commands(&text, program).into_iter().map(|line| (name.clone(), line)));
    }
    Ok(found)
}

/// Tells whether a line has the program as a word where a command begins.
fn starts(line: &str, program: &str) -> bool {
    let words: Vec<&str> = line.split(|c: char| c.is_whitespace() || c == '"' || c == '(').collect();
    let is_start = |at: usize| {
        let before = at.checked_sub(1).and_then(|at| words.get(at));
        before.is_none_or(|word| *word == "|" || word.ends_with('$') || word.contains('='))
    };
    words.iter().enumerate().any(|(at, word)| *word == program && is_start(at))
}

/// Writes a synopsis out: `[--all] NUMBER a|b NAME...` becomes `--all 1 a NAME`.
fn written_out(line: &str) -> String {
    if !line.contains(" [") && !line.ends_with("...") && !line.contains(" NAME") {
        return line.to_owned();
    }
    let plain = line.replace(['[', ']'], "").replace("...", "").replace("NUMBER", "1");
    plain.split(' ').map(|word| word.split('|').next().unwrap_or(word)).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_found_and_written_out() {
        let page = "aish no\n```sh\naish a | b  # c\nx | aish b\nT=1 aish c\neval \"$(aish init)\"\n./aish no\nsay aish\n\
                    aish d [--all] [NAME] [--as md|html] NUMBER S...\n```\naish no\n```text\naish no\n```\n";
        let found = commands(page, "aish");
        let wanted =
            ["aish a | b  # c", "x | aish b", "T=1 aish c", "eval \"$(aish init)\"", "aish d --all NAME --as md 1 S"];
        assert_eq!(found, wanted);
    }
}
