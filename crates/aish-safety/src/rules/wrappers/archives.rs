//! Archivers and copiers with options that run a program.

use crate::rules::wrapper::{Form, Language, Wrapper, asked};

const SHELL: Language = Language::Shell;

/// The table.
pub const WRAPPERS: &[Wrapper] = &[
    asked(
        "tar-checkpoint",
        "tar gtar bsdtar",
        "--checkpoint-action -f -C -T -X",
        &[Form::Code { options: "--checkpoint-action", prefix: "exec=", language: SHELL }],
        "tar cf /dev/null x --checkpoint=1 --checkpoint-action=exec='rm -rf /srv/data'",
    ),
    asked(
        "tar-program",
        "tar gtar bsdtar",
        "-I --use-compress-program --to-command -F --info-script --new-volume-script --rsh-command --rmt-command -f -C -T -X",
        &[Form::Code {
            options: "-I --use-compress-program --to-command -F --info-script --new-volume-script --rsh-command --rmt-command",
            prefix: "",
            language: SHELL,
        }],
        "tar xf a.tar --to-command='rm -rf /srv/data'",
    ),
    asked(
        "zip-test",
        "zip",
        "-TT --unzip-command -b -n -x -i -t",
        &[Form::Code { options: "-TT --unzip-command", prefix: "", language: SHELL }],
        "zip x.zip a -T -TT 'rm -rf /srv/data'",
    ),
    asked(
        "cpio-shell",
        "cpio",
        "--rsh-command -F -I -O",
        &[Form::Code { options: "--rsh-command", prefix: "", language: SHELL }],
        "cpio -i --rsh-command='rm -rf /srv/data' -F host:x",
    ),
    asked(
        "backup-command",
        "borg restic kopia duplicity rclone",
        "--password-command --rsh --passcommand -r --repo",
        &[Form::Code { options: "--password-command --rsh", prefix: "", language: SHELL }],
        "restic --password-command='rm -rf /srv/data' snapshots",
    ),
    asked(
        "curl-config",
        "wget",
        "--use-askpass -e --execute -O -o",
        &[Form::Code { options: "--use-askpass", prefix: "", language: SHELL }],
        "wget --use-askpass='rm -rf /srv/data' http://x",
    ),
    asked(
        "tcpdump",
        "tcpdump",
        "-z -w -i -r -G -W -c",
        &[Form::Code { options: "-z", prefix: "", language: SHELL }],
        "tcpdump -i lo -G 1 -z 'rm -rf /srv/data' -w x",
    ),
    asked(
        "openvpn",
        "openvpn pppd dnsmasq dhclient udhcpc",
        "--up --down --script-security --connect -sf -s --config --dhcp-script",
        &[Form::Code { options: "--up --down --connect -sf --dhcp-script", prefix: "", language: SHELL }],
        "openvpn --script-security 2 --up 'rm -rf /srv/data'",
    ),
];
