"""A typed program runs as it is checked, compiled modules have stubs, and help names arguments."""

import importlib
import inspect
import re
import runpy
from pathlib import Path

import pytest

import edgeolk as ek
from edgeolk.bare import BareLearner
from edgeolk.configuration.config import Config

HERE = Path(__file__).parent
ROOT = HERE.parent.parent


def test_the_typed_program_runs(tmp_path):
    assert "support_vectors" in runpy.run_path(str(HERE / "user.py"))["main"](tmp_path)


def test_every_module_that_python_calls_into_has_a_stub():
    modules = runpy.run_path(str(ROOT / "setup.py"), run_name="setup")["MODULES"]
    stubs = {path.relative_to(ROOT).with_suffix("") for path in (ROOT / "edgeolk").rglob("*.pyi")}
    # These two have nothing but C functions.
    expected = {Path(name.replace(".", "/")) for name in modules}
    expected -= {Path("edgeolk/engine/step"), Path("edgeolk/sorf/tables")}
    assert stubs == expected


@pytest.mark.parametrize("kind", [ek.Learner, BareLearner])
def test_help_shows_the_arguments(kind):
    shown = inspect.signature(kind).parameters
    configs = list(inspect.signature(Config).parameters)
    assert set(configs[:-1]) | {"buffer"} <= set(shown)
    assert "options" not in shown
    assert shown["ram"].kind is inspect.Parameter.KEYWORD_ONLY


MODULES = ("edgeolk", "edgeolk.sklearn", "edgeolk.river", "firmware_sim")


@pytest.mark.parametrize("module", MODULES)
def test_every_public_name_says_where_its_page_is(module):
    home = importlib.import_module(module)
    for name in home.__all__:
        pages = re.findall(r"docs/[\w-]+\.md", inspect.getdoc(getattr(home, name)) or "")
        assert pages, name
        assert all((ROOT / page).is_file() for page in pages), name
