"""Columns of pyarrow, polars and pandas."""

import builtins
import subprocess
import sys

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import skipsort

TYPES = [pa.binary(), pa.large_binary(), pa.binary_view(), pa.string(), pa.large_string(), pa.string_view()]
# What UTF-8 can encode.
TEXTS = st.lists(st.none() | st.text(st.characters(codec="utf-8"), max_size=20), max_size=100)


def expected(rows, reverse=False, nulls_first=False):
    """Row numbers in order."""
    values = [row for row in range(len(rows)) if rows[row] is not None]
    nulls = [row for row in range(len(rows)) if rows[row] is None]
    order = builtins.sorted(values, key=rows.__getitem__, reverse=reverse)
    return nulls + order if nulls_first else order + nulls


@given(TEXTS, st.sampled_from(TYPES), st.booleans(), st.booleans(), st.integers(0, 120))
def test_arrays_of_pyarrow(rows, kind, reverse, nulls_first, k):
    array = pa.array(rows, type=pa.string()).cast(kind)
    rows = array.to_pylist()
    how = {"reverse": reverse, "nulls_first": nulls_first}
    order = expected(rows, **how)
    assert skipsort.argsort(array, **how).to_pylist() == order
    assert skipsort.top_k(array, k, **how).to_pylist() == [rows[row] for row in order[:k]]
    out = skipsort.sorted(array, **how)
    assert out.type == kind and out.to_pylist() == [rows[row] for row in order]


@given(st.lists(TEXTS, max_size=4), st.integers(0, 5))
def test_chunks_and_slices(chunks, start):
    array = pa.chunked_array(chunks, type=pa.string()).slice(start)
    rows = array.to_pylist()
    assert skipsort.argsort(array).to_pylist() == expected(rows)
    assert isinstance(skipsort.sorted(array), pa.ChunkedArray)
    one = array.combine_chunks()
    assert skipsort.sorted(one).to_pylist() == [rows[row] for row in expected(rows)]


@given(TEXTS)
def test_dictionaries(rows):
    array = pa.array(rows, type=pa.string()).dictionary_encode()
    assert skipsort.sorted(array).to_pylist() == [rows[row] for row in expected(rows)]


def test_dictionaries_without_words_and_with_null_words():
    nulls = pa.array([None, None], type=pa.string()).dictionary_encode()
    assert skipsort.argsort(nulls).to_pylist() == [0, 1]
    words = pa.DictionaryArray.from_arrays(pa.array([1, 0, None], type=pa.int8()), pa.array(["a", None]))
    assert skipsort.argsort(words).to_pylist() == [1, 0, 2]


@given(TEXTS, st.booleans(), st.booleans())
def test_series_of_polars(rows, reverse, nulls_first):
    series = pl.Series("name", rows, dtype=pl.String)
    how = {"reverse": reverse, "nulls_first": nulls_first}
    out = skipsort.sorted(series, **how)
    assert out.name == "name" and out.to_list() == [rows[row] for row in expected(rows, **how)]
    assert skipsort.argsort(series, **how).to_list() == expected(rows, **how)
    assert skipsort.top_k(series, 3, **how).to_list() == out.to_list()[:3]


@given(TEXTS)
def test_series_of_pandas(rows):
    series = pd.Series(rows, dtype="str")
    order = expected(rows)
    assert skipsort.argsort(series).tolist() == order
    assert skipsort.sorted(series).index.tolist() == order


def test_more_of_pandas_and_polars():
    assert skipsort.sorted(pd.Index(["b", "a"])).tolist() == ["a", "b"]
    assert skipsort.sorted(pl.Series([b"b", b"\xff", b"a"])).to_list() == [b"a", b"b", b"\xff"]
    words = pl.Series(["b", "a", "b"], dtype=pl.Categorical)
    assert skipsort.argsort(words).to_list() == [1, 0, 2]
    large = pl.Series([f"/usr/share/doc/{n * 7919 % 30_011}" for n in range(50_000)])
    assert skipsort.sorted(large).equals(large.sort())


def test_binary_need_not_be_text():
    rows = [b"\xff\xfe", b"\xc3", b"", b"a"]
    assert skipsort.sorted(pa.array(rows)).to_pylist() == builtins.sorted(rows)
    fixed = pa.array([b"b\xff", b"a\x00"], type=pa.binary(2))
    assert skipsort.sorted(fixed).to_pylist() == [b"a\x00", b"b\xff"]


