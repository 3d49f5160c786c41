"""The native half of the package. It is called by the other modules here and may change."""

from types import CapsuleType
from typing import Any, final

@final
class Order:
    """Row numbers: a buffer of 64-bit integers, and an Arrow array of them."""

    def __len__(self) -> int: ...
    def __buffer__(self, flags: int, /) -> memoryview: ...
    def __arrow_c_array__(
        self, requested_schema: object | None = None
    ) -> tuple[CapsuleType, CapsuleType]: ...

def order_objects(
    rows: tuple[Any, ...], *, reverse: bool, limit: int | None, threads: int | None
) -> Order: ...
def picked(rows: tuple[Any, ...], order: Order) -> list[Any]: ...
def order_numpy(array: Any, *, reverse: bool, limit: int | None, threads: int | None) -> Order: ...
def order_array(
    schema: CapsuleType,
    array: CapsuleType,
    *,
    reverse: bool,
    nulls_first: bool,
    limit: int | None,
    threads: int | None,
) -> Order: ...
def order_stream(
    stream: CapsuleType, *, reverse: bool, nulls_first: bool, limit: int | None, threads: int | None
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
