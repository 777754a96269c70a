"""Only the files of kinds know one kind from another; everything else asks the interface."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import edgeolk as ek
import firmware_sim
import firmware_sim as fs
from firmware_sim.kinds import KINDS
from firmware_sim.kinds.base import Kind, Trainer
from firmware_sim.kinds.classes import Multiclass
from firmware_sim.kinds.forecast import Forecasting, ForecastTrainer
from firmware_sim.kinds.novelty import NoveltyTrainer
from firmware_sim.metrics import Metrics
from firmware_sim.metrics.batch import Batch, When

ROOT = Path(firmware_sim.__file__).parent
#: Modules of `kinds` that are for all kinds.
SHARED = {"", "base", "labels", "scaling"}
#: Properties that tell one kind from another by its name.
ASKING = {"is_regression", "forecasts", "watches"}


def literals(node: ast.AST) -> Iterator[ast.Constant]:
    """The constants that an expression is compared with, or looked up by."""
    found: list[ast.AST] = []
    if isinstance(node, ast.Compare):
        found = [node.left, *node.comparators]
    elif isinstance(node, ast.Dict):
        found = [key for key in node.keys if key is not None]
    elif isinstance(node, ast.Subscript):
        found = [node.slice]
    elif isinstance(node, ast.match_case):
        found = [node.pattern]
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        found = list(node.args[:1]) if node.func.attr in ("get", "pop") else []
    for one in found:
        yield from (child for child in ast.walk(one) if isinstance(child, ast.Constant))


def branches(text: str) -> list[str]:
    """What in a module's code depends on which kind of labels there is."""
    tree, found = ast.parse(text), []
    own: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(
            "firmware_sim.kinds"
        ):
            module = (node.module or "").removeprefix("firmware_sim.kinds").lstrip(".")
            if module not in SHARED:
                found.append(f"imports from {node.module}")
            own |= {one.name for one in node.names}
        found += [f"{one.value!r}" for one in literals(node) if one.value in KINDS]
        if isinstance(node, ast.Attribute) and node.attr in ASKING:
            found.append(node.attr)
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "isinstance":
            names = {getattr(one, "id", "") for one in ast.walk(node.args[1])}
            kinds = {one.__name__ for one in subclasses(Metrics, Kind, Trainer)}
            found += [f"isinstance {name}" for name in names & (kinds | own)]
    return found


def subclasses(*bases: type) -> Iterator[type]:
    for base in bases:
        yield base
        yield from subclasses(*base.__subclasses__())


@pytest.mark.parametrize(
    "text",
    [
        "if config.kind == 'novelty': pass",
        "if kind in ('binary', 'multiclass'): pass",
        "words = {'regression': 1}",
        "words.get('binary')",
        "if isinstance(metrics, Novelty): pass",
        "if config.forecasts: pass",
        "from firmware_sim.kinds.classes import Multiclass",
    ],
)
def test_branches_are_found(text: str) -> None:
    assert branches(text)


def test_no_other_code_asks_which_kind_it_is() -> None:
    found = {
        str(path.relative_to(ROOT)): branches(path.read_text(encoding="utf-8"))
        for path in sorted(ROOT.rglob("*.py"))
        if path.parent.name != "kinds"
    }
    assert len(found) > 100
    assert {name: some for name, some in found.items() if some} == {}


def test_a_batch_is_sliced_and_joined() -> None:
    """Rows that a scaler has refused among rows that a learner has, one of them last."""
    when = When(np.arange(11, 17), np.arange(6.0))
    y = np.arange(6.0)
    trainer = Trainer(None)
    good = np.array([True, False, True, True, False, True])
    given = Batch(trainer.records(y[good], when.part(good)))
    given.rows["score"], given.rows["refused"] = [5.0, 6.0, 7.0, 8.0], [False, True, False, False]
    refused, unfit = ValueError("learner"), ValueError("scaler")
    given.reasons = {13: refused}
    whole = given.spread(trainer.records(y, when), good, {12: unfit, 15: unfit})
    assert whole.rows["score"].tolist() == [5.0, 0.0, 6.0, 7.0, 0.0, 8.0]
    assert whole.learned["row"].tolist() == [11, 14, 16]
    assert whole.reasons == {12: unfit, 15: unfit, 13: refused}
    assert whole.up_to(13).reasons == {13: refused}
    halves = [Batch(whole.rows[:3], reasons={12: unfit, 13: refused}), Batch(whole.rows[3:])]
    halves[1].reasons = {15: unfit}
    joined = Batch.joined(halves)
    assert np.array_equal(joined.rows, whole.rows)
    assert joined.reasons == whole.reasons
    # Where a learner has stopped, the rows behind it are gone, and what refused them.
    given.stopped, given.rows = RuntimeError("full"), given.rows[:2]
    given.reasons = {}
    stopped = given.spread(trainer.records(y, when), good, {12: unfit, 15: unfit})
    assert stopped.rows["row"].tolist() == [11, 12, 13]
    assert {*stopped.reasons} == {12}


