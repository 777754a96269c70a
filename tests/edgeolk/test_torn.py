"""Steps that were cut: in memory that outlives the process they are told, and can be repaired."""

from __future__ import annotations

import json
import random
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers import BY_DAY, EVERY, LIVELY, python
from synthetic import random_stream

import edgeolk as ek
from edgeolk import block
from edgeolk.block import TORN_CHOICES
from edgeolk.configuration.header import FLAGS_OFFSET, MARK, PLACES, SEALED, TORN
from edgeolk.files.checksums import checksum

HERE = Path(__file__).parent
D, B = 3, 7
X, Y = random_stream(12, 160, D)
MORE: dict[str, dict[str, Any]] = {
    **{name: LIVELY.get(name, {}) for name in EVERY},
    "sorf": {**LIVELY["sorf"], "linear": True, "last_label": True, "relevance": True, "memory": 9},
}
#: Repaired steps for each that is refused, where it is not 20: most of what these write is a
#: posterior, and half of one is refused since it cannot be computed from anything else.
LEAST_REPAIRED = {"krls": 10, "krls_auto": 10}
every = pytest.mark.parametrize("name", EVERY)


def options(name: str) -> dict[str, Any]:
    return {"n_features": D, "budget": B, "dtype": "float64", **MORE[name]}


def flags_of(memory: bytearray) -> int:
    at = memory.find(MARK) + FLAGS_OFFSET
    return int.from_bytes(memory[at : at + 2], "little")


def marked(memory: bytearray, flags: int = TORN) -> bytearray:
    """A copy whose last step was cut."""
    made = bytearray(memory)
    at = made.find(MARK) + FLAGS_OFFSET
    made[at : at + 2] = flags.to_bytes(2, "little")
    return made


def taught(name: str, rows: int = 60) -> bytearray:
    memory = bytearray(ek.plan(name, **options(name)).nbytes)
    learner = ek.Learner(name, seed=3, buffer=memory, **options(name))
    learner.learn_many(X[:rows], Y[:rows])
    del learner
    return memory


def use(learner: ek.Learner) -> None:
    """It learns, and what it has become is a state that learning leads to."""
    learner.learn_many(X[100:], Y[100:])
    again = ek.Learner._from_block(bytes(learner._sealed()))
    assert again.steps == learner.steps


@every
def test_between_steps_nothing_is_marked(name: str) -> None:
    memory = bytearray(ek.plan(name, **options(name)).nbytes)
    learner = ek.Learner(name, seed=3, buffer=memory, **options(name))
    for x, y in zip(X[:40], Y[:40], strict=True):
        learner.learn_one(x, y)
        assert flags_of(memory) == 0
    learner.learn_many(X, Y)
    learner.decision_function(X)
    learner.ask_label(X[0])
    assert flags_of(memory) == 0


def test_a_refused_step_is_none() -> None:
    memory = bytearray(ek.plan("pa1", n_features=D, budget=2, full="raise").nbytes)
    learner = ek.Learner("pa1", n_features=D, budget=2, full="raise", buffer=memory)
    with pytest.raises(ek.BudgetError):
        learner.learn_many(X, Y)
    assert flags_of(memory) == 0
    at = memory.find(MARK) + FLAGS_OFFSET
    memory[at : at + 2] = SEALED.to_bytes(2, "little")
    with pytest.raises(ek.BudgetError):
        learner.learn_one(X[learner.steps], Y[learner.steps])
    assert flags_of(memory) == SEALED


