#!/usr/bin/env bash
# Makes the bindings of llama.cpp anew, after a change of the version of llama-cpp-sys-2 in Cargo.toml.
#
# Needs libclang (LIBCLANG_PATH, or Debian's libclang-dev) and the C library's headers; nothing that uses aish needs this.
# The settings are those of the package's own build script; where it changed them, the build says which it wants.
# Usage: scripts/bindings.sh
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"
. scripts/say.sh
bindgen_version=0.72.1
tools=${CARGO_TARGET_DIR:-$root/target}/bindings
[ -x "$tools/bin/bindgen" ] || cargo install --quiet --locked --root "$tools" "bindgen-cli@$bindgen_version"

version=$(sed -n 's/^llama-cpp-sys-2 = { version = "=\([^"]*\)".*/\1/p' Cargo.toml)
cargo fetch --locked
sources=$(echo "${CARGO_HOME:-$HOME/.cargo}"/registry/src/*/"llama-cpp-sys-2-$version")
[ -d "$sources" ] || die "the sources of llama-cpp-sys-2 $version are not in cargo's registry."

settings=(wrapper.h --with-derive-partialeq --allowlist-item 'ggml_.*' --allowlist-item 'gguf_.*'
    --allowlist-item 'llama_.*' --no-recursive-allowlist --raw-line 'type FILE = ::std::os::raw::c_void;'
    --no-prepend-enum-name --allowlist-item 'llama_rs_.*'
    -- -Illama.cpp/include -Illama.cpp/ggml/include -DLLAMA_RS_BUILD_COMMON)
out=$root/build/bindgen/llama-cpp-sys-2.inc
{
    printf '// llama-cpp-sys-2 %s\n// bindgen %s: %s\n' "$version" "$bindgen_version" "${settings[*]}"
    # A libclang without clang's own headers finds stddef.h and others at gcc's.
    (cd "$sources" && "$tools/bin/bindgen" "${settings[@]}" "-I$(cc -print-file-name=include)")
} >"$out.new"
mv "$out.new" "$out"
say "Wrote ${out#"$root"/}."
