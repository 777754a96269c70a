"""Only the files of kinds know one kind from another; everything else asks the interface."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import firmware_sim
from firmware_sim.kinds import KINDS
from firmware_sim.kinds.base import Kind, Trainer
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
