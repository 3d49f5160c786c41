"""The first example of the README prints what the README says."""

import os
import re
import subprocess
import sys
from pathlib import Path

README = Path(__file__).parent.parent / "README.md"


def test_the_example_runs_as_typed(tmp_path):
    text = README.read_text()
    example = re.search(r"```python\n(.*?)```", text, re.S).group(1)
    printed = re.search(r"```text\n(.*?)```", text, re.S).group(1)
    ran = subprocess.run(
        [sys.executable, "-c", example], cwd=tmp_path, capture_output=True, text=True, env=os.environ
    )
    assert (ran.stdout, ran.stderr) == (printed, "")


def test_examples_of_docstrings():
    import doctest

    from skipsort import _sorting

    import skipsort

    for module, least in [(skipsort, 1), (_sorting, 3)]:
        result = doctest.testmod(module)
        assert result.failed == 0 and result.attempted >= least
