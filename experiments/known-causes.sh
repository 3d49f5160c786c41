#!/bin/sh
# Five known causes, put into a real Postgres one at a time, and what `humdrum explain` ranks first.
#
#   experiments/known-causes.sh CAUSE OUT      CAUSE: setting index cpu lock fsync
#
# Needs psql and pgbench, and strace for fsync. HUMDRUM names the program; RELEASE the release (17.7).
# Where the cause is not a setting, both servers are started by `humdrum up` with the same settings and compared by URL,
# while the cause is at work in the second one.
set -eu
cause=$1
out=$2
humdrum=${HUMDRUM:-humdrum}
release=postgres@${RELEASE:-17.7}
budget=${BUDGET:-30s}

explain() {
    "$humdrum" explain "$out" "$1" --json --quiet >"$out/explain.json"
    "$humdrum" explain "$out" "$1" --quiet
}

compare() { # TEST BASE SUBJECT
    "$humdrum" compare "$2" "$3" --tests "$1" --scale tiny --budget "$budget" --allow-external --quiet --out "$out" ||
        [ $? = 1 ] # a regression is what is wanted
}

# Starts two servers alike; sets url_old and url_new, PGHOST and PGPASSWORD of the second.
two_servers() { # SETTINGS
    old=$("$humdrum" up "old=$release$1")
    new=$("$humdrum" up "new=$release$1")
    trap '"$humdrum" down --quiet; kill $helper 2>/dev/null || true' EXIT INT TERM
    url_old=$(echo "$old" | grep -o 'postgres://.*')
    url_new=$(echo "$new" | grep -o 'postgres://.*')
    PGHOST=$(echo "$new" | sed -n 's/.*psql -h \([^ ]*\) .*/\1/p')
    PGPASSWORD=$(echo "$new" | sed -n 's/.*PGPASSWORD=\([^)]*\)).*/\1/p')
    export PGHOST PGPASSWORD PGUSER=humdrum PGDATABASE=postgres
}

# Runs one statement on the second server again and again, errors included (tables come and go with the sessions).
background() { # RATE STATEMENT
    # shellcheck disable=SC2016
    printf 'DO $do$ BEGIN %s EXCEPTION WHEN OTHERS THEN NULL; END $do$;\n' "$2" >"$scratch/again.sql"
    pgbench -n -f "$scratch/again.sql" -R "$1" -T 600 >/dev/null 2>&1 &
    helper=$!
}

helper=
scratch=$(mktemp -d)
case $cause in
setting) # commits that did not wait for the log do
    compare update-index "old=$release+synchronous_commit=off" "new=$release+synchronous_commit=on"
    explain update-index
    ;;
cpu) # every statement is logged
    compare point-query "old=$release" "new=$release+log_min_duration_statement=0"
    explain point-query
    ;;
index) # the index on k is dropped soon after each load
    two_servers ""
    background 20 "DROP INDEX IF EXISTS humdrum.k_1;"
    compare points-covered-si "old=postgres@$url_old" "new=postgres@$url_new"
    explain points-covered-si
    ;;
lock) # another session holds the table now and then, 2 ms at a time
    two_servers ""
    background 60 "LOCK TABLE humdrum.sbtest1 IN ACCESS EXCLUSIVE MODE; PERFORM pg_sleep(0.002);"
    compare point-query "old=postgres@$url_old" "new=postgres@$url_new"
    explain point-query
    ;;
fsync) # each flush of the log takes 1 ms longer
    two_servers "+synchronous_commit=on"
    postmaster=$(psql -qAtc "SELECT split_part(pg_read_file('postmaster.pid'), E'\n', 1)")
    strace -f --seccomp-bpf -qq -o /dev/null -e trace=fdatasync -e inject=fdatasync:delay_exit=1000 -p "$postmaster" &
    helper=$!
    sleep 1
    compare update-nonindex "old=postgres@$url_old" "new=postgres@$url_new"
    explain update-nonindex
    ;;
*)
    echo "no cause $cause: setting index cpu lock fsync" >&2
    exit 2
    ;;
esac
rm -r "$scratch"
