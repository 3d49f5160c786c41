#!/usr/bin/env bash
# Sorts a table on a Ballista cluster of one scheduler and two executors on 127.0.0.1, kills one executor in the middle, and
# compares the result with that of one process. Ends with 0 if they are equal.
#
#   cluster.sh [ROWS] [FILES]      100000000 rows in 32 files; each file is a partition
#
#   PLANNER=adaptive               Ballista's adaptive planner, with the rule on the executors; otherwise its static planner,
#                                  with the rule on the scheduler
#   KILL=no                        leaves both executors alive
#   TMPDIR                         where the folder is made that holds all files, and that is removed at the end
set -euo pipefail

rows=${1:-100000000}
files=${2:-32}
planner=${PLANNER:-static}
kill_one=${KILL:-yes}
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
mib=$((1 << 20))

say() { printf '%6s s  %s\n' "$SECONDS" "$*"; }
why="a command failed"
die() { why=$*; exit 1; }

declare -A pids=()
work=

# Ends what was started here, by its number, and nothing else.
stop() {
    local name
    for name in "$@"; do kill "${pids[$name]}" 2>/dev/null || true; done
    for name in "$@"; do
        # An executor waits for its tasks before it ends.
        for _ in $(seq 30); do
            kill -0 "${pids[$name]}" 2>/dev/null || break
            sleep 0.1
        done
        kill -9 "${pids[$name]}" 2>/dev/null || true
        wait "${pids[$name]}" 2>/dev/null || true
        unset "pids[$name]"
    done
}

finish() {
    local status=$?
    trap - EXIT
    stop "${!pids[@]}"
    if ((status != 0)); then
        # Nothing of the logs stays, so that their ends are shown.
        for log in "${work:-none}"/*.log; do
            if [[ -s $log ]]; then printf '\n== the end of %s\n' "${log##*/}" && tail -n 15 "$log"; fi
        done >&2
        say "$why" >&2
    fi
    [[ -z $work ]] || rm -rf "$work"
    exit "$status"
}
trap finish EXIT
trap 'why=interrupted; exit 130' INT
trap 'why=ended; exit 143' TERM

[[ $rows =~ ^[1-9][0-9]*$ && $files =~ ^[1-9][0-9]*$ ]] || die "usage: cluster.sh [ROWS] [FILES]"
[[ $planner == static || $planner == adaptive ]] || die "PLANNER is static or adaptive, not $planner"
[[ $kill_one == yes || $kill_one == no ]] || die "KILL is yes or no, not $kill_one"

# A row has about 65 bytes. A task sorts one partition and has one core's share of its executor's memory; the share is as large as the
# partition's rows, so that rows with their keys exceed it. The last merge holds some batches of every partition, and needs 3 MiB for each.
cores=2
data=$((rows * 65))
share=$((data / files))
least=$((files * 3 * mib))
share=$((share > least ? share : least))
share=$((share > 16 * mib ? share : 16 * mib))
memory=$((share * cores))
((memory < data)) || die "the memory of an executor would be larger than the data: take more rows, or fewer files"

# A process of ours with a name, whose output is in files of that name.
start() {
    local name=$1
    shift
    "$program" "$@" >"$work/$name.txt" 2>"$work/$name.log" &
    pids[$name]=$!
}

alive() { kill -0 "${pids[$1]}" 2>/dev/null; }

# Waits until the command succeeds, for a minute at most, and as long as the process lives.
await() {
    local name=$1
    shift
    for _ in $(seq 600); do
        if "$@" 2>/dev/null; then return; fi
        alive "$name" || die "$name has ended"
        sleep 0.1
    done
    die "$name is not ready after a minute"
}

tasks_of() { grep -c 'Finished task' "$work/$1.log" || true; }

work=$(mktemp -d "${TMPDIR:-/tmp}/skipsort-ballista.XXXXXX")
needed=$((data * 6))
free=$(df -B1 --output=avail "$work" | tail -n 1)
say "the data has $((data / mib)) MiB, an executor $((memory / mib)) MiB of memory; up to $((needed / mib)) MiB of disk are needed, $((free / mib)) MiB are free"
((free > needed)) || die "the disk of $work is too small; TMPDIR chooses another"

say "building"
cargo build --release --locked --manifest-path "$here/Cargo.toml"
program=${CARGO_TARGET_DIR:-$here/target}/release/skipsort-ballista

say "writing $rows rows into $files files"
"$program" data --out "$work/data" --rows "$rows" --files "$files" 2>"$work/data.log"
say "$(du -sh "$work/data" | cut -f 1) written"

start scheduler scheduler --port-file "$work/port" --planner "$planner"
await scheduler test -s "$work/port"
port=$(<"$work/port")
rule=scheduler
[[ $planner == static ]] || rule=executor
for name in executor1 executor2; do
    start "$name" executor --scheduler "$port" --work-dir "$work/files-$name" --memory "$memory" --vcores "$cores" --rule "$rule"
done
for name in executor1 executor2; do await "$name" grep -q 'Starting poll work loop' "$work/$name.log"; done
say "a scheduler ($planner planner) and two executors of $cores cores listen on 127.0.0.1"

if [[ $planner == static ]]; then
    "$program" plan --scheduler "$port" --data "$work/data" >"$work/plan.txt" 2>"$work/plan.log"
    cat "$work/plan.txt"
    grep -q SkipSortExec "$work/plan.txt" || die "the plan has no SkipSortExec"
fi

before=$(tasks_of executor2)
began=$SECONDS
start query query --scheduler "$port" --data "$work/data"
say "the query runs"
if [[ $kill_one == yes ]]; then
    # Some of its tasks are done, so that their files are lost, and others are under way.
    until (($(tasks_of executor2) > before)); do
        alive query || die "the query has ended before an executor could be killed: take more rows"
        alive executor2 || die "executor2 has ended by itself"
        sleep 0.1
    done
    kill -9 "${pids[executor2]}"
    wait "${pids[executor2]}" 2>/dev/null || true
    unset 'pids[executor2]'
    say "executor2 killed after $(($(tasks_of executor2) - before)) of $files sorts; it leaves $(du -sh "$work/files-executor2" | cut -f 1)"
fi
while alive query; do
    for _ in $(seq 100); do alive query && sleep 0.1; done
    say "tasks done: $(tasks_of executor1) by executor1, $(tasks_of executor2) by executor2"
done
wait "${pids[query]}" || die "the query failed"
unset 'pids[query]'
say "the query took $((SECONDS - began)) s"
cat "$work/query.txt"
say "executor1 had at most $(awk '/VmHWM/ { print int($2 / 1024) }' "/proc/${pids[executor1]}/status") MiB in memory, all told"
grep 'lost Executor' "$work/scheduler.log" || [[ $kill_one == no ]] || die "the scheduler did not repeat what the killed executor had done"
grep -q SkipSortExec "$work/query.txt" "$work/executor1.log" || die "no executor ran a SkipSortExec"

# The disk is needed, and the memory.
stop "${!pids[@]}"
rm -rf "$work"/files-*
say "the same query in one process"
began=$SECONDS
"$program" single --data "$work/data" --temp "$work/files-single" >"$work/single.txt" 2>"$work/single.log"
say "it took $((SECONDS - began)) s"
cat "$work/single.txt"

result() { grep -E '^(rows|checksum) ' "$work/$1.txt" | paste -s -d ' '; }
say "cluster:     $(result query)"
say "one process: $(result single)"
[[ $(result query) == "$(result single)" ]] || die "they differ"
[[ $(result query) == "rows $rows checksum "* ]] || die "rows are missing"
say "they are equal"
