"""Records without `dataclasses` do as those with it; what bare processes import is what it says."""

from __future__ import annotations

import dataclasses
import inspect
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

import edgeolk as ek
from edgeolk import lean

NOT_LOADED = ("numpy", "typing", "dataclasses", "inspect", "re")


def classes(kit: Any) -> tuple[Any, Any, Any]:
    """The same three records, made by one of the two."""

    @kit.dataclass(frozen=True)
    class Base:
        kind: ClassVar[str] = "none"
        own: int
        size: float = 1.0
        parts: tuple[str, ...] = ()

    @kit.dataclass(frozen=True)
    class Derived(Base):
        size: float = 2.0
        crc: int = 7

        def __post_init__(self) -> None:
            object.__setattr__(self, "size", 2 * self.size)

    @kit.dataclass(frozen=True, kw_only=True)
    class Named:
        first: int
        second: tuple[int, ...] = ()

    return Base, Derived, Named


KITS = (dataclasses, lean)


def behaviour(kit: Any) -> list[Any]:
    """All there is to be seen of them."""
    base, derived, named = classes(kit)
    one, other = base(3), derived(3, parts=("a",))
    seen: list[Any] = [one, other, named(first=1), derived(3, 4.0, crc=1)]
    seen = [repr(record).replace(kit.__name__, "") for record in seen]
    seen += [one == base(3), one == base(4), one == other, one != other, other == (3, 2.0)]
    seen += [derived(3) == derived(3, crc=1), hash(named(first=1)) == hash(named(first=1))]
    seen += [base.kind, vars(other)]
    seen += [repr(kit.replace(other, own=5, size=1.0)), repr(kit.replace(one, parts=("b",)))]
    for call in (
        base,
        lambda: base(1, nothing=2),
        lambda: named(1),
        lambda: setattr(one, "own", 4),
        lambda: delattr(one, "own"),
        lambda: kit.replace(one, nothing=1),
    ):
        with pytest.raises((TypeError, AttributeError)) as refusal:
            call()
        seen.append(refusal.type if refusal.type is TypeError else AttributeError)
    seen += [list(inspect.signature(kind).parameters) for kind in (base, derived, named)]
    seen += [p.kind for p in inspect.signature(named).parameters.values()]
    return seen


def test_records_are_those_of_dataclasses() -> None:
    theirs, ours = map(behaviour, KITS)
    assert ours == theirs
    assert len(ours) > 25


@pytest.mark.parametrize(
    "value",
    [
        ek.Gaussian(0.5),
        ek.Polynomial(3, 0.5),
        ek.plan("rbp", n_features=2, budget=3),
        ek.Config("rbp", n_features=2, budget=3),
    ],
    ids=lambda value: type(value).__name__,
)
def test_public_records_go_through_pickles(value: Any) -> None:
    again = pickle.loads(pickle.dumps(value))
    assert again == value
    assert repr(again) == repr(value)
    with pytest.raises(AttributeError, match="cannot be changed"):
        again.budget = 4


def test_a_bare_process_imports_little(tmp_path: Path) -> None:
    """Nor does one that goes on from a file; without `site`, which may import what it likes."""
    learner = ek.Learner("bpa_s", n_features=2, budget=4)
    learner.learn_one(np.array([1.0, 2.0]), 1)
    learner.save(tmp_path / "model.olk")
    program = f"""
import sys
sys.path.insert(0, {str(Path(ek.__file__).parents[1])!r})
from array import array
from edgeolk.bare import BareLearner
learner = BareLearner.from_bytes(open({str(tmp_path / "model.olk")!r}, "rb").read())
assert learner.learn_one(array("d", [1.0, 2.0]), 1.0) > 0.0
print([name for name in {NOT_LOADED} if name in sys.modules])
"""
    ran = subprocess.run(
        [sys.executable, "-S", "-c", program], capture_output=True, text=True, check=True
    )
    assert ran.stdout == "[]\n"
