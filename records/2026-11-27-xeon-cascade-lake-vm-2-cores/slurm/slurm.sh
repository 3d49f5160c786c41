#!/bin/bash
# A fleet of 16 shards on Slurm, once undisturbed and once disturbed, and how equal both results are.
#
#     HUMDRUM=/path/to/humdrum bash slurm.sh > printed.txt
#
# Needs root (for slurmd and a tmpfs), a machine without another Slurm, Debian's slurm-wlm and munge, and python3. One machine
# is four nodes on the loopback address. All files are in a temporary folder, WORK in what is printed; KEEP=1 keeps it.
# NICE="chrt -i 0" leaves the processors to other programs.
set -u
HUMDRUM=$(realpath "${HUMDRUM:-$(command -v humdrum)}")
NICE=${NICE:-}
PORT=${PORT:-17000}     # slurmctld's; the nodes have the next four
FULL=${FULL:-32m}       # disk of the shard that runs out of room; the log of a session has 100 MB, the record 8 MB
here=$(dirname "$(realpath "$0")")
work=$(mktemp -d)
chmod 755 "$work"
export SLURM_CONF=$work/slurm.conf HUMDRUM_CACHE=$work/cache NO_COLOR=1
alone=$work/undisturbed together=$work/disturbed
daemons=()
declare -A slurmd
begin() { # COMMAND: a daemon, whose id is kept.
    "$@" > /dev/null 2>&1 &
    daemons+=($!)
    disown # The shell would report that it was killed.
}
stop() { # Ends the daemons by their ids, then removes the mount.
    for id in "${daemons[@]}"; do kill "$id" 2>/dev/null && tail --pid="$id" -f /dev/null; done
    if mountpoint -q "$together/shards/7"; then umount "$together/shards/7"; fi
}
trap 'stop; [ -n "${KEEP:-}" ] || rm -rf "$work"' EXIT
short() { sed "s|$work|WORK|g; s|$HUMDRUM|humdrum|g; s|$here/||g"; }
say() { printf '[%3d s] %s\n' "$SECONDS" "$*" | short; }
run() { # Prints a command, what it prints, and its exit code if it is not 0.
    say "\$ $*"
    "$@" 2>&1 | short
    local code=${PIPESTATUS[0]}
    [ "$code" = 0 ] || echo "exit code $code"
}

# Slurm: four nodes, no accounting, no control groups. AuthInfo: a requeued job waits until its credential has expired,
# which is two minutes by default.
mkdir "$work/munge" "$work/state" "$work/cache" "$work"/spool-n{1,2,3,4}
(umask 077; head -c 128 /dev/urandom > "$work/munge/key")
cat > "$SLURM_CONF" <<CONF
ClusterName=drill
SlurmctldHost=$(hostname -s)(127.0.0.1)
SlurmctldPort=$PORT
SlurmUser=root
AuthInfo=socket=$work/munge/socket,cred_expire=5
ProctrackType=proctrack/linuxproc
SelectType=select/cons_tres
SlurmdParameters=config_overrides
StateSaveLocation=$work/state
SlurmdSpoolDir=$work/spool-%n
SlurmctldPidFile=$work/slurmctld.pid
SlurmdPidFile=$work/slurmd-%n.pid
SlurmctldLogFile=$work/slurmctld.log
SlurmdLogFile=$work/%n.log
MinJobAge=3600
NodeName=n[1-4] NodeHostname=localhost NodeAddr=127.0.0.1 Port=[$((PORT + 1))-$((PORT + 4))] CPUs=1 RealMemory=1000
PartitionName=bench Nodes=n[1-4] Default=YES MaxTime=INFINITE State=UP
CONF
begin munged --foreground --force --socket "$work/munge/socket" --key-file "$work/munge/key" \
    --pid-file "$work/munge/pid" --seed-file "$work/munge/seed" --log-file "$work/munge/log"
until [ -S "$work/munge/socket" ]; do sleep 0.2; done
begin slurmctld -D
for node in n1 n2 n3 n4; do begin $NICE slurmd -D -N "$node"; slurmd[$node]=$!; done
until [ "$(sinfo -h -t idle -o %D 2>/dev/null)" = 4 ]; do
    [ "$SECONDS" -lt 60 ] || { say "Slurm does not start: KEEP=1 keeps its logs"; exit 1; }
    sleep 1
