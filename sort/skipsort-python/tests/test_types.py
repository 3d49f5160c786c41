"""The package as a type checker sees it, and as an installer does."""

import subprocess
import sys
from importlib.metadata import distribution
from pathlib import Path

import skipsort
from skipsort import _native

USE = """
import skipsort

count: int = skipsort.external_sort("a", "b", memory="1M", threads=2)
order = skipsort.argsort(["b", "a"], reverse=True)
rows = skipsort.top_k({"b": 1}, 1)
skipsort.sorted(["a"], descending=True)  # type: ignore[call-arg]
"""


def mypy(*args, cwd):
    return subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", *args], cwd=cwd, capture_output=True, text=True
    )


def test_the_package_is_typed(tmp_path):
    (tmp_path / "use.py").write_text(USE)
    checked = mypy("use.py", cwd=tmp_path)
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
