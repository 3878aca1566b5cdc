//! Terminal multiplexers and graphical launchers.

use crate::rules::wrapper::{Form, Language, Wrapper, asked};

const SHELL: Language = Language::Shell;

/// The table.
pub const WRAPPERS: &[Wrapper] = &[
    asked(
        "tmux",
        "tmux/new-session tmux/new tmux/neww tmux/new-window tmux/split-window tmux/splitw tmux/run-shell tmux/run tmux/popup tmux/display-popup tmux/respawn-pane tmux/if-shell tmux/pipe-pane tmux/set-hook",
        "-s -n -t -c -e -F -x -y -f -L -S -l -p -w -h",
        &[Form::Text { skip: 0 }],
        "tmux new-session -d -s x 'rm -rf /srv/data'",
    ),
    asked(
        "tmux-keys",
        "tmux/send-keys tmux/send",
        "-t -N",
        &[Form::Operands { language: SHELL }],
        "tmux send-keys -t 0 'rm -rf /srv/data' Enter",
    ),
    asked(
        "screen",
        "screen",
        "-S -c -e -h -p -s -t -T",
        &[Form::Screen, Form::Program { skip: 0 }],
        "screen -dmS x rm -rf /srv/data",
    ),
    asked(
        "screen-keys",
        "screen/stuff screen/eval screen/exec",
        "-S -p -X",
        &[Form::Operands { language: SHELL }],
        "screen -S x -X stuff 'rm -rf /srv/data'",
    ),
    asked(
        "detach",
        "dtach abduco dvtm zellij/run byobu tsp ts nq",
        "-A -n -c -e -r -E -z",
        &[Form::Marked { markers: "--", ends: "" }, Form::Program { skip: 0 }, Form::Program { skip: 1 }],
        "dtach -n /tmp/s rm -rf /srv/data",
    ),
    asked(
        "launchers",
        "swaymsg/exec i3-msg/exec hyprctl/dispatch/exec xdotool/exec kstart5 gio/launch dbus-run-session xvfb-run startx xinit ssh-agent gpg-agent keychain ssh-askpass-run pm2/start forever/start supervise",
        "-s -e -n -t -w --daemon --name -x",
        &[Form::Marked { markers: "--", ends: "" }, Form::Program { skip: 0 }],
        "xvfb-run -a rm -rf /srv/data",
    ),
];
