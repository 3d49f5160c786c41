#!/usr/bin/env bash
# The example docs/ci/postgres-extension.yml by hand: its own step installs two revisions of an extension into copies of the
# host's Postgres 15, and `humdrum ci` measures the project's workload on both. Needs Debian's postgresql-15,
# postgresql-server-dev-15, python3-yaml and git. CHECKOUT is a checkout of humdrum, whose program is in PATH.
set -euo pipefail
checkout=$1
work=$(mktemp -d); chmod 755 "$work"; trap 'rm -rf "$work"' EXIT
export RUNNER_TEMP=$work/temp; mkdir "$RUNNER_TEMP" "$work/weigh" "$work/bin"
# Runners have sudo; here root is at work, and the packages are there.
printf '#!/bin/sh\n[ "$1" = apt-get ] || exec "$@"\n' > "$work/bin/sudo"; chmod +x "$work/bin/sudo"
export PATH=$work/bin:$PATH

# An extension in two commits: the second computes its sum 40 times.
cd "$work/weigh"; git init -q -b main .; git config user.email a@example.invalid; git config user.name A
cat > Makefile <<'M'
MODULES = weigh
EXTENSION = weigh
DATA = weigh--1.0.sql
PG_CONFIG ?= pg_config
PGXS := $(shell $(PG_CONFIG) --pgxs)
include $(PGXS)
M
printf "comment = 'a sum of bytes'\ndefault_version = '1.0'\nmodule_pathname = '\$libdir/weigh'\n" > weigh.control
echo "CREATE FUNCTION weigh(text) RETURNS integer AS 'MODULE_PATHNAME' LANGUAGE C STRICT IMMUTABLE;" > weigh--1.0.sql
cat > weigh.c <<'M'
#include "postgres.h"
#include "fmgr.h"

PG_MODULE_MAGIC;
PG_FUNCTION_INFO_V1(weigh);

#define TIMES 1

Datum
weigh(PG_FUNCTION_ARGS)
{
	text	   *word = PG_GETARG_TEXT_PP(0);
	int			size = VARSIZE_ANY_EXHDR(word);
	volatile int32 sum = 0;

	for (int times = 0; times < TIMES; times++)
	{
		sum = 0;
		for (int i = 0; i < size; i++)
			sum += VARDATA_ANY(word)[i];
	}
	PG_RETURN_INT32(sum);
}
M
mkdir perf
cat > perf/workload.toml <<'M'
name = "weigh"
about = "rows by key, with and without the extension's function"

[[test]]
name = "weigh"
file = "weigh.sql"

[[test]]
name = "plain"
file = "plain.sql"
M
echo 'CREATE EXTENSION weigh; CREATE TABLE words (id int PRIMARY KEY, word text);' > perf/schema.sql
echo "INSERT INTO words SELECT n, repeat(md5(n::text), 4) FROM generate_series(1, 10000) n;" > perf/load.sql
printf '\\set id random(1, 10000)\nSELECT weigh(word) FROM words WHERE id = :id;\n' > perf/weigh.sql
printf '\\set id random(1, 10000)\nSELECT length(word) FROM words WHERE id = :id;\n' > perf/plain.sql
git add .; git commit -qm 'weigh, a sum of bytes'; base=$(git rev-parse HEAD)
sed -i 's/TIMES 1$/TIMES 40/' weigh.c; git commit -qam 'weigh: sums more than once'

# The example's own step, as a runner starts it.
step=$(python3 -c 'import sys, yaml; print(yaml.safe_load(open(sys.argv[1]))["jobs"]["check"]["steps"][1]["run"])' \
    "$checkout/docs/ci/postgres-extension.yml")
BASE=$base bash -e -o pipefail -c "$step" > "$work/install.log" 2>&1 || { cat "$work/install.log"; exit 1; }

code=0
humdrum ci --base "base=postgres@$RUNNER_TEMP/base" --head "head=postgres@$RUNNER_TEMP/head" --suite ./perf --budget "${BUDGET:-3m}" \
    --progress plain --color never --out "$work/out" > "$work/ci.log" 2>&1 || code=$?
sed "s|$work|WORK|g" "$work/ci.log" | tail -n 45
echo "exit code $code"; echo; echo "comment.md:"; echo; sed "s|$work|WORK|g" "$work/out/comment.md"
echo; echo "servers left running: $(pgrep -c -f "$RUNNER_TEMP" || true)"
