"""Lists of str and bytes, beside Python's own sorted."""

import builtins
import gc
import sys
import weakref

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import skipsort

# Lone surrogates are among the characters.
TEXT = st.text(st.characters(), max_size=12) | st.sampled_from(["", "\0", "a\0", "\ud800", "\uffff", "\U00010000"])
BYTES = st.binary(max_size=12) | st.text("ab", max_size=40).map(str.encode)
ROWS = st.lists(TEXT, max_size=300) | st.lists(BYTES, max_size=300)


@given(ROWS, st.booleans(), st.sampled_from([None, 1, 3]))
def test_sorted_is_that_of_python(rows, reverse, threads):
    before = list(rows)
    assert skipsort.sorted(rows, reverse=reverse, threads=threads) == builtins.sorted(rows, reverse=reverse)
    assert rows == before


@given(ROWS, st.booleans())
def test_argsort_is_stable(rows, reverse):
    expected = builtins.sorted(range(len(rows)), key=rows.__getitem__, reverse=reverse)
    assert skipsort.argsort(rows, reverse=reverse) == expected


@given(ROWS, st.integers(0, 400), st.booleans())
def test_top_k_is_the_start(rows, k, reverse):
    assert skipsort.top_k(rows, k, reverse=reverse) == builtins.sorted(rows, reverse=reverse)[:k]


@pytest.mark.parametrize("threads", [1, 2, None])
@pytest.mark.parametrize("make", [str, lambda n: f"https://example.org/{n % 977}/é{n}", lambda n: b"%d" % (n % 50)])
def test_many_rows(make, threads):
    rows = [make(n * 7919 % 30_011) for n in range(60_000)]
    assert skipsort.sorted(rows, threads=threads) == builtins.sorted(rows)
    assert skipsort.argsort(rows, threads=threads) == builtins.sorted(range(len(rows)), key=rows.__getitem__)
    assert skipsort.top_k(rows, 9_000, threads=threads) == builtins.sorted(rows)[:9_000]
    assert skipsort.sorted(rows, reverse=True, threads=threads) == builtins.sorted(rows, reverse=True)


def test_results_are_the_same_objects():
    rows = ["".join(["p", "ear"]), "".join(["f", "ig"])]
    out = skipsort.sorted(rows)
    assert out[0] is rows[1] and out[1] is rows[0]


def test_any_iterable_will_do():
    assert skipsort.sorted({"b": 1, "a": 2}) == ["a", "b"]
    assert skipsort.sorted(word for word in ("b", "a")) == ["a", "b"]
    assert skipsort.sorted("banana") == builtins.sorted("banana")
    assert skipsort.sorted([]) == skipsort.argsort([]) == skipsort.top_k([], 3) == []


def test_subclasses_are_strings():
    assert skipsort.sorted([np.str_("b"), "a"]) == ["a", "b"]


def test_references_are_given_back():
    class Text(str):
        pass

    row = Text("a\ud800")
    kept, count = weakref.ref(row), sys.getrefcount(row)
    out = skipsort.sorted([row, "b"])
    assert sys.getrefcount(row) == count + 1
    with pytest.raises(TypeError):
        skipsort.sorted([row, None])
    del row, out
    gc.collect()
    assert kept() is None


@pytest.mark.parametrize("sort", [skipsort.sorted, skipsort.argsort, lambda rows: skipsort.top_k(rows, 1)])
@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (["a", b"b"], "row 1 is bytes and row 0 is str: encode or decode"),
        ([b"a", "b"], "row 1 is str and row 0 is bytes: encode or decode"),
        (["a", None], "row 1 is NoneType: skipsort takes str or bytes"),
        (["a", float("nan")], "row 1 is float"),
        ([1, 2], "row 0 is int"),
        ([bytearray(b"a")], "row 0 is bytearray"),
        (b"abc", "one bytes is one key"),
        (bytearray(b"abc"), "one bytearray is one key"),
        (7, "not iterable"),
    ],
)
def test_other_rows_are_refused(sort, rows, message):
    with pytest.raises(TypeError, match=message):
        sort(rows)


def test_arguments_are_checked():
    with pytest.raises(ValueError, match="k=-1 is negative"):
        skipsort.top_k(["a"], -1)
    with pytest.raises(TypeError):
        skipsort.top_k(["a"], 1.5)
    for threads in (0, -3):
        with pytest.raises(ValueError, match=f"threads={threads}"):
            skipsort.sorted(["a"], threads=threads)
    with pytest.raises(TypeError):
        skipsort.sorted(["a"], threads="two")
