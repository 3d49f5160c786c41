#!/bin/bash
# Imitates neighbours on a shared host until it is killed: every 5 to 30 seconds, so many workers as there are processors use
# 20 to 80 % of each, and in half of these turns one worker streams through memory.
RANDOM=${1:-1}
trap 'kill $(jobs -p) 2>/dev/null; exit' TERM INT
while :; do
  seconds=$((5 + RANDOM % 26)); load=$((20 + RANDOM % 61))
  stress-ng --quiet --cpu "$(nproc)" --cpu-load $load --timeout ${seconds}s &
  if ((RANDOM % 2)); then stress-ng --quiet --stream 1 --timeout ${seconds}s & fi
  wait
done
