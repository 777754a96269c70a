"""Modules that need an extra say which, and the library does without."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module

import pytest


@pytest.mark.parametrize(("extra", "package"), [("sklearn", "scikit-learn"), ("river", "river")])
def test_it_says_what_to_install(extra: str, package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.startswith(f"edgeolk.{extra}")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, extra, None)
    with pytest.raises(ImportError, match=rf"{package}.*pip install 'edgeolk\[{extra}\]'"):
        import_module(f"edgeolk.{extra}")


def test_the_library_imports_neither() -> None:
    program = (
        "import sys, edgeolk as ek; ek.Learner(n_features=2, ram='4KiB');"
        "sys.exit(any(name in sys.modules for name in ('sklearn', 'river', 'pandas', 'scipy')))"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
