"""The sorts that are compared. Those of one kind get the same input; the first of a kind is what the others are divided by."""

import functools
import os
import typing
from collections.abc import Callable
from typing import Any, NamedTuple


class Sort(NamedTuple):
    """One way to sort."""

    #: What is sorted: rivals of one kind share it.
    kind: str
    name: str
    #: The input from a list of `str`. It is not timed.
    prepare: Callable[[list[str]], Any]
    #: From an input and a number of threads.
    run: Callable[[Any, int], Any]
    #: The list of `str` from the input and the result. It is not timed.
    read: Callable[[Any, Any], list[str]]


def limit_threads(threads: int) -> None:
    """For libraries that are told once, before they are loaded. NumPy's and pandas' sorts have one thread anyway."""
    os.environ["POLARS_MAX_THREADS"] = str(threads)
    import pyarrow

    pyarrow.set_cpu_count(threads)


def _list(words: list[str]) -> list[str]:
    return words


def _numpy(words: list[str]) -> Any:
    import numpy

    return numpy.array([word.encode() for word in words])


def _numpy_text(words: list[str]) -> Any:
    import numpy

    return numpy.array(words)


def _arrow(words: list[str]) -> Any:
    import pyarrow

    return pyarrow.array(words, type=pyarrow.large_string())


def _polars(words: list[str]) -> Any:
    import polars

    return polars.Series(words)


def _pandas(words: list[str]) -> Any:
    import pandas

    return pandas.Series(words, dtype="str")


def _skipsort(rows: Any, threads: int) -> Any:
    import skipsort

    return skipsort.sorted(rows, threads=threads)


def _skipsort_order(rows: Any, threads: int) -> Any:
    import skipsort

    return skipsort.argsort(rows, threads=threads)


def _numpy_sort(kind: str, rows: Any, _: int) -> Any:
    import numpy

    return numpy.sort(rows, kind=typing.cast(Any, kind))


def _arrow_order(rows: Any, _: int) -> Any:
    import pyarrow.compute

    return pyarrow.compute.sort_indices(rows)


@functools.cache
def _connection(threads: int) -> Any:
    import duckdb

    return duckdb.connect(config={"threads": threads})


def _duckdb(rows: Any, threads: int) -> Any:
    import pyarrow

    connection = _connection(threads)
    connection.register("words", pyarrow.table({"word": rows}))
    try:
        return connection.sql("SELECT word FROM words ORDER BY word").to_arrow_table()["word"]
    finally:
        connection.unregister("words")


def _result(_: Any, result: Any) -> list[str]:
    return list(result)


def _decoded(_: Any, result: Any) -> list[str]:
    return [word.decode() for word in result.tolist()]


def _from_arrow(_: Any, result: Any) -> list[str]:
    return typing.cast(list[str], result.to_pylist())


def _from_order(rows: Any, result: Any) -> list[str]:
    return typing.cast(list[str], rows.take(result).to_pylist())


SORTS = [
    Sort("list", "skipsort.sorted", _list, _skipsort, _result),
    Sort("list", "sorted", _list, lambda rows, _: sorted(rows), _result),
    Sort("numpy S", "skipsort.sorted", _numpy, _skipsort, _decoded),
    Sort("numpy S", "numpy.sort", _numpy, functools.partial(_numpy_sort, "quicksort"), _decoded),
    Sort("numpy S", "numpy.sort stable", _numpy, functools.partial(_numpy_sort, "stable"), _decoded),
    Sort("numpy U", "skipsort.sorted", _numpy_text, _skipsort, _result),
    Sort("numpy U", "numpy.sort", _numpy_text, functools.partial(_numpy_sort, "quicksort"), _result),
    Sort("numpy U", "numpy.sort stable", _numpy_text, functools.partial(_numpy_sort, "stable"), _result),
    Sort("pyarrow", "skipsort.argsort", _arrow, _skipsort_order, _from_order),
    Sort("pyarrow", "pyarrow.compute.sort_indices", _arrow, _arrow_order, _from_order),
    Sort("arrow", "skipsort.sorted", _arrow, _skipsort, _from_arrow),
    Sort("arrow", "duckdb ORDER BY", _arrow, _duckdb, _from_arrow),
    Sort("polars", "skipsort.sorted", _polars, _skipsort, _result),
    Sort("polars", "polars sort", _polars, lambda rows, threads: rows.sort(multithreaded=threads > 1), _result),
    Sort("pandas", "skipsort.sorted", _pandas, _skipsort, _result),
    Sort("pandas", "pandas sort_values", _pandas, lambda rows, _: rows.sort_values(), _result),
]
