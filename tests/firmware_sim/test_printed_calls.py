"""Whatever is printed as a call is run here, and gives the figures that it was printed beside.

Streams and options are drawn at random, each case a function of its seed alone.
"""

from __future__ import annotations

import shlex
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

import edgeolk as ek
import firmware_sim as fs
from firmware_sim import Replay, ReplayConfig, Stream  # noqa: F401 (what a `repr` names)
from firmware_sim.cli import compare as compare_command
from firmware_sim.cli.program import parser
from firmware_sim.cli.replay import to_config
from firmware_sim.cli.shared import config_of
from firmware_sim.comparison import Comparison, compare
from firmware_sim.comparison.evaluators import Evaluator
from firmware_sim.comparison.program import program
from firmware_sim.comparison.tuning import tune
from firmware_sim.comparison.work import Recording
from firmware_sim.metrics.batch import Batch
from firmware_sim.report import hints
from firmware_sim.report.summary import command

ROWS, CHOSEN_ON = 480, 220
KINDS = ("binary", "multiclass", "regression", "novelty")
METHODS = {
    "binary": ("sorf", "ogd", "fogd", "bpa_s", "rbp"),
    "multiclass": ("sorf", "bpa_s", "rbp"),
    "regression": ("sorf", "ogd", "bpa_s"),
    "novelty": ("sorf", "nogd"),
}


class Case(NamedTuple):
    """A stream in a file, and the options of commands that read it."""

    rng: np.random.Generator
    path: Path
    kind: str
    reading: list[str]  # how the stream is read: of every command
    device: list[str]  # scaling and storage: of every command
    learner: list[str]  # of `replay` and `tune`
    sized: list[str]


def drawn(seed: int, folder: Path) -> Case:
    """Return the case of a seed."""
    rng = np.random.default_rng((seed, 52))
    kind = KINDS[seed % len(KINDS)]
    d = int(rng.integers(1, 5))
    X = (
        np.cumsum(rng.normal(size=(ROWS, d)), axis=0)
        if rng.random() < 0.5
        else rng.normal(size=(ROWS, d))
    )
    wave = np.sin(np.arange(ROWS) / 7) + 0.3 * rng.normal(size=ROWS)
    y: Any = {
        "binary": (X[:, 0] * wave > 0).astype(int),
        "multiclass": np.array(["a", "b", "c"])[(3 * rng.random(ROWS)).astype(int)],
        "regression": 50 + 20 * wave + X[:, 0],
        "novelty": (rng.random(ROWS) < 0.1).astype(int),
    }[kind]
    path = folder / "stream.csv"
    lines = [",".join([*map(repr, x.tolist()), str(label)]) for x, label in zip(X, y, strict=True)]
    names = [f"x{i}" for i in range(d)]
    if kind == "novelty" and seed % 8 == 3:  # with a clock
        names = ["time", *names]
        lines = [f"{1_700_000_000 + 600 * at},{line}" for at, line in enumerate(lines)]
    path.write_text("\n".join([",".join([*names, "y"]), *lines]) + "\n")

    def some(*words: str) -> list[str]:
        """Return one of these, each said half as often as nothing."""
        return shlex.split(str(rng.choice([*words, *[""] * (2 * len(words))])))

    reading = ["--target", "y", "--kind", kind]
    device = some("--scale minmax", "--scale none") + some("--dtype float32", "--dtype float64")
    learner = some(*(f"--algorithm {name}" for name in METHODS[kind]))
    if "--algorithm" not in learner:
        learner += some("--param r=0.01", "--param linear=false", "--param cmin=50")
        learner += some("--param history=false") if kind == "regression" else []
        learner += some("--param last_label=false", "--param lapse=4") if kind == "binary" else []
    sized = ["--ram", str(rng.choice(["4KiB", "9000", "16KiB"])), "--seed", str(rng.integers(3))]
    return Case(rng, path, kind, reading, device, learner, sized)


