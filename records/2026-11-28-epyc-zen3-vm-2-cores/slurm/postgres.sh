#!/bin/bash
# A fleet on Slurm that measures Postgres: four shards on two nodes, whose builds come in an archive. One task is killed with its servers
# on the way, one is cancelled and requeued.
#
#     HUMDRUM=/path/to/humdrum bash postgres.sh > postgres.txt
#
# Needs root (for slurmd), a machine without another Slurm, Debian's slurm-wlm and munge, and python3. One machine is two nodes on the
# loopback address; servers run as nobody. All files are in a temporary folder, WORK in what is printed; KEEP=1 keeps it.
set -u
HUMDRUM=$(realpath "${HUMDRUM:-$(command -v humdrum)}")
PORT=${PORT:-17000}     # slurmctld's; the nodes have the next two
here=$(dirname "$(realpath "$0")")
work=$(mktemp -d)
chmod 755 "$work"
export SLURM_CONF=$work/slurm.conf HUMDRUM_CACHE=$work/cache NO_COLOR=1
daemons=()
begin() { # COMMAND: a daemon, whose id is kept.
    "$@" > /dev/null 2>&1 &
    daemons+=($!)
    disown
}
stop() { for id in "${daemons[@]}"; do kill "$id" 2>/dev/null && tail --pid="$id" -f /dev/null; done; }
trap 'stop; [ -n "${KEEP:-}" ] || rm -rf "$work"' EXIT
short() { sed "s|$work|WORK|g; s|$HUMDRUM|humdrum|g; s|$here/||g"; }
say() { printf '[%3d s] %s\n' "$SECONDS" "$*" | short; }
run() { # Prints a command, what it prints, and its exit code if it is not 0.
    say "\$ $*"
    "$@" 2>&1 | short
    local code=${PIPESTATUS[0]}
    [ "$code" = 0 ] || echo "exit code $code"
}

# Slurm: two nodes, no accounting, no control groups. AuthInfo: a requeued job waits until its credential has expired.
mkdir "$work/munge" "$work/state" "$work/cache" "$work"/spool-n{1,2}
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
NodeName=n[1-2] NodeHostname=localhost NodeAddr=127.0.0.1 Port=[$((PORT + 1))-$((PORT + 2))] CPUs=1 RealMemory=4000
PartitionName=bench Nodes=n[1-2] Default=YES MaxTime=INFINITE State=UP
CONF
begin munged --foreground --force --socket "$work/munge/socket" --key-file "$work/munge/key" \
    --pid-file "$work/munge/pid" --seed-file "$work/munge/seed" --log-file "$work/munge/log"
until [ -S "$work/munge/socket" ]; do sleep 0.2; done
begin slurmctld -D
for node in n1 n2; do begin slurmd -D -N "$node"; done
until [ "$(sinfo -h -t idle -o %D 2>/dev/null)" = 2 ]; do
    [ "$SECONDS" -lt 60 ] || { say "Slurm does not start: KEEP=1 keeps its logs"; exit 1; }
    sleep 1
done
say "$(slurmctld -V), 2 nodes, $("$HUMDRUM" --version), $(date -u +%F)"

cd "$work" || exit 1
cat > plan.toml <<PLAN
suite = "sysbench"
tests = "hot-points,update-index"
subjects = ["postgres@16.11", "postgres@17.7"]
scale = "tiny"
sessions = 16
budget = "4m"
seed = 7
PLAN
cat plan.toml
fleet() { run "$HUMDRUM" fleet "$@"; }
task() { squeue --noheader --array --format='%T %N' --jobs "${array}_$1"; }
servers() { pgrep -x postgres | wc -l; }
middle() { # NUMBER: waits until a shard is in its second session, or its third.
    local line
    until line=$("$HUMDRUM" fleet status out | grep -E "^shard $1 .* [23] of 4 sessions +RUNNING"); do
        task "$1" | grep -q . || { say "shard $1 was too quick"; exit 1; }
    done
    say "$line"
}

run "$HUMDRUM" pack plan.toml --quiet
fleet slurm plan.toml --hosts 2 --per-host 2 --partition bench --archive builds.tar --out out
read -r array merge < <(python3 -c 'import json; print(*json.load(open("out/fleet.json"))["jobs"])')
middle 1
say "servers: $(servers)"
shard=$(pgrep -f "fleet shard .*out 1\$" | head -1)
kill -9 -- "-$(ps -o pgid= -p "$shard" | tr -d ' ')"
say "the task of shard 1 is killed with its servers (SIGKILL)"
middle 2
run scancel "${array}_2"
while [ -n "$(task 2)" ]; do sleep 0.2; done
run scontrol requeue "${array}_2"
while [ -n "$(squeue --noheader --jobs "$array,$merge")" ]; do sleep 1; done
say "all jobs have ended: shard, state, how often requeued, exit code"
scontrol show job "$array" | grep -Eo '(ArrayTaskId|JobState|Restarts|ExitCode)=\S+' | cut -d= -f2 | paste - - - - | sort -n
fleet status out
run "$HUMDRUM" --quiet fleet shard out 1 | grep -E '^(\[|exit|error|report:)'
fleet fetch out --quiet
fleet status out
say "servers: $(servers)"
stop
say "Slurm is ended; processes of the drill that are left: $(pgrep -cf "$work/|slurmstepd|slurmd -D|slurmctld -D")"
