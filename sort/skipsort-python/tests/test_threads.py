"""Other threads go on while rows are sorted, and signals end it."""

import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pyarrow as pa
import pytest

import skipsort

ROWS = [b"%030d" % (n * 7919 % 1_000_003) for n in range(400_000)]


class Capsules:
    """Arrow data that are taken out of pyarrow before the sort, because pyarrow itself gives up the lock for that."""

    def __init__(self, array):
        self.capsules = array.__arrow_c_array__()

    def __arrow_c_array__(self, requested_schema=None):
        return self.capsules


def file_of_rows(path):
    path.write_bytes(b"\n".join(ROWS))
    return path


@pytest.mark.parametrize(
    ("rows", "sort"),
    [
        (lambda _: ROWS, skipsort.argsort),
        (lambda _: [row.decode() for row in ROWS], skipsort.sorted),
        (lambda _: np.array(ROWS), skipsort.argsort),
        (lambda _: np.array(ROWS).astype("U"), skipsort.argsort),
        (lambda _: Capsules(pa.array(ROWS)), skipsort.argsort),
        (file_of_rows, lambda path, threads: skipsort.external_sort(path, f"{path}.out", threads=threads)),
    ],
    ids=["bytes", "str", "numpy S", "numpy U", "arrow", "external_sort"],
)
def test_other_threads_go_on(rows, sort, tmp_path):
    begin, counted = threading.Event(), []
    rows = rows(tmp_path / "rows")

    def count():
        begin.wait()
        counted.extend(range(1000))

    thread = threading.Thread(target=count)
    thread.start()
    # The interpreter takes its lock from no thread in this time, so that the other one runs only if the sort gives it up.
    old = sys.getswitchinterval()
    sys.setswitchinterval(1000)
    try:
        begin.set()
        before = len(counted)
        sort(rows, threads=1)
        after = len(counted)
    finally:
        sys.setswitchinterval(old)
    thread.join()
    assert (before, after) == (0, 1000)


def test_several_threads_sort_at_once():
    results = [None] * 4

    def sort(at):
        results[at] = skipsort.sorted(ROWS[: 20_000 * (at + 1)])

    threads = [threading.Thread(target=sort, args=(at,)) for at in range(4)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert [result == sorted(ROWS[: 20_000 * (at + 1)]) for at, result in enumerate(results)] == [True] * 4


# Sorts again and again, so that a signal meets a sort; says when it has begun, and what came of the signal.
INTERRUPTED = """
import sys, skipsort
rows = [b"%030d" % (n * 7919 % 1_000_003) for n in range(300_000)]
print("ready", flush=True)
try:
    while True:
        {sort}
except KeyboardInterrupt:
    print("interrupted", len(skipsort.sorted(rows)))
"""


@pytest.mark.parametrize(
    "sort",
    [
        "skipsort.argsort(rows, threads=1)",
        "skipsort.argsort(rows, threads=2)",
        "skipsort.top_k(rows, 100_000)",
        "skipsort.external_sort([sys.argv[1]] * 40, sys.argv[2], memory='1M')",
    ],
)
def test_a_signal_ends_a_sort(sort, tmp_path):
    path = tmp_path / "in"
    path.write_bytes(b"\n".join(ROWS[:100_000]))
    (tmp_path / "full").mkdir()
    child = subprocess.Popen(
        [sys.executable, "-c", INTERRUPTED.format(sort=sort), path, tmp_path / "full/out"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert child.stdout.readline() == "ready\n"
    time.sleep(0.3)
    child.send_signal(signal.SIGINT)
    out, err = child.communicate(timeout=60)
    assert (out, err, child.returncode) == ("interrupted 300000\n", "", 0)
    assert [name for name in os.listdir(tmp_path / "full") if name != "out"] == []


def test_what_a_handler_raises_comes_out(tmp_path):
    """One sort of many seconds ends long before it would have."""
    path = tmp_path / "in"
    path.write_bytes(b"\n".join(ROWS))

    class Late(Exception):
        pass

    def raises(*_):
        raise Late

    old = signal.signal(signal.SIGALRM, raises)
    signal.setitimer(signal.ITIMER_REAL, 0.3)
    try:
        with pytest.raises(Late):
            skipsort.external_sort([path] * 100, tmp_path / "out", memory="4M")
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, old)
    assert os.listdir(tmp_path) == ["in"]


def test_no_memory():
    """Address space for rows but not for a sort of them."""
    code = (
        "import resource, skipsort\n"
        "rows = [b'%08d' % (n % 1000) for n in range(2_000_000)]\n"
        "used = int(open('/proc/self/statm').read().split()[0]) * resource.getpagesize()\n"
        "resource.setrlimit(resource.RLIMIT_AS, (used + (64 << 20),) * 2)\n"
        "try:\n"
        "    skipsort.sorted(rows, threads=1)\n"
        "except MemoryError as error:\n"
        "    print(error)"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (ran.stdout, ran.stderr) == (
        "no memory to sort 2000000 rows; external_sort sorts files with a bound\n",
        "",
    )
