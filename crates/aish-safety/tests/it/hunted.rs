//! Lines that were made to write, run or send, and were allowed once because of how options and their values are told apart.

use aish_safety::{Surroundings, Verdict};

use crate::analysed::judge_command;

const LINES: &str = include_str!("hunted.txt");

/// Seen to have an effect in an interactive bash, zsh or fish.
const SHELLS: &str = include_str!("shells.txt");

/// Found when what is known of each program was held against the program itself, and lines that show a secret by another name, by a
/// pattern or out of a variable.
const CHECKED: &str = include_str!("checked.txt");

/// Where a variable, an argument or a function is perhaps another one, in a later round or in another shell.
const PERHAPS: &str = include_str!("perhaps.txt");

#[test]
fn no_line_that_was_hunted_is_allowed() {
    let lines = [LINES, SHELLS, CHECKED, PERHAPS].into_iter().flat_map(str::lines);
    let lines: Vec<&str> = lines.filter(|line| !line.is_empty() && !line.starts_with('#')).collect();
    assert!(lines.len() > 1_500, "{} lines", lines.len());
    let allowed = lines.iter().filter(|line| judge_command(line, &Surroundings::default()).verdict == Verdict::Allow);
    let allowed: Vec<&&str> = allowed.collect();
    assert!(allowed.is_empty(), "{allowed:#?}");
}

#[test]
fn everyday_words_behind_options_stay_allowed() {
    for command in [
        "git log -p -n 5",
        "git diff --no-index a b",
        "grep -r token src",
        "jq .token x.json",
        "jq .a ./*",
        "yq .a ./*",
        "awk '{print $1}' *",
        "awk '{print $1}' -- *",
        "sed -n 1p ./*",
        "grep a* f",
        "rg a* f",
        "find . -name '*.json' -exec jq . {} +",
        "cloc src",
        "docker ps --format '{{.Names}}'",
        "tmux ls -F '#S'",
        "bzr log",
        "bzr cat x",
        "hg log -r tip",
        "hg heads stable",
        "sysctl kernel.hostname",
        "[ -e *.c ]",
        "[ -n a* ]",
        "test -f a*",
        "[ \"$#\" -eq 1 ]",
        "printf '%s\\n' *",
        "export LANG=*",
        "tar -tf ./*.tar",
        "tar -tf src/*.tar",
        "rsync -an src/* dst/",
        "svn info",
        "cat $(echo *.txt)",
        "type a*",
        "jq -n --slurpfile a f '$a'",
        "diff -d a b",
        "ls --sort=size",
        "git log -n 5 -p -s --oneline",
        "git status -s -b",
        "git show -s --format=%H",
        "git clean -n -f -d",
        "git clean -fdx --dry-run",
        "git diff -b -U 5 --stat",
        "head -n -5 x",
        "find . -mtime -1",
        "find . -perm -u+s",
        "date -d \"-1 days\"",
        "find . -size -5M -print",
        "tail -n +5 -q x",
        "grep -A 3 -B 3 -n x f",
        "ls -l -a -h",
        "ls x -l",
        "du -sh -d 1 .",
        "docker ps -a -q",
        "docker logs -t -n 10 web",
        "journalctl -n 20 -u nginx",
        "tree -L 2 -I target",
        "less -N x",
        "kill -l",
        "unzip -l a.zip x",
        "ps -ef",
        "ps aux",
        "ps -e",
        "ps -ax",
        "ps -aux",
        "ps -eo pid,args --sort=-rss",
        "ps -efH",
        "ps -eLf",
        "ps -u postgres -o pid,args",
        "ps -C sleep -o pid",
        "ps -e -u root",
        "ps -u $(id -u) -F",
        "ps -u \"$USER\" -o pid,args",
        "ps -C \"$name\" -o pid",
        "ps -p 1 -o pid,etime -x",
    ] {
        assert_eq!(judge_command(command, &Surroundings::default()).verdict, Verdict::Allow, "{command}");
    }
}

#[test]
fn everyday_words_of_what_was_mended_stay_allowed() {
    let commands = [
        "date -Iseconds",
        "date -I",
        "date -u -Is",
        "date -r x +%s",
        "date -u +%F",
        "dos2unix -i x",
        "rpm -qa",
        "rpm -q bash",
        "rpm -ql bash",
        "rpm -V --noscripts bash",
        "rpm -K x.rpm",
        "tmux ls -F '#{session_name}'",
        "tmux list-panes -F '#S: #{pane_title}'",
        "gawk '{print $1}' x",
        "gsed -n 1,5p x",
        "mawk '{print}' x",
        "original-awk '{print}' x",
        "jq '.a as $x | .environment' x.json",
        "numsum x",
        "shasum -a 256 x.iso",
        "cloc src",
        "ack 'a|b' src",
        "xmllint --noout x.xml",
        "xmllint --format x.xml",
        "file x",
        "du -sh x",
        "xargs -a files.txt wc -l",
        "crontab -l",
        "crontab -u ana -l",
        "mktemp -u",
        "mktemp -u x.XXXX",
        "yq eval .a x.yml",
        "yq .a x.yml",
        "pdfinfo a.pdf",
        "pdftotext a.pdf -",
        "pdfimages -list a.pdf",
        "xxd -ps x",
        "xxd -l 64 x",
        "kill -0 42",
        "kill -s 0 42",
        "pkill -0 nginx",
        "killall -l",
        "prlimit -p 1",
        "nft list ruleset",
        "ufw status",
        "ufw --dry-run allow 22",
        "wipefs -n -a /dev/sda",
        "systemd-analyze security ssh.service",
        "port info git",
        "setfacl --test -m u:ana:r x",
        "sshd -t",
        "rtcwake -m show",
        "lstopo --of console",
        "crc32 x",
        "mlr --icsv --ojson cat x.csv",
        "ipset list",
    ];
    let asked = commands.iter().filter(|line| judge_command(line, &Surroundings::default()).verdict != Verdict::Allow);
    let asked: Vec<&&str> = asked.collect();
    assert!(asked.is_empty(), "{asked:#?}");
}
