"""The rules beside `sorf`: what each answers, what fits, and how cells are counted."""

from __future__ import annotations

import numpy as np
import pytest

from bench.datasets import folder
from bench.rules import __main__ as program
from bench.rules import cells, report
from bench.rules.simple import Arow, Byte, Commonest, Last, Linear, Rule, Task, linear_models

TASKS = {"two": Task(5), "classes": Task(5, 3), "regression": Task(5, 1, True)}


def of(task: Task, order: str = "permuted", n: int = 600) -> cells.Stream:
    """Rows whose labels are linear in them."""
    draws = np.random.default_rng(0)
    X = draws.normal(size=(n, task.d))
    f = X @ np.arange(1.0, 6.0) / 7.0
    y = f if task.regression else np.where(f > 0.1, 1.0, -1.0)
    if task.classes > 1:
        y = np.digitize(f, (-0.5, 0.5)).astype(float)
    return cells.Stream("spambase", order, X, y, task)


@pytest.mark.parametrize("task", TASKS.values(), ids=TASKS)
def test_linear_rules_learn_a_line(task: Task) -> None:
    stream = of(task)
    constant = cells.walked(stream, Commonest(task), stream.X)
    for rule in (Arow(task), Byte(task, True), Byte(task, False)):
        assert cells.walked(stream, rule, stream.X) < (0.75 if task.classes > 1 else 0.5) * constant


def test_bytes_are_bytes() -> None:
    stream, rule = of(TASKS["classes"]), Byte(TASKS["classes"], True)
    cells.walked(stream, rule, stream.X)
    for weights in (rule.w, rule.a):
        assert np.array_equal(weights, np.round(weights))
        assert 0 < np.abs(weights).max() <= 127


@pytest.mark.parametrize(
    ("rule", "delay", "expected"),
    [
        (Commonest(Task(1)), 0, [0, 1, 0, 1, 0, -1]),
        (Commonest(Task(1)), 2, [0, 0, 0, 1, 0, 1]),
        (Last(Task(1)), 0, [0, 1, -1, 1, -1, -1]),
        (Last(Task(1)), 2, [0, 0, 0, 1, -1, 1]),
    ],
)
def test_constant_and_last_label(rule: Rule, delay: int, expected: list[int]) -> None:
    x, y, answers = np.zeros(1), [1.0, -1.0, 1.0, -1.0, -1.0, 1.0], []
    for _, learned in cells.late(6, delay):
        answers.append(np.sign(rule.scores(x)[0]))
        if learned is not None:
            rule.learn(x, y[learned])
    assert answers == expected


def test_a_tie_of_classes_is_wrong() -> None:
    task = Task(1, 3)
    assert task.wrong(np.zeros(3), 0.0) == 1.0
    assert task.wrong(np.array([0.0, 1.0, 0.5]), 1.0) == 0.0


def test_what_fits() -> None:
    """The sizes of the issue: letter holds no average in 1 KiB, usps10 in 4 KiB one scale alone."""
    letter, usps = Task(16, 26), Task(256, 10)
    assert linear_models(letter, 1024) == [Linear(1, False), Linear(2, True)]
    assert linear_models(usps, 4096) == [Linear(1, True)]
    assert linear_models(Task(57), 1024) == [Linear(8, True), Linear(2, False), Linear(2, True)]
    assert len(linear_models(Task(57), 4096)) == 4
    assert linear_models(usps, 1024) == []


def test_ours_is_asked_before_labels_are_known() -> None:
    """Of labels that are a row's own only with a delay of 0."""
    task = TASKS["two"]
    errors = {}
    for order in ("in order", "10 late"):
        stream = of(task, order)
        stream.y[:] = np.where(np.arange(600) // 10 % 2, 1.0, -1.0)
        stream.X[:] = 0.0
        found = cells.ours(stream, "2KiB", (1,))
        assert found is not None
        errors[order] = found
    assert errors["in order"] < 25.0 < errors["10 late"]
    assert cells.ours(of(task), "64B", (1,)) is None


@pytest.mark.parametrize("task", ["two", "classes"])
def test_late_labels_can_be_counted_as_experts_answered(task: str) -> None:
    """A last label that is right where it is learned and wrong where it answers."""
    stream = of(TASKS[task], "10 late")
    stream.y[:] = np.where(np.arange(600) // 10 % 2, 1.0, -1.0 if task == "two" else 0.0)
    stream.X[:] = 0.0
    usual = cells.ours(stream, "2KiB", (1,), last_label=True)
    stream.asks = True
    counted = cells.ours(stream, "2KiB", (1,))
    assert usual is not None
    assert counted is not None
    assert counted < 65.0
    assert usual > 80.0


def test_the_memory_takes_all_it_can() -> None:
    stream = of(TASKS["two"])
    rows, more = cells.largest_memory(stream, "4KiB"), {"relevance": False, **cells.NO_OTHERS}
    assert rows > 500
    assert cells.ours(stream, "4KiB", (1,), memory=rows, **more) is not None
    assert cells.ours(stream, "4KiB", (1,), memory=rows + 1, **more) is None


def test_gaps_are_counted() -> None:
    errors = {
        ("a", "noise", 1): {"sorf": 12.0, "commonest": 10.5, "last": 50.0, "features alone": 11.9},
        ("a", "noise", 4): {"sorf": 10.6, "commonest": 10.5, "AROW": 10.3},
        ("b", "permuted", 4): {"sorf": 99.0, "commonest": 94.0, "linear, bytes": 40.0},
        ("c", "permuted", 1): {"commonest": 94.0, "linear, bytes": 40.0},
    }
    groups = {key: key[1] for key in errors}
    lines = {line[0]: line[1:] for line in report.group_table(errors, groups).rows}
    assert lines["noise"] == ["2", "0", "0.90", "1.50", "2", "1", "0"]
    assert lines["permuted"] == ["2", "1", "59.00", "59.00", "1", "1", "1"]
    assert lines["4 KiB"][:4] == ["2", "0", "29.65", "59.00"]
    assert lines["all, over the better of its parts"][:4] == ["4", "3", "0.10", "0.10"]
    refused = report.refused_table(errors)
    assert refused is not None
    assert refused.rows == [["c", "1 KiB", "40.00"]]
    page = report.report(errors, groups, 10, 1).markdown()
    assert page.index("| b   | permuted | 4 KiB |") < page.index("| a   | noise    | 1 KiB |")


def test_orders() -> None:
    assert cells.orders_of("letter") == ("permuted", "noise")
    assert cells.orders_of("elec2") == ("in order", "permuted", "noise", "10 late", "48 late")
    assert {name for name, _ in report.GOALS} <= set(cells.SETS)


@pytest.mark.parametrize("name", ["elec2", "ccpp_regression"])
def test_a_set(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    if not any(folder().glob(f"{name}.*")):
        pytest.skip(f"{name} is not in the data folder")
    program.main(["--sets", name, "--rows", "300", "--kib", "1"])
    said = capsys.readouterr().out
    assert "The" in said
    assert "saved" not in said
