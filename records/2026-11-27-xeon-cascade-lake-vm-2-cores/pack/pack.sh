#!/bin/bash
# Shards of a plan of two Postgres releases on nodes without network: the builds come from an archive that `humdrum pack` made.
#
#     HUMDRUM=/path/to/humdrum bash pack.sh > printed.txt
#
# Needs root (for `unshare --net`, in which there is not even a loopback address that is up) and, for `pack` alone, a network.
# All files are in a temporary folder, WORK in what is printed; KEEP=1 keeps it.
set -u
HUMDRUM=$(realpath "${HUMDRUM:-$(command -v humdrum)}")
work=$(mktemp -d)
chmod 755 "$work"
export NO_COLOR=1
trap '[ -n "${KEEP:-}" ] || rm -rf "$work"' EXIT
short() { sed -E "s|$work|WORK|g; s|$HUMDRUM|humdrum|g; s|https?://[^ :]+|URL|g"; }
say() { printf '[%3d s] %s\n' "$SECONDS" "$*" | short; }
run() { # Prints a command, the end of what it prints, and its exit code.
    say "\$ $*"
    "$@" 2>&1 | tail -8 | short
    echo "exit code ${PIPESTATUS[0]}"
}
node() { HUMDRUM_CACHE=$work/node run unshare --net "$HUMDRUM" --quiet "$@"; } # A node: no network, a cache of its own.

cd "$work" || exit 1
cat > plan.toml <<PLAN
suite = "sysbench"
tests = "point-query,scan,update-index"
subjects = ["postgres@16.11", "postgres@17.7"]
scale = "small"
budget = "3m"
seed = 7
PLAN
say "$("$HUMDRUM" --version), $(date -u +%F)"
cat plan.toml
HUMDRUM_CACHE=$work/here run "$HUMDRUM" --quiet pack plan.toml -o builds.tar
run ls -s --block-size=1M builds.tar
say "--- without the archive a node cannot have the builds"
node run plan.toml --shard 1/2 --out without
rm -rf node
say "--- with it"
run "$HUMDRUM" fleet slurm plan.toml --hosts 2 --per-host 1 --archive builds.tar --no-submit --out fleet
node unpack builds.tar
node fleet shard fleet 1
node fleet shard fleet 2
run "$HUMDRUM" fleet status fleet
run "$HUMDRUM" --quiet fleet fetch fleet
say "servers that are left: $(pgrep -cf "$work/")"