def parsed(name: str, case: Case, *words: str) -> Any:
    return parser().parse_args([name, str(case.path), *case.reading, *case.device, *words])


def loss_of(config: ReplayConfig, evaluator: Evaluator, first: int) -> float:
    """Loss of a replay of a whole stream from a row on."""
    said = Recording(ROWS)
    Replay(config).run(on_result=said.take, beside_clean=False)
    return evaluator.loss(said.records, first)


@pytest.mark.parametrize("seed", range(16))
@pytest.mark.spread(4)
def test_tune(seed: int, tmp_path: Path) -> None:
    """The options it prints, for what it began with, chose, or the default."""
    case = drawn(seed, tmp_path)
    asked = config_of(parsed("tune", case, *case.learner, *case.sized))
    found = tune(asked, rows=CHOSEN_ON, candidates=6)
    never = 1e9
    tried = {
        "start": (replace(found, after=never, default=None), found.before),
        "chosen": (replace(found, before=never, default=None), found.after),
    }
    if found.default is not None:
        tried["default"] = (replace(found, before=never, after=never), found.default)
    for what, (one, loss) in tried.items():
        words = [*case.sized, *shlex.split(one.options)]
        config = to_config(parsed("replay", case, *words))
        assert loss_of(config, found.evaluator, found.tuned_on) == loss, (what, one.options)


