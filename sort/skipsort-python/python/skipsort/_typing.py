"""How a type checker tells the rows of other libraries apart.

Each kind is a protocol of one member that the other libraries do not have. The libraries' own classes would not do: to a
checker, a class of a library that is not installed is every type, so an overload for it would take lists, too.
"""

from typing import Any, Protocol, TypeVar


class NumPyRows(Protocol):
    """An array of NumPy."""

    @property
    def __array_interface__(self) -> dict[str, Any]: ...


class PandasRows(Protocol):
    """A Series or an Index of pandas."""

    @property
    def hasnans(self) -> bool: ...


class PolarsRows(Protocol):
    """A Series of polars."""

    def to_physical(self) -> Any: ...


class PyArrowRows(Protocol):
    """An Array or a ChunkedArray of pyarrow."""

    def dictionary_encode(self) -> Any: ...


class ArrowArray(Protocol):
    """Arrow data of any library."""

    def __arrow_c_array__(self, requested_schema: Any = None) -> Any: ...


class ArrowStream(Protocol):
    """Arrow data of any library, in parts."""

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any: ...


#: Rows of which `sorted` makes others of the same type.
Rows = TypeVar("Rows", bound=NumPyRows | PandasRows | PolarsRows | PyArrowRows)
Series = TypeVar("Series", bound=PolarsRows)
