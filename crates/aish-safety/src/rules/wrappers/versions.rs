//! Version control: aliases, settings, filters and hooks that run commands.

use crate::rules::wrapper::{Form, Language, Wrapper, asked};

const SHELL: Language = Language::Shell;

/// The table.
pub const WRAPPERS: &[Wrapper] = &[
    asked(
        "git-setting",
        "git",
        "",
        &[Form::Setting {
            options: "-c",
            names: "alias.* core.pager core.editor core.sshcommand core.fsmonitor core.askpass core.hookspath core.gitproxy pager.* diff.external diff.*.command diff.*.textconv merge.*.driver filter.*.clean filter.*.smudge filter.*.process credential.helper credential.*.helper sequence.editor gpg.program gpg.*.program difftool.*.cmd mergetool.*.cmd uploadpack.packobjectshook web.browser browser.*.cmd man.*.cmd sendemail.sendmailcmd remote.*.uploadpack remote.*.receivepack",
        }],
        "git -c core.pager='rm -rf /srv/data' log",
    ),
    asked(
        "git-config",
        "git/config",
        "",
        &[Form::PairSetting {
            names: "alias.* core.pager core.editor core.sshcommand core.fsmonitor core.hookspath pager.* diff.external filter.*.clean filter.*.smudge credential.helper sequence.editor diff.*.textconv merge.*.driver",
        }],
        "git config --global alias.x '!rm -rf /srv/data'",
    ),
    asked("git-bisect", "git/bisect/run", "", &[Form::Program { skip: 0 }], "git bisect run rm -rf /srv/data"),
    asked(
        "git-submodule",
        "git/submodule/foreach",
        "",
        &[Form::Text { skip: 0 }],
        "git submodule foreach 'rm -rf /srv/data'",
    ),
    asked(
        "git-rebase-exec",
        "git/rebase",
        "-x --exec --onto -s -X",
        &[Form::Code { options: "-x --exec", prefix: "", language: SHELL }],
        "git rebase -x 'rm -rf /srv/data' main",
    ),
    asked(
        "git-pack",
        "git/fetch git/clone git/pull git/push git/ls-remote git/fetch-pack git/archive git/upload-pack",
        "--upload-pack -u --receive-pack --exec -b -o",
        &[Form::Code { options: "--upload-pack -u --receive-pack --exec", prefix: "", language: SHELL }],
        "git ls-remote --upload-pack='rm -rf /srv/data' host",
    ),
    asked(
        "git-ext",
        "git/clone git/fetch git/ls-remote git/pull git/remote/add",
        "-b --branch -o --origin --depth -c --config -u --upload-pack -j --jobs",
        &[Form::PrefixedOperands { prefix: "ext::", language: SHELL }],
        "git clone 'ext::rm -rf /srv/data'",
    ),
    asked(
        "git-grep",
        "git/grep",
        "-O --open-files-in-pager -e -f",
        &[Form::Code { options: "-O --open-files-in-pager", prefix: "", language: SHELL }],
        "git grep --open-files-in-pager='rm -rf /srv/data' x",
    ),
    asked(
        "git-difftool",
        "git/difftool git/mergetool",
        "-x --extcmd -t --tool",
        &[Form::Code { options: "-x --extcmd", prefix: "", language: SHELL }],
        "git difftool -x 'rm -rf /srv/data'",
    ),
    asked(
        "git-worktree-run",
        "git/for-each-repo hg/bisect jj/util/exec",
        "--config -c --command",
        &[
            Form::Code { options: "-c --command", prefix: "", language: SHELL },
            Form::Marked { markers: "--", ends: "" },
        ],
        "jj util exec -- rm -rf /srv/data",
    ),
    asked(
        "hg-setting",
        "hg",
        "--config -R --cwd",
        &[Form::Setting { options: "--config", names: "alias.* hooks.* ui.editor ui.ssh pager.pager extensions.*" }],
        "hg --config 'alias.x=!rm -rf /srv/data' x",
    ),
    asked(
        "svn-editor",
        "svn",
        "--editor-cmd --diff-cmd --diff3-cmd --config-option",
        &[Form::Code { options: "--editor-cmd --diff-cmd --diff3-cmd", prefix: "", language: SHELL }],
        "svn diff --diff-cmd='rm -rf /srv/data'",
    ),
    asked(
        "gh-alias",
        "gh/alias/set glab/alias/set",
        "-s --shell",
        &[Form::PrefixedOperands { prefix: "!", language: SHELL }],
        "gh alias set x '!rm -rf /srv/data'",
    ),
];