@every
def test_a_cut_step_is_refused_accepted_or_repaired(name: str) -> None:
    """The mark alone: the state is whole, so repair changes nothing but roundings."""
    memory = marked(taught(name))
    before = bytes(memory)
    with pytest.raises(ValueError, match="last step was interrupted"):
        ek.attach(memory)
    assert bytes(memory) == before
    accepted = marked(memory)
    learner = ek.attach(accepted, torn="accept")
    assert flags_of(accepted) == 0
    expected = ek.Learner(name, seed=3, **options(name))
    expected.learn_many(X[:60], Y[:60])
    assert learner.learn_many(X[60:], Y[60:]).tobytes() == (
        expected.learn_many(X[60:], Y[60:]).tobytes()
    )
    del learner
    repaired = ek.attach(memory, torn="repair")
    assert flags_of(memory) == 0
    assert (repaired.steps, repaired.n_support) == (60, ek.attach(marked(memory, 0)).n_support)
    if expected.parts.get("policy") != ek.Policy.ANCHOR:
        found = repaired.learn_many(X[60:], Y[60:])
        assert np.allclose(found, ek.attach(taught(name)).learn_many(X[60:], Y[60:]), atol=1e-6)


@pytest.mark.parametrize("torn", ["accept", "repair"])
def test_a_sealed_block_whose_first_step_was_cut_before_it_wrote(torn: str) -> None:
    """What is attached then is no sealed block whose flag has flipped."""
    sizing = {"n_features": D, "budget": B, "checksums": True}
    memory = bytearray(ek.plan("spa", **sizing).nbytes)
    learner = ek.Learner("spa", buffer=memory, **sizing)
    learner.learn_many(X[:60], Y[:60])
    learner.seal()
    del learner
    memory = marked(memory)
    with pytest.raises(ValueError, match="last step was interrupted"):
        ek.attach(memory)
    assert ek.attach(memory, torn=torn).steps == 60
    assert ek.attach(memory).steps == 60
    with pytest.raises(ValueError, match="not sealed"):
        ek.attach(memory, verify=True)


@every
def test_nothing_is_repaired_where_nothing_was_cut(name: str) -> None:
    memory = taught(name)
    before = bytes(memory)
    learner = ek.attach(memory, torn="repair")
    assert bytes(memory) == before
    del learner


@pytest.mark.parametrize("name", BY_DAY)
@pytest.mark.spread(2)
def test_every_step_cut_everywhere(name: str) -> None:
    """Words a step changes, some of them written: repaired, or refused with the block as it was."""
    chance = random.Random(name)
    memory = bytearray(ek.plan(name, **options(name)).nbytes)
    learner = ek.Learner(name, seed=3, buffer=memory, **options(name))
    start = memory.find(MARK)
    repaired = refused = 0
    said: list[str] = []
    for x, y in zip(X[:40], Y[:40], strict=True):
        before = bytes(memory)
        learner.learn_one(x, y)
        after = bytes(memory)
        words = [
            at
            for at in range(start, len(after) - 7, 8)
            if before[at : at + 8] != after[at : at + 8]
        ]
        cuts = [words[:i] for i in range(len(words) + 1)]
        cuts = chance.sample(cuts, min(4, len(cuts)))
        cuts += [[at for at in words if chance.random() < 0.5] for _ in range(2)]
        for written in cuts:
            made = bytearray(before)
            for at in written:
                made[at : at + 8] = after[at : at + 8]
            made = marked(made)
            whole = bytes(made)
            try:
                found = ek.attach(made, torn="repair")
            except ValueError as error:
                said.append(str(error))
                unchanged = bytes(made) == whole
                assert unchanged
                refused += 1
                continue
            repaired += 1
            assert found.steps - learner.steps in (-1, 0)
            if repaired % 5 == 0:
                use(found)
            del found
    assert repaired > LEAST_REPAIRED.get(name, 20) * max(1, refused)
    assert all("cannot be repaired" in reason for reason in said)


