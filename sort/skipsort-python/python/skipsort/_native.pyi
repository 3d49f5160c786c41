"""The native half of the package. It is called by the other modules here and may change."""

from typing import Any, TypeAlias, final

__all__ = [
    "Order",
    "external_sort",
    "order_array",
    "order_numpy",
    "order_objects",
    "order_stream",
    "picked",
]

#: `types.CapsuleType` has a name since Python 3.13.
_Capsule: TypeAlias = Any

@final
class Order:
    """Row numbers: a buffer of 64-bit integers, and an Arrow array of them."""

    def __len__(self) -> int: ...
    def __buffer__(self, flags: int, /) -> memoryview: ...
    def __arrow_c_array__(
        self, requested_schema: object | None = None
    ) -> tuple[_Capsule, _Capsule]: ...

def order_objects(
    rows: tuple[Any, ...], *, reverse: bool, limit: int | None, threads: int | None
) -> Order: ...
def picked(rows: tuple[Any, ...], order: Order) -> list[Any]: ...
def order_numpy(array: Any, *, reverse: bool, limit: int | None, threads: int | None) -> Order: ...
def order_array(
    schema: _Capsule,
    array: _Capsule,
    *,
    reverse: bool,
    nulls_first: bool,
    limit: int | None,
    threads: int | None,
) -> Order: ...
def order_stream(
    stream: _Capsule, *, reverse: bool, nulls_first: bool, limit: int | None, threads: int | None
) -> Order: ...
def external_sort(
    paths: list[str],
    out: str,
    *,
    memory: int,
    delimiter: int,
    record_bytes: int | None,
    reverse: bool,
    unique: bool,
    threads: int | None,
    folders: list[str],
) -> int: ...
