#!/usr/bin/env bash
# Compiles SQLite as it is and with skipsort-sorter.patch, and compares what both return and how long they take. Ends with
# 0 if they return the same.
#
#   compare.sh [ROWS] [ROUNDS]          1000000 rows, 5 rounds; a round runs all queries of orderby.c with both
#   compare.sh --check [CASES] [SEED]   1000 random tables from seed 1 on, with six queries each (check.c), without times
#
#   SKIPSORT_LIB   libskipsort_c.a, instead of building it
#   CC, CFLAGS     the compiler, and its options instead of -O2
#   TMPDIR         where the folder is made that holds all files, and that is removed at the end
set -euo pipefail

usage="usage: compare.sh [ROWS] [ROUNDS], or compare.sh --check [CASES] [SEED]"
version=3.54.1
sha256=0c657666d819f261cc4007526ad57e1669de9949df7a8ea847aa284a2bf0ee52
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../../../.." && pwd)

die() { echo "compare.sh: $*" >&2; exit 1; }

mode=time
if [[ ${1:-} == --check ]]; then
    mode=check
    shift
fi
if [[ $mode == time ]]; then first=${1:-1000000} second=${2:-5}; else first=${1:-1000} second=${2:-1}; fi
[[ $# -le 2 && $first =~ ^[1-9][0-9]*$ && $second =~ ^[1-9][0-9]*$ ]] || die "$usage"
for tool in "${CC:-cc}" patch sha256sum; do command -v "$tool" >/dev/null || die "there is no $tool"; done

# cargo has SQLite's sources, because a crate of the workspace uses them.
manifest=$(cd "$root" && cargo metadata --format-version 1 --locked |
    grep -o '"manifest_path":"[^"]*/libsqlite3-sys-[^"]*"' | head -n 1 | cut -d '"' -f 4) ||
    die "cargo does not know libsqlite3-sys"
sqlite=$(dirname "$manifest")/sqlite3
echo "$sha256  $sqlite/sqlite3.c" | sha256sum --check --status ||
    die "the workspace's SQLite is not the $version that the patch is for"

library=${SKIPSORT_LIB:-}
if [[ -z $library ]]; then
    (cd "$root" && cargo build --release --locked -p skipsort-c) >&2
    library=${CARGO_TARGET_DIR:-$root/target}/release/libskipsort_c.a
fi
library=$(realpath "$library")

work=$(mktemp -d "${TMPDIR:-/tmp}/skipsort-sqlite.XXXXXX")
trap 'rm -rf "$work"' EXIT
# Where SQLite puts what does not fit into memory.
export SQLITE_TMPDIR=$work

# The options mean the same to both; SKIPSORT_PHASE is a word of the patch.
read -r -a flags <<<"${CFLAGS:--O2}"
flags+=(-Wall -Wextra -DSKIPSORT_PHASE=sorter_phase -I "$root/sort/skipsort-c/include" -I "$sqlite")

compile() {
    "${CC:-cc}" "${flags[@]}" "$here"/*.c "$work/$1/sqlite3.c" "$library" -lpthread -ldl -lm -lrt -lutil \
        -o "$work/$1/orderby"
}

mkdir "$work/own" "$work/patched"
cp "$sqlite/sqlite3.c" "$work/own/"
cp "$sqlite/sqlite3.c" "$work/patched/"
patch --quiet --fuzz=0 -d "$work/patched" -p1 <"$here/skipsort-sorter.patch" || die "the patch does not apply"
echo "compiling SQLite $version twice" >&2
compile own &
own=$!
compile patched || die "the patched SQLite does not compile"
wait "$own" || die "SQLite does not compile"

if [[ $mode == check ]]; then
    for build in own patched; do
        "$work/$build/orderby" check "$second" "$first" >"$work/$build.txt" 2>"$work/$build.log" ||
            die "$build: $(<"$work/$build.log")"
    done
    diff "$work/own.txt" "$work/patched.txt" >&2 || die "the patched SQLite returns something else (>)"
    grep -q '^[1-9][0-9]* lists sorted by skipsort, [1-9][0-9]* merged$' "$work/patched.log" ||
        die "one of both ways was not taken: $(<"$work/patched.log")"
    echo "$(grep -c '^  ' "$work/own.txt") statements equal; $(<"$work/patched.log")"
    exit
fi

measure() { "$work/$1/orderby" time "$first" | tee -a "$work/$1.txt" | cut -f 1,6 >"$work/$1.results"; }
for round in $(seq "$second"); do
    echo "round $round of $second" >&2
    # Who comes first changes from round to round.
    if ((round % 2)); then measure own && measure patched; else measure patched && measure own; fi
    diff "$work/own.results" "$work/patched.results" >&2 || die "the patched SQLite returns something else (>)"
done

echo "$first rows; medians of $second rounds, in ms"
awk -F '\t' '
    function median(list, values, count, i, j, value) {
        count = split(list, values, " ")
        for (i = 2; i <= count; i++) {
            value = values[i] + 0
            for (j = i - 1; j >= 1 && values[j] + 0 > value; j--) values[j + 1] = values[j]
            values[j + 1] = value
        }
        return (values[int((count + 1) / 2)] + values[int(count / 2) + 1]) / 2
    }
    FILENAME ~ /own.txt$/ {
        if (!($1 in own)) names[++queries] = $1
        own[$1] = own[$1] " " $2
        next
    }
    { for (column = 2; column <= 5; column++) patched[$1, column] = patched[$1, column] " " $column }
    END {
        print "| query | SQLite | with skipsort | ratio | keys | sort | list |"
        print "|---|---:|---:|---:|---:|---:|---:|"
        for (query = 1; query <= queries; query++) {
            name = names[query]
            before = median(own[name])
            after = median(patched[name, 2])
            printf "| %s | %.1f | %.1f | %.2f |", name, before, after, before / after
            for (column = 3; column <= 5; column++) printf " %.1f |", median(patched[name, column])
            print ""
        }
    }' "$work/own.txt" "$work/patched.txt"