@every
def test_what_follows_is_computed_afresh(name: str) -> None:
    """Norms, factors, neighbours and scores of garbage come out as they were."""
    derived = {
        "diagonal",
        "norms",
        "nearest",
        "nearest_distance",
        "nearest_kernel",
        "factor",
        "inverse",
        "scores",
    }
    memory = taught(name)
    learner = ek.attach(memory)
    regions = [r for r in learner.plan.regions if r.name in derived]
    norm2, start = learner.norm2, memory.find(MARK)
    counters = learner._engine.counters()
    del learner
    made = marked(memory)
    for region in regions:
        at = start + region.offset
        made[at : at + region.nbytes] = b"\xff" * region.nbytes
    found = ek.attach(made, torn="repair")
    assert found._engine.counters() == counters
    if norm2 is not None:
        assert found.norm2 == pytest.approx(norm2, rel=1e-9, abs=1e-12)
    expected = ek.attach(memory)
    if expected.parts.get("policy") != ek.Policy.ANCHOR:
        assert np.allclose(
            found.learn_many(X[60:], Y[60:]), expected.learn_many(X[60:], Y[60:]), atol=1e-6
        )


def test_what_cannot_be_repaired_stays_as_it_was() -> None:
    memory = taught("projectron")
    learner = ek.attach(memory)
    ring = next(r for r in learner.plan.regions if r.name == "support_vectors")
    stride = ring.shape[1]
    del learner
    start = memory.find(MARK) + ring.offset
    for j in range(D):  # the second vector is the first one again: no factor has both
        at = start + 8 * j * stride
        memory[at + 8 : at + 16] = memory[at : at + 8]
    made = marked(memory)
    before = bytes(made)
    with pytest.raises(ValueError, match=r"cannot be repaired: .*depend on each other"):
        ek.attach(made, torn="repair")
    assert bytes(made) == before


