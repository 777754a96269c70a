"""Parts taken out of `sorf`: what is compared with what, and that each is really gone."""

from __future__ import annotations

import numpy as np
import pytest

from bench import without
from edgeolk.reference import Sorf


def test_changes_are_geometric_means() -> None:
    assert without.ratio([(2.0, 1.0), (1.0, 2.0)]) == "+0.0 %"
    assert without.ratio([(1.1, 1.0)]) == "+10.0 %"
    assert without.ratio([(0.0, 0.01)]) == "+0.0 %"


def test_a_line_leaves_out_what_does_not_fit() -> None:
    errors = {("a", ""): 1.0, ("a", "p"): 2.0, ("b", ""): 4.0, ("b", "p"): 3.0}
    line = without.line("p", (("a",), ("b", "c")), {**errors, ("c", ""): 1.0, ("c", "p"): None})
    assert line == ["p", "+100.0 %", "-25.0 %", "1 of 2", "a 1.00 → 2.00"]


def test_sets_are_in_one_group() -> None:
    assert not set(without.CHOSEN_ON) & set(without.OTHER_SETS)
    chosen, aside = without.SLOW_SETS.values()
    assert not set(chosen) & set(aside)


@pytest.mark.parametrize("part", list(without.INNER))
def test_the_part_is_gone(part: str) -> None:
    draws = np.random.default_rng(0)
    X = draws.normal(size=(60, 3))
    y = np.where(X[:, 0] > 0, 1.0, -1.0)
    options = {"dtype": "int8", "seed": 1}
    whole, less = (kind(3, 64, 0.5, **options) for kind in (Sorf, without.INNER[part]))
    whole.hold = less.hold = 0.5  # section 15
    for row, label in zip(X, y, strict=True):
        fw, fa = less.models(row)
        said = less.step(row, label)
        whole.step(row, label)
        if part.startswith("the average"):
            assert said == pytest.approx(float(fw[0, 0]))
        elif part.startswith("w"):
            assert said == pytest.approx(float(fa[0, 0]))
    same_weights = np.array_equal(whole.w.v, less.w.v)
    assert same_weights == (part.split(":", maxsplit=1)[0] in ("the average", "w"))
