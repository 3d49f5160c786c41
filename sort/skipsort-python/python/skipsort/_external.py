"""Files that may be larger than memory."""

import operator
import os
from collections.abc import Iterable

from . import _native
from ._sorting import checked

StrPath = str | os.PathLike[str]

#: With less the buffers have no room.
_LEAST = 1 << 20

_UNITS = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}


def external_sort(
    path: StrPath | Iterable[StrPath],
    out: StrPath,
    *,
    memory: int | str = "256M",
    delimiter: bytes = b"\n",
    record_bytes: int | None = None,
    reverse: bool = False,
    unique: bool = False,
    threads: int | None = None,
    temporary: StrPath | Iterable[StrPath] | None = None,
) -> int:
    """Sorts the lines of one or more files by their bytes into the file `out`, and returns how many there are.

    `memory` is a number of bytes or a text such as "512M" or "4G", at least 1M. Records end at `delimiter`, one byte, or have
    `record_bytes` each. With `unique`, of equal records one is written. What does not fit into memory goes to nameless files
    in the folders `temporary` (that of the system if nothing else is said), which are gone when the sort ends, in whatever way.
    `out` may be one of the inputs; it takes its name when it is whole, and until then stays as it was.
    """
    if not isinstance(delimiter, bytes) or len(delimiter) != 1:
        raise ValueError(f"delimiter={delimiter!r}: one byte, such as b'\\n' or b'\\0'")
    if record_bytes is not None and operator.index(record_bytes) < 1:
        raise ValueError(f"record_bytes={record_bytes}: at least 1")
    return _native.external_sort(
        _paths(path),
        os.fspath(out),
        memory=_bytes(memory),
        delimiter=delimiter[0],
        record_bytes=record_bytes,
        reverse=bool(reverse),
        unique=bool(unique),
        threads=checked(threads),
        folders=[] if temporary is None else _paths(temporary),
    )


def _paths(given: StrPath | Iterable[StrPath]) -> list[str]:
    if isinstance(given, str | os.PathLike):
        return [os.fspath(given)]
    paths = [os.fspath(path) for path in given]
    if not paths:
        raise ValueError("there is no path: name at least one")
    return paths


def _bytes(memory: int | str) -> int:
    if isinstance(memory, str):
        number, unit = memory[:-1], memory[-1:].upper()
        if unit.isdigit():
            number, unit = memory, ""
        if not (number.isascii() and number.isdigit()) or (unit and unit not in _UNITS):
            raise ValueError(f"memory={memory!r}: a number of bytes, or a number and K, M, G or T, such as '512M'")
        count = int(number) * _UNITS.get(unit, 1)
    else:
        count = operator.index(memory)
    if count < _LEAST:
        raise ValueError(f"memory={memory!r} is too little: at least '1M'")
    return count