done
say "$(slurmctld -V), 4 nodes, $("$HUMDRUM" --version), $(date -u +%F)"

cat > "$work/plan.toml" <<PLAN
suite = "sysbench"
tests = "points-covered-pk,point-query,read-only-sum"
subjects = ["fake@1.0+noise=5%+session_noise=0.3%", "fake@1.0+noise=5%+session_noise=0.3%+slowdown=3%"]
scale = "small"
sessions = 64
budget = "20m"
seed = 7
PLAN
cd "$work" && cat plan.toml

submit() { # FOLDER: `array` and `merge` are the ids of the jobs.
    run "$HUMDRUM" fleet slurm plan.toml --hosts 4 --per-host 4 --partition bench --out "$1"
    read -r array merge < <(python3 -c 'import json, sys; print(*json.load(open(sys.argv[1]))["jobs"])' "$1/fleet.json")
}
task() { squeue --noheader --array --format='%T %N' --jobs "${array}_$1"; } # NUMBER: its state and node
middle() { # NUMBER: waits until a shard is in its second session, or its third.
    local line
    until line=$("$HUMDRUM" fleet status "$together" | grep -E "^shard $1 .* [23] of 4 sessions +RUNNING"); do
        task "$1" | grep -q . || { say "shard $1 was too quick: raise the plan's budget"; exit 1; }
    done
    say "$line"
}
ended() { # Waits until no job is left, and says how the tasks ended.
    while [ -n "$(squeue --noheader --jobs "$array,$merge")" ]; do sleep 1; done
    say "all jobs have ended: shard, state, how often requeued, exit code"
    scontrol show job "$array" | grep -Eo '(ArrayTaskId|JobState|Restarts|ExitCode)=\S+' | cut -d= -f2 |
        paste - - - - | sort -n
}

say "--- undisturbed"
submit "$alone"
ended
run "$HUMDRUM" fleet status "$alone"

say "--- disturbed"
submit "$together"
# In time: shard 7 begins when one of the first four has ended.
mkdir -p "$together/shards/7" && mount -t tmpfs -o "size=$FULL" none "$together/shards/7"
say "the folder of shard 7 is a disk of $FULL"

middle 2
node=$(task 2 | cut -d' ' -f2)
shard=$(pgrep -f "fleet shard $together 2\$")
kill -9 "${slurmd[$node]}" "$(ps -o ppid= -p "$shard" | tr -d ' ')"
kill -9 -- "-$(ps -o pgid= -p "$shard" | tr -d ' ')"
scontrol update "NodeName=$node" State=DOWN Reason=killed
say "slurmd of $node, the task of shard 2 and its parent are killed (SIGKILL), and $node is set down"

middle 3
run scancel "${array}_3"
while [ -n "$(task 3)" ]; do sleep 0.2; done
tail -2 "$together/logs/shard-3.log" | short
run scontrol requeue "${array}_3"

middle 6
run scontrol requeue "${array}_6"
run "$HUMDRUM" fleet status "$together"
ended
say "the end of shard 7's log"
tail -2 "$together/logs/shard-7.log" | short
run "$HUMDRUM" fleet status "$together"
say "lines of the merge's log that name a shard"
grep -i shard "$together/logs/merge.log" | short

mount -o remount,size=256m "$together/shards/7"
say "room is made for shard 7: 256m"
run "$HUMDRUM" --quiet fleet shard "$together" 7 | grep -E '^(\[|exit|error|report:)'
run "$HUMDRUM" fleet status "$together"
run "$HUMDRUM" --quiet fleet fetch "$together" | grep -E '^(\[|exit|error|report:)|shard'
say "processes of tasks that are left: $(pgrep -cf "fleet (shard|fetch) $work|slurmstepd")"

say "--- compared"
run python3 "$here/compare.py" "$alone/merged" "$together/merged"
stop
say "Slurm is ended; processes of the drill that are left: $(pgrep -cf "$work/|slurmstepd|slurmd -D|slurmctld -D")"
