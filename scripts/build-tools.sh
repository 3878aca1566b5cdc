# Sourced by ./run and ./test after say.sh: cmake, make and libclang, which llama.cpp and its bindings are built with.
#
# Order: what is there; Debian packages when we are root; else the PyPI wheels in a virtual environment of our own.

# Needs: a folder of our own for the virtual environment. Sets PATH, LIBCLANG_PATH and BINDGEN_EXTRA_CLANG_ARGS as needed.
provide_build_tools() {
    local venv="$1/build-tools" missing=()
    has cmake || missing+=(cmake)
    has make || has ninja || missing+=(make)
    find_libclang || missing+=(libclang-dev)
    if [ ${#missing[@]} -gt 0 ] && is_root && has apt-get; then
        say "Installing ${missing[*]} (Debian packages) to build the embedded model ..."
        apt_install "${missing[@]}" || say "apt-get failed; trying the PyPI wheels instead."
    fi
    if ! has cmake || ! { has make || has ninja; } || ! find_libclang; then
        [ -x "$venv/bin/ninja" ] || {
            say "Installing cmake, ninja and libclang (PyPI wheels) into $venv ..."
            make_venv "$venv" && "$venv/bin/python" -m pip install --quiet cmake ninja libclang ||
                die "cmake, make and libclang are needed to build the embedded model and could not be had from PyPI." \
                    "As root: apt-get install cmake make libclang-dev" \
                    "Else: apt-get install python3-venv, and check that pip reaches its index (PIP_INDEX_URL)."
        }
        PATH="$venv/bin:$PATH"
        export PATH
        find_libclang || {
            LIBCLANG_PATH=$(dirname "$("$venv/bin/python" -c \
                'import glob, sysconfig; print(glob.glob(sysconfig.get_paths()["purelib"] + "/clang/native/libclang*")[0])')")
            export LIBCLANG_PATH
        }
    fi
    has make || export CMAKE_GENERATOR=Ninja
    # A libclang without clang's own headers (the wheel, or Debian's libclang1) finds stddef.h and others at gcc's.
    if [ -z "${BINDGEN_EXTRA_CLANG_ARGS:-}" ] && ! compgen -G '/usr/lib/llvm-*/lib/clang/*/include/stddef.h' >/dev/null; then
        BINDGEN_EXTRA_CLANG_ARGS="-I$(cc -print-file-name=include)"
        export BINDGEN_EXTRA_CLANG_ARGS
    fi
}

# Tells whether bindgen will find a libclang.
find_libclang() {
    [ -n "${LIBCLANG_PATH:-}" ] && return 0
    has llvm-config && [ -e "$(llvm-config --libdir 2>/dev/null)/libclang.so" ] && return 0
    compgen -G '/usr/lib/llvm-*/lib/libclang*.so*' >/dev/null || compgen -G '/usr/lib/*/libclang*.so*' >/dev/null
}

# Installs Debian packages and asks nothing.
apt_install() {
    export DEBIAN_FRONTEND=noninteractive
    [ -n "${apt_updated:-}" ] || apt-get update -qq >&2 || return 1
    apt_updated=yes
    apt-get install -y -qq --no-install-recommends "$@" >&2 </dev/null
}

# Makes a virtual environment with pip in it.
make_venv() {
    if ! python3 -c 'import ensurepip, venv' >/dev/null 2>&1 && is_root && has apt-get; then
        apt_install python3-venv || return 1
    fi
    python3 -m venv "$1" >&2 || { rm -rf "$1"; return 1; }
}
