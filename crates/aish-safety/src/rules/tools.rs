//! How tools spell their options: which take a value, which mean "only show", which may be shortened.

use super::names::{self, NameIndex};

/// A tool's way with options.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Tool {
    /// The tool's names, separated by `|`.
    pub(crate) names: &'static str,
    /// Options that take the next argument as their value, separated by blanks.
    pub(crate) valued: &'static str,
    /// Options that make it only show what it would do.
    pub(crate) dry: &'static str,
    /// True where long options may be shortened.
    pub(crate) shortens: bool,
    /// True where one dash and two dashes mean the same, and letters do not cluster.
    pub(crate) single_dash: bool,
    /// True where `valued` is complete: every other option takes no argument after it.
    pub(crate) complete: bool,
}

impl Tool {
    const fn new(names: &'static str) -> Self {
        Self { names, valued: "", dry: "", shortens: false, single_dash: false, complete: false }
    }

    const fn valued(mut self, valued: &'static str) -> Self {
        self.valued = valued;
        self
    }

    const fn dry(mut self, dry: &'static str) -> Self {
        self.dry = dry;
        self
    }

    const fn shortens(mut self) -> Self {
        self.shortens = true;
        self
    }

    const fn single_dash(mut self) -> Self {
        self.single_dash = true;
        self
    }

    const fn complete(mut self) -> Self {
        self.complete = true;
        self
    }

    /// Says whether an option, as it is spelt, takes the next argument.
    pub(crate) fn takes_value(&self, option: &str) -> bool {
        self.valued.split(' ').any(|valued| !valued.is_empty() && valued == option)
    }

    /// Says whether a short option takes a value.
    pub(crate) fn takes_value_letter(&self, letter: char) -> bool {
        self.valued.split(' ').any(|valued| {
            let mut letters = valued.chars();
            letters.next() == Some('-') && letters.next() == Some(letter) && letters.next().is_none()
        })
    }
}

/// Finds a tool by name.
pub(crate) fn find(program: &str) -> Option<&'static Tool> {
    INDEX.candidates(program).next().and_then(|at| TOOLS.get(at))
}

#[expect(clippy::indexing_slicing, reason = "evaluated when compiled; an error there fails the build")]
const NAMES: [&str; TOOLS.len()] = {
    let mut out = [""; TOOLS.len()];
    let mut at = 0;
    while at < TOOLS.len() {
        out[at] = TOOLS[at].names;
        at += 1;
    }
    out
};

static INDEX: NameIndex<{ names::count(&NAMES) }> = names::build(&NAMES);

