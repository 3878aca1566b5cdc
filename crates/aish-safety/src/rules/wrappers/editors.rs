//! Editors, which run commands too.

use crate::rules::wrapper::{Form, Language, Wrapper, asked};

const EDITOR: Language = Language::Editor;

/// The table.
pub const WRAPPERS: &[Wrapper] = &[
    asked(
        "vim",
        "vim vi nvim ex view gvim vimdiff rvim nvi elvis",
        "-c --cmd -S -u -T -i -W -w -l !-es !-Es",
        &[
            Form::Code { options: "-c --cmd", prefix: "", language: EDITOR },
            Form::PlusCommands { language: EDITOR },
            Form::ScriptOption { options: "-S -u -l -s", language: EDITOR },
            Form::Stdin { language: EDITOR },
        ],
        "vim -c '!rm -rf /srv/data' x",
    ),
    asked("ed", "ed red", "-p", &[Form::StdinAlways { language: EDITOR }], "echo '!rm -rf /srv/data' | ed"),
    asked(
        "emacs",
        "emacs emacsclient xemacs",
        "-e --eval -eval -l --load -f --funcall --execute !-nw !-batch !-Q !-q !-nl",
        &[Form::Code { options: "-e --eval -eval --execute", prefix: "", language: Language::General }],
        "emacs --batch --eval '(shell-command \"rm -rf /srv/data\")'",
    ),
];
