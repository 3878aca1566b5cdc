//! Files that programs act on without being told to, wherever they lie in a tree.

/// Agents whose settings lie in the open, in any format: they name commands that the agent starts.
const AGENTS: &[&str] = &["claude", "codex", "crush", "gemini", "goose", "mcp", "opencode", "qwen"];

/// Formats of settings.
const SETTINGS: &[&str] = &["json", "jsonc", "json5", "toml", "yaml", "yml"];

/// Settings that programs act on when a folder is entered or opened, a commit is made or pushed or packages are installed, without
/// being named; where one ends with a dot, in any format and with any part between.
#[rustfmt::skip]
const ENTERED: &[&str] = &[
    "flake.nix", "shell.nix", "default.nix", "devenv.", "devbox.json", "mise.", "Session.vim", "binding.gyp",
    // A commit is made.
    "captainhook.", "commitlint.config.", "grumphp.", "hk.", "hk-local.", "lefthook.", "lefthook-local.", "lint-staged.config.", "prek.",
    "simple-git-hooks.",
    // It is pushed.
    "Jenkinsfile", "Jenkinsfile.", "appveyor.", "azure-pipelines.", "bitbucket-pipelines.", "bitrise.", "buildspec.", "circle.yml",
    "cloudbuild.", "codefresh.", "codemagic.", "heroku.yml", "netlify.toml", "railway.json", "railway.toml", "render.yaml",
    "screwdriver.", "vercel.json", "wercker.",
];

/// How names of files end that hold an editor's tasks and settings.
const EDITED: &[&str] = &[".code-workspace", ".sublime-project"];

/// Says whether programs act on a file of this name without being told to.
pub(super) fn is_entered(name: &str) -> bool {
    let is_known = |known: &&str| name == *known || known.ends_with('.') && name.starts_with(*known);
    let ending = name.rsplit_once('.').map(|(_, ending)| ending);
    let is_agents = name.split('.').next().is_some_and(|stem| AGENTS.contains(&stem));
    ENTERED.iter().any(is_known)
        || EDITED.iter().any(|end| name.ends_with(end))
        || is_agents && ending.is_some_and(|ending| SETTINGS.contains(&ending))
}
