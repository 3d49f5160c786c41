#!/bin/sh
# Runs `humdrum ci` with the inputs of an action, which come as variables so that no shell reads them as code. Arguments are added.
set -eu
set -- ci --base "$CHECK_BASE" --head "$CHECK_HEAD" --repo "${CHECK_REPO:-.}" --out "${CHECK_OUT:-humdrum-check}" "$@"
[ -z "${CHECK_ENGINE:-}" ] || set -- "$@" --engine "$CHECK_ENGINE"
[ -z "${CHECK_POLICY:-}" ] || set -- "$@" --policy "$CHECK_POLICY"
[ -z "${CHECK_SUITE:-}" ] || set -- "$@" --suite "$CHECK_SUITE"
[ -z "${CHECK_TESTS:-}" ] || set -- "$@" --tests "$CHECK_TESTS"
[ -z "${CHECK_SCALE:-}" ] || set -- "$@" --scale "$CHECK_SCALE"
[ -z "${CHECK_BUDGET:-}" ] || set -- "$@" --budget "$CHECK_BUDGET"
[ -z "${CHECK_HISTORY:-}" ] || set -- "$@" --history "$CHECK_HISTORY"
exec "${HUMDRUM:-humdrum}" "$@"
