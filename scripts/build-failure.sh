# Sourced by ./run and ./test after say.sh: runs cargo so that a failure can be explained, and explains it.

# Needs: a file for cargo's messages, then cargo's arguments. Shows the messages as they come; returns cargo's exit code.
build_with_cargo() {
    local log=$1 status=0
    shift
    if [ -t 2 ]; then
        # cargo sees a pipe: tell it that a person watches.
        local width
        width=$(stty size <&2 2>/dev/null | cut -d' ' -f2)
        export CARGO_TERM_PROGRESS_WHEN=${CARGO_TERM_PROGRESS_WHEN:-always} CARGO_TERM_PROGRESS_WIDTH=${width:-80}
        export CARGO_TERM_COLOR=${CARGO_TERM_COLOR:-always}
    fi
    cargo "$@" 2>&1 </dev/null | tee "$log" >&2 || status=$?
    return "$status"
}

# Prints why a build failed and what to do next, a line each, from cargo's messages in a file.
explain_build_failure() {
    # From the first error on, without colours, progress bars, quoted sources and warnings: a download that was tried again is
    # no cause, and a word in a line of code is none.
    local errors first
    errors=$(tr '\r' '\n' <"$1" | sed 's/\x1b\[[0-9;]*[A-Za-z]//g' |
        grep -v -E '^ *warning: |^ *[0-9]* *(\||-->|=|\.\.\.)' | sed -n '/^ *error/,$p')
    first=$(grep -m1 -E '^ *error(\[E[0-9]+\])?: ' <<<"$errors" || true)
    is() { grep -q -i -E "$1" <<<"$errors"; }
    if is 'no space left on device|os error 28|disk quota exceeded|os error 122'; then
        echo "The disk is full."
        echo "A build takes about 3 GB. Make room, or set CARGO_TARGET_DIR to a folder on another disk."
    elif is 'rustup could not choose a version of cargo|no default toolchain|no default is configured|toolchain .* is not installed'; then
        echo "rustup has no toolchain to build with."
        echo "Choose one: rustup default stable"
    elif is 'requires rustc [0-9.]+ or newer|requires a rustc|lock file version .* (requires|was found)|is not supported by (rustc|the following packages)|feature .edition2024. is required|was built with .* cargo'; then
        echo "This Rust is too old: $(rustc --version 2>/dev/null || echo 'rustc does not start')."
        echo "aish needs Rust 1.95 or newer: rustup update stable"
    elif is 'signal: 9|killed signal terminated program|cannot allocate memory|os error 12\b|out of memory|memory allocation of'; then
        echo "The machine had too little memory."
        echo "Build with one job at a time: CARGO_BUILD_JOBS=1 CMAKE_BUILD_PARALLEL_LEVEL=1"
    elif is 'permission denied|os error 13\b|read-only file system|os error 30\b'; then
        echo "A file or folder cannot be written: $(grep -m1 -i -E 'permission denied|read-only file system|failed to (create|write|open|remove)' <<<"$errors" | sed 's/^ *//')"
        echo "Give it to yourself, or set CARGO_TARGET_DIR and CARGO_HOME to folders of your own."
    elif ! is 'could not compile|failed to run custom build command' && is '(could ?n.t resolve|could not resolve|failed to lookup address|name resolution|could not connect|couldn.t connect|connection refused|network is unreachable|no route to host|network failure|spurious network error|failed to download|download of .* failed|failed to fetch|unable to update registry|failed to get successful http response|timeout was reached|operation timed out|ssl connect error|certificate|proxy connect aborted)'; then
        echo "The package registry could not be reached: $(grep -i -E 'resolve|lookup|resolution|connect|unreachable|no route|timed out|timeout|certificate|ssl|proxy|http response|download|fetch' <<<"$errors" | tail -n 1 | sed 's/^ *//')"
        echo "Check the network, or set up a mirror or a proxy for cargo; then run this again: it goes on where it stopped."
    elif is 'cannot update the lock file|lock file .* needs to be updated'; then
        echo "Cargo.toml was changed and Cargo.lock was not."
        echo "Bring it up to date: cargo update --workspace"
    elif is 'linker .* not found|failed to find tool|is .?cmake.? not installed|failed to execute command'; then
        echo "A tool of the build is missing: ${first#"${first%%[! ]*}"}"
        echo "On Debian, as root: apt-get install build-essential cmake"
    elif [ -n "$first" ]; then
        echo "The first error was: ${first#"${first%%[! ]*}"}"
        echo "All of it is in $1"
    else
        echo "cargo said: $(tail -n 1 "$1")"
    fi
}
