//! The prompt: a template with the names of what it shows.

use std::path::Path;

use aish_term::{PromptView, Styled, Theme};

/// What a template can show.
#[derive(Debug, Clone, Default)]
pub struct PromptFacts {
    /// The folder.
    pub folder: String,
    /// The home folder, shown as `~`.
    pub home: Option<String>,
    /// The branch, where there is one.
    pub git: Option<String>,
    /// The exit code of the last command.
    pub status: i32,
    /// The model that answers.
    pub model: String,
    /// Estimated tokens of the context.
    pub ctx_used: u64,
    /// What the session has cost.
    pub cost: String,
}

/// The template when none is configured.
pub const TEMPLATE: &str = "{cwd} {git} {status} {mark} ";

/// Expands a template into a prompt. Where a name stands for nothing, the blank behind it goes too; `\n` in a template
/// is a new line, and the model stands on the right unless the template shows it.
pub fn view(template: &str, facts: &PromptFacts, theme: &Theme, unicode: bool) -> PromptView {
    let mut left = Styled::default();
    let template = template.replace("\\n", "\n");
    let mut rest = template.as_str();
    while let Some(open) = rest.find('{') {
        let (plain, tail) = rest.split_at(open);
        left.push(anstyle_plain(), without_blank(&left, plain));
        let Some(close) = tail.find('}') else {
            rest = tail;
            break;
        };
        let name = tail.get(1..close).unwrap_or_default();
        expand(name, facts, theme, unicode, &mut left);
        rest = tail.get(close + 1..).unwrap_or_default();
    }
    left.push(anstyle_plain(), without_blank(&left, rest));
    let mut right = Styled::default();
    if !template.contains("{model}") {
        right.push(theme.dim, &facts.model);
    }
    PromptView {
        left,
        right,
        continuation: Styled::plain("  "),
        folder: Some(facts.folder.clone()),
        ..PromptView::default()
    }
}

fn expand(name: &str, facts: &PromptFacts, theme: &Theme, unicode: bool, out: &mut Styled) {
    match name {
        "cwd" => out.push(theme.strong, &short_folder(&facts.folder, facts.home.as_deref())),
        "git" => {
            if let Some(branch) = &facts.git {
                out.push(theme.dim, branch);
            }
        }
        "status" => {
            if facts.status != 0 {
                out.push(theme.bad, &format!("[{}]", facts.status));
            }
        }
        "model" => out.push(theme.dim, &facts.model),
        "ctx_used" => out.push(theme.dim, &facts.ctx_used.to_string()),
        "cost" => out.push(theme.dim, &facts.cost),
        "mark" => out.push(theme.shell, if unicode { "❯" } else { ">" }),
        unknown => out.push(anstyle_plain(), &format!("{{{unknown}}}")),
    }
}

/// The text without its first blank, where there is nothing or a blank before it already.
fn without_blank<'a>(before: &Styled, text: &'a str) -> &'a str {
    let before = before.text();
    let parted = before.is_empty() || before.ends_with([' ', '\n']);
    text.strip_prefix(' ').filter(|_| parted).unwrap_or(text)
}

fn anstyle_plain() -> anstyle::Style {
    anstyle::Style::new()
}

fn short_folder(folder: &str, home: Option<&str>) -> String {
    match home.and_then(|home| folder.strip_prefix(home)) {
        Some("") => "~".to_owned(),
        Some(rest) if rest.starts_with('/') => format!("~{rest}"),
        _ => folder.to_owned(),
    }
}

/// Returns the branch that a folder is on, read from the repository's HEAD; a short hash when it is on none.
pub fn branch(folder: &Path) -> Option<String> {
    let root = crate::project::project_root(folder)?;
    let dot_git = root.join(".git");
    let git = if dot_git.is_dir() {
        dot_git
    } else {
        let text = std::fs::read_to_string(&dot_git).ok()?;
        root.join(text.strip_prefix("gitdir:")?.trim())
    };
    let head = std::fs::read_to_string(git.join("HEAD")).ok()?;
    let head = head.trim();
    Some(match head.strip_prefix("ref: refs/heads/") {
        Some(branch) => branch.to_owned(),
        None => head.chars().take(8).collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_template_names_what_is_shown() {
        let facts = PromptFacts {
            folder: "/home/a/src".into(),
            home: Some("/home/a".into()),
            git: Some("main".into()),
            status: 2,
            model: "m".into(),
            ctx_used: 12,
            cost: "$0.10".into(),
        };
        let text = |template: &str| view(template, &facts, &Theme::default(), true).left.text();
        assert_eq!(text(TEMPLATE), "~/src main [2] ❯ ");
        assert_eq!(text("{model} {ctx_used} {cost} {what} {open"), "m 12 $0.10 {what} {open");
        assert_eq!(text("{cwd}\\n{mark} "), "~/src\n❯ ");
        let calm = PromptFacts { git: None, status: 0, ..facts.clone() };
        assert_eq!(view(TEMPLATE, &calm, &Theme::default(), false).left.text(), "~/src > ");
        assert_eq!(view("{git} {status} {cost} $ ", &calm, &Theme::default(), false).left.text(), "$0.10 $ ");
        assert_eq!(view(TEMPLATE, &calm, &Theme::default(), false).right.text(), "m");
        assert_eq!(view("{model} $ ", &calm, &Theme::default(), false).right.text(), "");
        assert_eq!(short_folder("/home/ab", Some("/home/a")), "/home/ab");
        assert_eq!(short_folder("/home/a", Some("/home/a")), "~");
    }
}
