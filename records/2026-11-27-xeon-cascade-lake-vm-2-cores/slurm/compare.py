"""Compares two merged results shard by shard: python3 compare.py UNDISTURBED DISTURBED

A pair is a test in a session of a shard. It is equal if every slice of every block has the same place, subject,
number of operations and nanoseconds in both.
"""
import json
import sqlite3
import sys
from collections import defaultdict
from pathlib import Path

SLICES = '''select test, session, "index", position, subject, operations, wall_ns
    from block join slice on slice.block = block.id order by test, session, "index", position'''


def shards(merged):
    """By number of the shard: the slices of its pairs, and its sessions."""
    found = {}
    for folder in sorted(Path(merged, "shards").iterdir(), key=lambda folder: int(folder.name)):
        record = sqlite3.connect(f"file:{folder}/results.sqlite?mode=ro", uri=True)
        pairs = defaultdict(list)
        for test, session, *times in record.execute(SLICES):
            pairs[test, session].append(times)
        sessions = [number for (number,) in record.execute("select number from session order by number")]
        found[int(folder.name)] = pairs, sessions
    return found


left, right = (shards(folder) for folder in sys.argv[1:])
print(f"shards: {len(left)} and {len(right)}")
print("sessions, those of the slice check included:", *(sum(len(s) for _, s in side.values()) for side in (left, right)))
print("pairs of test and session:", *(sum(len(p) for p, _ in side.values()) for side in (left, right)))
print("slices:", *(sum(len(t) for p, _ in side.values() for t in p.values()) for side in (left, right)))
equal = {n: sum(right[n][0].get(pair) == times for pair, times in left[n][0].items()) for n in left if n in right}
print(f"pairs with the same times to the nanosecond: {sum(equal.values())} of {sum(len(pairs) for pairs, _ in left.values())}")
for number, (pairs, sessions) in left.items():
    other, others = right.get(number, ({}, []))
    if sessions != others or pairs.keys() != other.keys():
        print(f"  shard {number}: sessions {sessions} and {others}, {len(pairs)} and {len(other)} pairs")
    unlike = defaultdict(list)
    for test, session in pairs:
        if other.get((test, session)) != pairs[test, session]:
            unlike[test].append(session)
    for test, differ in sorted(unlike.items()):
        print(f"  shard {number}: {test} differs in the sessions {differ}, counted from 0")

copies = defaultdict(list)
for number, (pairs, _) in left.items():
    copies[repr(sorted(pairs.items()))].append(number)
print("shards of the undisturbed run that are copies of another:", sum(len(group) - 1 for group in copies.values()))

print("verdicts, undisturbed and disturbed:")
told = [json.loads(Path(folder, "summary.json").read_text()) for folder in sys.argv[1:]]
tests = zip(*(summary["comparisons"][0]["tests"] for summary in told))
for pair in tests:
    for test in pair:
        low, high = test["ci95"]
        print(f'  {test["test"]:<14} {test["verdict"]} {test["rqps"]:.6f} [{low:.6f}, {high:.6f}], {test["blocks"]} blocks')
