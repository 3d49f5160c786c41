#!/bin/sh
# Makes `humdrum` callable on a runner: the one in PATH, or with CHECK_RELEASE the program of that release of
# CHECK_RELEASES (owner/name), checked by its sum, or else a build of the sources beside this script.
set -eu
if command -v humdrum >/dev/null; then
    exit 0
fi
sources=$(cd "$(dirname "$0")/.." && pwd)
if [ -z "${CHECK_RELEASE:-}" ]; then
    exec cargo install --locked --path "$sources/lab/cli"
fi
to=${RUNNER_TEMP:-${TMPDIR:-/tmp}}/humdrum-$CHECK_RELEASE
mkdir -p "$to"
archive="humdrum-${CHECK_RELEASE#v}-$(uname -m)-unknown-linux-${CHECK_LIBC:-gnu}.tar.xz"
gh release download "$CHECK_RELEASE" --repo "${CHECK_RELEASES:?owner/name of the releases}" --dir "$to" --clobber \
    --pattern "$archive" --pattern SHA256SUMS
(cd "$to" && sha256sum --check --strict --ignore-missing SHA256SUMS && tar -xJf "$archive")
program=$(find "$to" -type f -name humdrum -perm -u+x | head -n 1)
: "${program:?the archive has no humdrum}"
dirname "$program" >>"${GITHUB_PATH:?the file that a runner names}"
