//! Prompts and skills of one's own: Markdown files with a name, a line that says what they are for, and a text.
//!
//! A prompt is `NAME.md`, a skill the file `SKILL.md` in a folder of its name. Those below the home folder are the
//! person's; those of a project count only while the person trusts their content. Nearer ones take the place of others of
//! their name.

mod front_matter;
pub mod skills;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::base::Base;
use crate::project::{Kind, Project, Standing};
use front_matter::FrontMatter;

/// The longest file, in bytes.
const LONGEST: u64 = 256 * 1024;
/// The most files of one folder.
const MOST: usize = 500;
/// The most characters of what a prompt is for.
const LONGEST_DESCRIPTION: usize = 1_024;

/// Where a person's prompts are, below the home folder.
const OWN_PROMPTS: &[&str] = &[".claude/commands"];
/// Where a person's skills are.
const OWN_SKILLS: &[&str] = &[".claude/skills", ".agents/skills"];

/// A prompt or a skill.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prompt {
    /// What it is called by.
    pub name: String,
    /// What it is for; empty where it does not say.
    pub description: String,
    /// What the model is given.
    pub text: String,
    /// Its file.
    pub file: PathBuf,
    /// True for a skill, which the model may load by itself.
    pub is_skill: bool,
    /// True where the model may not load it by itself.
    pub is_for_person: bool,
}

/// Lists the prompts and skills of the person and, as far as they are trusted, of a project, by name.
pub fn all(base: &Base, project: &Project) -> Vec<Prompt> {
    let mut found: BTreeMap<String, Prompt> = BTreeMap::new();
    let mut put = |prompt: Option<Prompt>| {
        if let Some(prompt) = prompt {
            found.insert(prompt.name.clone(), prompt);
        }
    };
    let home = base.paths.home.as_deref();
    let config = base.paths.config.as_ref().and_then(|file| file.parent());
    let below = |names: &[&str], own: &str| -> Vec<PathBuf> {
        let mut folders: Vec<PathBuf> = names.iter().filter_map(|name| Some(home?.join(name))).collect();
        folders.extend(config.map(|config| config.join(own)));
        folders
    };
    for folder in below(OWN_PROMPTS, "prompts") {
        names(&folder)
            .iter()
            .filter(|name| name.ends_with(".md"))
            .for_each(|name| put(own(&folder.join(name), Kind::Prompt)));
    }
    for folder in below(OWN_SKILLS, "skills") {
        names(&folder).iter().for_each(|name| put(own(&folder.join(name).join("SKILL.md"), Kind::Skill)));
    }
    for file in project.files.iter().filter(|file| file.standing == Standing::Trusted) {
        match file.kind {
            Kind::Prompt | Kind::Skill => put(made(&file.path, &file.text, file.kind)),
            Kind::Settings | Kind::Instructions => {}
        }
    }
    found.into_values().collect()
}

/// Lists the names in a folder, sorted; nothing where there is none.
pub fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten().take(MOST);
    let mut names: Vec<String> = entries.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    names.sort();
    names
}

/// Reads a file of the person's own.
fn own(path: &Path, kind: Kind) -> Option<Prompt> {
    std::fs::metadata(path).ok().filter(|meta| meta.is_file() && meta.len() <= LONGEST)?;
    made(path, &std::fs::read_to_string(path).ok()?, kind)
}

/// Makes a prompt of a file's text; none where its name cannot be typed, or a skill does not say what it is for.
fn made(path: &Path, text: &str, kind: Kind) -> Option<Prompt> {
    let is_skill = kind == Kind::Skill;
    let front = FrontMatter::read(text);
    let named = if is_skill { path.parent()?.file_name()? } else { path.file_stem()? };
    let name = named.to_string_lossy().into_owned();
    let is_name = |name: &str| {
        name.starts_with(|c: char| c.is_ascii_alphabetic())
            && name.len() <= 64
            && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'))
    };
    let description: String = front.value("description").chars().take(LONGEST_DESCRIPTION).collect();
    if !is_name(&name) || is_skill && description.is_empty() {
        return None;
    }
    Some(Prompt {
        name,
        description: aish_types::sanitize(&description).replace('\n', " "),
        text: front.body.trim().to_owned(),
        file: path.to_owned(),
        is_skill,
        is_for_person: front.is_set("disable-model-invocation"),
    })
}

