#!/bin/bash
# A fleet over ssh with two accounts of one machine, once undisturbed and once disturbed, and how equal both results are.
#
#     HUMDRUM=/path/to/humdrum bash ssh.sh > printed.txt
#
# Needs root (for two accounts, which it makes and removes), OpenSSH's server and client, and python3. The server listens on the
# loopback address alone, for these two accounts and a key that is made here. All files are in a temporary folder, WORK in what is
# printed; KEEP=1 keeps it.
set -u
HUMDRUM=$(realpath "${HUMDRUM:-$(command -v humdrum)}")
PORT=${PORT:-17022}
accounts=(humdrum-one humdrum-two)
here=$(dirname "$(realpath "$0")")
work=$(mktemp -d)
chmod 755 "$work"
export HUMDRUM_CACHE=$work/cache NO_COLOR=1
server=
stop() { # Ends the accounts' processes by their ids, the server, and removes the accounts.
    for account in "${accounts[@]}"; do
        for id in $(pgrep -u "$account"); do kill -9 "$id" 2>/dev/null; done
        userdel --remove "$account" 2>/dev/null
    done
    [ -z "$server" ] || kill "$server"
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

mkdir "$work/cache"
ssh-keygen -q -t ed25519 -N '' -f "$work/host"
ssh-keygen -q -t ed25519 -N '' -f "$work/key"
for account in "${accounts[@]}"; do
    useradd --create-home --home-dir "$work/home-$account" --shell /bin/sh --password '*' "$account" || exit 1
    install -d -m 700 -o "$account" "$work/home-$account/.ssh"
    install -m 600 -o "$account" "$work/key.pub" "$work/home-$account/.ssh/authorized_keys"
done
mkdir -p /run/sshd
"$(command -v sshd)" -D -f /dev/null -h "$work/host" -o ListenAddress=127.0.0.1 -o "Port=$PORT" -o PidFile=none -o UsePAM=no \
    -o PasswordAuthentication=no -o StrictModes=no -o "AllowUsers=${accounts[*]}" -E "$work/sshd.log" &
server=$!
disown
cat > "$work/ssh.conf" <<CONF
Host absent
  Port 9
Host one two absent
  HostName 127.0.0.1
  Port $PORT
  IdentityFile $work/key
  IdentitiesOnly yes
  UserKnownHostsFile $work/known
  StrictHostKeyChecking accept-new
Host one
  User ${accounts[0]}
Host two
  User ${accounts[1]}
CONF
until ssh -F "$work/ssh.conf" one true 2>/dev/null && ssh -F "$work/ssh.conf" two true 2>/dev/null; do
    [ "$SECONDS" -lt 30 ] || { say "ssh does not reach the accounts: KEEP=1 keeps its log"; exit 1; }
    sleep 0.2
done
say "$(ssh -V 2>&1), $("$HUMDRUM" --version), $(date -u +%F)"

cd "$work" || exit 1
cat > plan.toml <<PLAN
suite = "sysbench"
tests = "points-covered-pk,point-query,read-only-sum,range-covered-pk"
subjects = ["fake@1.0+noise=5%+session_noise=0.3%", "fake@1.0+noise=5%+session_noise=0.3%+slowdown=3%"]
scale = "small"
sessions = 60
budget = "4m"
seed = 7
PLAN
cat plan.toml
printf 'one\ntwo\n' > hosts
printf 'one\ntwo\nabsent\n' > hosts-and-one-absent
fleet() { run "$HUMDRUM" fleet "$@"; }
begin() { fleet ssh "$1" plan.toml --ssh "ssh -F $work/ssh.conf" --far "$2" --out "$2"; } # HOSTS FOLDER
sessions() { # NUMBER: waits until the first two shards have so many sessions or more.
    local line least=0
    until [ "$least" -ge "$1" ]; do
        sleep 0.5
        line=$("$HUMDRUM" fleet status disturbed | grep -E '^shard [12] ')
        least=$(grep -Eo '[0-9]+ of [0-9]+ sessions' <<< "$line" | sort -n | head -1 | cut -d' ' -f1)
        [ "$(wc -l <<< "$line")" = 2 ] || least=0
    done
    say "$line"
}
brief() { "$@" | grep -E '^(\[|exit|error|report:)|shard'; }
processes() { pgrep -u "${accounts[0]},${accounts[1]}" --list-name | cut -d' ' -f2 | sort | uniq -c | xargs; }

say "--- undisturbed"
begin hosts undisturbed
brief fleet fetch undisturbed --wait --quiet
fleet status undisturbed

say "--- disturbed"
begin hosts-and-one-absent absent
fleet cancel absent --remove
begin hosts disturbed
sessions 3
for id in $(pgrep -u "${accounts[0]}"); do kill -9 "$id"; done
say "all processes of the account of host one are killed (SIGKILL)"
fleet status disturbed
brief fleet fetch disturbed --quiet
fleet resume disturbed
sessions 8
fleet cancel disturbed
say "processes of both accounts: $(processes | grep . || echo none)"
fleet resume disturbed
"$HUMDRUM" fleet fetch disturbed --wait --quiet > /dev/null 2>&1 &
sleep 5
kill -9 $!
wait $! 2>/dev/null
say "fleet fetch --wait is killed (SIGKILL)"
brief fleet fetch disturbed --wait --quiet
fleet status disturbed
say "processes of both accounts: $(processes | grep . || echo none)"

say "--- how equal"
run python3 "$here/../slurm/compare.py" undisturbed/merged disturbed/merged
