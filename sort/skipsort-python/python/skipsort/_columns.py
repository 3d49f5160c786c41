"""Kinds of rows. Each knows how to be ordered, how to give rows of an order, and what row numbers are to its library."""

from collections.abc import Iterable
from typing import Any, Protocol

from . import _native
from ._native import Order


class Column(Protocol):
    """Rows of one kind."""

    def order(self, *, reverse: bool, nulls_first: bool, limit: int | None, threads: int | None) -> Order: ...

    def taken(self, order: Order) -> Any:
        """These rows, in the type that they came in."""

    def numbers(self, order: Order) -> Any:
        """The order itself, in a type of the rows' library."""


def column(rows: Iterable[Any]) -> Column:
    """The kind that these rows are of."""
    library = type(rows).__module__.partition(".")[0]
    if library == "numpy" and hasattr(rows, "dtype"):
        return _numpy_column(rows)
    if library in _ARROW:
        return _ARROW[library](rows)
    if hasattr(rows, "__arrow_c_stream__") or hasattr(rows, "__arrow_c_array__"):
        return Arrow(rows)
    if isinstance(rows, bytes | bytearray | memoryview):
        raise TypeError(f"one {type(rows).__name__} is one key: give a list of keys")
    return Objects(rows)


class Objects:
    """Any iterable of `str` or of `bytes`."""

    def __init__(self, rows: Iterable[Any]) -> None:
        # A tuple, because nobody can change it while it is sorted.
        self.rows = tuple(rows)

    def order(self, *, nulls_first: bool, **how: Any) -> Order:
        return _native.order_objects(self.rows, **how)

    def taken(self, order: Order) -> list[Any]:
        return _native.picked(self.rows, order)

    def numbers(self, order: Order) -> list[int]:
        return memoryview(order).cast("q").tolist()


def _numpy_column(rows: Any) -> Column:
    if rows.ndim != 1:
        raise ValueError(f"the array has {rows.ndim} dimensions: sort one row of it, or array.ravel()")
    if rows.dtype.kind in "SU":
        return NumPy(rows)
    if rows.dtype.kind in "OT":
        return NumPyObjects(rows)
    raise TypeError(f"skipsort takes arrays of str or bytes, not of {rows.dtype}: use numpy.sort")


class NumPy:
    """An array of type `S` or `U`."""

    def __init__(self, rows: Any) -> None:
        self.rows = rows

    def order(self, *, nulls_first: bool, **how: Any) -> Order:
        return _native.order_numpy(self.rows, **how)

    def taken(self, order: Order) -> Any:
        return self.rows.take(_numpy_numbers(order))

    def numbers(self, order: Order) -> Any:
        return _numpy_numbers(order)


class NumPyObjects(NumPy):
    """An array of Python objects, or of NumPy's strings of any length."""

    def order(self, **how: Any) -> Order:
        return Objects(self.rows.tolist()).order(**how)


def _numpy_numbers(order: Order) -> Any:
    import numpy

    return numpy.frombuffer(memoryview(order), dtype=numpy.int64)


class Arrow:
    """Whatever speaks the protocol of Arrow's C data interface."""

    def __init__(self, rows: Any) -> None:
        self.rows = rows

    def order(self, **how: Any) -> Order:
        if hasattr(self.rows, "__arrow_c_stream__"):
            return _native.order_stream(self.rows.__arrow_c_stream__(), **how)
        if hasattr(self.rows, "__arrow_c_array__"):
            return _native.order_array(*self.rows.__arrow_c_array__(), **how)
        raise TypeError(f"skipsort cannot sort a {type(self.rows).__name__}: give one column of strings or bytes")

    def taken(self, order: Order) -> Any:
        name = type(self.rows).__name__
        raise TypeError(f"skipsort cannot make a {name}: take its rows in the order of skipsort.argsort")

    def numbers(self, order: Order) -> Any:
        return order


class PyArrow(Arrow):
    """An Array or a ChunkedArray."""

    def taken(self, order: Order) -> Any:
        import pyarrow

        kind = self.rows.type
        # pyarrow takes no rows of views.
        plain = {pyarrow.string_view(): pyarrow.large_string(), pyarrow.binary_view(): pyarrow.large_binary()}
        rows = self.rows.cast(plain[kind]) if kind in plain else self.rows
        return rows.take(self.numbers(order)).cast(kind)

    def numbers(self, order: Order) -> Any:
        import pyarrow

        return pyarrow.array(order, pyarrow.int64())


class Polars(Arrow):
    """A Series."""

    def taken(self, order: Order) -> Any:
        return self.rows.gather(self.numbers(order))

    def numbers(self, order: Order) -> Any:
        import polars

        return polars.Series(order)


class Pandas(Arrow):
    """A Series, which keeps the labels of its rows, or an Index."""

    def order(self, **how: Any) -> Order:
        if hasattr(self.rows, "__arrow_c_stream__"):
            return super().order(**how)
        return Objects(self.rows).order(**how)

    def taken(self, order: Order) -> Any:
        return self.rows.take(_numpy_numbers(order))

    def numbers(self, order: Order) -> Any:
        return _numpy_numbers(order)


_ARROW: dict[str, type[Arrow]] = {"pandas": Pandas, "polars": Polars, "pyarrow": PyArrow}