impl Prompt {
    /// Fills in what was typed behind its name: `$ARGUMENTS`, `$1` to `$9` (words between double quotes are one); without any
    /// of them it stands at the end. What is filled in is not looked at again.
    pub fn filled(&self, arguments: &str) -> String {
        let arguments = arguments.trim();
        let words = words(arguments);
        let mut out = String::with_capacity(self.text.len());
        let mut is_used = false;
        let mut rest = self.text.as_str();
        while let Some(at) = rest.find('$') {
            out.push_str(rest.get(..at).unwrap_or_default());
            rest = rest.get(at + 1..).unwrap_or_default();
            let is_sign = |text: &str| text.starts_with("ARGUMENTS") || text.starts_with(|c: char| c.is_ascii_digit());
            if rest.strip_prefix('$').is_some_and(is_sign) {
                // Two are one that stands for itself.
                let end = rest.find(char::is_alphanumeric).map_or(rest.len(), |at| at + 1);
                out.push_str(rest.get(..end).unwrap_or_default());
                rest = rest.get(end..).unwrap_or_default();
            } else if let Some(behind) = rest.strip_prefix("ARGUMENTS") {
                out.push_str(arguments);
                (rest, is_used) = (behind, true);
            } else if let Some(number) = rest.chars().next().and_then(|c| c.to_digit(10)).filter(|number| *number > 0) {
                out.push_str(words.get(number as usize - 1).copied().unwrap_or_default());
                (rest, is_used) = (rest.get(1..).unwrap_or_default(), true);
            } else {
                out.push('$');
            }
        }
        out.push_str(rest);
        if !is_used && !arguments.is_empty() {
            out.push_str(&format!("\n\nARGUMENTS: {arguments}"));
        }
        out
    }
}

/// Takes arguments apart at blanks; what begins with a double quote ends at the next one. Other quotes are letters: an
/// apostrophe stands in many words.
fn words(arguments: &str) -> Vec<&str> {
    let mut words = Vec::new();
    let mut rest = arguments.trim_start();
    while !rest.is_empty() {
        let quoted = rest.strip_prefix('"').and_then(|inner| inner.split_once('"'));
        let quoted = quoted.filter(|(_, behind)| behind.is_empty() || behind.starts_with(char::is_whitespace));
        let (word, behind) = quoted.unwrap_or_else(|| rest.split_once(char::is_whitespace).unwrap_or((rest, "")));
        words.push(word);
        rest = behind.trim_start();
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn prompt(text: &str) -> Prompt {
        made(Path::new("/x/fix-it.md"), text, Kind::Prompt).unwrap()
    }

    #[test]
    fn arguments_are_filled_in_once() {
        for (text, arguments, expected) in [
            ("Look at $1, then $2.", "a b", "Look at a, then b."),
            ("All: $ARGUMENTS", "$1 x", "All: $1 x"),
            ("$1|$2|$3", r#""a b" it's "c"#, r#"a b|it's|"c"#),
            ("Costs $5 and $x", "", "Costs  and $x"),
            ("Just do it.", "now please", "Just do it.\n\nARGUMENTS: now please"),
            ("Just do it.", " ", "Just do it."),
            ("$$5 and $$ARGUMENTS, $$ is a number: $1", "x", "$5 and $ARGUMENTS, $$ is a number: x"),
        ] {
            assert_eq!(prompt(text).filled(arguments), expected);
        }
    }

    #[test]
    fn files_say_what_they_are_for() {
        let made_of = |path: &str, text: &str, kind| made(Path::new(path), text, kind);
        let skill =
            made_of("/s/pdf/SKILL.md", "---\nname: pdf\ndescription: Use when: a PDF\n---\n\n# Do it\n", Kind::Skill)
                .unwrap();
        assert_eq!(
            (skill.name.as_str(), skill.description.as_str(), skill.text.as_str()),
            ("pdf", "Use when: a PDF", "# Do it")
        );
        assert_eq!(made_of("/s/pdf/SKILL.md", "no description", Kind::Skill), None);
        assert_eq!(made_of("/p/a b.md", "x", Kind::Prompt), None);
        assert_eq!(prompt("x").description, "");
    }
}
