#!/usr/bin/env bash
# Times "package -> first answer" on machines that have just been set up: bare Debian roots without a compiler.
#
# Usage (as root): scripts/packages.sh DIST [--suite NAME]... [--package deb|wheel|npm|archive]... [--as root|user]...
#   DIST             the folder that `cargo xtask dist` wrote
#   --suite NAME     bookworm or trixie, or another suite that mmdebstrap reaches; both when none is named
#   --package NAME   deb (apt-get install ./…), wheel (pip in a virtual environment), npm (npm install), archive (tar); all
#   --as NAME        root, or user: somebody without rights; both (a .deb is installed as root in any case)
# What a person has before the package is not timed: the root, with Python or npm where the package comes by them. Timed are the
# installation, `aish model pull` and one answer of the embedded model. A line each: suite, package, who, seconds of the
# installation, of the model and of the answer, and all of them. Exit code: 0 when every answer came within 60 seconds.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
. "$root/scripts/say.sh"

usage() { sed -n 's/^# Usage (as root): /Usage: /p' "$0"; }
[ $# -gt 0 ] || die "which folder?" "$(usage)"
dist=$(cd "$1" && pwd)
shift
suites=() packages=() people=()
while [ $# -gt 0 ]; do
    case $1 in
        --suite) suites+=("$2") ;;
        --package) packages+=("$2") ;;
        --as) people+=("$2") ;;
        *) die "unknown option $1" "$(usage)" ;;
    esac
    shift 2 || die "an option has no value" "$(usage)"
done
[ ${#suites[@]} -gt 0 ] || suites=(bookworm trixie)
[ ${#packages[@]} -gt 0 ] || packages=(deb wheel npm archive)
[ ${#people[@]} -gt 0 ] || people=(root user)
is_root || die "mounts and roots need root: run it with sudo."
for program in mmdebstrap unshare pivot_root setpriv; do has "$program" || die "$program is missing." "As root: apt-get install mmdebstrap util-linux mount"; done

limit=60
number=1000
work=$(mktemp -d "${TMPDIR:-/var/tmp}/aish-packages.XXXXXX")
trap 'rm -rf --one-file-system "$work"' EXIT

# What a network that needs a proxy or certificates of its own has told this machine.
network=()
for name in http_proxy https_proxy no_proxy HTTP_PROXY HTTPS_PROXY NO_PROXY PIP_INDEX_URL PIP_CERT SSL_CERT_FILE; do
    [ -z "${!name:-}" ] || network+=("$name=${!name}")
done

make_root() {
    local suite=$1 package=$2 into=$3 include=ca-certificates
    case $package in
        wheel) include+=,python3-venv ;;
        npm) include+=,npm ;;
    esac
    mmdebstrap --quiet --mode=root --variant=minbase --include="$include" "$suite" "$into"
    cp -L /etc/resolv.conf "$into/etc/resolv.conf"
    local file
    for file in /etc/ssl/certs/ca-certificates.crt "${SSL_CERT_FILE:-}" "${PIP_CERT:-}"; do
        [ ! -f "$file" ] || install -D -m 644 "$file" "$into$file"
    done
    echo "someone:x:$number:$number::/home/someone:/bin/bash" >>"$into/etc/passwd"
    echo "someone:x:$number:" >>"$into/etc/group"
    mkdir -p "$into/home/someone" "$into/packages"
    find "$dist" -maxdepth 1 -type f -exec cp -t "$into/packages" {} +
    chown -R "$number:$number" "$into/home/someone"
    ! [ -e "$into/usr/bin/gcc" ] || die "the root of $suite has a compiler: $into"
}

# Runs in a mount and process namespace of its own: WHO FOLDER COMMAND...
inside() {
    local as=0 home=/root into=$2
    [ "$1" = root ] || { as=$number home=/home/someone; }
    shift 2
    INTO=$into unshare --mount --pid --fork --kill-child bash -euc '
        mount --make-rprivate /
        mount --bind "$INTO" "$INTO"
        mount --rbind /dev "$INTO/dev"
        mount -t proc proc "$INTO/proc"
        mount -t tmpfs -o mode=1777 tmpfs "$INTO/tmp"
        mkdir -p "$INTO/.old"
        cd "$INTO"
        pivot_root . .old
        umount -l .old
        cd /
        exec "$@"
    ' bash setpriv --reuid "$as" --regid "$as" --clear-groups \
        env -i "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin" "HOME=$home" TERM=dumb LANG=C.UTF-8 \
        "${network[@]}" "$@"
}

# Prints the command that installs a package, and the folder of its programs.
installation() {
    local home=/root
    [ "$2" = root ] || home=/home/someone
    case $1 in
        deb) echo "apt-get install -y -qq /packages/*_amd64.deb" /usr/bin ;;
        wheel) echo "python3 -m venv $home/venv && $home/venv/bin/pip install --quiet --no-index /packages/*manylinux*.whl" "$home/venv/bin" ;;
        npm) echo "npm install --silent --offline --no-audit --no-fund --prefix $home/node /packages/*.tgz" "$home/node/node_modules/.bin" ;;
        archive) echo "mkdir $home/aish && tar -xzf /packages/*-linux-gnu.tar.gz -C $home/aish --strip-components=1" "$home/aish/bin" ;;
        *) die "there is no package $1" ;;
    esac
}

failures=0
for suite in "${suites[@]}"; do
    for package in "${packages[@]}"; do
        for who in "${people[@]}"; do
            into=$work/$suite-$package-$who log=$work/log
            say "$suite, $package, $who: making the root ..."
            make_root "$suite" "$package" "$into" >&2
            line=$(installation "$package" "$who")
            install=${line% *} folder=${line##* } installer=$who
            [ "$package" != deb ] || installer=root
            times=() result=ok
            for step in "$installer $install" "$who $folder/aish model pull" "$who $folder/aish ask --no-tools 'What is the capital of France?'"; do
                started=${EPOCHREALTIME/./}
                inside "${step%% *}" "$into" bash -c "${step#* }" >"$log" 2>&1 </dev/null || { result=FAILED; cat "$log" >&2; }
                times+=($(((${EPOCHREALTIME/./} - started) / 100000)))
            done
            grep -q Paris "$log" || result=FAILED
            all=$((times[0] + times[1] + times[2]))
            [ "$all" -le $((limit * 10)) ] || result=FAILED
            [ "$result" = ok ] || failures=$((failures + 1))
            seconds() { printf '%d.%d' $(($1 / 10)) $(($1 % 10)); }
            printf '%-9s %-8s %-5s %-7s installation %s s, model %s s, answer %s s: %s s\n' "$suite" "$package" "$who" "$result" \
                "$(seconds "${times[0]}")" "$(seconds "${times[1]}")" "$(seconds "${times[2]}")" "$(seconds "$all")"
            rm -rf --one-file-system "$into"
        done
    done
done
[ "$failures" -eq 0 ]
