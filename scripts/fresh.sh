#!/usr/bin/env bash
# Runs both commands of the README on machines that have just been set up: bare Debian roots, made with mmdebstrap.
#
# Usage (as root): scripts/fresh.sh [--root NAME]... [--command ask|test]... [--cargo FOLDER] [--target FOLDER] [--logs FOLDER]
#   --root NAME       one of the roots below; all of them when none is named
#   --command NAME    ask (`./run ask "What is the capital of France?"`) or test (`./test`); both when none is named
#   --cargo FOLDER    keeps cargo's downloads there, for all roots and the next time
#   --target FOLDER   one target folder for all roots, at the same path in each: only the first pays for the compile
#   --logs FOLDER     where the output goes, fresh-ROOT-COMMAND.log (target/fresh)
# Roots, each with gcc, g++, git, python3 and this machine's Rust toolchain:
#   bare       nothing else
#   clang      with libclang-cpp14, LLVM's C++ library, which is not libclang
#   user       as a user without rights, with python3-venv
#   user-bare  as a user without rights, without it
# The sources are those of HEAD. Exit code: 0 when every command of every root did its work. Needs mmdebstrap and 15 GB in TMPDIR.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
. "$root/scripts/say.sh"

roots=() commands=() cargo= target= logs=$root/target/fresh
while [ $# -gt 0 ]; do
    case $1 in
        --root) roots+=("$2") ;;
        --command) commands+=("$2") ;;
        --cargo) cargo=$2 ;;
        --target) target=$2 ;;
        --logs) logs=$2 ;;
        *) die "unknown option $1" "$(sed -n 's/^# Usage (as root): /Usage: /p' "$0")" ;;
    esac
    shift 2 || die "an option has no value" "$(sed -n 's/^# Usage (as root): /Usage: /p' "$0")"
done
[ ${#roots[@]} -gt 0 ] || roots=(bare clang user user-bare)
[ ${#commands[@]} -gt 0 ] || commands=(ask test)
for name in "${roots[@]}" "${commands[@]}"; do
    case $name in bare | clang | user | user-bare | ask | test) ;; *) die "there is no root or command named $name." ;; esac
done
is_root || die "mounts and roots need root: run it with sudo."
for program in mmdebstrap rustc unshare pivot_root; do has "$program" || die "$program is missing." "As root: apt-get install mmdebstrap util-linux mount"; done

suite=bookworm
user=1000
sysroot=$(rustc --print sysroot)
work=$(mktemp -d "${TMPDIR:-/var/tmp}/aish-fresh.XXXXXX")
trap 'rm -rf --one-file-system "$work"' EXIT
mkdir -p "$logs" ${cargo:+"$cargo"} ${target:+"$target"}

# What a network that needs a proxy or certificates of its own has told this machine.
network=()
for name in http_proxy https_proxy no_proxy HTTP_PROXY HTTPS_PROXY NO_PROXY PIP_INDEX_URL PIP_CERT SSL_CERT_FILE; do
    [ -z "${!name:-}" ] || network+=("$name=${!name}")
done

make_root() {
    local name=$1 into=$2 packages=ca-certificates,gcc,g++,git,python3
    case $name in
        clang) packages+=,libclang-cpp14 ;;
        user) packages+=,python3-venv ;;
    esac
    mmdebstrap --quiet --mode=root --variant=minbase --include="$packages" "$suite" "$into"
    cp -L /etc/resolv.conf "$into/etc/resolv.conf"
    # The certificates that this machine trusts, at the paths that the variables above name.
    local file
    for file in /etc/ssl/certs/ca-certificates.crt "${SSL_CERT_FILE:-}" "${PIP_CERT:-}"; do
        [ ! -f "$file" ] || install -D -m 644 "$file" "$into$file"
    done
    echo "someone:x:$user:$user::/home/someone:/bin/bash" >>"$into/etc/passwd"
    echo "someone:x:$user:" >>"$into/etc/group"
    mkdir -p "$into/home/someone/aish" "$into/cargo" "$into$sysroot"
    git -C "$root" archive --format=tar HEAD | tar -x -C "$into/home/someone/aish"
    # Whoever clones has a repository: some tests ask git for the list of files.
    git -C "$into/home/someone/aish" init --quiet
    git -C "$into/home/someone/aish" add --all
    mkdir -p "$into/home/someone/aish/target"
}

# Runs in a mount and process namespace of its own: NAME FOLDER COMMAND...
# The root is entered with pivot_root and not with chroot, where no further user namespaces could be made.
inside() {
    local name=$1 into=$2 as=0
    shift 2
    case $name in user*) as=$user ;; esac
    chown -R "$as:$as" "$into/home/someone" "$into/cargo" ${target:+"$target"} ${cargo:+"$cargo"}
    local home=/root
    [ "$as" -eq 0 ] || home=/home/someone
    INTO=$into SYSROOT=$sysroot SHARED_TARGET=$target SHARED_CARGO=$cargo unshare --mount --pid --fork --kill-child \
        bash -euc '
            mount --make-rprivate /
            mount --bind "$INTO" "$INTO"
            mount --bind "$SYSROOT" "$INTO$SYSROOT"
            mount -o remount,bind,ro "$INTO$SYSROOT"
            [ -z "$SHARED_CARGO" ] || mount --bind "$SHARED_CARGO" "$INTO/cargo"
            [ -z "$SHARED_TARGET" ] || mount --bind "$SHARED_TARGET" "$INTO/home/someone/aish/target"
            mount --rbind /dev "$INTO/dev"
            mount -t proc proc "$INTO/proc"
            mount -t sysfs sysfs "$INTO/sys"
            mount -t tmpfs -o mode=1777 tmpfs "$INTO/tmp"
            mkdir -p "$INTO/.old"
            cd "$INTO"
            pivot_root . .old
            umount -l .old
            cd /home/someone/aish
            exec "$@"
        ' bash setpriv --reuid "$as" --regid "$as" --clear-groups \
        env -i "PATH=$sysroot/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin" "HOME=$home" TERM=dumb \
        CARGO_HOME=/cargo LANG=C.UTF-8 "${network[@]}" "$@"
}

# Tells whether a command's output is what it is run for.
did_its_work() {
    case $1 in
        ask) tail -n 5 "$2" | grep -q Paris ;;
        test) tail -n 1 "$2" | grep -q -E '^[0-9]+ passed, 0 failed, [0-9]+ skipped$' ;;
    esac
}

failures=0
for name in "${roots[@]}"; do
    say "$name: making the root ..."
    make_root "$name" "$work/$name" >&2
    for command in "${commands[@]}"; do
        log=$logs/fresh-$name-$command.log
        case $command in
            ask) line=(./run ask "What is the capital of France?") ;;
            test) line=(./test) ;;
        esac
        say "$name: ${line[*]}"
        started=$SECONDS status=0
        inside "$name" "$work/$name" "${line[@]}" >"$log" 2>&1 </dev/null || status=$?
        result=ok
        if [ "$status" -ne 0 ] || ! did_its_work "$command" "$log"; then
            result=FAILED failures=$((failures + 1))
        fi
        printf '%-9s  %-4s  %-6s  exit code %s, %s s: %s\n' "$name" "$command" "$result" "$status" $((SECONDS - started)) "$(tail -n 1 "$log")"
    done
    rm -rf --one-file-system "${work:?}/$name"
done
[ "$failures" -eq 0 ]
