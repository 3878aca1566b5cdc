# Sourced after say.sh by fresh.sh and packages.sh: bare Debian roots, and commands that run in them as root or as somebody
# without rights. Both need root themselves.

# Who has no rights in a root, and where they are at home.
number=1000
home_of() { if [ "$1" = root ]; then echo /root; else echo /home/someone; fi; }

need_roots() {
    local program
    is_root || die "mounts and roots need root: run it with sudo."
    for program in mmdebstrap unshare pivot_root setpriv "$@"; do
        has "$program" || die "$program is missing." "As root: apt-get install mmdebstrap util-linux mount"
    done
}

ubuntu_keys=${UBUNTU_KEYS:-/usr/share/keyrings/ubuntu-archive-keyring.gpg}
is_debian() { case $1 in bookworm | trixie | forky | sid | stable | testing) ;; *) false ;; esac; }

# What a network that needs a proxy or certificates of its own has told this machine.
network=()
for name in http_proxy https_proxy no_proxy HTTP_PROXY HTTPS_PROXY NO_PROXY PIP_INDEX_URL PIP_CERT SSL_CERT_FILE; do
    [ -z "${!name:-}" ] || network+=("$name=${!name}")
done

# Makes a root: SUITE PACKAGES FOLDER. It trusts the certificates that this machine trusts, at the paths that `network` names.
# Ubuntu's suites are checked with the keys of Debian's package ubuntu-keyring; Python's and npm's packages are in universe there.
make_root() {
    local suite=$1 packages=$2 into=$3 file ubuntu=()
    if ! is_debian "$suite"; then
        [ -e "$ubuntu_keys" ] || die "$ubuntu_keys is missing, and Ubuntu's packages are checked with it." \
            "It comes with the package ubuntu-keyring of Debian 13. UBUNTU_KEYS names another file."
        # Ubuntu does not count apt among what every machine needs.
        ubuntu=(--components=main,universe "--keyring=$ubuntu_keys" --include=apt)
    fi
    mmdebstrap --quiet --mode=root --variant=minbase "${ubuntu[@]}" --include="$packages" "$suite" "$into" >&2
    cp -L /etc/resolv.conf "$into/etc/resolv.conf"
    # What sets a machine up writes this; no package has it.
    [ -e "$into/etc/hosts" ] || printf '127.0.0.1 localhost\n::1 localhost ip6-localhost\n' >"$into/etc/hosts"
    for file in /etc/ssl/certs/ca-certificates.crt "${SSL_CERT_FILE:-}" "${PIP_CERT:-}"; do
        [ ! -f "$file" ] || install -D -m 644 "$file" "$into$file"
    done
    echo "someone:x:$number:$number::/home/someone:/bin/bash" >>"$into/etc/passwd"
    echo "someone:x:$number:" >>"$into/etc/group"
    install -d -o "$number" -g "$number" "$into/home/someone"
}

# Runs a command in a root, in a mount and process namespace of its own: root|user FOLDER COMMAND...
# `binds` lists what of this machine is seen there, FROM=TO[=ro]; `settings` lists variables for the command, and its PATH.
# The root is entered with pivot_root and not with chroot, where no further user namespaces could be made.
binds=() settings=()
inside() {
    local as=0 home into=$2 bind from rest to mounts=
    home=$(home_of "$1")
    [ "$1" = root ] || as=$number
    shift 2
    for bind in "${binds[@]}"; do
        from=${bind%%=*} rest=${bind#*=} to=$into${rest%=ro}
        mkdir -p "$to"
        mounts+="mount --bind $(printf %q "$from") $(printf %q "$to");"
        [ "$rest" = "${rest%=ro}" ] || mounts+="mount -o remount,bind,ro $(printf %q "$to");"
    done
    AS=$as INTO=$into MOUNTS=$mounts unshare --mount --pid --fork --kill-child bash -euc '
        mount --make-rprivate /
        mount --bind "$INTO" "$INTO"
        eval "$MOUNTS"
        mount --rbind /dev "$INTO/dev"
        mount -t proc proc "$INTO/proc"
        mount -t sysfs sysfs "$INTO/sys"
        mount -t tmpfs -o mode=1777 tmpfs "$INTO/tmp"
        mkdir -p "$INTO/.old"
        cd "$INTO"
        pivot_root . .old
        umount -l .old
        cd /
        [ "$AS" -ne 0 ] || exec "$@"
        [ ! -e /usr/bin/setpriv ] || exec setpriv --reuid "$AS" --regid "$AS" --clear-groups "$@"
        # That of busybox does not change who runs.
        exec su -s /bin/bash -c "exec \"\$0\" \"\$@\"" -- someone "$@"
    ' bash env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "HOME=$home" TERM=dumb LANG=C.UTF-8 \
        "${network[@]}" "${settings[@]}" "$@"
}
