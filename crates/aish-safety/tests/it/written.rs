//! What is written to, whatever writes it: disks, files of the system, folders of hooks, modes.

use aish_safety::{Surroundings, Verdict};

use crate::analysed::{check_in, judge_command};

fn around() -> Surroundings {
    Surroundings { home: Some("/home/ana".into()), ..Surroundings::default() }
}

#[track_caller]
fn check(command: &str, expected: Verdict) {
    check_in(&around(), command, expected);
}

#[test]
fn what_is_written_over_a_disk_halts_whatever_writes_it() {
    for command in [
        "ntfsclone --restore-image --overwrite /dev/sda1 backup.img",
        "ntfsclone -r -O /dev/sda1 backup.img",
        "e2image -ra /dev/sda1 /dev/sdb1",
        "e2image -I /dev/sda1 sda1.e2i",
        "partclone.ext4 -r -s sda1.img -o /dev/sda1",
        "zstd -d disk.img.zst -o /dev/sda",
        "zstd -dfo /dev/sda disk.img.zst",
        "openssl enc -d -aes-256-cbc -in disk.enc -out /dev/sda",
        "socat -u TCP-LISTEN:9000 OPEN:/dev/sda",
        "socat -u FILE:disk.img,rdonly OPEN:/dev/sda,wronly",
        "socat TCP:10.0.0.1:9000 /dev/sdb",
        "gpg -d -o /dev/sdb disk.gpg",
        "age -d -i key.txt -o /dev/sdb disk.age",
        "bmaptool copy image.wic /dev/mmcblk0",
        "xfs_copy /dev/sda1 /dev/sdb1",
        "nbdcopy nbd://host/disk /dev/sda",
        "brotli -d disk.br -o /dev/sda",
        "cd /dev && zstd -d x.zst -o sda",
        "sudo pv disk.img --output /dev/sda",
        "rsync --write-devices disk.img /dev/sda",
        "tar cf /dev/sda .",
        "tar --create --file=/dev/sdb x",
        "zip /dev/sda x",
        "shuf -o /dev/sda x",
        "git archive -o /dev/sda HEAD",
        "docker save -o /dev/sda web",
        "fio --name=x --filename=/dev/sda --rw=randwrite",
        "safecopy disk.img /dev/sda",
        "imagetool --output=/dev/sda disk.img",
        "imagetool disk.img /dev/sda",
        "cardtool flash firmware /dev/sdb",
        "nwipe --autonuke --nowait",
    ] {
        check(command, Verdict::Halt);
    }
    for command in [
        "ntfsclone --save-image -o sda1.img /dev/sda1",
        "zstd -o backup.zst backup",
        "socat -u FILE:/dev/sda TCP:10.0.0.1:9000",
        "openssl x509 -in a.pem -out b.pem",
        "disktool /dev/sda",
        "disktool show /dev/sda",
        "imagetool --output=disk.img /dev/sda",
        "tar cf x.tar .",
        "git ls-files -o /dev/sda",
        "fio --name=x --filename=/dev/sda --rw=randread",
    ] {
        assert_ne!(judge_command(command, &around()).verdict, Verdict::Halt, "{command}");
    }
}

#[test]
fn system_files_that_are_written_in_place_halt_whatever_edits_them() {
    for command in [
        "sd root toor /etc/passwd",
        "yq -i '.a = 1' /etc/netplan/01.yaml",
        "yq e -i '.a = 1' /etc/netplan/01.yaml",
        "patch /etc/fstab fstab.diff",
        "crudini --set /etc/nova/nova.conf DEFAULT debug true",
        "augtool -s set /files/etc/hosts/1/ipaddr 10.0.0.1",
        "rename s/a/b/ /etc/hosts",
        "perl -pi -e s/a/b/ /etc/hosts",
        "shfmt -w /etc/profile",
        "prettier --write /boot/grub/grub.cfg",
        "somefmt --output /etc/hosts hosts",
        "openssl rand -out ~/.ssh/authorized_keys 32",
        "xmlstarlet ed -L -u //a -v b /etc/fonts/fonts.conf",
        "dos2unix /etc/fstab",
    ] {
        check(command, Verdict::Halt);
    }
    for command in [
        "sd a b notes.txt",
        "yq .a /etc/netplan/01.yaml",
        "crudini --get /etc/nova/nova.conf DEFAULT debug",
        "augtool print /files/etc/hosts",
        "shfmt -d /etc/profile",
        "sort -o names names",
        "gcc -o /usr/local/bin/x x.c",
    ] {
        assert_ne!(judge_command(command, &around()).verdict, Verdict::Halt, "{command}");
    }
}

