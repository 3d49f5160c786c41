"""Arrow data with contents that break Arrow's rules, which pyarrow makes of any buffers."""

import struct

import polars as pl
import pyarrow as pa
import pytest

import skipsort

# Short ones lie in views, long ones elsewhere.
NOT_TEXT = [b"\xff\xfe", b"a", b"\xc3", b"\xff" * 40, None, b"\xed\xa0\x80", b"a\x80" * 20]
ORDER = [1, 6, 2, 5, 0, 3, 4]
BINARY = {pa.string(): pa.binary(), pa.large_string(): pa.large_binary(), pa.string_view(): pa.binary_view()}


def not_text(kind):
    """Strings that are no UTF-8."""
    binary = pa.array(NOT_TEXT, type=BINARY[kind])
    array = pa.Array.from_buffers(kind, len(binary), binary.buffers())
    with pytest.raises(pa.ArrowInvalid, match="UTF8"):
        array.validate(full=True)
    return array


@pytest.mark.parametrize("kind", BINARY)
def test_strings_of_pyarrow_need_not_be_text(kind):
    array = not_text(kind)
    assert skipsort.argsort(array).to_pylist() == ORDER
    chunks = pa.chunked_array([array.slice(0, 3), array.slice(3)])
    assert skipsort.argsort(chunks).to_pylist() == ORDER
    rows = [NOT_TEXT[row] for row in ORDER]
    for out in (skipsort.sorted(array), skipsort.top_k(array, len(array))):
        assert out.type == kind
        assert pa.Array.from_buffers(BINARY[kind], len(out), out.buffers()).to_pylist() == rows


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string()])
def test_words_of_a_dictionary_need_not_be_text(kind):
    words = not_text(kind)
    array = pa.DictionaryArray.from_arrays(pa.array([3, 0, None, 2, 1, 4, 1]), words)
    assert skipsort.argsort(array).to_pylist() == [4, 6, 3, 1, 0, 2, 5]


@pytest.mark.parametrize("kind", BINARY)
def test_strings_of_polars_need_not_be_text(kind):
    # polars takes pyarrow's strings as they are.
    assert skipsort.argsort(pl.Series(not_text(kind))).to_list() == ORDER


def by_offsets(kind, offsets, nulls=None):
    number = "i" if kind in (pa.string(), pa.binary()) else "q"
    buffer = bytearray(struct.pack(f"4{number}", 0, 1, 2, 3))
    array = pa.Array.from_buffers(kind, 3, [nulls, pa.py_buffer(buffer), pa.py_buffer(b"bca")])
    # Only now, because pyarrow itself looks at the first offset.
    struct.pack_into(f"4{number}", buffer, 0, *offsets)
    return array


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string(), pa.binary(), pa.large_binary()])
@pytest.mark.parametrize(
    ("offsets", "row"),
    [
        ([0, 1, -2, 3], 1),
        ([-1, 1, 2, 3], 0),
        ([0, 2, 1, 3], 1),
        ([0, 1, 1 << 30, 3], 1),
    ],
)
def test_offsets_are_checked(kind, offsets, row):
    array = by_offsets(kind, offsets)
    with pytest.raises(ValueError, match=f"row {row} refers to something outside"):
        skipsort.argsort(array)
    good = by_offsets(kind, [0, 1, 2, 3])
    with pytest.raises(ValueError, match=f"row {row + 3} "):
        skipsort.sorted(pa.chunked_array([good, array]))


def test_offsets_of_nulls_are_ignored():
    nulls = pa.py_buffer(bytes([0b101]))
    assert skipsort.argsort(by_offsets(pa.string(), [0, 3, 2, 3], nulls)).to_pylist() == [2, 0, 1]


def by_views(kind, *views, nulls=None):
    return pa.Array.from_buffers(kind, len(views), [nulls, pa.py_buffer(b"".join(views)), pa.py_buffer(b"a" * 20)])


def view(length, buffer=0, offset=0):
    return struct.pack("i4sii", length, b"aaaa", buffer, offset)


@pytest.mark.parametrize("kind", [pa.string_view(), pa.binary_view()])
@pytest.mark.parametrize("bad", [view(21), view(-1), view(15, offset=6), view(15, offset=-1), view(15, 1), view(15, -1)])
def test_views_are_checked(kind, bad):
    good = view(20)
    with pytest.raises(ValueError, match="row 1 refers to something outside"):
        skipsort.argsort(by_views(kind, good, bad))
    nulls = pa.py_buffer(bytes([0b101]))
    assert skipsort.argsort(by_views(kind, good, bad, view(14, offset=6), nulls=nulls)).to_pylist() == [2, 0, 1]


@pytest.mark.parametrize("index", [pa.int8(), pa.uint8(), pa.int64(), pa.uint64()])
def test_keys_of_a_dictionary_are_checked(index):
    def array(keys, words):
        return pa.DictionaryArray.from_arrays(pa.array(keys, type=index), pa.array(words, type=pa.string()), safe=False)

    with pytest.raises(ValueError, match="row 2 refers to something outside"):
        skipsort.argsort(array([0, 1, 2], ["b", "a"]))
    with pytest.raises(ValueError, match="row 1 "):
        skipsort.argsort(array([None, 0], []))
    if str(index).startswith("int"):
        with pytest.raises(ValueError, match="row 0 "):
            skipsort.argsort(array([-1, 0], ["b", "a"]))
