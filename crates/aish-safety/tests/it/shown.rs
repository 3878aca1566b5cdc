//! Help, lists, states and dry runs: no effect where the program has them, and no way round where it has not.

use aish_safety::{Surroundings, Verdict};

use crate::analysed::judge_command;

fn verdict(command: &str) -> (Verdict, String) {
    let around = Surroundings { home: Some("/home/ana".into()), ..Surroundings::default() };
    let judgement = judge_command(command, &around);
    (judgement.verdict, judgement.rule.to_string())
}

#[test]
fn what_only_looks_like_a_question_halts() {
    let mut wrong = Vec::new();
    for command in [
        "systemctl stop web --dry-run",
        "systemctl mask sshd --dry-run",
        "rm -rf /srv --dry-run",
        "rm --dry-run -rf /srv",
        "mkfs.xfs -n size=8192 /dev/sdb1",
        "mkfs.vfat -n DATA /dev/sdb1",
        "kubectl delete ns prod --dry-run=none",
        "kubectl delete pods --all -n prod",
        "helm uninstall web --dry-run=false",
        "docker compose down -v --dry-run=false",
        "docker compose exec web rm -rf /srv/data --dry-run",
        "docker system prune -af --dry-run",
        "zypper -D /etc/repos remove kernel-default",
        "dropdb -h db1 shop",
        "dropdb -f shop",
        "mysql -h db1 -e 'DROP TABLE users'",
        "psql -h db1 -c 'DROP TABLE users'",
        "redis-cli -h db1 flushall",
        "redis-cli flushall --help",
        "kill -9 -1 --help",
        "find /srv -delete --help",
        "git rebase -n --root",
        "git push -f origin main",
        "git push -n --force --no-dry-run origin main",
        "rsync -n --no-dry-run -a --delete a/ /srv/",
        "cargo yank --version 1.4.2 acme",
        "rake db:drop status",
        "mysqladmin status drop shop",
        "npm unpublish help --force",
        "ssh web rm -rf /srv --help; rm -rf /srv",
        "sudo --help; wipefs -a /dev/sda",
        "python manage.py flush check",
        "php artisan migrate:fresh help",
        "vault policy delete admin",
        "gcloud logging logs delete x",
        "az search service delete -n x -g y",
        "dracut -H --force",
        "ntpdate -p 4 pool.ntp.org; wipefs -a /dev/sda",
        "umount -a -f",
        "wal-g delete everything --confirm",
        "p4 obliterate -y //depot/x",
        "passwd -S root -d",
        "chage -l ana -E 0",
        "pg_restore --clean -d shop x.dump",
        "kafka-consumer-groups.sh --reset-offsets --to-earliest --execute --group x",
        "curl -X DELETE https://api.example.com/x --help=no",
    ] {
        let (verdict, rule) = verdict(command);
        if verdict != Verdict::Halt {
            wrong.push(format!("{command} ({rule})"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn questions_do_not_halt() {
    for command in [
        "docker compose down -v --help",
        "terraform destroy -auto-approve -help",
        "kubectl delete ns prod -h",
        "az group delete -h",
        "php artisan help migrate:fresh",
        "python manage.py flush --help",
        "aws ec2 terminate-instances help",
        "ip link delete help",
        "systemctl poweroff --dry-run",
        "wipefs --no-a -a /dev/sda",
        "kill -0 1",
        "debugfs -R stats /dev/sda1",
        "gh search issues delete",
        "apt show purge",
        "docker search prune",
        "sometool cluster destroy --dry-run",
        "rustup self update",
        "dmesg -f kern",
        "conntrack -L -d 10.0.0.1",
        "vault kv metadata get secret/x",
        "supervisorctl status all",
        "rake -n db:drop",
    ] {
        let (verdict, rule) = verdict(command);
        assert!(verdict < Verdict::Halt, "{command} ({rule})");
    }
}

#[test]
fn what_changes_something_is_not_allowed_with_a_question_beside_it() {
    for command in [
        "nmcli device wifi hotspot",
        "nmcli radio wifi off",
        "docker compose run web up --dry-run",
        "pg_restore -f out.sql x.dump",
        "avrdude -p m328p -U flash:r:x.hex:i",
        "mkinitcpio -P",
        "bootctl install",
        "kops update cluster x --yes",
        "python manage.py sqlflush",
        "sbctl sign x",
    ] {
        let (verdict, rule) = verdict(command);
        assert!(verdict > Verdict::Allow, "{command} ({rule})");
    }
}

#[test]
fn what_is_taken_back_is_not_allowed() {
    for command in [
        "apt-get --simulate=no purge nginx",
        "apt-get -s=false remove nginx",
        "apt-get -s- purge nginx",
        "apt-get -s purge nginx --no-simulate",
        "apt-get --dry-run=0 autoremove",
        "aws s3 rm s3://x --recursive --dryrun --no-dryrun",
        "git clean -fdx -n --no-dry-run",
    ] {
        assert!(verdict(command).0 > Verdict::Allow, "{command}");
    }
    for command in ["docker compose down -v --dry-run", "apt-get -s purge nginx", "rsync -avn --delete a/ b/"] {
        assert_eq!(verdict(command).0, Verdict::Allow, "{command}");
    }
}
