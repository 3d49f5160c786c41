"""skipsort beside the sorts that Python has, on the same keys in one process.

Each round runs every rival once, in an order drawn anew, so that all meet the same moments of the host. The result of each run is
checked. Times are of the wall clock, medians of the rounds; a rival's number is its time divided by skipsort's on the same
input, so above 1 skipsort is faster.
"""

import argparse
import gc
import os
import platform
import random
import statistics
import sys
import time
from collections.abc import Callable

from sets import SETS
from sorts import SORTS, Sort, limit_threads


def main() -> int:
    args = arguments()
    limit_threads(args.threads)
    print(host(args.threads))
    failed = False
    for name in args.sets:
        words = SETS[name](args.rows, random.Random(args.seed))
        print(f"\n{name}: {len(words)} rows, {sum(map(len, words)) / len(words):.0f} characters on average")
        failed |= not measured(words, args)
    return int(failed)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=positive, default=1_000_000)
    parser.add_argument("--rounds", type=positive, default=3)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=positive, default=os.cpu_count())
    parser.add_argument("--sets", nargs="+", choices=SETS, default=list(SETS), metavar="SET", help=", ".join(SETS))
    return parser.parse_args()


def positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("at least 1")
    return number


def host(threads: int) -> str:
    """What a number needs beside it: processor, threads and versions."""
    from importlib.metadata import version

    processor = platform.processor() or platform.machine()
    if os.path.exists("/proc/cpuinfo"):
        with open("/proc/cpuinfo") as lines:
            names = [line.split(":")[1].strip() for line in lines if line.startswith("model name")]
            processor = names[0] if names else processor
    libraries = ["skipsort", "numpy", "pyarrow", "polars", "pandas", "duckdb"]
    versions = ", ".join(f"{name} {version(name)}" for name in libraries)
    return f"{processor}, {threads} threads where a sort has several\nPython {platform.python_version()}, {versions}"


def measured(words: list[str], args: argparse.Namespace) -> bool:
    """Prints a line per rival; false if one gave a wrong order."""
    expected = sorted(words)
    wrong = []
    for kind in dict.fromkeys(sort.kind for sort in SORTS):
        rivals = [sort for sort in SORTS if sort.kind == kind]
        rows = rivals[0].prepare(words)
        times: dict[Sort, list[float]] = {sort: [] for sort in rivals}
        for round_ in range(args.rounds):
            for sort in random.Random(f"{args.seed} {round_}").sample(rivals, len(rivals)):
                seconds, result = timed(sort.run, rows, args.threads)
                times[sort].append(seconds)
                if sort.read(rows, result) != expected:
                    wrong.append(sort.name)
        report(kind, times, len(words))
    if wrong:
        print(f"wrong order: {', '.join(dict.fromkeys(wrong))}", file=sys.stderr)
    return not wrong


def timed(run: Callable[..., object], rows: object, threads: int) -> tuple[float, object]:
    gc.collect()
    start = time.perf_counter()
    result = run(rows, threads)
    return time.perf_counter() - start, result


def report(kind: str, times: dict[Sort, list[float]], rows: int) -> None:
    medians = {sort: statistics.median(seconds) for sort, seconds in times.items()}
    ours = next(iter(medians.values()))
    for sort, median in medians.items():
        spread = (max(times[sort]) - min(times[sort])) / median
        print(
            f"  {kind:8} {sort.name:32} {median * 1e9 / rows:8.0f} ns/row  {median / ours:6.2f}"
            f"  rounds within {spread:4.0%}",
            flush=True,
        )


if __name__ == "__main__":
    sys.exit(main())
