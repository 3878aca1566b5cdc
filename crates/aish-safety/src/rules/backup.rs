//! Backups and synchronisation.

use super::rule::Effect::{DeleteRemote, Write};
use super::rule::{Rule, allow, ask, halt};

/// The family.
pub const RULES: &[Rule] = &[
    halt(
        "backup.restic",
        DeleteRemote,
        "restic|rustic ** forget|prune|unlock|rewrite|repair|migrate|key-remove|rebuild-index|remove|passwd",
        "deletes backups",
        &["restic forget --prune --keep-last 1", "restic prune"],
        &["restic snapshots", "restic forget --dry-run x"],
    ),
    halt(
        "backup.borg",
        DeleteRemote,
        "borg|borgmatic ** delete|prune|compact|break-lock|recreate|rdelete|repo-delete",
        "deletes backups",
        &["borg delete /mnt/repo::a", "borg prune --keep-daily 1 /mnt/repo"],
        &["borg list /mnt/repo", "borg delete -n x"],
    ),
    halt(
        "backup.borg-check",
        DeleteRemote,
        "borg check --repair",
        "repairs a repository in a way that may lose data",
        &["borg check --repair /mnt/repo"],
        &["borg check /mnt/repo"],
    ),
    halt(
        "backup.kopia",
        DeleteRemote,
        "kopia|duplicity|duply|tarsnap|rdiff-backup|rsnapshot|bup|attic|zbackup|obnam|bacula|bconsole|barman|wal-g|wal-e|pgbackrest|pghoard|burp|amanda|amrmtape|urbackupclientctl|timeshift|snapper|yabsm|sanoid|syncoid|backintime|dar|vorta|deja-dup|duplicacy|autorestic|proxmox-backup-client|veeamconfig|medusa ** delete|remove-*|remove|prune|forget|cleanup|collection-cleanup|remove-older-than|expire|purge|gc|rm|blank|nuke|stanza-delete|delete-backup|delete-wal|rollback|restore|wipe|maintenance|erase|truncate|everything|-d",
        "deletes backups",
        &[
            "kopia snapshot delete x --delete",
            "duplicity remove-older-than 1D --force s3://x",
            "snapper delete 1-10",
            "pgbackrest stanza-delete --stanza=x",
            "timeshift restore",
        ],
        &["kopia snapshot list"],
    ),
    halt(
        "backup.timeshift",
        DeleteRemote,
        "timeshift|tarsnap|rdiff-backup|duplicity|bup|etckeeper --delete|--delete-all|-d|--nuke|--remove-older-than|--restore|--force|--unsafe",
        "deletes or overwrites through backups",
        &["timeshift --delete-all", "tarsnap -d -f x", "rdiff-backup --remove-older-than 1D x"],
        &["timeshift --list"],
    ),
    halt(
        "backup.vssadmin",
        DeleteRemote,
        "vssadmin|wbadmin|diskshadow|wmic ** delete|resize|shadowcopy",
        "deletes backups",
        &["vssadmin delete shadows /all"],
        &["vssadmin list shadows"],
    ),
    allow(
        "backup.read",
        "restic|borg|kopia|rustic|tarsnap|pgbackrest|snapper|timeshift|duplicacy snapshots|list|ls|stats|info|check|diff|find|version|status|--list-archives|--list|repo-info !--repair|--delete|-d|--password-command|--rsh",
        "looks backups up",
        &["restic snapshots", "borg list /mnt/repo"],
        &["restic prune"],
    ),
    ask(
        "backup.other",
        Write,
        "restic|rustic|borg|borgmatic|kopia|duplicity|tarsnap|rdiff-backup|rsnapshot|snapper|timeshift|pgbackrest|barman|wal-g|syncthing|unison|bup|etckeeper|duplicacy|bconsole|velero|stow",
        "makes or restores backups",
        &["restic backup x", "borg create x::y z"],
        &[],
    ),
];