/// The tools.
pub(crate) const TOOLS: &[Tool] = &[
    Tool::new("git").valued("-C -c --git-dir --work-tree --namespace --exec-path --super-prefix --config-env --attr-source -m --message -F --file --author --date --repo --receive-pack --push-option --depth -s --source --exec --onto --path --strategy").dry("--dry-run").shortens(),
    Tool::new("rm|rmdir|unlink").shortens().complete(),
    Tool::new("chmod|chown|chgrp|chattr|setfacl").valued("--reference --from").shortens().complete(),
    Tool::new("shred|truncate|touch").valued("-n -s --size -t -d --date -r --reference --iterations").shortens().complete(),
    Tool::new("mv|cp|ln|install|mkdir").valued("-t --target-directory -S --suffix -m --mode -g --group -o --owner").shortens().complete(),
    Tool::new("mkfs").valued("-t -o -L -U -O -N -b -m -i -I -E -d"),
    Tool::new("mkfs.ext2|mkfs.ext3|mkfs.ext4|mke2fs").valued("-t -o -L -U -O -N -b -m -i -I -E -d").dry("-n"),
    Tool::new("mkfs.xfs").dry("-N").valued("-L -b -d -m -n -s"),
    Tool::new("dd|wipefs").valued("-t -o -L -U -O -N").dry("-n --no-act").shortens(),
    Tool::new("sfdisk").dry("-n --no-act").shortens(),
    Tool::new("sgdisk").dry("-P --pretend").shortens(),
    Tool::new("parted|fdisk|blkdiscard|mdadm|gdisk|cfdisk").shortens(),
    Tool::new("rsync").valued("-e --rsh -f --filter --exclude --exclude-from --include --include-from --files-from -T --temp-dir --partial-dir --log-file --backup-dir --suffix --compare-dest --copy-dest --link-dest --bwlimit --port --password-file --chmod --chown --max-size --min-size --timeout --info --debug -B --block-size --rsync-path -M --remote-option").dry("-n --dry-run --list-only").shortens().complete(),
    Tool::new("curl").valued("-A -b -c -C -d -D -e -E -F -H -h -K -m -o -P -Q -r -t -T -u -U -w -x -X -y -Y -z --data --data-ascii --data-binary --data-raw --data-urlencode --json --form --form-string --header --output --output-dir --request --upload-file --url --url-query --user --user-agent --proxy --cookie --cookie-jar --cert --key --cacert --capath --config --connect-timeout --max-time --retry --retry-delay --resolve --referer --write-out --range --interface --limit-rate --dump-header --unix-socket --netrc-file --max-redirs --proto --tls-max --ciphers --retry-max-time --variable --aws-sigv4 --oauth2-bearer").complete(),
    Tool::new("wget|wget2").valued("-O --output-document -o --output-file -a --append-output -P --directory-prefix -U --user-agent --header --post-data --post-file --body-data --body-file --method -t --tries -T --timeout -i --input-file -e --execute --user --password -Q -w --wait -l --level -A -R -D -I -X --ca-certificate --certificate --private-key --limit-rate").shortens().complete(),
    Tool::new("http|https|xh|xhs").valued("-o --output -a --auth -A --auth-type -p --print --session --proxy --verify --cert --timeout -s --style --pretty --format-options --download-as --raw").dry("--offline"),
    Tool::new("ssh").valued("-B -b -c -D -E -e -F -I -i -J -L -l -m -O -o -p -Q -R -S -W -w").complete(),
    Tool::new("scp|sftp").valued("-c -D -F -i -J -l -o -P -S -X -b -B -R").complete(),
    Tool::new("tar|bsdtar|gtar").valued("-f --file -C --directory -T --files-from -X --exclude-from --exclude -I --use-compress-program -b --transform -g --listed-incremental --checkpoint-action --to-command -F --info-script --new-volume-script --rsh-command --owner --group --mode --mtime --strip-components -K -N -V -L").shortens(),
    Tool::new("find|gfind").single_dash().valued("-name -iname -path -ipath -wholename -regex -iregex -lname -type -xtype -size -mtime -atime -ctime -mmin -amin -cmin -newer -anewer -cnewer -user -group -uid -gid -perm -links -inum -maxdepth -mindepth -fstype -printf -fprintf -fprint -fprint0 -fls -samefile -used -regextype -context").complete(),
    Tool::new("kubectl|oc|k|microk8s.kubectl|k3s").valued("-n --namespace -f --filename -l --selector -o --output --context --cluster --user --kubeconfig -k --kustomize -c --container --field-selector -s --server --token --as --as-group --timeout --grace-period --cascade --replicas -p --patch --type --sort-by --since --tail --request-timeout -L --label-columns").dry("--dry-run").complete(),
    Tool::new("helm|helm3|helmfile").valued("-n --namespace --kube-context --kubeconfig -f --values --set --set-string --set-file --version --timeout -o --output --repo --keyring --description --history-max --username --password --ca-file --cert-file --key-file --revision --post-renderer").dry("--dry-run").complete(),
    Tool::new("docker|podman|nerdctl|docker.io").valued("-H --host -c --context --config -l --log-level -f --filter --format -t --tag --name -v --volume -p --publish -e --env --env-file --network -w --workdir -u --user --entrypoint --mount --label --restart --signal -s --time --file --build-arg --target --platform --cpus -m --memory --hostname --tail --since --until --project-name -n --last --connection --url"),
    Tool::new("docker-compose|podman-compose").valued("-f --file -p --project-name --profile --env-file --project-directory -t --timeout"),
    Tool::new("terraform|tofu|terragrunt").single_dash().valued("-chdir -target -var -var-file -state -state-out -backup -lock-timeout -parallelism -out -replace").dry("-dry-run"),
    Tool::new("pulumi").valued("-s --stack -C --cwd --color --config -m --message --target -t --parallel -p").dry("--preview-only"),
    Tool::new("aws").valued("--profile --region --output --query --endpoint-url --cli-connect-timeout --cli-read-timeout --ca-bundle --color --filters --filter --instance-ids --cli-input-json --page-size --max-items --exclude --include --acl --storage-class --sse").dry("--dry-run --dryrun --no-execute-changeset --generate-cli-skeleton").complete(),
    Tool::new("gcloud").valued("--project --zone --region --account --format --filter --configuration --location --impersonate-service-account --verbosity --cluster --limit --sort-by").dry("--dry-run --validate-only"),
    Tool::new("azcopy|s5cmd|mc|mcli|b2|ossutil").dry("--dry-run --dryrun --dryRun --fake"),
    Tool::new("s3cmd|s4cmd").dry("-n --dry-run").valued("-c --config"),
    Tool::new("gsutil").valued("-h -o -u -i").dry("-n"),
    Tool::new("az").valued("-g --resource-group -n --name --subscription -o --output --query -l --location --ids --account-name --account-key --vault-name --container-name -c -s --source --pattern").dry("--dryrun --what-if").complete(),
    Tool::new("gh").valued("-R --repo -X --method -f --raw-field -F --field -H --header -q --jq -t --template --hostname --input --json -L --limit -b --body --title --search -s --state -l --label --assignee -a --author -B --base -m --milestone --cache").complete(),
    Tool::new("glab").valued("-R --repo -X --method -f --raw-field -F --field -H --header --hostname --input -g --group"),
    Tool::new("systemctl").valued("-H --host -M --machine -t --type -p --property -n --lines -o --output -s --signal --kill-whom --what --root --job-mode --state -P"),
    Tool::new("journalctl").valued("-u --unit -n --lines -S --since -U --until -o --output -D --directory -t --identifier -p --priority -b --boot -M --machine -g --grep --user-unit --file --root --case-sensitive -F --field --vacuum-size --vacuum-time --vacuum-files").shortens(),
    Tool::new("apt|apt-get|aptitude|apt-mark|apt-cache").valued("-o --option -c --config-file -t --target-release --default-release -a --host-architecture -q").dry("-s --simulate --just-print --dry-run --recon --no-act --print-uris --download-only -d").complete(),
    Tool::new("dpkg").dry("--dry-run --no-act --simulate").valued("--root --admindir --instdir"),
    Tool::new("dnf|yum|microdnf|dnf5").valued("-c --config -x --exclude --installroot --releasever --enablerepo --disablerepo --setopt --repo --repoid").dry("--downloadonly --assumeno"),
    Tool::new("zypper").valued("-R --root -D --reposd-dir -c --config -r --repo -t --type").dry("--dry-run --download-only"),
    Tool::new("pacman|yay|paru").valued("-b --dbpath -r --root --config --cachedir --gpgdir --logfile --arch --ignore --assume-installed").dry("-p --print"),
    Tool::new("apk|opkg|xbps-remove|xbps-install").valued("-p --root -X --repository --arch --cache-dir").dry("-s --simulate --noaction -n --dry-run"),
    Tool::new("emerge").dry("-p --pretend").valued("-j --jobs --root"),
    Tool::new("brew").dry("-n --dry-run"),
    Tool::new("port").dry("-y"),
    Tool::new("npm|pnpm|yarn|bun").valued("--prefix -C --dir --cwd --registry --tag --otp -w --workspace --filter -F --loglevel --userconfig").dry("--dry-run"),
    Tool::new("pip|pip3|pipx|uv|conda|mamba|micromamba|poetry").valued("-r --requirement -i --index-url --extra-index-url -c --constraint -t --target --python --prefix -n --name --root -e --editable").dry("--dry-run"),
    Tool::new("cargo").valued("-p --package --target --target-dir --manifest-path --features -F -j --jobs --profile --config -Z --color --bin --example --test --bench --registry --index --token --message-format --vers --version -C").dry("-n --dry-run"),
    Tool::new("gem").valued("-C -f --file -p -Dfoo -o --output"),
    Tool::new("composer|bundle|go|dotnet|nuget|twine|hatch|flit|mvn|gradle|mix|lein|sbt").valued("-C -f --file -p -Dfoo -o --output").dry("--dry-run -n"),
    Tool::new("make|gmake|ninja|just|task|rake").valued("-C --directory -f --file --makefile -j -I --include-dir -o --old-file -W --eval -l -E"),
    Tool::new("psql").valued("-c --command -d --dbname -f --file -h --host -p --port -U --username -v --set --variable -o --output -L --log-file -F -P -R -T").complete(),
    Tool::new("mysql|mariadb|mysqladmin|mariadb-admin|mysqldump|mariadb-dump").valued("-e --execute -h --host -u --user -P --port -D --database -S --socket --defaults-file --defaults-extra-file --init-command --protocol --default-character-set"),
    Tool::new("sqlite3|sqlite|duckdb|litecli").single_dash().valued("-cmd -init -separator -nullvalue -newline -mmap -pagecache -lookaside -maxsize -vfs -heap -c -s").complete(),
    Tool::new("redis-cli|valkey-cli|keydb-cli").valued("-h -p -s -a --user --pass -u -r -i -n -d -D --sni --cacert --cert --key --eval -x").single_dash(),
    Tool::new("bq").single_dash().dry("--dry_run -dry_run").valued("-location -project_id -format -dataset_id"),
    Tool::new("ctr|crictl").valued("-n --namespace -a --address -r --runtime-endpoint --timeout").dry("--dry-run"),
    Tool::new("mongo|mongosh").valued("--eval --host --port -u --username -p --password --authenticationDatabase -f --file").complete(),
    Tool::new("dropdb|createdb|dropuser").valued("-h --host -p --port -U --username --maintenance-db -O --owner -T --template -E --encoding").complete(),
    Tool::new("pg_dump|pg_restore|pg_dumpall|pg_basebackup|initdb").valued("-h --host -p --port -U --username -d --dbname -f --file -n --schema -t --table -D --pgdata -Z -j -F -T -N -I -P").complete(),
    Tool::new("pg_resetwal|pg_archivecleanup").valued("-D --pgdata").dry("-n --dry-run").complete(),
    Tool::new("restic|rustic").valued("-r --repo -p --password-file --repository-file --password-command -o --option --cacert --cache-dir --host --tag --path --keep-last -l --keep-daily -d --keep-weekly -w --keep-monthly -m").dry("-n --dry-run"),
    Tool::new("borg|borgmatic").valued("--rsh --remote-path -P --prefix -a --glob-archives --keep-daily --keep-weekly --keep-monthly -d -w -m -y -H --keep-last --keep-within --umask --lock-wait --last --first --comment -C --compression").dry("-n --dry-run"),
    Tool::new("rclone").valued("--config --include --exclude --filter --transfers --checkers --log-file --log-level --bwlimit --max-age --min-age --max-size --min-size --backup-dir --files-from").dry("-n --dry-run -i --interactive"),
    Tool::new("zfs|zpool").valued("-o -O -t -r -d").dry("-n"),
    Tool::new("duplicity|kopia|tarsnap|rdiff-backup|pgbackrest|proxmox-backup-client|bup|attic").valued("-f --keyfile --cachedir").dry("--dry-run"),
    Tool::new("rsnapshot").valued("-c").dry("-t"),
    Tool::new("btrfs|bcachefs|resize2fs|tune2fs").valued("-o -O -L -U -b -B"),
    Tool::new("lvremove|vgremove|pvremove|lvreduce|lvresize|lvcreate|lvconvert|vgreduce|vgcreate|pvcreate").dry("-t --test").valued("-L --size -l --extents -n --name").shortens(),
    Tool::new("iptables|ip6tables|iptables-legacy|iptables-nft|ebtables|arptables").valued("-t --table -p --protocol -s --source -d --destination -i --in-interface -o --out-interface -j --jump -m --match --dport --sport -w --wait"),
    Tool::new("nft").dry("-c --check"),
    Tool::new("rpm").dry("--test").valued("-r --root --dbpath -D --define"),
    Tool::new("nix-env|nix-collect-garbage|nix-store|nix").valued("-f -I -p --profile -A --attr --option").dry("--dry-run"),
    Tool::new("guix").valued("-L -p --profile -m -d").dry("-n --dry-run"),
    Tool::new("modprobe").valued("-C -d -S --dirname --config --set-version").dry("-n --dry-run --simulate --show -D --show-depends -c --showconfig --dump-modversions --show-modversions -R --resolve-alias"),
    Tool::new("depmod").valued("-b -C -E -F -o").dry("-n --dry-run --show"),
    Tool::new("mongorestore").dry("--dryRun").valued("--uri --host --port -d --db -u -p"),
    Tool::new("sqlx|atlas|phinx|hasura|node-pg-migrate|db-migrate").dry("--dry-run"),
    Tool::new("curator|elasticsearch-curator|curator_cli").dry("--dry-run").valued("--config --host"),
    Tool::new("werf|argo|clusterctl|istioctl|linkerd").dry("--dry-run").valued("-n --namespace"),
    Tool::new("kapp").dry("--diff-run").valued("-a --app -n --namespace -f"),
    Tool::new("puppet").dry("--noop"),
    Tool::new("chef-client|chef-solo|cinc-client").dry("-W --why-run").valued("-o -c -j -r"),
    Tool::new("stress-ng|rtcwake").dry("-n --dry-run").valued("-m -s -t"),
    Tool::new("trash-empty").dry("--dry-run"),
    Tool::new("bleachbit").dry("-p --preview -l --list"),
    Tool::new("tmpreaper|tmpwatch").dry("-t --test"),
    Tool::new("choco|winget").dry("--noop --whatif --what-if"),
    Tool::new("ovs-vsctl").dry("--dry-run").valued("--db"),
    Tool::new("sysctl").dry("--dry-run"),
    Tool::new("systemd-repart|systemd-sysusers|systemd-tmpfiles").dry("--dry-run --cat-config"),
    Tool::new("slapadd").dry("-u").valued("-f -F -n -l -b"),
    Tool::new("ldapdelete|ldapmodify|ldapadd|ldapmodrdn").dry("-n").valued("-D -w -y -H -h -p -f -Y"),
    Tool::new("ufw").dry("--dry-run"),
    Tool::new("firewall-cmd").valued("--zone"),
    Tool::new("crontab").valued("-u"),
    Tool::new("sed|gsed").valued("-e --expression -f --file -l --line-length").shortens(),
    Tool::new("grep|egrep|fgrep|rg|ag|ack|zgrep|ugrep").valued("-e --regexp -f --file -A -B -C --after-context --before-context --context -m --max-count --include --exclude --exclude-from --exclude-dir --color --colour -g --glob -t --type -T --type-not --label -d -D --iglob --max-depth -j --threads -M").complete(),
    Tool::new("sort|head|tail|cut|uniq|tr|nl|wc|fold|fmt|column|comm|join|paste|split|od|xxd|hexdump|base64|base32").valued("-t -k -o --output -S -T --field-separator --key --buffer-size --temporary-directory -n --lines -c --bytes -d --delimiter -f --fields -s -w --wrap -l --files0-from -N -j -A").shortens().complete(),
    Tool::new("kill|pkill|killall|skill|killall5").valued("-s --signal -u --euid -U --uid -g --pgroup -G -P --parent -t --terminal -n -x -o -F --pidfile").single_dash(),
    Tool::new("userdel|groupdel|deluser|delgroup").valued("-R --root -P --prefix --conf"),
    Tool::new("useradd|usermod|groupadd|groupmod|passwd|chpasswd|gpasswd|adduser|addgroup|chage|chsh").valued("-u --uid -g --gid -d --home -s --shell -c --comment -R --root -n -x -w -i -E -K -f -b --expiredate"),
    Tool::new("vercel|netlify|fly|flyctl|heroku|railway|wrangler|firebase|supabase|surge").valued("-a --app -t --token --scope -S -c --config -p --project -r --remote --cwd -s --site --name").dry("--dry-run"),
    Tool::new("doctl|hcloud|linode-cli|openstack|scw|vultr-cli|exo|oci|ibmcloud|aliyun|upctl|ovhcloud").valued("-t --access-token --context -c --config --profile --output -o --format --region --os-cloud --zone -z"),
    Tool::new("ansible|ansible-playbook").valued("-i --inventory -m --module-name -a --args -u --user -e --extra-vars -l --limit -t --tags -f --forks --skip-tags -M --become-user --private-key -c --connection --vault-password-file").dry("-C --check"),
    Tool::new("vault|consul|nomad|etcdctl|packer|boundary").single_dash().valued("-address -namespace -token --endpoints --cacert --cert --key -datacenter -http-addr"),
    Tool::new("virsh|VBoxManage|vboxmanage|qm|pct|lxc|incus|multipass|vagrant|virt-install|xl|xe|prlctl|limactl|qemu-img").valued("-c --connect --domain"),
    Tool::new("mail|mailx|mutt|sendmail|msmtp|swaks|s-nail").valued("-s -a -A -c -b -r -S -q --attach --subject -f --to --from --server --body").complete(),
    Tool::new("nc|ncat|netcat|socat|telnet").valued("-p -s -w -q -e -c -g -G -i -X -x -P -T -I -O --exec --sh-exec --lua-exec --idle-timeout"),
    Tool::new("ip|bridge").single_dash().valued("-n -netns -family -f -rcvbuf -l -loops -batch -b").complete(),
    Tool::new("date|ps|ls|cat|df|du|top|free|uptime|id|who|w|stat|file|tree|lsblk|lscpu|ip|ss|netstat|lsof|dig|host|ping|nslookup").valued("-d --date -r --reference -f --file -p -u -U -C -t -o --format -L -I -P --max-depth -n -c -i -W -B -x -t --sort --threshold --exclude").complete(),
    Tool::new("jq|yq|xq|dasel|gron|mlr").valued("--arg --argjson --indent -f --from-file -L -p -o --slurpfile --rawfile --input-format --output-format"),
    Tool::new("shutdown").dry("-k"),
    Tool::new("certbot").valued("-d --domains --cert-name --deploy-hook --pre-hook --post-hook -m --email -a -i").dry("--dry-run"),
    Tool::new("logrotate").valued("-s --state -m --mail -l --log").dry("-d --debug"),
    Tool::new("stow").valued("-d --dir -t --target").dry("-n --no --simulate"),
    Tool::new("unattended-upgrade").dry("--dry-run"),
    Tool::new("flux|argocd|skaffold|kustomize|eksctl|kops|newrelic").valued("-f -c -n --namespace --cluster --name -p -m --cert-name -d --region").dry("--dry-run"),
    Tool::new("fsck").dry("-N -n"),
    Tool::new("fsck.vfat|fsck.fat|dosfsck|fsck.exfat|fsck.f2fs|jfs_fsck|ntfsfix|mkfs.ntfs|mkntfs|ntfsresize|fsck.msdos|fsck.btrfs").dry("-n --no-action --dry-run"),
    Tool::new("reiserfsck").dry("--check"),
    Tool::new("e2fsck|fsck.ext2|fsck.ext3|fsck.ext4|xfs_repair").valued("-b -B -E -j -l -L -o -t -P -m").dry("-n"),
];
