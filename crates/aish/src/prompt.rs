//! The prompt: a template with the names of what it shows.

use std::path::Path;
use std::time::Duration;

use aish_term::cells::cells;
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
    /// The person's name on this machine.
    pub user: String,
    /// The machine's name.
    pub host: String,
    /// Whether the person came here over the network.
    pub remote: bool,
    /// The virtual environment that is active.
    pub venv: Option<String>,
    /// How many jobs run or are stopped.
    pub jobs: usize,
    /// How long the last command ran.
    pub took: Duration,
    /// The time of day, hours and minutes.
    pub time: String,
    /// Columns of the terminal.
    pub width: u16,
}

/// Returns the name of the account that aish runs under, where the system's list has it.
fn account() -> Option<String> {
    use std::os::unix::fs::MetadataExt as _;

    let number = std::fs::metadata("/proc/self").ok()?.uid().to_string();
    let list = std::fs::read_to_string("/etc/passwd").ok()?;
    list.lines().find_map(|line| {
        let mut fields = line.split(':');
        let name = fields.next()?;
        (fields.nth(1)? == number).then(|| name.to_owned())
    })
}

impl PromptFacts {
    /// Takes what the environment tells.
    pub fn take_environment(&mut self, variable: &dyn Fn(&str) -> Option<String>) {
        let set = |name: &str| variable(name).filter(|value| !value.is_empty());
        self.user = set("USER").or_else(|| set("LOGNAME")).or_else(account).unwrap_or_default();
        self.remote = set("SSH_CONNECTION").or_else(|| set("SSH_TTY")).is_some();
        let virtual_env = set("VIRTUAL_ENV").and_then(|path| {
            let path = Path::new(&path);
            let name = |path: &Path| path.file_name().map(|name| name.to_string_lossy().into_owned());
            match name(path)?.as_str() {
                // Named like all of them: the project has a name of its own.
                ".venv" | "venv" | "env" => path.parent().and_then(name),
                own => Some(own.to_owned()),
            }
        });
        self.venv = virtual_env.or_else(|| set("CONDA_DEFAULT_ENV").filter(|name| name != "base"));
    }
}

/// Commands that take longer have their duration in the prompt.
const LONG: Duration = Duration::from_secs(2);

/// The template when none is configured.
pub const TEMPLATE: &str = "{login} {venv} {cwd} {git} {jobs} {duration} {status} {mark} ";

/// Names that a template may have in braces.
const NAMES: &[&str] = &[
    "cwd", "user", "host", "login", "venv", "jobs", "duration", "time", "git", "status", "model", "ctx_used", "cost",
    "mark",
];

/// Who draws the prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Drawn<'a> {
    /// We do, by a template.
    Template(&'a str),
    /// Bash expands the person's own.
    Ps1,
    /// The program starship.
    Starship,
}

impl<'a> Drawn<'a> {
    /// Reads the setting.
    pub fn of(setting: Option<&'a str>) -> Self {
        match setting {
            None => Self::Template(TEMPLATE),
            Some("ps1" | "PS1") => Self::Ps1,
            Some("starship") => Self::Starship,
            Some(template) => Self::Template(template),
        }
    }
}

/// What another program wrote as the prompt, colours and all.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Foreign {
    /// What stands before the line.
    pub left: String,
    /// What stands at the right end of its row; empty where there is nothing.
    pub right: String,
}

/// Makes a prompt of one that another program wrote.
pub fn foreign(prompt: &Foreign, facts: &PromptFacts) -> PromptView {
    PromptView {
        // Starship begins with an empty line, which is for a terminal's own scrolling.
        left: aish_term::ansi::styled(prompt.left.trim_start_matches('\n')),
        // A right side is one row.
        right: aish_term::ansi::styled(prompt.right.trim_matches(['\n', ' ']).lines().next().unwrap_or_default()),
        continuation: Styled::plain("  "),
        folder: Some(facts.folder.clone()),
        ..PromptView::default()
    }
}

/// Asks starship for both sides; none where it is not there or takes too long.
pub async fn starship(facts: &PromptFacts, environment: &[(String, String)]) -> Option<Foreign> {
    // A right side that fails is none, as it is for versions that know none.
    let (left, right) = tokio::join!(side(&[], facts, environment), side(&["--right"], facts, environment));
    let left = left.filter(|text| !text.trim().is_empty())?;
    Some(Foreign { left, right: right.unwrap_or_default() })
}

