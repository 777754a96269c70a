"""The command line: what it prints, what it refuses."""

from __future__ import annotations

import io
import json
import re
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import edgeolk as ek
from edgeolk.cli import main
from edgeolk.parts.methods import Method


def run(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert main(words) == 0
    return capsys.readouterr().out


def refused(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    """The last line said; exit code 2, whoever gives it."""
    try:
        code: object = main(words)
    except SystemExit as end:
        code = end.code
    assert code == 2
    told = capsys.readouterr()
    assert not told.out
    return told.err.splitlines()[-1]


def test_list_says_what_freezes(capsys: pytest.CaptureFixture[str]) -> None:
    lines = {line.split()[0]: line for line in run(capsys, "list").splitlines()}
    assert list(lines) == [row.name for row in ek.algorithms()]
    for row in ek.algorithms():
        assert lines[row.name].endswith("(freezes when full)") == row.freezes
    assert sum(row.freezes for row in ek.algorithms()) > 5


PLANS: list[tuple[list[str], dict[str, Any]]] = [
    ([], {}),
    (["--kernel", "laplacian"], {"kernel": ek.Laplacian(1 / 5)}),
    (["--kernel", "polynomial:degree=3,scale=0.5"], {"kernel": ek.Polynomial(3, 0.5)}),
    (["--kernel", "Linear", "--seed", "7"], {"kernel": ek.Linear(), "seed": 7}),
    (["--gamma", "0.5"], {"kernel": ek.Gaussian(0.5)}),
    (["--param", "gamma=0.5"], {"kernel": ek.Gaussian(0.5)}),
    (["--scale", "none"], {"scale": None}),
    (["--gamma", "auto", "--scale", "minmax"], {"gamma": "auto", "scale": "minmax"}),
    (["--sparse", "--dtype", "float64"], {"sparse": True, "dtype": "float64"}),
    (["--param", "loss=ramp", "--param", "C=0.5"], {"loss": "ramp", "C": 0.5}),
    (["--param", "coefficients=float32"], {"coefficients": "float32"}),
    (["--param", "allow_skip=false"], {"allow_skip": False}),
]


@pytest.mark.parametrize(("words", "options"), PLANS, ids=str)
def test_plan_of_one(
    words: list[str], options: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["plan", "--features", "5", "--ram", "8KiB", "--algorithm", "bpa_nn", *words]
    made = ek.plan("bpa_nn", n_features=5, ram="8KiB", **options)
    assert run(capsys, *command) == f"{made}\n"
    told = json.loads(run(capsys, *command, "--json"))
    assert told["nbytes"] == made.nbytes
    assert told["budget"] == made.budget
    assert told["kernel"] == str(options.get("kernel", ek.Gaussian(1 / 5)))
    assert (told["sparse"], told["seed"]) == ("--sparse" in words, options.get("seed", 0))
    assert (told["gamma_rows"], told["scale"]) == (made.gamma_rows, options.get("scale"))
    regions = [region._asdict() for region in made.regions]
    assert told["regions"] == json.loads(json.dumps(regions))


def test_plan_stores_as_the_method_does(capsys: pytest.CaptureFixture[str]) -> None:
    """Without --dtype it is the method's own, alone as in the table."""
    command = ["plan", "--features", "5", "--ram", "64KiB"]
    lines = {line.split()[0]: line.split() for line in run(capsys, *command).splitlines()[2:]}
    records = {made["algorithm"]: made for made in json.loads(run(capsys, *command, "--json"))}
    for row in ek.algorithms():
        made = ek.plan(row.name, n_features=5, ram="64KiB")
        assert run(capsys, *command, "--algorithm", row.name) == f"{made}\n"
        assert lines[row.name][1:4] == [made.dtype, str(made.budget), str(made.nbytes)]
        told = records[row.name]
        assert (told["dtype"], told["budget"]) == (made.dtype, made.budget)


def test_plan_of_all(capsys: pytest.CaptureFixture[str]) -> None:
    command = ["plan", "--features", "5", "--budget", "50", "--kernel", "linear"]
    first, _, _, *lines = run(capsys, *command).splitlines()
    assert first == (
        "recommended: sorf, D = 50, with scaling and kernel width,"
        f" {ek.plan(n_features=5, budget=50).nbytes} bytes"
    )
    records = json.loads(run(capsys, *command, "--json"))
    names = [row.name for row in ek.algorithms()]
    assert [line.split()[0] for line in lines] == [made["algorithm"] for made in records] == names
    for made in records:
        if "refused" in made:
            assert "Gaussian" in made["refused"]
        else:
            learner = ek.Learner(made["algorithm"], n_features=5, budget=50, kernel=ek.Linear())
            assert learner.nbytes == made["nbytes"]
    refused = [made["algorithm"] for made in records if "refused" in made]
    assert refused == ["bsgd", "fogd", "krls_auto", "sorf"]


SIZED = ["plan", "--features", "5", "--ram", "8KiB"]


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ([*SIZED, "--kernel", "gausian"], "did you mean 'gaussian'"),
        ([*SIZED, "--kernel", "linear:gamma=2"], "has no 'gamma'"),
        ([*SIZED, "--kernel", "gaussian:gamma"], "is not NAME=VALUE"),
        ([*SIZED, "--kernel", "gaussian:gamma=-1"], "gamma must be finite and > 0"),
        ([*SIZED, "--gamma", "wide"], "'wide' is neither 'auto' nor a number"),
        ([*SIZED, "--gamma", "0"], "gamma must be finite and > 0"),
        ([*SIZED, "--gamma", "1", "--kernel", "linear"], "kernel= or gamma=, not both"),
        ([*SIZED, "--scale", "both"], "invalid choice: 'both'"),
        ([*SIZED, "--param", "C=1"], "--param needs --algorithm"),
        ([*SIZED, "--algorithm", "pa1", "--param", "C"], "is not NAME=VALUE"),
        ([*SIZED, "--algorithm", "pa1", "--param", "c=1"], "did you mean 'C'"),
        ([*SIZED, "--algorithm", "pa1", "--param", "C=x"], "C must be a finite number"),
        ([*SIZED, "--algorithm", "bpas"], "did you mean 'bpa_s'"),
        ([*SIZED, "--seed", "-1"], "seed must be from 0"),
        (["plan", "--ram", "8KiB", "--features", "0"], "n_features must be from 1"),
    ],
    ids=str,
)
def test_refusals(words: list[str], sentence: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert sentence in refused(capsys, *words)


@pytest.mark.parametrize("row", ek.algorithms(), ids=lambda row: row.name)
def test_info(row: Method, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """Whatever the parameters are: numbers, words, none."""
    learner = ek.Learner(row.name, n_features=3, budget=7)
    learner.save(tmp_path / "model")
    lines = run(capsys, "info", str(tmp_path / "model")).splitlines()
    told = dict(line.split(None, 1) for line in lines)
    assert told["algorithm"].startswith(f"{row.name} (")
    for name, value in learner.parameters.items():
        said = f"{value:g}" if isinstance(value, float) else str(value)
        assert f"{name} = {said}" in told["parameters"]
    assert told["features"] == f"3, {learner.dtype}"
    assert told["bytes"] == str(learner.nbytes)


def test_info_says_how_many_classes(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    ek.Learner("sorf", n_features=3, budget=7, n_classes=3).save(tmp_path / "model")
    assert "classes          3" in run(capsys, "info", str(tmp_path / "model")).splitlines()
    ek.Learner("sorf", n_features=3, budget=7).save(tmp_path / "model")
    assert "classes  " not in run(capsys, "info", str(tmp_path / "model"))


@pytest.mark.parametrize(
    ("options", "kernel", "size"),
    [
        ({"budget": 64, "memory": 40}, "Gaussian(gamma=", "frequencies      64"),
        ({"algorithm": "fogd", "budget": 20}, "Gaussian(gamma=", "frequencies      20"),
        ({"ram": 260}, "none", "frequencies      0"),
        ({"algorithm": "nogd", "budget": 20}, "Gaussian(gamma=", "support vectors  5 of 20"),
    ],
    ids=str,
)
def test_info_names_what_the_model_is_made_of(
    options: dict[str, Any],
    kernel: str,
    size: str,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    learner = ek.Learner(n_features=3, **options)
    learner.learn_many(np.random.default_rng(0).normal(size=(5, 3)), np.array([1, -1, 1, -1, 1]))
    learner.save(tmp_path / "model")
    lines = run(capsys, "info", str(tmp_path / "model")).splitlines()
    assert size in lines
    assert any(line.startswith(f"kernel           {kernel}") for line in lines)
    other = "frequencies" if size.startswith("support") else "support vectors"
    assert not any(line.startswith(other) for line in lines)
    if "memory" in options:
        (memory,) = [line for line in lines if line.startswith("memory ")]
        assert memory.startswith(f"memory           {learner.n_remembered} of 40 rows, ")


def test_info_of_a_stream(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    learner = ek.Learner(n_features=2, loss="novelty", history=True)
    rows = np.random.default_rng(0).normal(size=(300, 2))
    rows[-1] = 40.0
    learner.learn_many(rows)
    learner.save(tmp_path / "model.olk")
    text = run(capsys, "info", str(tmp_path / "model.olk"))
    assert f"novel rows       {learner.mistakes}, {learner.alarms} alarms" in text
    assert f"last row         novel, {learner.anomaly:.3g}: change, channel 0" in text


def test_info_of_a_composition(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    ek.Learner(n_features=3, budget=7, policy="random", coefficients="float32").save(tmp_path / "m")
    told = run(capsys, "info", str(tmp_path / "m"))
    assert "policy = random" in told
    assert "float32" in told.splitlines()[4]
    assert "nothing" in refused(capsys, "info", str(tmp_path / "nothing"))
    (tmp_path / "rows.txt").write_text("21.5 430 1\n" * 30)
    for command in (("info",), ("export", "--out", str(tmp_path / "out"))):
        told = refused(capsys, *command, str(tmp_path / "rows.txt"))
        assert f"{tmp_path / 'rows.txt'}: not a model" in told


def test_info_of_checkpoints(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    place = tmp_path / "state.checkpoint"
    learner = ek.Learner("rbp", n_features=2, budget=5)
    with ek.Checkpointer(place) as checkpoints:
        checkpoints.write((ek.RunningScaler(2), learner))
    told = run(capsys, "info", str(place))
    assert "checkpoint       slot" in told
    assert "scaler           2 features, 0 rows" in told
    assert "support vectors  0 of 5" in told
    with pytest.raises(ValueError, match=r"not a model but checkpoints: ek\.Checkpointer"):
        ek.load(place)
    place.write_bytes(place.read_bytes()[:40])
    assert f"{place}: " in refused(capsys, "info", str(place))


@pytest.mark.parametrize("kind", ["file", "folder"])
@pytest.mark.parametrize("slots", [2, 3, 8])
def test_info_finds_the_slots(
    kind: str, slots: int, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    place = tmp_path / "state"
    if kind == "folder":
        place.mkdir()
    with ek.Checkpointer(place, slots=slots) as checkpoints:
        checkpoints.write(ek.Learner("rbp", n_features=2, budget=5))
    told = run(capsys, "info", str(place))
    assert re.search(rf"; {slots} slots( \(several|$)", told, re.MULTILINE)
    assert "format           checkpoint 1, model 5\n" in told
    assert "steps            0, 0 updates" in told


@pytest.mark.parametrize("slot", [0, 1])
def test_info_of_a_damaged_slot_is_no_success(
    slot: int, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    place = tmp_path / "state"
    with ek.Checkpointer(place) as checkpoints:
        for _ in range(2):
            checkpoints.write(ek.Learner("rbp", n_features=2, budget=5))
    data = bytearray(place.read_bytes())
    data[slot * len(data) // 2 + 3] ^= 1
    place.write_bytes(data)
    assert main(["info", str(place)]) == 1
    told = capsys.readouterr()
    assert "support vectors  0 of 5" in told.out
    assert told.err == (
        f"edgeolk: {place}: slot {slot} cannot be used: its header is not that of a checkpoint\n"
    )


def test_info_says_the_format_of_a_model(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    ek.Learner("rbp", n_features=2, budget=5).save(tmp_path / "m")
    assert run(capsys, "info", str(tmp_path / "m")).startswith("format           model 5\n")


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="0"):
        main(["--version"])
    assert capsys.readouterr().out == f"edgeolk {ek.__version__}\n"


def test_info_of_an_image_of_two_learners(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """A board's flash with two pairs of slots, one after the other; one pair may be empty."""
    place = tmp_path / "image.bin"
    image = b""
    for budget in (5, 7):
        pair = bytearray(8192)
        with ek.Checkpointer(pair) as checkpoints:
            for _ in range(2):
                checkpoints.write(ek.Learner("rbp", n_features=2, budget=budget))
        image += pair
    place.write_bytes(image)
    assert "4 slots (several learners of a board: --pairs)" in run(capsys, "info", str(place))
    told = run(capsys, "info", "--pairs", "2", str(place))
    assert re.findall(r"^(bytes from \S+ |support vectors) +(.*)$", told, re.MULTILINE) == [
        ("bytes from 0 ", "slot 1, no. 2"), ("support vectors", "0 of 5"),
        ("bytes from 8192 ", "slot 1, no. 2"), ("support vectors", "0 of 7"),
    ]  # fmt: skip
    place.write_bytes(b"\xff" * 8192 + image[8192:])
    told = run(capsys, "info", "--pairs", "2", str(place))
    assert "bytes from 0     no checkpoint; slot 0: " in told
    assert "support vectors  0 of 7" in told
    for pairs in ("0", "3"):
        said = refused(capsys, "info", "--pairs", pairs, str(place))
        assert f"16384 bytes are not {pairs} pairs of slots of equal size" in said


def test_the_plan_of_all_where_a_linear_model_is_worth_most(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["plan", "--features", "57", "--ram", "1KiB"]) == 0
    shown = capsys.readouterr().out
    assert "recommended: sorf, a linear model, with scaling, " in shown
    (line,) = [line for line in shown.splitlines() if line.startswith("sorf ")]
    assert line.split()[2:] == ["0", "1008", "-", "O(d),", "every", "step"]


def test_info_of_a_width_that_is_not_known_yet_and_of_bounded_rows(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    X = np.random.default_rng(0).normal(size=(30, 2))
    learner = ek.Learner("pa", n_features=2, budget=9, gamma="auto", gamma_rows=20, clip_rows=1.0)
    for n, state in ((10, "provisional, to be computed from"), (20, "computed from")):
        learner.learn_many(X[n - 10 : n], np.sign(X[n - 10 : n, 0]))
        learner.save(tmp_path / "m")
        told = run(capsys, "info", str(tmp_path / "m"))
        assert f"width            {state} the first 20 rows\n" in told
        assert f"rows bounded     to 1: {learner.n_shortened}\n" in told
    assert learner.n_shortened > 0


def test_info_of_a_forecaster_says_how_far_it_sees(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options: dict[str, Any] = {"D": 0, "loss": "square", "history": True, "horizon": 3}
    learner = ek.Learner("sorf", n_features=2, season=7, **options)
    learner.save(tmp_path / "m")
    assert (
        "forecasts        3 rows ahead, a season of 7, without a kernel; 0 pending rows\n"
        in run(capsys, "info", str(tmp_path / "m"))
    )


def test_a_long_list_has_the_paper_and_every_parameter(capsys: pytest.CaptureFixture[str]) -> None:
    told = run(capsys, "list", "--verbose")
    for row in ek.algorithms():
        assert row.source in told
    assert re.search(r"^ +eta = .*: .+ \(.+\)$", told, re.MULTILINE)


def test_the_generated_page_and_its_table(capsys: pytest.CaptureFixture[str]) -> None:
    rows = run(capsys, "list", "--markdown").splitlines()
    assert sum("algorithms.md#" in row for row in rows) == len(ek.algorithms())
    sections = [line for line in run(capsys, "list", "--page").splitlines() if line[:1] == "#"]
    assert {row.name for row in ek.algorithms()} <= {line.lstrip("# ") for line in sections}


def test_a_reader_that_has_seen_enough_is_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """As after `| head`."""

    class Unread(io.StringIO):
        def write(self, text: str) -> int:
            raise BrokenPipeError(32, "Broken pipe")

    monkeypatch.setattr(sys, "stdout", Unread())
    assert main(["list"]) == 0


def test_the_plan_says_what_an_exported_program_needs_besides(
    capsys: pytest.CaptureFixture[str],
) -> None:
    words = ["plan", "--features", "10", "--ram", "4KiB", "--algorithm", "sorf"]
    assert main(words) == 0
    plain = capsys.readouterr().out
    assert main([*words, "--scratch", "arena"]) == 0
    more = capsys.readouterr().out.removeprefix(plain)
    assert more.startswith("exported with --scratch arena, in addition: ")
    assert "bytes in" in more
