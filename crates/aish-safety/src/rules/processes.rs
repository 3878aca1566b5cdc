//! Processes: mass kills, shutdown, exhaustion.

use super::rule::Effect::{Exhaust, Run, Stop};
use super::rule::{Rule, allow, ask, halt};

/// The family.
pub const RULES: &[Rule] = &[
    halt("processes.kill-all", Stop, "kill %kill-all", "ends every process that it may end", &["kill -9 -1", "kill -KILL -- -1", "kill -9 1"], &["kill 4242", "kill -9 4242"]),
    halt("processes.kill-unknown", Stop, "kill %unknown|wide %kill-hard", "ends processes that are not known beforehand", &["ps aux | awk '{print $2}' | xargs kill -9"], &["kill 4242"]),
    halt("processes.pkill-all", Stop, "pkill|killall|skill|slay|killall5 -u|-U|--euid|--user|--uid|-G|-v|--inverse|-t", "ends all processes of a user or terminal", &["pkill -u ana", "killall -u ana"], &["pkill -f webpack"]),
    halt("processes.pkill-pattern", Stop, "pkill|killall|skill .|.*|*|''|-|init|systemd|sshd|bash|sh|zsh|Xorg|gnome-shell|dbus-daemon|login|kthreadd|networkmanager|NetworkManager|systemd-*|dockerd|containerd|kubelet|postgres|mysqld|java|python|python3|node|nginx|[a-z]|*.*", "ends processes that much depends on: {targets}", &["pkill -9 .", "killall sshd", "pkill systemd"], &["pkill -f 'webpack serve'"]),
    halt("processes.killall5", Stop, "killall5", "ends all processes", &["killall5 -9"], &[]),
    ask("processes.kill", Stop, "kill|pkill|killall|xkill|fuser|skill|tkill|wkill|timeout-kill|fkill", "ends processes: {targets}", &["kill 4242", "pkill -f webpack"], &[]),
    halt("processes.fuser", Stop, "fuser -k|--kill -m|--mount|%system|root|home", "ends every process that uses {targets}", &["fuser -km /home"], &["fuser x"]),
    allow("processes.kill-list", "kill|fuser|killall -l|--list|-L|--table|-0 !-9|-k|-KILL", "lists signals or checks a process", &["kill -l", "kill -0 4242"], &["kill 1"]),
    allow("processes.shutdown-cancel", "shutdown -c|-k !-r|-h|-P|-H", "cancels a shutdown or only warns", &["shutdown -c"], &["shutdown -h now"]),
    halt("processes.shutdown", Stop, "shutdown !-c", "takes the machine down", &["shutdown -h now", "shutdown now"], &["shutdown -c"]),
    halt("processes.reboot", Stop, "reboot|poweroff|halt|telinit|pm-suspend|pm-hibernate|rtcwake|xfce4-session-logout|gnome-session-quit|acpi_fakekey|fasthalt", "takes the machine down", &["poweroff", "reboot -f"], &["reboot --help"]),
    halt("processes.init", Stop, "init|telinit 0|1|6|s|S", "takes the machine down", &["init 0", "init 6"], &["init"]),
    halt("processes.power-remote", Stop, "ipmitool|ipmipower|racadm|hponcfg|upscmd ** off|reset|cycle|power|powerdown|soft|racreset|hardreset|shutdown", "switches a machine off", &["ipmitool chassis power off"], &["ipmitool sensor list"]),
    halt("processes.stress", Exhaust, "stress|stress-ng|memtester|cpuburn|burnP6|prime95|hackbench %some|--vm|--cpu|-c|-m|-i|-d|--hdd|--fork|--all", "uses up memory, processors or disk", &["stress-ng --vm 64 --vm-bytes 100%", "stress -c 64"], &["stress-ng --version"]),
    halt("processes.limits", Exhaust, "prlimit|cgdelete|cgset --pid=1|-g|-r", "takes resources from running processes", &["cgdelete -r cpu:/x -g cpu:/x"], &["prlimit"]),
    ask("processes.priority", Run, "renice|ionice|chrt|taskset|nice|bg|fg|disown|jobs|at|batch|nohup|stop|suspend|reset|stty|setterm|chvt|exec|eval|source|.|trap|builtin|command|screen|tmux|watch|crontab|xargs|env|sudo|doas|su|entr|script|time|timeout|make|parallel|strace|gdb|bash|sh|zsh|python3|python|perl|ruby|node|coproc|pkexec|busybox|flock|ssh-agent", "runs or changes jobs", &["renice 5 42", "bash", "make"], &[]),
];
