"""Which compiled modules say that they need no interpreter lock: those that hold nothing."""

from __future__ import annotations

from helpers import ROOT

#: docs/threads.md says why the others do not.
WITHOUT_LOCK = {"engine/step.pyx", "ring/ring.pyx", "sorf/tables.pyx", "core/variants.pyx"}


def test_what_holds_nothing_says_so_and_nothing_else_does() -> None:
    root = ROOT / "edgeolk"
    every = {path.relative_to(root).as_posix(): path for path in root.rglob("*.pyx")}
    directive = "# cython: freethreading_compatible=True\n"
    found = {name for name, path in every.items() if path.read_text("utf-8").startswith(directive)}
    assert found == WITHOUT_LOCK
    said = (ROOT / "docs/threads.md").read_text("utf-8")
    for name in every:
        module = name.removesuffix(".pyx").replace("/", ".")
        assert f"`{module}`" in said, name
