"""States outside any learner, free to be changed."""

from __future__ import annotations

from typing import Any, NamedTuple

import pytest
from synthetic import random_stream

import edgeolk as ek
from edgeolk.configuration.header import NATIVE, unpack
from edgeolk.configuration.regions import Region
from edgeolk.configuration.settings import Settings
from edgeolk.files import live

D, B = 3, 6
X, Y = random_stream(6, 60, D)
#: Options that add counters.
BESIDE: dict[str, Any] = {"on_bad_row": "skip", "clip_rows": 2.0, "gamma": "auto", "gamma_rows": 30}


class Held(NamedTuple):
    """A state outside any learner, free to be changed."""

    config: Settings
    words: dict[str, Any]
    regions: dict[str, memoryview]
    layout: list[Region]
    block: memoryview

    def check(self) -> None:
        live.write_words(self.words, self.layout, self.block)
        live.check(self.config, self.layout, self.block)


def held(learner: ek.Learner) -> Held:
    block = memoryview(bytearray(memoryview(learner._engine.arena)))
    state = [region for region in learner.plan.regions if region.is_state]
    words = live.words_of(unpack(block, NATIVE), state, block)
    numbers = {r.name: live.numbers(r, block) for r in state if r.element != "w"}
    return Held(learner._config, words, numbers, state, block)


def taught(name: str | None, rows: int = 60, **params: Any) -> Held:
    options = {"n_features": D, "budget": B, "dtype": "float64", "seed": 5, **params}
    learner = ek.Learner(name, **options)
    learner.learn_many(X[:rows], Y[:rows])
    return held(learner)


def refused(state: Held, why: str) -> None:
    with pytest.raises(ValueError, match=f"inconsistent: .*{why}"):
        state.check()
