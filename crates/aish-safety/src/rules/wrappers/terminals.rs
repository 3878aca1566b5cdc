//! Terminal multiplexers and graphical launchers.

use crate::rules::wrapper::{Form, Language, Wrapper, asked};

const SHELL: Language = Language::Shell;

/// The table.
pub const WRAPPERS: &[Wrapper] = &[
    asked(
        "tmux",
        "tmux/new-session tmux/new tmux/neww tmux/new-window tmux/split-window tmux/splitw tmux/run-shell tmux/run tmux/respawn-pane tmux/respawn-window tmux/pipe-pane byobu/new-session byobu/new-window",
        "-s -n -t -c -e -F -x -y -f -L -S -l -p",
        &[Form::Text { skip: 0 }],
        "tmux new-session -d -s x 'rm -rf /srv/data'",
    ),
    asked(
        "tmux-popup",
        "tmux/popup tmux/display-popup",
        "-b -c -d -e -h -s -S -t -T -w -x -y",
        &[Form::Text { skip: 0 }],
        "tmux display-popup -w 80 -E 'rm -rf /srv/data'",
    ),
    asked(
        "tmux-lines",
        "tmux/if-shell tmux/if tmux/set-hook tmux/bind-key tmux/bind tmux/confirm-before tmux/set-option tmux/set tmux/command-prompt",
        "-t -T -N -p",
        &[Form::Operands { language: SHELL }],
        "tmux if-shell true 'run-shell \"rm -rf /srv/data\"'",
    ),
    asked(
        "tmux-inside",
        "run-shell new-window neww new-session split-window splitw respawn-pane display-popup if-shell send-keys",
        "-t -n -c -s",
        &[Form::Operands { language: SHELL }, Form::Text { skip: 0 }],
        "tmux -f <(echo \"run-shell 'rm -rf /srv/data'\") new -d",
    ),
    asked(
        "tmux-file",
        "tmux byobu screen",
        "-f -c -L -S",
        &[Form::ScriptOption { options: "-f -c", language: SHELL }],
        "tmux -f <(echo \"run-shell 'rm -rf /srv/data'\") new -d",
    ),
    asked(
        "typed",
        "zellij/action/write-chars kitty/@/send-text kitten/@/send-text xdotool/type ydotool/type wtype wezterm/cli/send-text dotool",
        "-m -t --match --pane-id --delay --window --clearmodifiers",
        &[Form::Typed],
        "xdotool type 'rm -rf /srv/data'",
    ),
    asked(
        "tmux-keys",
        "tmux/send-keys tmux/send",
        "-t -N",
        &[Form::Typed],
        "tmux send-keys -t 0 'rm -rf /srv/data' Enter",
    ),
    asked(
        "screen",
        "screen",
        "-S -c -e -h -p -s -t -T",
        &[Form::Screen, Form::Program { skip: 0 }],
        "screen -dmS x rm -rf /srv/data",
    ),
    asked("screen-keys", "screen/stuff stuff", "-S -p -X", &[Form::Typed], "screen -S x -X stuff 'rm -rf /srv/data'"),
    asked(
        "detach",
        "dtach abduco dvtm zellij/run byobu tsp ts nq",
        "-A -n -c -e -r",
        &[Form::Marked { markers: "--", ends: "" }, Form::Program { skip: 0 }, Form::Program { skip: 1 }],
        "dtach -n /tmp/s rm -rf /srv/data",
    ),
    asked(
        "launchers",
        "swaymsg/exec i3-msg/exec hyprctl/dispatch/exec xdotool/exec kstart5 gio/launch dbus-run-session xvfb-run startx xinit ssh-agent gpg-agent keychain ssh-askpass-run pm2/start forever/start supervise",
        "-s -e -n -t -w --name -x",
        &[Form::Marked { markers: "--", ends: "" }, Form::Program { skip: 0 }],
        "xvfb-run -a rm -rf /srv/data",
    ),
];