@pytest.mark.parametrize("error", [MemoryError, KeyboardInterrupt])
@pytest.mark.parametrize("place", ["edgeolk.block.over", "edgeolk.block.live.check"])
def test_a_repair_that_does_not_end_leaves_the_block_as_it_was(
    place: str, error: type[BaseException], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever ends it: out of memory, or a key pressed."""

    def ended(*_: Any) -> None:
        raise error

    made = marked(taught("rbp"))
    at = made.find(MARK) + PLACES["mistakes"][0]
    made[at : at + 8] = (61).to_bytes(8, sys.byteorder)  # one apart: mended first of all
    before = bytes(made)
    monkeypatch.setattr(place, ended)
    with pytest.raises(error):
        ek.attach(made, torn="repair")
    assert bytes(made) == before
    monkeypatch.undo()
    assert ek.attach(made, torn="repair").mistakes == 60


def test_what_is_rebuilt_is_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    made = marked(taught("projectron"))
    plan = ek.attach(taught("projectron")).plan
    factor = next(region for region in plan.regions if region.name == "factor")
    over = block.over

    class Careless:
        """Rebuilds everything, and leaves a number that no factor has."""

        def __init__(self, config: Any, arena: Any) -> None:
            self._engine, self._block = over(config, arena), memoryview(arena).cast("B")

        def rebuild_derived(self) -> bool:
            done = self._engine.rebuild_derived()
            self._block[factor.offset : factor.offset + 8] = np.float64(np.nan).tobytes()
            return done

    before = bytes(made)
    monkeypatch.setattr(block, "over", Careless)
    with pytest.raises(ValueError, match="cannot be repaired"):
        ek.attach(made, torn="repair")
    assert bytes(made) == before


@pytest.mark.parametrize("torn", TORN_CHOICES)
def test_damage_beyond_a_cut_step_is_refused(torn: str) -> None:
    memory = marked(taught("spa"))
    start = memory.find(MARK)
    memory[start + 64 : start + 72] = (2**63 - 1).to_bytes(8, "little")
    before = bytes(memory)
    with pytest.raises(ValueError, match="model"):
        ek.attach(memory, torn=torn)
    assert bytes(memory) == before


@pytest.mark.parametrize("torn", ["", "fix", None, True, 1])
def test_choices(torn: Any) -> None:
    with pytest.raises(ValueError, match="torn must be one of 'refuse', 'repair', 'accept'"):
        ek.attach(taught("rbp"), torn=torn)


def test_a_block_whose_construction_was_cut_is_torn(monkeypatch: pytest.MonkeyPatch) -> None:
    class CutError(Exception):
        pass

    def cut(*_: Any) -> None:
        raise CutError

    monkeypatch.setattr("edgeolk.block.Engine", cut)
    memory = bytearray(ek.plan("rbp", **options("rbp")).nbytes)
    with pytest.raises(CutError):
        ek.Learner("rbp", buffer=memory, **options("rbp"))
    assert flags_of(memory) == TORN


def test_a_file_has_no_flags(tmp_path: Path) -> None:
    path = tmp_path / "model"
    memory = marked(taught("rbp"), 0)
    learner = ek.attach(memory)
    at = memory.find(MARK) + FLAGS_OFFSET
    memory[at : at + 2] = SEALED.to_bytes(2, "little")
    learner.save(path)
    assert path.read_bytes()[FLAGS_OFFSET : FLAGS_OFFSET + 2] == bytes(2)
    data = bytearray(path.read_bytes())
    data[FLAGS_OFFSET] = TORN
    data[8:12] = checksum(data, 8).to_bytes(4, "little")
    path.write_bytes(data)
    for call in (lambda: ek.load(path), lambda: ek.Learner._from_block(bytes(data))):
        with pytest.raises(ValueError, match="flags 1 in a file"):
            call()


def killed(name: str, times: int, folder: Path) -> dict[str, int]:
    """What came of processes that were killed while they learned in a mapping."""
    code = (
        f"import runpy, sys; sys.argv[0] = {str(HERE / 'torn.py')!r};"
        " runpy.run_path(sys.argv[0], run_name='__main__')"
    )
    ran = python(code, str(times), name, str(folder), timeout=600)
    assert ran.returncode == 0, ran.stderr
    record: dict[str, int] = json.loads(ran.stdout)
    return record


@pytest.mark.parametrize("name", ["nogd", "pomdr", "bpa_nn", "ahpatron", "projectron", "sorf"])
@pytest.mark.spread(6)
def test_processes_killed_while_they_learn(name: str, tmp_path: Path) -> None:
    record = killed(name, 12, tmp_path)
    assert record["killed"] == 12
    assert record["wrong"] == record["broken"] == 0
    assert record["repaired"] + record["refused"] == record["torn"]
    assert record["refused"] <= 1


@pytest.mark.slow
@pytest.mark.parametrize("name", EVERY)
def test_more_processes_killed(name: str, tmp_path: Path) -> None:
    record = killed(name, 100, tmp_path)
    assert record["wrong"] == record["broken"] == 0
    assert record["torn"] > 0


@pytest.mark.parametrize("shift", [0, 1, 8, 63])
def test_a_refused_repair_moves_nothing(shift: int) -> None:
    """A buffer at another alignment: its block is moved to be repaired, and back if it cannot."""
    memory = taught("spa")
    learner = ek.attach(memory)
    arrivals = next(r for r in learner.plan.regions if r.name == "coefficients")
    del learner
    made = marked(memory)
    at = made.find(MARK) + arrivals.offset
    made[at : at + 8] = np.float64(np.nan).tobytes()
    moved = np.full(len(made) + 128, 7, np.uint8)[shift:]
    moved[: len(made)] = np.frombuffer(made, np.uint8)
    before = moved.tobytes()
    with pytest.raises(ValueError, match="cannot be repaired"):
        ek.attach(moved, torn="repair")
    assert moved.tobytes() == before


def test_a_number_of_vectors_below_zero_is_not_repaired() -> None:
    """The coefficients behind them stay, too."""
    memory = marked(taught("pa1"))
    at = memory.find(MARK) + PLACES["n_support"][0]
    memory[at : at + 4] = (-1).to_bytes(4, sys.byteorder, signed=True)
    before = bytes(memory)
    with pytest.raises(ValueError, match=r"cannot be repaired: .*n_support is -1"):
        ek.attach(memory, torn="repair")
    assert memory == before


#: What else a repair computes again: lengths, a Gram matrix, the norm of features, neighbours.
REBUILT: list[tuple[str | None, dict[str, Any]]] = [
    ("bsgd", {"maintenance": "project"}),
    ("bpa_s", {"kernel": ek.Polynomial(2)}),
    ("remove_smallest", {"kernel": ek.Linear()}),
    ("bpa_nn", {"sparse": True}),
    (None, {"update": "gradient", "basis": "fourier", "projection": "ball", "U": 2.0}),
]


@pytest.mark.parametrize("rows", [1, 60])
@pytest.mark.parametrize(("name", "more"), REBUILT, ids=str)
def test_regions_that_are_rebuilt_are_as_they_were(
    name: str | None, more: dict[str, Any], rows: int
) -> None:
    own = {"n_features": D, "budget": B, "dtype": "float64", **more}
    memory = bytearray(ek.plan(name, **own).nbytes)
    learner = ek.Learner(name, seed=3, buffer=memory, **own)
    seen = X * [1.0, 0.0, 0.0] if "sparse" in more else X
    learner.learn_many(seen[:rows], Y[:rows])
    norm2, start = learner.norm2, memory.find(MARK)
    regions = [r for r in learner.plan.regions if r.name in ("diagonal", "factor", "norms")]
    before = bytes(memory)
    del learner
    made = marked(memory)
    for region in regions:
        at = start + region.offset
        made[at : at + region.nbytes] = b"\xff" * region.nbytes
    repaired = ek.attach(made, torn="repair")
    assert repaired.norm2 == (None if norm2 is None else pytest.approx(norm2))
    found = repaired.learn_many(seen[rows:], Y[rows:])
    whole = ek.attach(bytearray(before))
    assert np.allclose(found, whole.learn_many(seen[rows:], Y[rows:]), atol=1e-9)


def test_an_inverse_of_equal_vectors_gets_a_ridge() -> None:
    memory = bytearray(ek.plan("bpa_p", **options("bpa_p")).nbytes)
    learner = ek.Learner("bpa_p", buffer=memory, **options("bpa_p"))
    learner.learn_many(X[:60], Y[:60])
    vectors = np.asarray(learner._engine.view("support_vectors"))
    vectors[:, 1] = vectors[:, 0]
    del vectors, learner
    repaired = ek.attach(marked(memory), torn="repair")
    S = repaired.support_vectors_
    K = np.exp(-repaired.kernel.gamma * ((S[:, None] - S[None]) ** 2).sum(2))
    low = np.zeros((B, B))
    low[np.tril_indices(B)] = np.asarray(repaired._engine.view("inverse")).reshape(-1)[:28]
    # Along the difference of the two the matrix has the ridge alone.
    assert 1e-16 < 1.0 / (low[0, 0] - low[1, 0]) < 1e-10
    assert np.allclose(low[2:, 2:], np.tril(np.linalg.inv(K[1:, 1:])[1:, 1:]), rtol=0.02, atol=0.02)


@pytest.mark.parametrize("first", [0.0, 1e-10])
def test_an_inverse_begun_by_a_vector_of_nearly_no_length(first: float) -> None:
    """The ridge grows from what the first vector's length allows, until there is an inverse."""
    own = {"n_features": D, "budget": B, "dtype": "float64", "kernel": ek.Linear()}
    memory = bytearray(ek.plan("bpa_p", **own).nbytes)
    learner = ek.Learner("bpa_p", buffer=memory, **own)
    learner.learn_many(X[:60], Y[:60])
    vectors = np.asarray(learner._engine.view("support_vectors"))
    vectors[:, 0] = first
    vectors[:, 2] = vectors[:, 1]
    held = learner.n_support
    del vectors, learner
    repaired = ek.attach(marked(memory), torn="repair")
    assert repaired.n_support == held
    inverse = np.asarray(repaired._engine.view("inverse")).reshape(-1)
    diagonal = inverse[[i * (i + 3) // 2 for i in range(held)]]
    assert np.isfinite(inverse).all()
    assert (diagonal > 0.0).all()
