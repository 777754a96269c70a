"""A typed program runs as it is checked, and every compiled module has its stub."""

import runpy
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parent.parent


def test_the_typed_program_runs(tmp_path):
    assert "support_vectors" in runpy.run_path(str(HERE / "user.py"))["main"](tmp_path)


def test_every_module_that_python_calls_into_has_a_stub():
    modules = runpy.run_path(str(ROOT / "setup.py"), run_name="setup")["MODULES"]
    stubs = {path.relative_to(ROOT).with_suffix("") for path in (ROOT / "edgeolk").rglob("*.pyi")}
    # These two have nothing but C functions.
    expected = {Path(name.replace(".", "/")) for name in modules}
    expected -= {Path("edgeolk/core/step"), Path("edgeolk/core/structured")}
    assert stubs == expected
