"""The package as a type checker sees it, and as an installer does."""

import shutil
import subprocess
import sys
from importlib.metadata import distribution
from pathlib import Path

import skipsort
from skipsort import _native

# Arrays are declared because mypy sees no overload in a type that has Any in it, such as that of `numpy.array`.
USE = """
from collections.abc import Iterable
from typing import Any, assert_type

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import skipsort

Numbers = np.ndarray[tuple[int], np.dtype[np.int64]]
Texts = np.ndarray[tuple[int], np.dtype[np.str_]]


class Foreign:
    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[object, object]:
        raise NotImplementedError


def check(iterable: Iterable[bytes], array: Texts, anything: Any) -> None:
    assert_type(skipsort.external_sort("a", "b", memory="1M", threads=2), int)

    assert_type(skipsort.sorted(["b", "a"]), list[str])
    assert_type(skipsort.sorted([b"b", b"a"], reverse=True), list[bytes])
    assert_type(skipsort.sorted(iterable), list[bytes])
    assert_type(skipsort.sorted(array), Texts)
    assert_type(skipsort.sorted(pa.array(["a"])), pa.StringArray)
    assert_type(skipsort.sorted(pa.chunked_array([["a"]])), pa.ChunkedArray[pa.StringScalar])
    assert_type(skipsort.sorted(pl.Series(["a"])), pl.Series)
    assert_type(skipsort.sorted(pd.Series(["a"])), "pd.Series[str]")
    assert_type(skipsort.sorted(anything), Any)

    assert_type(skipsort.top_k({"b": 1}, 1), list[str])
    assert_type(skipsort.top_k(array, 1), Texts)
    assert_type(skipsort.top_k(pl.Series(["a"]), 1, nulls_first=True), pl.Series)

    assert_type(skipsort.argsort(["b", "a"], reverse=True), list[int])
    assert_type(skipsort.argsort(array), Numbers)
    assert_type(skipsort.argsort(pd.Series(["a"])), Numbers)
    assert_type(skipsort.argsort(pa.array(["a"])), pa.Int64Array)
    assert_type(skipsort.argsort(pa.chunked_array([["a"]])), pa.Int64Array)
    assert_type(skipsort.argsort(pl.Series(["a"])), pl.Series)
    assert_type(skipsort.argsort(Foreign()), skipsort.Order)

    skipsort.sorted(["a"], descending=True)  # type: ignore[call-overload]
    skipsort.sorted(["a", None])  # type: ignore[type-var]
    skipsort.sorted(["a", b"a"])  # type: ignore[type-var]
    skipsort.sorted(b"one key")  # type: ignore[type-var]
    skipsort.sorted(Foreign())  # type: ignore[call-overload]
"""

WITHOUT_LIBRARIES = """
from typing import assert_type

import skipsort

assert_type(skipsort.sorted(["b", "a"]), list[str])
assert_type(skipsort.top_k([b"b"], 1), list[bytes])
assert_type(skipsort.argsort(["b", "a"]), list[int])
"""


def mypy(*args, cwd):
    return subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", *args], cwd=cwd, capture_output=True, text=True
    )


def test_the_package_is_typed(tmp_path):
    (tmp_path / "use.py").write_text(USE)
    checked = mypy("use.py", cwd=tmp_path)
    assert checked.returncode == 0, checked.stdout


def test_lists_are_typed_where_no_other_library_is_installed(tmp_path):
    shutil.copytree(Path(skipsort.__file__).parent, tmp_path / "skipsort")
    (tmp_path / "use.py").write_text(WITHOUT_LIBRARIES)
    checked = mypy("--no-site-packages", "--follow-imports=silent", "use.py", cwd=tmp_path)
    assert checked.returncode == 0, checked.stdout


def test_the_stub_is_that_of_the_module(tmp_path):
    stub = Path(skipsort.__file__).with_name("_native.pyi").read_text()
    public = {name for name in dir(_native) if not name.startswith("_")}
    assert public == {line.split()[1].split("(")[0].rstrip(":") for line in stub.splitlines() if line.startswith(("def ", "class "))}
    # Before Python 3.12 the buffer protocol has no method.
    absent = tmp_path / "absent"
    absent.write_text("" if sys.version_info >= (3, 12) else "skipsort._native.Order.__buffer__\n")
    stubtest = [sys.executable, "-m", "mypy.stubtest", "skipsort._native", "--ignore-disjoint-bases"]
    checked = subprocess.run(
        [*stubtest, "--allowlist", str(absent)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert checked.returncode == 0, checked.stdout


def test_the_wheel_is_for_all_later_pythons():
    wheel = distribution("skipsort").read_text("WHEEL")
    assert "Tag: cp311-abi3-" in wheel
    assert Path(skipsort.__file__).with_name("py.typed").exists()
