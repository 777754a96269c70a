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


def test_a_checker_of_types_refuses_misspelt_arguments(tmp_path):
    api = pytest.importorskip("mypy.api")
    program = tmp_path / "program.py"
    program.write_text(
        "import edgeolk as ek\n"
        "from edgeolk.bare import BareLearner\n"
        'ek.Learner("spa", n_featurs=3)\n'
        'ek.Learner("bpa_s", n_features=3, budget=4, C="2")\n'
        'ek.Config("sorf", n_features=3, ramm="4KiB")\n'
        'ek.plan("bsgd", n_features=3, budget=4, maintenance="merg")\n'
        "BareLearner(n_features=3, budgt=4)\n"
        'ek.Learner("bsgd", n_features=3, budget=4, maintenance="merge", lam=1, seed=3)\n'
    )
    flags = [
        "--cache-dir",
        str(tmp_path / "cache"),
        "--no-error-summary",
        "--follow-imports=silent",
    ]
    printed, _, _ = api.run([*flags, "--config-file", str(ROOT / "pyproject.toml"), str(program)])
    refused = re.findall(r"program.py:(\d+): error: (.*?) *\[", printed)
    assert [int(line) for line, _ in refused] == [3, 4, 5, 6, 7], printed
    assert 'did you mean "n_features"?' in refused[0][1]


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
