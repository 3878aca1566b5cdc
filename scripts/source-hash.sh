#!/usr/bin/env bash
# Prints one SHA-256 over everything that the programs are built from, so that programs can say which sources they are of.
#
# ./run compares it with what `cargo xtask dist` wrote beside the programs. Usage: scripts/source-hash.sh
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
find Cargo.toml Cargo.lock .cargo build crates -type f -print0 | LC_ALL=C sort -z | xargs -0 sha256sum | sha256sum | cut -c 1-64
