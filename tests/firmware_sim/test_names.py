"""The public names: each is there, and none is loaded before it is asked for."""

from __future__ import annotations

import subprocess
import sys

import pytest

import firmware_sim as fs


def test_every_name_is_there() -> None:
    assert set(fs.__all__) == set(dir(fs))
    for name in fs.__all__:
        assert getattr(fs, name).__doc__
    with pytest.raises(AttributeError, match="no attribute 'simulate'"):
        fs.simulate  # noqa: B018


def test_import_loads_nothing() -> None:
    program = "import sys, firmware_sim; print(sorted({'numpy', 'edgeolk'} & set(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout == "[]\n"
