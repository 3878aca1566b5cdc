# Sourced by ./run and ./test after say.sh: cmake and make, which llama.cpp is built with, and Python's virtual environments.
#
# Order: what is there; Debian packages when we are root; else the PyPI wheels in a virtual environment of our own.

# Needs: a folder of our own for the virtual environment. Sets PATH and CMAKE_GENERATOR as needed.
provide_build_tools() {
    local venv="$1/build-tools" missing=()
    has cmake || missing+=(cmake)
    has make || has ninja || missing+=(make)
    if [ ${#missing[@]} -gt 0 ] && is_root && has apt-get; then
        say "Installing ${missing[*]} (Debian packages) to build the embedded model ..."
        apt_install "${missing[@]}" || say "apt-get failed; trying the PyPI wheels instead."
    fi
    if ! has cmake || ! { has make || has ninja; }; then
        [ -x "$venv/bin/ninja" ] || {
            say "Installing cmake and ninja (PyPI wheels) into $venv ..."
            make_venv "$venv" && "$venv/bin/python" -m pip install --quiet cmake ninja >&2 ||
                die "cmake and make are needed to build the embedded model and could not be had from PyPI; the lines above say why." \
                    "As root: apt-get install cmake make" \
                    "A package index of your own: PIP_INDEX_URL, or pip's configuration."
        }
        PATH="$venv/bin:$PATH"
        export PATH
    fi
    has make || export CMAKE_GENERATOR=Ninja
}

# Installs Debian packages and asks nothing.
apt_install() {
    export DEBIAN_FRONTEND=noninteractive
    [ -n "${apt_updated:-}" ] || apt-get update -qq >&2 || return 1
    apt_updated=yes
    apt-get install -y -qq --no-install-recommends "$@" >&2 </dev/null
}

# Makes a virtual environment with pip in it. Debian's Python has pip's wheel in a package of its own, python3-venv.
make_venv() {
    local scripts
    scripts=$(dirname "${BASH_SOURCE[0]}")
    if ! has_ensurepip && is_root && has apt-get; then
        apt_install python3-venv || say "apt-get failed; trying pip's wheel from PyPI instead."
    fi
    if has_ensurepip; then
        python3 -m venv "$1" >&2 || { rm -rf "$1"; return 1; }
    else
        python3 -m venv --without-pip "$1" >&2 && "$1/bin/python" "$scripts/fetch_pip.py" "$1" >&2 || { rm -rf "$1"; return 1; }
    fi
}
has_ensurepip() { python3 -c 'import ensurepip, venv' >/dev/null 2>&1; }
