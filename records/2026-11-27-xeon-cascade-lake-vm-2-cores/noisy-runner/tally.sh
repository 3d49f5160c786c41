#!/bin/bash
# Counts the verdicts of a selftest's runs, by kind of run, test and quantity, with the median half-width of the intervals:
# bash tally.sh FOLDER
for run in "$1"/*-*/; do
  kind=${run%/}; kind=${kind##*/}; kind=${kind#*-}
  humdrum report "$run" --format tsv --color never | awk -F'\t' -v OFS='\t' -v kind="$kind" '
    NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
    { half = 50 * ($at["rqps_high"] - $at["rqps_low"])
      print kind, $at["test"], "throughput", $at["verdict"], half
      half = 50 * ($at["judged_cpu_high"] - $at["judged_cpu_low"])
      print kind, $at["test"], "cpu", $at["judged_cpu_verdict"], half }'
done | sort -t "$(printf '\t')" -k1,3 -k5,5g | awk -F'\t' -v OFS='\t' '
  function told() {
    if (last) print last, n, count["regression"] + 0, count["improvement"] + 0, count["boring"] + 0, count["inconclusive"] + 0, sprintf("%.2f", half[int((n + 1) / 2)])
    delete count; delete half; n = 0
  }
  BEGIN { print "run", "test", "quantity", "verdicts", "regression", "improvement", "boring", "inconclusive", "half_width_pct" }
  { key = $1 OFS $2 OFS $3; if (key != last) { told(); last = key } count[$4]++; half[++n] = $5 }
  END { told() }'
