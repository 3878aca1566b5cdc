#!/usr/bin/env bash
# Prints the section of one version of CHANGELOG.md, without its heading: the text of a release.
#
# Usage: scripts/release-notes.sh VERSION
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. scripts/say.sh
[ $# -eq 1 ] || die "which version?" "Usage: scripts/release-notes.sh VERSION"
notes=$(awk -v heading="## $1" 'index($0, "## ") == 1 { inside = ($0 == heading || index($0, heading " ") == 1); next } inside' CHANGELOG.md)
[ -n "$notes" ] || die "CHANGELOG.md has no section ## $1."
printf '%s\n' "$notes"