async fn side(which: &[&str], facts: &PromptFacts, environment: &[(String, String)]) -> Option<String> {
    let mut command = tokio::process::Command::new("starship");
    command
        .arg("prompt")
        .args(which)
        .args(["--status", &facts.status.to_string(), "--jobs", &facts.jobs.to_string()])
        .args(["--cmd-duration", &facts.took.as_millis().to_string(), "--terminal-width", &facts.width.to_string()])
        .current_dir(&facts.folder)
        .stdin(std::process::Stdio::null())
        .kill_on_drop(true);
    command.envs(environment.iter().map(|(name, value)| (name, value)));
    // What it writes for a shell that is named here has that shell's marks around colours.
    command.env_remove("STARSHIP_SHELL");
    let output = tokio::time::timeout(Duration::from_secs(1), command.output()).await.ok()?.ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    (output.status.success() && text.len() < 64 * 1024).then_some(text)
}

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
        "cwd" => {
            let room = usize::from(facts.width) * 2 / 5;
            let folder = in_a_line(&short_folder(&facts.folder, facts.home.as_deref()));
            out.push(theme.strong, &fitted(&folder, room.max(16), unicode));
        }
        "user" => out.push(theme.dim, &facts.user),
        "host" => out.push(theme.dim, &facts.host),
        "login" => {
            if facts.remote {
                out.push(theme.strong, &format!("{}@{}", facts.user, facts.host));
            }
        }
        "venv" => {
            if let Some(venv) = &facts.venv {
                out.push(theme.dim, &format!("({})", in_a_line(venv)));
            }
        }
        "jobs" => match facts.jobs {
            0 => {}
            1 => out.push(theme.warn, "1 job"),
            jobs => out.push(theme.warn, &format!("{jobs} jobs")),
        },
        "duration" => {
            if facts.took >= LONG {
                out.push(theme.dim, &duration(facts.took));
            }
        }
        "time" => out.push(theme.dim, &facts.time),
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

/// Lists the names in a template that stand for nothing.
pub fn unknown_names(template: &str) -> Vec<&str> {
    let names = template.split('{').skip(1).filter_map(|part| Some(part.split_once('}')?.0));
    names.filter(|name| !name.is_empty() && !NAMES.contains(name)).collect()
}

