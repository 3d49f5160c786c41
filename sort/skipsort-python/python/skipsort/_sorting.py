"""The three sorts in memory: what kind of rows there are, their order, and the result in the rows' own kind.

Libraries are told by the names of their modules, so that none is imported that the caller does not use.
"""

import operator
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, AnyStr, overload

from . import _native
from ._columns import Column, column
from ._typing import ArrowArray, ArrowStream, NumPyRows, PandasRows, PyArrowRows, Rows, Series

if TYPE_CHECKING:
    import numpy
    import pyarrow


@overload
def sorted(
    rows: Rows, *, reverse: bool = False, nulls_first: bool = False, threads: int | None = None
) -> Rows: ...
@overload
def sorted(
    rows: Iterable[AnyStr], *, reverse: bool = False, nulls_first: bool = False, threads: int | None = None
) -> list[AnyStr]: ...
def sorted(
    rows: Any, *, reverse: bool = False, nulls_first: bool = False, threads: int | None = None
) -> Any:
    """All rows in order, equal ones in theirs.

    A list from any iterable of `str` or of `bytes`; from an array of NumPy (`S`, `U`), pyarrow, or a Series of polars or
    pandas, another one of the same type. Strings are ordered by code points, as Python does it. Those of Arrow data are
    ordered by their bytes, which is the same for UTF-8; nothing checks that they are UTF-8. `threads` is the number of
    processors if nothing else is said.

    >>> sorted([b"b", b"a"], reverse=True)
    [b'b', b'a']
    """
    return _taken(column(rows), reverse=reverse, nulls_first=nulls_first, limit=None, threads=threads)


@overload
def argsort(
    rows: NumPyRows | PandasRows,
    *,
    reverse: bool = False,
    nulls_first: bool = False,
    threads: int | None = None,
) -> "numpy.ndarray[tuple[int], numpy.dtype[numpy.int64]]": ...
@overload
def argsort(
    rows: Series, *, reverse: bool = False, nulls_first: bool = False, threads: int | None = None
) -> Series: ...
@overload
def argsort(
    rows: PyArrowRows, *, reverse: bool = False, nulls_first: bool = False, threads: int | None = None
) -> "pyarrow.Int64Array": ...
@overload
def argsort(
    rows: ArrowArray | ArrowStream,
    *,
    reverse: bool = False,
    nulls_first: bool = False,
    threads: int | None = None,
) -> _native.Order: ...
@overload
def argsort(
    rows: Iterable[AnyStr], *, reverse: bool = False, nulls_first: bool = False, threads: int | None = None
) -> list[int]: ...
def argsort(
    rows: Any, *, reverse: bool = False, nulls_first: bool = False, threads: int | None = None
) -> Any:
    """The numbers of all rows in their order: a list of `int`, a NumPy array (also for pandas), a pyarrow array or a Series.

    Of another library's Arrow data it is an `Order`, which has Arrow's `__arrow_c_array__` and is a buffer of 64-bit integers.

    >>> argsort(["pear", "apple", "fig"])
    [1, 2, 0]
    """
    data = column(rows)
    return data.numbers(_order(data, reverse=reverse, nulls_first=nulls_first, limit=None, threads=threads))


@overload
def top_k(
    rows: Rows, k: int, *, reverse: bool = False, nulls_first: bool = False, threads: int | None = None
) -> Rows: ...
@overload
def top_k(
    rows: Iterable[AnyStr],
    k: int,
    *,
    reverse: bool = False,
    nulls_first: bool = False,
    threads: int | None = None,
) -> list[AnyStr]: ...
def top_k(
    rows: Any,
    k: int,
    *,
    reverse: bool = False,
    nulls_first: bool = False,
    threads: int | None = None,
) -> Any:
    """The first `k` of `sorted(rows)`, in the same type, in less time. With `reverse` it takes as long as to sort all.

    >>> top_k(["pear", "apple", "fig"], 2)
    ['apple', 'fig']
    """
    limit = operator.index(k)
    if limit < 0:
        raise ValueError(f"k={k} is negative: how many rows are wanted?")
    return _taken(column(rows), reverse=reverse, nulls_first=nulls_first, limit=limit, threads=threads)


def _taken(data: Column, **how: Any) -> Any:
    return data.taken(_order(data, **how))


def _order(
    data: Column, *, reverse: bool, nulls_first: bool, limit: int | None, threads: int | None
) -> _native.Order:
    return data.order(reverse=bool(reverse), nulls_first=bool(nulls_first), limit=limit, threads=checked(threads))


def checked(threads: int | None) -> int | None:
    """The number of threads, if it is one."""
    if threads is not None and operator.index(threads) < 1:
        raise ValueError(f"threads={threads}: at least 1, or None for all processors")
    return threads
