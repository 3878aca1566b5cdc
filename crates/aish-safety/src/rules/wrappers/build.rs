//! Build tools.

use crate::rules::wrapper::{Form, Language, Wrapper, asked};

const SHELL: Language = Language::Shell;

/// The table.
pub const WRAPPERS: &[Wrapper] = &[
    asked(
        "make-eval",
        "make gmake",
        "--eval -E -C --directory -f --file --makefile -I -o -W",
        &[Form::Code { options: "--eval -E", prefix: "", language: Language::Make }],
        "make --eval='$(shell rm -rf /srv/data)'",
    ),
    asked(
        "make-file",
        "make gmake",
        "-f --file --makefile -C -I",
        &[Form::MakeFile],
        "make -f <(printf 'all:\\n\\trm -rf /srv/data\\n')",
    ),
    asked(
        "make-shell",
        "make gmake",
        "-f -C",
        &[Form::Setting { options: "", names: "shell .shellflags cc cxx ar ld rm" }],
        "make CC='rm -rf /srv/data'",
    ),
    asked(
        "just",
        "just",
        "-c --command --shell-arg -f --justfile -d --set",
        &[Form::Marked { markers: "-c --command", ends: "" }],
        "just --command rm -rf /srv/data",
    ),
    asked(
        "just-file",
        "just task go-task",
        "-f --justfile -d --working-directory --set -t --taskfile --dir",
        &[Form::ScriptOption { options: "-f --justfile -t --taskfile", language: Language::Recipes }],
        "just -f <(printf 'all:\\n  rm -rf /srv/data\\n')",
    ),
    asked(
        "ninja-tool",
        "cmake",
        "-P -D -B -S --build",
        &[
            Form::Marked { markers: "-E", ends: "" },
            Form::Marked { markers: "env time", ends: "" },
            Form::ScriptOption { options: "-P", language: Language::General },
        ],
        "cmake -E env rm -rf /srv/data",
    ),
    asked(
        "npm-script",
        "npm/explore npm/x",
        "--call -c --package",
        &[Form::Code { options: "-c --call", prefix: "", language: SHELL }, Form::Marked { markers: "--", ends: "" }],
        "npm explore pkg -- rm -rf /srv/data",
    ),
    asked(
        "npm-shell",
        "npm pnpm yarn",
        "--script-shell",
        &[Form::Code { options: "--script-shell", prefix: "", language: SHELL }],
        "npm run x --script-shell='rm -rf /srv/data'",
    ),
    asked(
        "npm-setting",
        "npm/config/set npm/set pnpm/config/set npm/c/set",
        "-g",
        &[Form::PairSetting { names: "script-shell shell editor viewer" }],
        "npm config set script-shell 'rm -rf /srv/data'",
    ),
    asked(
        "npm-scripts",
        "npm/pkg/set pnpm/pkg/set",
        "",
        &[Form::Setting { options: "", names: "scripts.*" }],
        "npm pkg set 'scripts.x=rm -rf /srv/data'",
    ),
    asked(
        "go-exec",
        "go/test go/run go/build go/vet go/install go/generate",
        "-exec -toolexec -run -o -C -tags -vettool",
        &[Form::Code { options: "-exec -toolexec -vettool", prefix: "", language: SHELL }],
        "go build -toolexec 'rm -rf /srv/data'",
    ),
    asked(
        "render-command",
        "helm/upgrade helm/install helm/template kubectl/config/set-credentials kustomize/build",
        "--post-renderer --exec-command -n -f --set",
        &[Form::Code { options: "--post-renderer --exec-command", prefix: "", language: SHELL }],
        "helm upgrade x . --post-renderer 'rm -rf /srv/data'",
    ),
    asked(
        "credential-process",
        "aws/configure/set",
        "--profile --region",
        &[Form::PairSetting { names: "credential_process *.credential_process" }],
        "aws configure set credential_process 'rm -rf /srv/data'",
    ),
    asked(
        "java-program",
        "java",
        "-jar -cp -classpath -D",
        &[Form::Named { option: "-jar", known: false }],
        "java -jar flyway.jar clean",
    ),
    asked(
        "package-programs",
        "uvx bunx pipx/run pnpm/dlx yarn/dlx npx dotnet/tool/run nix/run flatpak/run snap/run go/run",
        "-p --package --from --spec --python --with",
        &[Form::Named { option: "", known: true }],
        "nix run nixpkgs#kubectl -- delete ns prod",
    ),
    asked(
        "cargo-watch",
        "cargo/watch cargo-watch bacon",
        "-s --shell -x --exec -w --watch -i --ignore -C --workdir -d --delay",
        &[Form::Code { options: "-s --shell", prefix: "", language: SHELL }],
        "cargo watch -s 'rm -rf /srv/data'",
    ),
    asked(
        "configuration-tools",
        "puppet/apply chef-apply chef-shell cf-agent",
        "-e --execute",
        &[
            Form::Code { options: "-e --execute", prefix: "", language: Language::General },
            Form::Stdin { language: Language::General },
        ],
        "puppet apply -e 'exec { \"/bin/rm -rf /srv/data\": }'",
    ),
    asked(
        "concurrently",
        "concurrently run-p run-s npm-run-all wireit",
        "-n -c -k",
        &[Form::Operands { language: SHELL }],
        "concurrently 'rm -rf /srv/data' 'ls'",
    ),
    asked(
        "cargo-config",
        "cargo",
        "--config -p -Z",
        &[Form::Setting {
            options: "--config",
            names: "build.rustc build.rustc-wrapper target.*.runner target.*.linker",
        }],
        "cargo build --config 'build.rustc-wrapper=rm -rf /srv/data'",
    ),
    asked(
        "terraform-exec",
        "terragrunt/exec terraform-exec tox/exec nox-run act-run earthly-run",
        "-e",
        &[Form::Marked { markers: "--", ends: "" }, Form::Program { skip: 0 }],
        "tox exec -e py -- rm -rf /srv/data",
    ),
];