/// Writes out what would break the prompt's line: a name may hold a line feed.
fn in_a_line(name: &str) -> String {
    aish_types::visible(name).replace('\n', "\\n").replace('\t', "\\t")
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

/// Returns a folder with the home folder as `~`.
pub fn short_folder(folder: &str, home: Option<&str>) -> String {
    match home.and_then(|home| folder.strip_prefix(home)) {
        Some("") => "~".to_owned(),
        Some(rest) if rest.starts_with('/') => format!("~{rest}"),
        _ => folder.to_owned(),
    }
}

/// Shortens a folder until it fits: names but the last become their first letters, then the beginning is cut off.
fn fitted(folder: &str, room: usize, unicode: bool) -> String {
    if cells(folder) <= room {
        return folder.to_owned();
    }
    let mut names: Vec<String> = folder.split('/').map(str::to_owned).collect();
    let last = names.len().saturating_sub(1);
    for at in 0..last {
        if let Some(name) = names.get_mut(at) {
            let kept = if name.starts_with('.') { 2 } else { 1 };
            *name = name.chars().take(kept).collect();
        }
        let joined = names.join("/");
        if cells(&joined) <= room {
            return joined;
        }
    }
    let mark = if unicode { "…" } else { "..." };
    let name = names.pop().unwrap_or_default();
    let skipped = cells(&name).saturating_sub(room.saturating_sub(cells(mark)));
    format!("{mark}{}", name.chars().skip(skipped).collect::<String>())
}

/// `3.2s`, `1m05s`, `2h03m`.
pub fn duration(took: Duration) -> String {
    let seconds = took.as_secs();
    match seconds {
        0..60 => format!("{}.{}s", seconds, took.subsec_millis() / 100),
        60..3600 => format!("{}m{:02}s", seconds / 60, seconds % 60),
        _ => format!("{}h{:02}m", seconds / 3600, seconds % 3600 / 60),
    }
}

/// Returns the machine's name, up to the first dot.
pub fn host() -> String {
    let name = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    name.trim().split('.').next().unwrap_or_default().to_owned()
}

/// Returns the branch that a folder is on, read from the repository's HEAD; a short hash when it is on none.
pub fn branch(folder: &Path) -> Option<String> {
    let root = crate::project::project_root(folder)?;
    let dot_git = root.join(".git");
    let git = if dot_git.is_dir() {
        dot_git
    } else {
        let text = short_text(&dot_git)?;
        root.join(text.strip_prefix("gitdir:")?.trim())
    };
    let head = short_text(&git.join("HEAD"))?;
    let head = head.trim();
    Some(match head.strip_prefix("ref: refs/heads/") {
        Some(branch) => branch.to_owned(),
        None => head.chars().take(8).collect(),
    })
}

/// Reads a plain file of a few lines. A folder from elsewhere may have a pipe or a device in its place, which never end.
fn short_text(path: &Path) -> Option<String> {
    let is_short = std::fs::metadata(path).is_ok_and(|file| file.is_file() && file.len() <= 4096);
    is_short.then(|| std::fs::read_to_string(path).ok())?
}

#[cfg(test)]
mod tests {
    #[test]
    fn every_known_name_stands_for_something() {
        let all: String = super::NAMES.iter().map(|name| format!("{{{name}}}")).collect();
        assert!(super::unknown_names(&all).is_empty() && super::unknown_names(super::TEMPLATE).is_empty());
        assert_eq!(super::unknown_names("{cwdd} {mark} {} {open"), ["cwdd"]);
        let facts = super::PromptFacts::default();
        for name in super::NAMES {
            let mut out = aish_term::Styled::default();
            super::expand(name, &facts, &super::Theme::default(), true, &mut out);
            assert!(!out.text().contains('{'), "{name}");
        }
    }

    use super::*;

    fn text_of(template: &str, facts: &PromptFacts) -> String {
        view(template, facts, &Theme::default(), false).left.text()
    }

    #[test]
    fn a_head_that_never_ends_is_no_branch() {
        let folder = tempfile::tempdir().unwrap();
        let git = folder.path().join(".git");
        std::fs::create_dir(&git).unwrap();
        std::fs::write(git.join("HEAD"), "ref: refs/heads/main\n").unwrap();
        assert_eq!(branch(folder.path()).as_deref(), Some("main"));
        std::fs::remove_file(git.join("HEAD")).unwrap();
        let made = std::process::Command::new("mkfifo").arg(git.join("HEAD")).status().unwrap();
        assert!(made.success());
        assert_eq!(branch(folder.path()), None);
        std::fs::remove_dir_all(&git).unwrap();
        std::os::unix::fs::symlink("/dev/zero", &git).unwrap();
        assert_eq!(branch(folder.path()), None);
    }

    #[test]
    fn virtual_environments_have_names() {
        let venv = |pairs: &'static [(&str, &str)]| {
            let mut facts = PromptFacts::default();
            facts.take_environment(&|name| {
                pairs.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned())
            });
            (facts.venv, facts.remote)
        };
        assert_eq!(venv(&[("VIRTUAL_ENV", "/home/a/tool/.venv")]), (Some("tool".into()), false));
        assert_eq!(
            venv(&[("VIRTUAL_ENV", "/home/a/.envs/web"), ("SSH_TTY", "/dev/pts/1")]),
            (Some("web".into()), true)
        );
        assert_eq!(venv(&[("CONDA_DEFAULT_ENV", "base")]), (None, false));
    }

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
            width: 80,
            ..PromptFacts::default()
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
        let busy = PromptFacts {
            user: "ada".into(),
            host: "engine".into(),
            remote: true,
            venv: Some("tool".into()),
            jobs: 2,
            took: Duration::from_millis(3_250),
            ..calm.clone()
        };
        assert_eq!(text_of(TEMPLATE, &busy), "ada@engine (tool) ~/src 2 jobs 3.2s > ");
        let deep = PromptFacts { folder: "/home/a/projects/tool/crates/engine".into(), width: 40, ..calm.clone() };
        assert_eq!(text_of("{cwd} ", &deep), "~/p/t/c/engine ");
        let odd = PromptFacts { folder: "/home/a/new\nline\tand \u{1b}[31m".into(), ..calm.clone() };
        assert_eq!(text_of("{cwd} ", &odd), r"~/new\nline\tand \e[31m ");
        let long = PromptFacts { folder: format!("/{}", "x".repeat(60)), width: 40, ..calm };
        assert_eq!(text_of("{cwd}", &long), format!("...{}", "x".repeat(13)));
        assert_eq!([65, 7_380].map(|seconds| duration(Duration::from_secs(seconds))), ["1m05s", "2h03m"]);
        assert_eq!(short_folder("/home/ab", Some("/home/a")), "/home/ab");
        assert_eq!(short_folder("/home/a", Some("/home/a")), "~");
    }
}
