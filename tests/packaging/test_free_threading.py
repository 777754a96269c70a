"""No compiled module needs the interpreter lock: objects that calls change have a lock of their own."""

from __future__ import annotations

import re

from helpers import ROOT

SOURCES = {path.relative_to(ROOT / "edgeolk").as_posix(): path.read_text("utf-8")
           for path in sorted((ROOT / "edgeolk").rglob("*.pyx"))}
#: Classes of which every method holds the lock of its object.
LOCKED = {"Engine", "RunningScaler", "ScalerState", "Windows", "Columns", "Calibration",
          "AllScores", "Probabilities"}
#: Before others have the object; what never changes; what locks by itself where it must.
FREE = {"__cinit__", "__init__", "__repr__", "alone"}


def test_all_modules_leave_the_lock_off() -> None:
    assert '"freethreading_compatible": True' in (ROOT / "setup.py").read_text()
    said = (ROOT / "docs/threads.md").read_text("utf-8")
    assert [name for name in SOURCES if "freethreading_compatible" in SOURCES[name]] == []
    assert "PYTHON_GIL" in said


def test_every_method_of_an_object_that_changes_holds_its_lock() -> None:
    found = set()
    for name, text in SOURCES.items():
        parts = re.split(r"^cdef class (\w+)", text, flags=re.MULTILINE)
        for owner, body in zip(parts[1::2], parts[2::2], strict=True):
            methods = re.findall(r"((?:^    @.*\n)*)^    def (\w+)\(self\b", body, re.MULTILINE)
            if owner in LOCKED:
                found.add(owner)
                without = {method for above, method in methods
                           if "@cython.critical_section" not in above} - FREE
                assert without == set(), f"{name}: {owner}"
    assert found == LOCKED


def test_the_users_of_an_engine_are_counted_under_its_lock() -> None:
    """Reads and writes of ``users`` outside engine.pyx are in a block that holds the lock."""
    for name in ("rows/scoring.pyx", "rows/learning.pyx"):
        lines = SOURCES[name].split("\n")
        for number, line in enumerate(lines):
            if "engine.users" not in line and "engine.idle()" not in line:
                continue
            indent = len(line) - len(line.lstrip())
            above = [other for other in lines[number - 8:number] if other.strip()
                     and len(other) - len(other.lstrip()) < indent]
            inside = any("critical_section(self.engine)" in other for other in above)
            # check_sparse is called inside of one.
            assert inside or "placed = take_sparse" in lines[number + 1], f"{name}:{number + 1}"