def test_labels_are_revealed_in_their_order() -> None:
    batch = Batch.of(label=[1.0, 2.0, 3.0, 4.0], score=np.zeros(4))
    assert batch.revealed() is None
    batch.rows["late"] = [True, True, False, True]
    batch.rows["n_arrived"] = [0, 1, 2, 0]
    batch.arrived = np.array([7.0, 8.0, 9.0])
    found = batch.revealed()
    assert found is not None
    assert found.labels.tolist() == [7.0, 8.0, 9.0, 3.0]
    assert found.before.tolist() == [0, 1, 3, 4]


@pytest.mark.parametrize(
    ("kind", "options"),
    [
        ("binary", {"scale": "none"}),
        ("multiclass", {"scale": "none"}),
        ("regression", {"scale": "none", "params": {"history": False}}),
    ],
)
def test_a_row_that_is_refused_within_a_block_costs_only_itself(
    tmp_path: Path, kind: str, options: dict[str, Any]
) -> None:
    """The rows about it, and one at the end, are learned as those of a log without it."""
    found = []
    for huge in (set(), {50, 299}):
        path = tmp_path / "s.csv"
        lines = [
            f"{i % 7},{1e19 if i in huge else i % 3},{'abc'[i // 2 % (1 + len(kind) % 3)]}"
            if kind != "regression" else f"{i % 7},{1e19 if i in huge else i % 3},{i % 9}.5"
            for i in range(300)
            if huge or i not in (50, 299)
        ]  # fmt: skip
        path.write_text("\n".join(["a,b,y", *lines, ""]))
        named = {"positive": "a"} if kind == "binary" else {}
        config = fs.ReplayConfig(str(path), target="y", kind=kind, ram="8KiB", **named, **options)
        result = fs.replay(config)
        assert (result.rows.used, result.rows.refused) == (298, len(huge))
        assert bool(result.rows.first_refusal) == bool(huge)
        found.append(result.metrics.mean_loss("learner"))
    # The targets' mean and unit are also those of refused rows.
    assert found[0] == pytest.approx(found[1], rel=0.001 if kind == "regression" else 0.0)


@pytest.mark.parametrize("target", ["bit", "number"])
def test_a_learner_that_keeps_its_rows_learns_labels_that_are_late(
    tmp_path: Path, target: str
) -> None:
    """As one that learns each row with its label, on all rows but the last ones."""
    path = tmp_path / "s.csv"
    lines = [f"{i % 7},{i % 3},{i // 2 % 2},{i % 9}.5" for i in range(300)]
    path.write_text("\n".join(["a,b,bit,number", *lines, ""]))
    other = "number" if target == "bit" else "bit"
    params: dict[str, Any] = {"delay": 5}
    if target == "number":
        params["history"] = False
    options: dict[str, Any] = {"target": target, "ignore": (other,), "ram": "8KiB"}
    options["kind"] = "regression" if target == "number" else "binary"
    late = fs.replay(fs.ReplayConfig(str(path), label_delay=5, params=params, **options))
    assert (late.labels.learned, late.labels.waiting) == (295, 5)
    lossy = fs.replay(
        fs.ReplayConfig(str(path), label_delay=5, label_missing=0.2, params=params, **options)
    )
    assert lossy.labels.learned + lossy.labels.missing == 295
    assert 30 < lossy.labels.missing < 90


def test_what_kinds_do_not_say_is_empty() -> None:
    kind = fs.ReplayConfig("house", kind="regression").label_kind
    assert kind.found_classes(["1", "2"]) == ()
    assert Multiclass(("a", "b")).panels([]) == []
    nothing = Forecasting(ahead=3, season=0)
    assert (nothing.details([]), nothing.panels([])) == ({}, [])
    share = fs.ReplayConfig("office", kind="novelty", params={"nu": 5.0}).label_kind
    assert share.novel_share == 0.05  # type: ignore[attr-defined]
    usual = fs.ReplayConfig("office", kind="novelty", params={"nu": 0.2}).label_kind
    assert usual.novel_share == 0.2  # type: ignore[attr-defined]


def novelty(in_time: bool) -> Trainer:
    more = {"history": True} if in_time else {}
    return NoveltyTrainer(ek.Learner(n_features=2, D=64, loss="novelty", **more), in_time=in_time)


def forecaster() -> Trainer:
    return ForecastTrainer(ek.Learner(n_features=2, D=64, loss="square", history=True))


@pytest.mark.parametrize(
    "made", [partial(novelty, False), partial(novelty, True), forecaster], ids=["row", "time", "y"]
)
def test_rows_give_the_same_numbers_one_by_one(made: Callable[[], Trainer]) -> None:
    draws = np.random.default_rng(0)
    X, y = draws.normal(size=(90, 2)), draws.normal(size=90)
    together, alone = made(), made()
    expected, found = together.columns(90), alone.columns(90)
    together.learn_rest(X, y, expected, 0)
    for at in range(60):
        alone.learn_single(X[at], float(y[at]), found, at)
    for a, b in zip(expected, found, strict=True):
        np.testing.assert_array_equal(a[:60], b[:60])
    answer = alone.learn_one(X[60], float(y[60]))
    assert answer[0] == expected[0][60]
    if isinstance(alone, ForecastTrainer):
        low, high = alone._interval(expected[0][60:61], expected[1][60:61])
        assert answer[1:3] == (low[0], high[0])
        assert answer[3] == tuple(expected[1][60, -len(alone.experts) :])
