#!/usr/bin/env bash
# `humdrum ci` on real sources: REPO is a repository of git whose branch `main` has the sources of Postgres 15.18, and whose branch
# `feature+slow` adds three lines to exec_execute_message() of src/backend/tcop/postgres.c:
#     for (volatile int wasted = 0; wasted < 1500; wasted++)
#         ;
# First both revisions, built from source; then the two builds as folders.
set -uo pipefail
repo=$1 out=$(mktemp -d); trap 'rm -rf "$out"' EXIT
cd "$out"
cat > humdrum.toml <<'M'
engine = "postgres"

[plan]
tests = ["point-query", "range-covered-pk", "scan"]
scale = "small"
budget = "100s"
M
show() {
    sed "s|$out|OUT|g; s|$repo|REPO|g" "$1.log" | tail -n "$2"
    echo "exit code $3"; echo; echo "comment.md:"; echo; sed "s|$out|OUT|g; s|$repo|REPO|g" "$1/comment.md"; echo
}
[ -n "${ONLY_FOLDERS:-}" ] || humdrum ci --repo "$repo" --base main --head feature+slow --policy humdrum.toml --progress plain --color never --out sources > sources.log 2>&1
code=$?; [ -n "${ONLY_FOLDERS:-}" ] || show sources 30 $code
folders=()
for branch in main feature+slow; do
    commit=$(git -C "$repo" rev-parse "$branch")
    folders+=("$(humdrum build "postgres@src:$repo#$commit" --dry-run | sed -n 's/^  folder    //p')")
done
humdrum ci --base "main=postgres@${folders[0]}" --head "slow=postgres@${folders[1]}" --policy humdrum.toml --progress plain --color never --out folders > folders.log 2>&1
show folders 30 $?
echo "servers left running: $(pgrep -c -x postgres)"
