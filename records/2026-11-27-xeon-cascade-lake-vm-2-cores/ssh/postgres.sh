#!/bin/bash
# A fleet over ssh that measures Postgres: two accounts of one machine, whose builds come in an archive. One account's processes are killed
# on the way.
#
#     HUMDRUM=/path/to/humdrum bash postgres.sh > postgres.txt
#
# Needs root (for two accounts, which it makes and removes), and OpenSSH's server and client. The server listens on the
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
tests = "hot-points,update-index"
subjects = ["postgres@16.11", "postgres@17.7"]
scale = "tiny"
sessions = 12
budget = "3m"
seed = 7
PLAN
cat plan.toml
printf 'one\ntwo\n' > hosts
fleet() { run "$HUMDRUM" fleet "$@"; }
brief() { "$@" | grep -E '^(\[|exit|error|report:)|shard|hot-points|update-index'; }
servers() { pgrep -u "${accounts[0]},${accounts[1]}" -x postgres | wc -l; }
least() { # NUMBER: waits until both shards have so many sessions or more.
    local line found=0
    until [ "$found" -ge "$1" ]; do
        sleep 1
        line=$("$HUMDRUM" fleet status out | grep -E '^shard [12] ')
        found=$(grep -Eo '[0-9]+ of [0-9]+ sessions' <<< "$line" | sort -n | head -1 | cut -d' ' -f1)
        [ -n "$found" ] && [ "$(wc -l <<< "$line")" = 2 ] || found=0
    done
    say "$line"
}

run "$HUMDRUM" pack plan.toml --quiet
fleet ssh hosts plan.toml --ssh "ssh -F $work/ssh.conf" --archive builds.tar --out out
least 2
say "servers of both accounts: $(servers)"
for id in $(pgrep -u "${accounts[0]}"); do kill -9 "$id"; done
say "all processes of the account of host one are killed (SIGKILL)"
sleep 2
fleet status out
fleet resume out
brief fleet fetch out --wait --quiet
fleet status out
say "servers of both accounts: $(servers)"
