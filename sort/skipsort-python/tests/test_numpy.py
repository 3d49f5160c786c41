"""NumPy arrays, beside NumPy's own stable sort."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import skipsort

# NumPy drops zeros at the end of an element.
TEXTS = st.lists(st.text(st.characters(), max_size=6), max_size=100)
BYTES = st.lists(st.binary(max_size=6), max_size=100)
ARRAYS = st.one_of(
    BYTES.map(lambda rows: np.array(rows, dtype="S6")),
    TEXTS.map(lambda rows: np.array(rows, dtype="U6")),
    TEXTS.map(lambda rows: np.array(rows, dtype=">U6")),
    TEXTS.map(lambda rows: np.array(rows, dtype="<U6")),
    TEXTS.map(lambda rows: np.array(rows, dtype=object)),
)


def same(left, right):
    return left.dtype == right.dtype and left.tolist() == right.tolist()


@given(ARRAYS, st.integers(0, 120))
def test_order_is_that_of_numpy(array, k):
    expected = np.argsort(array, kind="stable")
    assert same(skipsort.argsort(array), expected)
    assert same(skipsort.sorted(array), array[expected])
    assert same(skipsort.top_k(array, k), array[expected[:k]])


@given(ARRAYS, st.sampled_from([slice(None, None, -1), slice(1, None, 3), slice(5, 5)]))
def test_views_are_read_where_they_are(array, part):
    view = array[part]
    assert same(skipsort.sorted(view), view[np.argsort(view, kind="stable")])


def test_reverse_keeps_equal_rows_in_order():
    assert skipsort.argsort(np.array([b"a", b"b", b"a"]), reverse=True).tolist() == [1, 0, 2]


def test_more_arrays():
    strings = np.array(["pear", "a long word of many letters", "fig"], dtype=np.dtypes.StringDType())
    assert same(skipsort.sorted(strings), np.sort(strings))
    assert skipsort.sorted(np.broadcast_to(np.array(b"a"), 3)).tolist() == [b"a"] * 3
    assert skipsort.argsort(np.array([], dtype="U0")).tolist() == []
    readonly = np.array([b"b", b"a"])
    readonly.flags.writeable = False
    assert skipsort.sorted(readonly).tolist() == [b"a", b"b"]
    large = np.array([b"/usr/share/doc/%d" % (n * 7919 % 30_011) for n in range(50_000)])
    assert same(skipsort.sorted(large), np.sort(large))


def test_an_order_outlives_its_sort():
    order = skipsort.argsort(np.array([b"b", b"a"]))
    assert order.base is not None and not order.flags.writeable


@pytest.mark.parametrize(
    ("array", "error", "message"),
    [
        (np.array([2, 1]), TypeError, "not of int64: use numpy.sort"),
        (np.array([1.5, float("nan")]), TypeError, "not of float64"),
        (np.array([["a"], ["b"]]), ValueError, "2 dimensions"),
        (np.array(b"a"), ValueError, "0 dimensions"),
        (np.array(["a", None], dtype=object), TypeError, "row 1 is NoneType"),
        (np.array([7, 0x110000], dtype="<u4").view("<U1"), ValueError, "row 1 has a character that is no code point"),
    ],
)
def test_other_arrays_are_refused(array, error, message):
    with pytest.raises(error, match=message):
        skipsort.sorted(array)
