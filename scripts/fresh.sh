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
. "$root/scripts/roots.sh"

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
need_roots rustc

suite=bookworm
sysroot=$(rustc --print sysroot)
work=$(mktemp -d "${TMPDIR:-/var/tmp}/aish-fresh.XXXXXX")
trap 'rm -rf --one-file-system "$work"' EXIT
mkdir -p "$logs" ${cargo:+"$cargo"} ${target:+"$target"}

# Where anybody may look, unlike in the home of who runs this.
binds=("$sysroot=/opt/rust=ro")
[ -z "$cargo" ] || binds+=("$cargo=/cargo")
[ -z "$target" ] || binds+=("$target=/home/someone/aish/target")
settings=("PATH=/opt/rust/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin" CARGO_HOME=/cargo)

# Makes a root with a clone of HEAD: NAME FOLDER.
checked_out() {
    local name=$1 into=$2 packages=ca-certificates,gcc,g++,git,python3
    case $name in
        clang) packages+=,libclang-cpp14 ;;
        user) packages+=,python3-venv ;;
    esac
    make_root "$suite" "$packages" "$into"
    mkdir -p "$into/home/someone/aish" "$into/cargo"
    git -C "$root" archive --format=tar HEAD | tar -x -C "$into/home/someone/aish"
    # Whoever clones has a repository: some tests ask git for the list of files.
    git -C "$into/home/someone/aish" init --quiet
    git -C "$into/home/someone/aish" add --all
    mkdir -p "$into/home/someone/aish/target"
}

# Runs a command in the clone: NAME FOLDER COMMAND...
in_clone() {
    local name=$1 into=$2 who=root as=0
    shift 2
    case $name in user*) who=user as=$number ;; esac
    chown -R "$as:$as" "$into/home/someone" "$into/cargo" ${target:+"$target"} ${cargo:+"$cargo"}
    inside "$who" "$into" bash -c 'cd /home/someone/aish && exec "$@"' bash "$@"
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
    checked_out "$name" "$work/$name"
    for command in "${commands[@]}"; do
        log=$logs/fresh-$name-$command.log
        case $command in
            ask) line=(./run ask "What is the capital of France?") ;;
            test) line=(./test) ;;
        esac
        say "$name: ${line[*]}"
        started=$SECONDS status=0
        in_clone "$name" "$work/$name" "${line[@]}" >"$log" 2>&1 </dev/null || status=$?
        result=ok
        if [ "$status" -ne 0 ] || ! did_its_work "$command" "$log"; then
            result=FAILED failures=$((failures + 1))
        fi
        printf '%-9s  %-4s  %-6s  exit code %s, %s s: %s\n' "$name" "$command" "$result" "$status" $((SECONDS - started)) "$(tail -n 1 "$log")"
    done
    rm -rf --one-file-system "${work:?}/$name"
done
[ "$failures" -eq 0 ]
