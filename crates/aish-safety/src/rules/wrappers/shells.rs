//! Shells, and what hands text to one.

use crate::rules::wrapper::{Form, Language, Wrapper, asked, plain};

const SHELL: Language = Language::Shell;

/// The table.
pub const WRAPPERS: &[Wrapper] = &[
    asked(
        "shell",
        "sh bash zsh dash ksh ksh93 mksh pdksh ash fish csh tcsh rbash yash",
        "-c -O -o --rcfile --init-file --command -C --init-command",
        &[
            Form::Code { options: "-c --command -C --init-command", prefix: "", language: SHELL },
            Form::Script { at: 0, language: SHELL },
            Form::Stdin { language: SHELL },
        ],
        "bash -c 'rm -rf /srv/data'",
    ),
    asked("shell-startup", "bash sh ksh zsh", "--rcfile --init-file", &[Form::ScriptOption { options: "--rcfile --init-file", language: SHELL }], "bash --rcfile <(echo rm -rf /srv/data) -i"),
    asked("powershell", "pwsh powershell powershell.exe", "-c -Command -command -f -File -EncodedCommand -enc -e -ExecutionPolicy -ep", &[Form::Code { options: "-c -Command -command", prefix: "", language: SHELL }, Form::Stdin { language: SHELL }], "pwsh -Command 'rm -rf /srv/data'"),
    asked("eval", "eval", "", &[Form::Text { skip: 0 }], "eval 'rm -rf /srv/data'"),
    asked("source", "source .", "", &[Form::Script { at: 0, language: SHELL }], "source <(echo rm -rf /srv/data)"),
    asked("trap", "trap", "", &[Form::Operand { at: 0, language: SHELL }], "trap 'rm -rf /srv/data' EXIT"),
    asked("bind", "bind", "-x -f -q -u -r -m", &[Form::Code { options: "-x", prefix: "\"\\C-l\":", language: SHELL }], "bind -x '\"\\C-l\":rm -rf /srv/data'"),
    asked("complete", "complete compgen", "-C -F -W -A -G -P -S -X -o", &[Form::Code { options: "-C", prefix: "", language: SHELL }], "compgen -C 'rm -rf /srv/data' x"),
    plain("fc-history", "fc", "-e -s", &[], "fc -s rm"),
    asked("su", "su", "-c --command -s --shell -g --group -G -w", &[Form::Code { options: "-c --command", prefix: "", language: SHELL }, Form::Stdin { language: SHELL }], "su - root -c 'rm -rf /srv/data'"),
    asked("sudo-shell", "sudo doas", "-u -g -U -C -D -R -p -h", &[Form::StdinWith { options: "-s -i", language: SHELL }], "echo rm -rf /srv/data | sudo -s"),
    asked("sg", "sg newgrp", "-c", &[Form::Code { options: "-c", prefix: "", language: SHELL }, Form::Text { skip: 1 }], "sg adm 'rm -rf /srv/data'"),
    asked("script", "script", "-c --command -O --log-out -I -B -T -E -o -m", &[Form::Code { options: "-c --command", prefix: "", language: SHELL }, Form::Stdin { language: SHELL }], "script -qc 'rm -rf /srv/data' /dev/null"),
    asked("watch", "watch viddy", "-n --interval -q --equexit", &[Form::Text { skip: 0 }], "watch -n 5 'rm -rf /srv/data'"),
    asked("flock", "flock", "-w --wait --timeout -E --conflict-exit-code -c --command", &[Form::Code { options: "-c --command", prefix: "", language: SHELL }, Form::Program { skip: 1 }], "flock /tmp/l -c 'rm -rf /srv/data'"),
    asked("lockfile", "lckdo setlock lockf with-lock-ex cronic", "-w -t -W", &[Form::Program { skip: 1 }, Form::Program { skip: 0 }], "lckdo /tmp/l rm -rf /srv/data"),
    asked("at", "at batch", "-f -q -t", &[Form::StdinAlways { language: SHELL }], "echo rm -rf /srv/data | at now"),
    asked("crontab-stdin", "crontab", "-u", &[Form::StdinAlways { language: Language::Crontab }], "echo '* * * * * rm -rf /srv/data' | crontab -"),
    asked("xargs", "xargs gxargs", "-n --max-args -L --max-lines -P --max-procs -s --max-chars -a --arg-file -d --delimiter -E -I -i", &[Form::StdinArguments], "echo /srv/data | xargs rm -rf"),
    asked("parallel", "parallel sem rush", "-j --jobs -a --arg-file -I --delay --retries -n -N --results --joblog -S --sshlogin --tmpdir --colsep -C", &[Form::ParallelArguments], "parallel rm -rf ::: /srv/data"),
    plain("find", "find gfind bfs fd fdfind", "", &[Form::Marked { markers: "-exec -execdir -ok -okdir -x -X --exec --exec-batch", ends: "; + \\;" }], "find /srv -type d -exec rm -rf {} +"),
    asked("rg-pre", "rg ripgrep", "--pre -e -g -t -A -B -C -m", &[Form::Code { options: "--pre", prefix: "", language: SHELL }], "rg --pre 'rm -rf /srv/data' x"),
    asked("sort-compress", "sort gsort", "-k -t -o -S -T --compress-program", &[Form::Code { options: "--compress-program", prefix: "", language: SHELL }], "sort --compress-program='rm -rf /srv/data' x"),
    asked("split-filter", "split gsplit csplit", "-b -C -l -n -a --filter", &[Form::Code { options: "--filter", prefix: "", language: SHELL }], "split --filter='rm -rf /srv/data' x"),
    asked("socat", "socat", "", &[Form::Operands { language: Language::Socat }], "socat - 'EXEC:rm -rf /srv/data'"),
    asked("nc-exec", "nc ncat netcat", "-c -e --exec --sh-exec -p -s -w -i", &[Form::Code { options: "-c -e --exec --sh-exec", prefix: "", language: SHELL }], "ncat -l 4444 -c 'rm -rf /srv/data'"),
    asked("dialog", "zenity yad", "--command", &[Form::Code { options: "--command", prefix: "", language: SHELL }], "yad --notification --command='rm -rf /srv/data'"),
    asked("fzf", "fzf sk", "--preview --bind --query -q", &[Form::Code { options: "--preview", prefix: "", language: SHELL }, Form::Code { options: "--bind", prefix: "start:execute(", language: SHELL }], "fzf --preview='rm -rf /srv/data'"),
    asked("less-command", "less more man", "-P --pager -H", &[Form::Code { options: "-P --pager -H", prefix: "", language: SHELL }, Form::Marked { markers: "+!", ends: "" }], "man -P 'rm -rf /srv/data' ls"),
    asked("dpkg-hook", "dpkg", "--pre-invoke --post-invoke", &[Form::Code { options: "--pre-invoke --post-invoke", prefix: "", language: SHELL }], "dpkg --pre-invoke='rm -rf /srv/data' -l"),
    asked("apt-hook", "apt apt-get", "-o --option", &[Form::Setting { options: "-o --option", names: "apt::update::pre-invoke* dpkg::pre-invoke* dpkg::post-invoke* apt::update::post-invoke*" }], "apt-get update -o 'APT::Update::Pre-Invoke::=rm -rf /srv/data'"),
    asked("xterm", "xterm gnome-terminal konsole alacritty kitty urxvt xfce4-terminal lxterminal terminator wezterm foot st uxterm", "-T -title --title --geometry --working-directory -n", &[Form::Marked { markers: "-e -x --command --", ends: "" }], "xterm -e rm -rf /srv/data"),
    asked("xterm-text", "xterm gnome-terminal konsole alacritty kitty xfce4-terminal", "-e --command", &[Form::Code { options: "-e --command", prefix: "", language: SHELL }], "xfce4-terminal -e 'rm -rf /srv/data'"),
];
