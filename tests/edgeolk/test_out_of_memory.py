"""Memory runs out at every allocation in turn: a MemoryError, no loss, other models untouched."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).with_name("nomemory.py")
OPERATIONS = ("construct", "buffer", "plan", "attach", "load", "save")
CASES = [
    *((operation, "rbp", "float32") for operation in OPERATIONS),
    *(
        pytest.param(operation, "bpa_nn", "int8", marks=pytest.mark.slow)
        for operation in OPERATIONS
    ),
    ("construct", "fogd", "float64"),  # numpy draws its frequencies
]
#: What Python itself raises instead, with edgeolk not on the stack's end.
PYTHON = (
    "MemoryError",
    "RuntimeError: can't allocate read lock",
    # Python 3.10 alone: its own frames forget to set the exception.
    *(
        ["SystemError: _PyEval_EvalFrameDefault returned NULL without setting an exception"]
        if sys.version_info < (3, 11)
        else []
    ),
    "RuntimeError: can't allocate lock",
)


def missing() -> str:
    """Why the test cannot run here, or nothing."""
    if importlib.util.find_spec("_testcapi") is None:
        return "this Python has no _testcapi"
    import _testcapi

    return "" if hasattr(_testcapi, "set_nomemory") else "_testcapi has no set_nomemory"


@pytest.mark.skipif(bool(missing()), reason=missing() or "-")
@pytest.mark.parametrize(("operation", "algorithm", "dtype"), CASES)
@pytest.mark.spread(8)
def test_out_of_memory(operation: str, algorithm: str, dtype: str) -> None:
    done = subprocess.run(
        [sys.executable, str(SCRIPT), operation, algorithm, dtype],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,  # Python says there what it could not say otherwise
        check=False,
    )
    assert done.returncode == 0
    seen = json.loads(done.stdout)
    assert seen["rounds"] >= 300
    assert set(seen["outcomes"]) <= set(PYTHON)
    assert seen["outcomes"]["MemoryError"] > 600
    assert seen["usable"]
    assert seen["left"] == []
    assert seen["loads"] == 40
    assert seen["models"] == 0
    # Python itself loses what it was about to pass to some of the calls it has no memory to make
    # (as many blocks a failure in programs without edgeolk); of a model it would be hundreds.
    assert seen["bytes"] < 48 * seen["rounds"]
    assert seen["blocks"] < seen["rounds"]


@pytest.mark.skipif(bool(missing()), reason=missing() or "-")
def test_a_second_reader_is_told() -> None:
    """It has no scratch of its own then; the first reader and the model are as they were."""
    done = subprocess.run(
        [sys.executable, str(SCRIPT)], stdout=subprocess.PIPE, check=False, timeout=300
    )
    assert done.returncode == 0
    seen = json.loads(done.stdout)
    assert seen["outcomes"].pop("no memory for the scratch of another thread") > 0
    assert set(seen["outcomes"]) <= {""}, "what Python itself raises"
    assert seen["beside"]
    assert seen["same"]
    assert seen["learned"] == 1
