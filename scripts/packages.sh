#!/usr/bin/env bash
# Times "package -> first answer" on machines that have just been set up: bare Debian and Ubuntu roots without a compiler.
#
# Usage (as root): scripts/packages.sh DIST [--suite NAME]... [--package NAME]... [--as root|user]... [--roots FOLDER]
#   DIST             the folder that `cargo xtask dist` wrote
#   --suite NAME     bookworm, trixie, noble (Ubuntu 24.04), another suite that mmdebstrap reaches, or `busybox`: busybox, bash
#                    and certificates alone, without glibc's files, for what a machine with musl can take; bookworm and trixie
#                    when none is named
#   --package NAME   deb (apt-get install ./…), wheel (pip in a virtual environment), npm (npm install), archive (tar),
#                    static (the archive of programs that bring their C library); all that fit
#   --as NAME        root, or user: somebody without rights; both (a .deb is installed as root in any case)
#   --roots FOLDER   keeps bare roots there for the next time
# What a person has before the package is not timed: the root, with Python or npm where the package comes by them. Timed are the
# installation, `aish model pull` and one answer of the embedded model. A line each: suite, package, who, seconds of the
# installation, of the model and of the answer, and all of them. Exit code: 0 when every answer came within 60 seconds.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
. "$root/scripts/say.sh"
. "$root/scripts/roots.sh"

usage() { sed -n 's/^# Usage (as root): /Usage: /p' "$0"; }
[ $# -gt 0 ] || die "which folder?" "$(usage)"
dist=$(cd "$1" && pwd)
shift
suites=() packages=() people=() roots=
while [ $# -gt 0 ]; do
    case $1 in
        --suite) suites+=("$2") ;;
        --package) packages+=("$2") ;;
        --as) people+=("$2") ;;
        --roots) roots=$2 ;;
        *) die "unknown option $1" "$(usage)" ;;
    esac
    shift 2 || die "an option has no value" "$(usage)"
done
[ ${#suites[@]} -gt 0 ] || suites=(bookworm trixie)
[ ${#packages[@]} -gt 0 ] || packages=(deb wheel npm archive static)
[ ${#people[@]} -gt 0 ] || people=(root user)
need_roots

limit=60
work=$(mktemp -d "${TMPDIR:-/var/tmp}/aish-packages.XXXXXX")
trap 'rm -rf --one-file-system "$work"' EXIT
roots=${roots:-$work/roots}
mkdir -p "$roots"

# Lists what a root has before the package comes, by the package.
debian_packages() {
    case $1 in
        wheel) echo ca-certificates,python3-venv ;;
        npm) echo ca-certificates,npm ;;
        *) echo ca-certificates ;;
    esac
}

# Makes a root of busybox: no glibc, no package manager. Its bash is static too, as aish's shell needs one.
busybox_root() {
    make_root trixie ca-certificates,busybox-static,bash-static "$1.full"
    local file
    mkdir -p "$1"/{bin,etc/ssl/certs,home,root,tmp,dev,proc,sys,usr/bin}
    cp "$1.full/usr/bin/busybox" "$1.full/usr/bin/bash-static" "$1/bin/"
    mv "$1/bin/bash-static" "$1/bin/bash"
    chroot "$1" /bin/busybox --install -s /bin
    ln -s /bin/env "$1/usr/bin/env"
    for file in /etc/passwd /etc/group /etc/resolv.conf /etc/ssl/certs/ca-certificates.crt "${SSL_CERT_FILE:-}" "${PIP_CERT:-}"; do
        [ ! -f "$1.full$file" ] || install -D -m 644 "$1.full$file" "$1$file"
    done
    install -d -o "$number" -g "$number" "$1/home/someone"
    rm -rf --one-file-system "$1.full"
}

# Makes a root of a suite for a package: SUITE PACKAGE FOLDER. What is needed twice is made once and copied.
root_for() {
    local debian base
    debian=$(debian_packages "$2") base=$roots/$1-$debian
    if [ ! -d "$base" ]; then
        say "$1: making the root with $debian ..."
        rm -rf --one-file-system "$base.new"
        if [ "$1" = busybox ]; then busybox_root "$base.new"; else make_root "$1" "$debian" "$base.new"; fi
        ! [ -e "$base.new/usr/bin/gcc" ] || die "the root of $1 has a compiler: $base.new"
        mv "$base.new" "$base"
    fi
    cp -a --reflink=auto "$base" "$3"
    mkdir "$3/packages"
    find "$dist" -maxdepth 1 -type f -exec cp -t "$3/packages" {} +
}

# Tells whether a package is for a suite.
fits() { [ "$1" != busybox ] || [ "$2" = static ]; }

# Prints the command that installs a package, and the folder of its programs.
installation() {
    local home
    home=$(home_of "$2")
    case $1 in
        deb) echo "apt-get install -y -qq /packages/*_amd64.deb" /usr/bin ;;
        wheel) echo "python3 -m venv $home/venv && $home/venv/bin/pip install --quiet --no-index /packages/*manylinux*.whl" "$home/venv/bin" ;;
        npm) echo "npm install --silent --offline --no-audit --no-fund --prefix $home/node /packages/*.tgz" "$home/node/node_modules/.bin" ;;
        archive | static)
            local libc=gnu
            [ "$1" = archive ] || libc=static
            echo "mkdir $home/aish && tar -xzf /packages/*-linux-$libc.tar.gz -C $home/aish --strip-components=1" "$home/aish/bin"
            ;;
        *) die "there is no package $1" ;;
    esac
}

failures=0
for suite in "${suites[@]}"; do
    for package in "${packages[@]}"; do
        fits "$suite" "$package" || continue
        for who in "${people[@]}"; do
            into=$work/$suite-$package-$who log=$work/log
            say "$suite, $package, $who ..."
            root_for "$suite" "$package" "$into"
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