#[test]
fn modes_that_take_nothing_and_open_nothing_are_asked_about() {
    for command in ["chmod -R u+rwX .", "chmod -R go-w .", "chmod -R u=rwX,go=rX *", "chmod -R 755 ."] {
        check(command, Verdict::Ask);
    }
    for command in
        ["chmod -R 777 .", "chmod -R a+w .", "chmod -R u-w .", "chmod -R 644 .", "chmod -R u+s .", "chmod -R u+w /"]
    {
        check(command, Verdict::Halt);
    }
}

#[test]
fn a_folder_of_hooks_that_the_line_fills_is_looked_into() {
    for setting in ["-c core.hooksPath=/tmp/h", "-c core.hookspath=/tmp/h"] {
        let fills = "mkdir -p /tmp/h && printf '#!/bin/sh\\nrm -rf ~/work\\n' > /tmp/h/pre-commit && chmod +x /tmp/h/pre-commit";
        check(&format!("{fills} && git {setting} commit --allow-empty -m wip"), Verdict::Halt);
    }
    check("echo 'rm -rf ~/work' > /tmp/h/pre-push; git config core.hooksPath /tmp/h", Verdict::Halt);
    check("echo 'echo hello' > /tmp/h/pre-push; git -c core.hooksPath=/tmp/h push", Verdict::Ask);
}

#[test]
fn code_that_prints_an_order_to_a_store_sends_none() {
    check("ruby -e 'puts \"FLUSHALL\"'", Verdict::Ask);
    check("python3 -c 'print(\"flushall\")'", Verdict::Ask);
    check("ruby -e 'require \"redis\"; Redis.new.flushall'", Verdict::Halt);
    check("python3 -c 'import redis; redis.Redis().execute_command(\"FLUSHALL\")'", Verdict::Halt);
    check("snmpset -v2c -c private 10.0.0.2 1.3.6.1.2.1.2.2.1.7.1 i 2", Verdict::Halt);
}

#[test]
fn code_that_puts_a_file_over_a_disk_or_one_of_the_system_halts() {
    for command in [
        "ruby -e \"File.write('/etc/passwd', '')\"",
        "ruby -e \"IO.write('/dev/sda', '')\"",
        "perl -e 'open(F, \">\", \"/dev/sda\")'",
        "perl -e 'open F, \">/etc/passwd\"'",
        "python3 -c \"import shutil; shutil.copy('x', '/etc/passwd')\"",
        "python3 -c \"import os; os.rename('x', '/etc/passwd')\"",
        "node -e \"require('fs').copyFileSync('x', '/dev/sda')\"",
        "ruby -rfileutils -e \"FileUtils.cp('x', '/dev/sda')\"",
        "vim -es -c 'w! /dev/sda' -c q x",
        "ex -s -c 'w! /dev/sda' x",
        "ed x <<< 'w /etc/passwd'",
    ] {
        check(command, Verdict::Halt);
    }
    for command in [
        "ruby -e \"File.write('notes.txt', '')\"",
        "python3 -c \"import shutil; shutil.copy('/etc/passwd', 'x')\"",
        "python3 -c \"f.write('/etc/passwd')\"",
        "python3 -c \"print('a'.replace('x', '/etc/passwd'))\"",
        "perl -e 'open(F, \"<\", \"/etc/hosts\")'",
        "vim -c 'w! copy.txt' x",
    ] {
        assert_ne!(judge_command(command, &around()).verdict, Verdict::Halt, "{command}");
    }
}
