"""Files: what comes out, what is refused, and what is left behind."""

import builtins
import errno
import os
import random
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import skipsort


@pytest.fixture
def lines(tmp_path):
    """A file four times as large as the least memory, in no order, with duplicates."""
    rows = [b"https://example.org/%d/index" % random.Random(n // 2).randrange(10**12) for n in range(100_000)]
    random.Random(1).shuffle(rows)
    path = tmp_path / "lines.txt"
    path.write_bytes(b"\n".join(rows) + b"\n")
    return path


def rows_of(path):
    return Path(path).read_bytes().split(b"\n")[:-1]


@pytest.mark.parametrize("threads", [1, None])
@pytest.mark.parametrize("memory", ["1M", 1 << 26])
@pytest.mark.parametrize("reverse", [False, True])
def test_lines(lines, tmp_path, memory, threads, reverse):
    out = tmp_path / "out.txt"
    count = skipsort.external_sort(lines, out, memory=memory, threads=threads, reverse=reverse, temporary=tmp_path)
    assert count == 100_000
    assert rows_of(out) == builtins.sorted(rows_of(lines), reverse=reverse)
    assert builtins.sorted(os.listdir(tmp_path)) == ["lines.txt", "out.txt"]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40)
@given(st.lists(st.binary(max_size=30).map(lambda row: row.replace(b"\n", b"")), max_size=60))
def test_any_bytes(tmp_path, rows):
    path, out = tmp_path / "in", str(tmp_path / "out")
    path.write_bytes(b"".join(row + b"\n" for row in rows))
    assert skipsort.external_sort(str(path), out, memory="1m") == len(rows)
    assert rows_of(out) == builtins.sorted(rows)
    assert skipsort.external_sort([path], out, unique=True) == len(set(rows))
    assert rows_of(out) == builtins.sorted(set(rows))


def test_shapes_and_several_files(tmp_path):
    one, two, out = tmp_path / "1", tmp_path / "2", tmp_path / "out"
    one.write_bytes(b"b\0a")
    two.write_bytes(b"c\0")
    assert skipsort.external_sort([one, two], out, delimiter=b"\0") == 3
    assert out.read_bytes() == b"a\0b\0c\0"
    one.write_bytes(b"bbaacc")
    assert skipsort.external_sort(one, out, record_bytes=2) == 3
    assert out.read_bytes() == b"aabbcc"
    with pytest.raises(ValueError, match="ends with 2 bytes of a record of 4"):
        skipsort.external_sort(one, out, record_bytes=4)


def test_the_output_may_be_an_input(lines):
    rows = rows_of(lines)
    lines.chmod(0o640)
    skipsort.external_sort(lines, lines, memory="1M")
    assert rows_of(lines) == builtins.sorted(rows)
    assert lines.stat().st_mode & 0o777 == 0o640


def test_links_lead_to_the_file_and_new_files_follow_the_mask(lines, tmp_path):
    out, link = tmp_path / "out", tmp_path / "link"
    out.touch()
    link.symlink_to(out)
    skipsort.external_sort(lines, link)
    assert link.is_symlink() and rows_of(out) == builtins.sorted(rows_of(lines))
    old = os.umask(0o027)
    try:
        skipsort.external_sort(lines, tmp_path / "new")
    finally:
        os.umask(old)
    assert (tmp_path / "new").stat().st_mode & 0o777 == 0o640


def test_the_folder_of_the_process_is_the_default(lines, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert skipsort.external_sort("lines.txt", "out.txt") == 100_000
    assert skipsort.external_sort("out.txt", "/dev/null") == 100_000


@pytest.mark.parametrize(
    ("changed", "error", "message"),
    [
        ({"memory": 1}, ValueError, "memory=1 is too little: at least '1M'"),
        ({"memory": "512K"}, ValueError, "too little"),
        ({"memory": "much"}, ValueError, "memory='much': a number of bytes"),
        ({"memory": "-1M"}, ValueError, "memory='-1M'"),
        ({"memory": ""}, ValueError, "memory=''"),
        ({"memory": float("nan")}, TypeError, "float"),
        ({"memory": None}, TypeError, "NoneType"),
        ({"delimiter": "\n"}, ValueError, "delimiter='.n': one byte"),
        ({"delimiter": b"ab"}, ValueError, "one byte"),
        ({"record_bytes": 0}, ValueError, "record_bytes=0"),
        ({"threads": 0}, ValueError, "threads=0"),
        ({"path": []}, ValueError, "there is no path"),
        ({"path": 7}, TypeError, "not iterable"),
        ({"path": "missing"}, FileNotFoundError, "missing"),
        ({"path": "."}, IsADirectoryError, "'.'"),
        ({"out": "."}, IsADirectoryError, "'.'"),
        ({"out": "no/folder"}, FileNotFoundError, "no/folder"),
        ({"temporary": "no", "memory": "1M"}, FileNotFoundError, "'no'"),
    ],
)
def test_what_is_refused(lines, tmp_path, monkeypatch, changed, error, message):
    monkeypatch.chdir(tmp_path)
    given = {"path": lines, "out": "out.txt", **changed}
    with pytest.raises(error, match=message):
        skipsort.external_sort(given.pop("path"), given.pop("out"), **given)
    assert os.listdir(tmp_path) == ["lines.txt"]


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(FileNotFoundError) as raised:
        skipsort.external_sort(tmp_path / "missing", tmp_path / "out")
    assert (raised.value.errno, raised.value.filename) == (errno.ENOENT, str(tmp_path / "missing"))


def test_a_full_device(lines):
    with pytest.raises(OSError, match="/dev/full") as raised:
        skipsort.external_sort(lines, "/dev/full")
    assert raised.value.errno == errno.ENOSPC


# A limit on the size of files fails like a disk that is full, at any file, of which there is no other way to make sure of.
LIMITED = """
import os, resource, signal, sys
import skipsort
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))
try:
    skipsort.external_sort(sys.argv[1], sys.argv[2], memory=sys.argv[3], temporary=os.path.dirname(sys.argv[2]))
except OSError as error:
    print(error.errno, error.filename)
"""


@pytest.mark.parametrize(("memory", "where"), [("1M", "{folder}"), ("1G", "{folder}/out")])
def test_files_that_cannot_grow(lines, tmp_path, memory, where):
    folder = tmp_path / "full"
    folder.mkdir()
    out = folder / "out"
    out.write_text("old")
    ran = subprocess.run(
        [sys.executable, "-c", LIMITED, lines, out, memory], capture_output=True, text=True, check=True
    )
    assert ran.stdout.strip() == f"{errno.EFBIG} {where.format(folder=folder)}"
    assert os.listdir(folder) == ["out"] and out.read_text() == "old"


def test_memory_is_bounded(lines, tmp_path):
    """A process that sorts four times its memory stays below what the README of skipsort-external promises."""
    large = tmp_path / "large.txt"
    large.write_bytes(lines.read_bytes() * 16)
    code = (
        "import resource, sys, skipsort\n"
        "before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "skipsort.external_sort(*sys.argv[1:], memory='16M')\n"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code, large, tmp_path / "out"], capture_output=True, text=True, check=True
    )
    assert int(ran.stdout) * 1024 < (16 << 20) * 1.1 + (16 << 20)