def compared(seed: int, folder: Path) -> tuple[Case, list[str], list[str], Comparison]:
    """Return a case, the methods and the words of a comparison from the shell, and that."""
    case = drawn(seed, folder)
    names = list(METHODS[case.kind])
    some = (["--gamma", "0.3"], ["--freeze-after", "100"], [])
    more = [] if "none" in case.device else some[seed // 4 % 3]
    words = [*more, "--ram", "6KiB"]
    chosen = parsed("compare", case, *words)
    found = compare(
        compare_command.to_config(chosen), ["6KiB"], names, folder=folder, seeds=1, workers=1
    )
    return case, names, words, found


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.spread(3)
def test_compare(seed: int, tmp_path: Path) -> None:
    """The Python it prints, for every method that got to the end."""
    case, _, _, found = compared(seed, tmp_path)
    done = [name for name in found.algorithms if found.cell(name, 6144).done]
    assert "default" in done
    table = np.genfromtxt(case.path, delimiter=",", skip_header=1, dtype=str)
    labels = table[:, -1].tolist()
    if case.kind != "multiclass":
        labels = [float(label) for label in labels]
        labels = [label or -1.0 for label in labels] if case.kind == "binary" else labels
    has_times = case.path.read_text().startswith("time")
    times, readings = np.split(table[:, :-1].astype(float), [has_times], axis=1)
    for name in done:
        lines = "\n".join(program(found, name, 6144))
        more = times.T.tolist() if "seconds in rows" in lines else []
        rows = list(zip(readings.tolist(), labels, *more, strict=True))
        answer = {
            "multiclass": "    answers.append(learner.predict_one(x))\n",
            "novelty": "    level = learner.threshold\n",
        }.get(case.kind, "")
        lines = lines.replace("    score = ", f"{answer}    score = ")
        if case.kind == "novelty":
            level = "-level if score else -0.25" if "history=True" in lines else "level"
            lines += f"\n    answers.append((score, {level}))"
        elif case.kind != "multiclass":
            lines += "\n    answers.append(score)"
        answers: list[Any] = []
        exec(lines, {"rows": rows, "answers": answers})
        scores, *thresholds = np.array(answers, dtype=float).T.reshape(-1, len(answers))
        levels = {"threshold": thresholds[0], "reason": 0.0 * scores} if thresholds else {}
        records = Batch.of(label=found.rows.y, score=scores, **levels).rows
        got = found.rows.evaluator.loss(records)
        assert got == pytest.approx(found.cell(name, 6144).error, rel=1e-9), (name, lines)


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.spread(3)
def test_compare_is_one_from_python_and_from_the_shell(seed: int, tmp_path: Path) -> None:
    """Its default is what `replay` runs, its methods have what was asked for and no more."""
    case, names, words, found = compared(seed, tmp_path)
    said = {"target": "y", "kind": case.kind}
    for flag, value in zip(*[iter([*case.device, *words])] * 2, strict=True):
        name = flag.removeprefix("--").replace("-", "_")
        said[name] = {"gamma": float, "freeze_after": int}.get(name, str)(value)
    (tmp_path / "again").mkdir()
    again = compare(
        ReplayConfig(str(case.path), **said),  # type: ignore[arg-type]
        *(["6KiB"], names),
        folder=tmp_path / "again",
        seeds=1,
        workers=1,
    )
    timeless = [replace(one, seconds=0.0) for one in found.outcomes]
    assert [replace(one, seconds=0.0) for one in again.outcomes] == timeless
    asked = case.device[case.device.index("--dtype") + 1] if "--dtype" in case.device else ""
    for name in found.algorithms:
        own = "sorf" if name == "default" else name
        usual = ek.plan(own, n_features=1, budget=64).dtype
        assert found.storage(name) == (asked or usual)
        if "int8" not in (asked, usual) or own == "sorf":
            assert found.cell(name, 6144).done, found.cell(name, 6144).runs


@pytest.mark.parametrize("seed", range(16))
@pytest.mark.spread(3)
def test_replay(seed: int, tmp_path: Path) -> None:
    """The command that repeats a replay, and the `repr` of its configuration and its learner."""
    case = drawn(seed, tmp_path)
    config = to_config(parsed("replay", case, *case.learner, *case.sized))
    replay = Replay(config)
    result = replay.run()
    words = shlex.split(command(result.config))
    again = to_config(parser().parse_args(words[3:]))
    assert again == result.config
    assert fs.replay(again).metrics.summary() == result.metrics.summary()
    assert eval(repr(config)) == config
    learner = replay.device.learner
    same = eval(repr(learner.config), {"ek": ek, **vars(ek)})
    assert same == learner.config


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.spread(3)
def test_a_field_that_was_left_open_stays_open(seed: int, tmp_path: Path) -> None:
    """What one learner is given by default is not asked of another."""
    case = drawn(seed, tmp_path)
    config = to_config(parsed("replay", case, *case.sized))
    for name in METHODS[case.kind]:
        said = ["--algorithm", name, *case.sized]
        assert replace(config, algorithm=name) == to_config(parsed("replay", case, *said))
    narrow = replace(config, gamma=0.5)
    assert narrow == to_config(parsed("replay", case, "--gamma", "0.5", *case.sized))
    assert replace(narrow, gamma=None) == config


@pytest.mark.parametrize("seed", range(24))
@pytest.mark.spread(3)
def test_hints(seed: int, tmp_path: Path) -> None:
    """The options that a report suggests, beside those that were given."""
    case = drawn(seed, tmp_path)
    said = [*case.learner, *case.sized]
    config = to_config(parsed("replay", case, *said))
    tried = 0
    for text, changes in hints._candidates(Replay(config).run()):
        words = shlex.split(text)
        if not words[0].startswith("--"):
            continue
        taken = {words[at + 1].partition("=")[0] if word == "--param" else word
                 for at, word in enumerate(words) if word.startswith("--")}  # fmt: skip
        kept = [
            word
            for flag, value in zip(*[iter([*case.reading, *case.device, *said])] * 2, strict=True)
            if (value.partition("=")[0] if flag == "--param" else flag) not in taken
            and not (flag == "--param" and "--algorithm" in taken)  # of another algorithm
            for word in (flag, value)
        ]
        chosen = parser().parse_args(["replay", str(case.path), *kept, *words])
        got, meant = to_config(chosen), replace(config, **changes)
        assert got.cap_bytes == meant.cap_bytes
        assert replace(got, ram=meant.ram).pinned() == meant.pinned(), text
        tried += 1
    # A stream that is watched has nothing to set, and its learner takes less than any memory here.
    assert tried or case.learner or case.kind == "novelty"
