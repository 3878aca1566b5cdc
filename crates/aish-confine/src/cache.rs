//! Caches that are kept. `~/.cache` is every program's: shells read what they run at their start from it, and the programs that
//! stand in a prompt lie there too. So what a command leaves there is kept where a package manager or a build is known to fetch
//! or make it, and thrown away elsewhere.

use std::path::{Component, Path};

/// Folders of `~/.cache` that hold what was fetched or built.
#[rustfmt::skip]
const FETCHED: &[&str] = &[
    "Cypress", "Homebrew", "JNA", "R", "bazel", "bazelisk", "black", "buf", "ccache", "composer", "conan", "coursier", "deno",
    "electron", "electron-builder", "esbuild", "go-build", "golangci-lint", "goimports", "gopls", "hatch", "helm", "huggingface",
    "jedi", "maven", "meson", "ms-playwright", "mypy", "nimble", "node", "node-gyp", "nuget", "opam", "pdm", "pip", "pip-tools",
    "pipenv", "pnpm", "pre-commit", "prisma", "puppeteer", "pypoetry", "renv", "ruff", "sccache", "sphinx", "staticcheck",
    "swiftpm", "torch", "turbo", "typescript", "uv", "vcpkg", "virtualenv", "yarn", "zig",
];

/// Says whether a folder is one of caches of all kinds of programs.
pub(crate) fn is_shared(folder: &Path) -> bool {
    folder.ends_with(".cache")
}

/// Says whether a path below such a folder lies in a cache of what was fetched or built.
pub(crate) fn is_fetched(path: &Path) -> bool {
    let first = path.components().next();
    matches!(first, Some(Component::Normal(name)) if FETCHED.iter().any(|known| name == *known))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_shell_reads_at_its_start_is_not_fetched() {
        for path in ["pip/http/a", "go-build", "uv/wheels-v5"] {
            assert!(is_fetched(Path::new(path)), "{path}");
        }
        for path in ["p10k-instant-prompt-ana.zsh", "gitstatus/gitstatusd-linux-x86_64", "wal/sequences", "pip.zsh", ""]
        {
            assert!(!is_fetched(Path::new(path)), "{path}");
        }
        assert!(is_shared(Path::new("/home/ana/.cache")) && !is_shared(Path::new("/home/ana/.npm")));
    }
}