class Foreign:
    """Another library's array."""

    def __init__(self, array):
        self.array = array

    def __arrow_c_array__(self, requested_schema=None):
        return self.array.__arrow_c_array__(requested_schema)


def test_other_libraries_get_an_order():
    order = skipsort.argsort(Foreign(pa.array(["b", None, "a"])))
    assert isinstance(order, skipsort.Order) and len(order) == 3
    assert pa.array(order).to_pylist() == np.frombuffer(order, dtype="i8").tolist() == [2, 0, 1]
    with pytest.raises(TypeError, match="cannot make a Foreign: .* skipsort.argsort"):
        skipsort.sorted(Foreign(pa.array(["a"])))


def test_an_arrow_order_outlives_its_sort():
    order = pa.array(skipsort.argsort(Foreign(pa.array(["b", "a"]))))
    assert order.to_pylist() == [1, 0]


# Two thousand rows of 100 KB, and by how much the peak of the process's memory grows while they are sorted. What is large comes
# from the system and goes back to it, so that no copy finds room in memory that was in use before.
PEAK = """
import polars, pyarrow, skipsort, struct

def kilobytes(name):
    with open("/proc/self/status") as lines:
        return next(int(line.split()[1]) for line in lines if line.startswith(name + ":"))

count, length = 2000, 100_000
text = bytearray(count * length)
for row in range(count):
    text[row * length : (row + 1) * length] = b"%0100000d" % (row * 7919 % count)
offsets = struct.pack(f"{{count + 1}}q", *range(0, (count + 1) * length, length))
buffers = [None, pyarrow.py_buffer(offsets), pyarrow.py_buffer(text)]
array = pyarrow.Array.from_buffers(pyarrow.large_string(), count, buffers)
rows = {rows}
skipsort.argsort(rows[:1])
with open("/proc/self/clear_refs", "w") as peak:
    peak.write("5")
before = kilobytes("VmRSS")
order = skipsort.argsort(rows)
print(len(order), kilobytes("VmHWM") - before, count * length >> 10)
"""


@pytest.mark.parametrize(
    "rows",
    [
        "array",
        "pyarrow.chunked_array([array[:500], array[500:]])",
        "array.cast(pyarrow.string_view())",
        "array.dictionary_encode()",
        "polars.Series(array)",
    ],
)
def test_nothing_is_copied(rows):
    ran = subprocess.run([sys.executable, "-c", PEAK.format(rows=rows)], capture_output=True, text=True)
    assert ran.stderr == ""
    sorted_rows, grown, size = map(int, ran.stdout.split())
    assert sorted_rows == 2000 and grown < size / 10


@pytest.mark.parametrize(
    ("column", "message"),
    [
        (pa.array([2, 1]), "cannot sort Int64 by bytes"),
        (pa.array([1.5, float("nan")]), "cannot sort Float64"),
        (pa.array([1, 2]).dictionary_encode(), "cannot sort Int64"),
        (pa.table({"a": ["b"]}), "a table has several columns"),
        (pa.record_batch({"a": ["b"]}), "a table has several columns"),
        (pl.DataFrame({"a": ["b"]}), "a table has several columns"),
        (pl.Series([1, 2]), "cannot sort Int64"),
        (pl.DataFrame({"a": ["b"]}).lazy(), "cannot sort a LazyFrame"),
        (pa.scalar("a"), "cannot sort a StringScalar"),
    ],
)
def test_other_columns_are_refused(column, message):
    with pytest.raises(TypeError, match=message):
        skipsort.sorted(column)


def test_used_capsules_are_refused():
    class Once(Foreign):
        def __init__(self, array):
            self.capsules = array.__arrow_c_array__()

        def __arrow_c_array__(self, requested_schema=None):
            return self.capsules

    once = Once(pa.array(["a"]))
    skipsort.argsort(once)
    with pytest.raises(ValueError, match="already"):
        skipsort.argsort(once)
    once.capsules = once.capsules[0], pa.array(["a"]).__arrow_c_array__()[1]
    with pytest.raises(ValueError, match="already"):
        skipsort.argsort(once)
