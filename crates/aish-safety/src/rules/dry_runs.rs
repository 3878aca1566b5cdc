//! Dry runs: what a tool says that it would do.
//!
//! `%dry` holds where the tool's entry in [`super::tools`] names an option that is given. Tools whose dry run executes what
//! a project holds (hooks, scripts, makefiles, modules) have no place here.

use super::rule::{Rule, shows};

/// The family.
pub const RULES: &[Rule] = &[
    shows(
        "dry-runs.tools",
        "mkfs.ext2|mkfs.ext3|mkfs.ext4|mke2fs|mkfs.xfs|wipefs|sfdisk|sgdisk|fsck|zfs|lvremove|vgremove|pvremove|lvreduce|lvresize|lvcreate|vgreduce|vgcreate|pvcreate|restic|borg|logrotate|pacman|apk|emerge|stow|nft|ufw|rsnapshot|dpkg|zypper %dry !--password-command|--rsh|--remote-path|-o|--option|-y|--refresh|--download-only|--hookdir|--config|--sync|--regen|--metadata",
        "only shows what it would do",
        &[
            "mkfs.ext4 -n /dev/sdb1",
            "restic forget --keep-last 5 --dry-run",
            "logrotate -d /etc/logrotate.conf",
            "zfs destroy -nv tank/x@y",
            "fsck -N /dev/sda1",
        ],
        &["restic forget --keep-last 5", "sgdisk -n 0:0:0 /dev/sdb", "mkfs.ext4 /dev/sdb1"],
    ),
    shows(
        "dry-runs.verbs",
        "brew|zpool|bq|rclone install|reinstall|upgrade|cleanup|autoremove|link|unlink|add|create|remove|split|import|query|copy|sync|move|copyto|moveto|delete|deletefile|purge|rmdir|rmdirs|bisync|dedupe|check %dry !-i|--interactive|--config|-o",
        "only shows what it would do",
        &["rclone sync a b --dry-run", "brew cleanup -n", "zpool add -n tank sdb", "bq query --dry_run 'select 1'"],
        &["rclone sync -i a b", "rclone serve http / -n", "brew ruby -n -e x"],
    ),
    shows(
        "dry-runs.checks",
        "e2fsck|fsck.ext2|fsck.ext3|fsck.ext4|xfs_repair %dry !-c|-l|-L|-D|-E|-y|-p|-a",
        "checks a file system and mends nothing",
        &["e2fsck -n /dev/sda1", "xfs_repair -n /dev/sdb1"],
        &["e2fsck -p /dev/sda1", "e2fsck -n -c /dev/sda1"],
    ),
    shows(
        "dry-runs.helm",
        "helm|helm3 install|upgrade|uninstall|delete|del|un|rollback %dry !--post-renderer",
        "only shows what it would do",
        &["helm uninstall web --dry-run", "helm upgrade --install web ./chart --dry-run=server"],
        &["helm uninstall web", "helm install web ./chart --dry-run=none"],
    ),
    shows(
        "dry-runs.kubectl",
        "kubectl|oc|k|kubecolor apply|create|delete|run|expose|scale|label|annotate|set|patch|replace|rollout|drain|cordon|taint|autoscale --dry-run=client|--dry-run=server !%url !-k|--kustomize",
        "only shows what it would do",
        &["kubectl apply -f x.yaml --dry-run=client", "kubectl delete pod x --dry-run=server"],
        &["kubectl apply -f x.yaml"],
    ),
    shows(
        "dry-runs.aws",
        "aws --dryrun|--dry-run !--outfile|--cli-input-json|--endpoint-url",
        "only shows what it would do",
        &["aws s3 cp a s3://b/ --dryrun"],
        &["aws s3 cp a s3://b/"],
    ),
    shows(
        "dry-runs.rsync",
        "rsync -n|--dry-run|--list-only !-e|--rsh|--rsync-path|-M|--remote-option|--log-file|--write-batch|--only-write-batch|--password-file",
        "only shows what it would copy",
        &["rsync -n -av a/ b/", "rsync -avn --delete src/ dest/"],
        &["rsync -a a/ b/"],
    ),
    shows(
        "dry-runs.install",
        "apt|apt-get|aptitude -s|--simulate|--dry-run|--just-print|--no-act|--recon !-o|--option|-c|--config-file",
        "only shows what it would install",
        &["apt-get -s upgrade", "apt-get install --dry-run nginx"],
        &["apt-get upgrade"],
    ),
];
