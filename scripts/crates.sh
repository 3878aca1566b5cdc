#!/usr/bin/env bash
# Packages all crates as they would be published, in the order of what they need.
#
# On crates.io `climax` is somebody else's: there the crate is aish-climax, with the same library and program. That name is given
# here, in a copy of HEAD. Usage: scripts/crates.sh [--verify]   (--verify builds each package, which takes long)
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
. "$root/scripts/say.sh"
verify=--no-verify
case ${1:-} in
    '') ;;
    --verify) verify= ;;
    *) die "unknown option $1" "Usage: scripts/crates.sh [--verify]" ;;
esac
work=$(mktemp -d "${TMPDIR:-/tmp}/aish-crates.XXXXXX")
trap 'rm -rf "$work"' EXIT
git -C "$root" archive --format=tar HEAD | tar -x -C "$work"
cd "$work"
sed -i 's/^name = "climax"$/name = "aish-climax"/' crates/climax/Cargo.toml
printf '\n[lib]\nname = "climax"\n\n[[bin]]\nname = "climax"\npath = "src/main.rs"\n' >>crates/climax/Cargo.toml
sed -i 's/^climax = { path/climax = { package = "aish-climax", path/' Cargo.toml
sed -i 's/^name = "climax"$/name = "aish-climax"/; s/^ "climax",$/ "aish-climax",/' Cargo.lock
rm -rf "$root/target/crates/package"
cargo package --workspace --exclude xtask --exclude aish-testkit ${verify:+"$verify"} --allow-dirty \
    --target-dir "$root/target/crates"
packages=("$root"/target/crates/package/*.crate)
for package in "${packages[@]}"; do
    files=$(tar -tzf "$package")
    for file in README.md LICENSE-MIT LICENSE-APACHE; do
        grep -q "^[^/]*/$file\$" <<<"$files" || die "$(basename "$package") has no $file."
    done
done
printf '%s\n' "${packages[@]}"
