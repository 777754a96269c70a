"""Memory known before anything is built, the smallest ``ram=``, the longest step.

The number of bytes that a refusal names fits, and one byte less does not.
"""

from __future__ import annotations

import itertools
import pickle
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers import EVERY, LIVELY, smallest_budget, whole_end
from hypothesis import given, settings
from hypothesis import strategies as st
from plans import ITEM, configurations

import edgeolk as ek
from edgeolk.cli import main
from edgeolk.configuration.config import Config
from edgeolk.configuration.header import FIXED_BYTES, stored_values
from edgeolk.configuration.layout import SMALL
from edgeolk.configuration.regions import ELEMENT_BYTES, Lifetime
from edgeolk.parts import Basis
from edgeolk.parts.bases import BASES
from edgeolk.parts.descriptions import DESCRIPTIONS
from edgeolk.parts.methods import METHODS
from edgeolk.parts.policies import POLICIES
from edgeolk.ring import options as of_ring

modest = settings(max_examples=40, deadline=None, database=None)


@modest
@given(options=configurations(), budget=st.integers(2, 300))
def test_regions_lie_side_by_side(options: dict[str, Any], budget: int) -> None:
    """No byte is lost; two regions share bytes only where no call uses both."""
    plan = ek.plan(**options, budget=budget)
    assert whole_end(plan) == plan.nbytes
    for region in plan.regions:
        ring = "mean_weights" not in {region.name for region in plan.regions}
        wide = ring or region.name in ("weights", "mean_weights", "feature_row")
        apart = 64 if wide and plan.nbytes > SMALL else 8
        assert region.offset % apart == region.nbytes % apart == 0
        assert region.purpose
        if region.element:
            rows, stride = region.shape
            used = rows * stride * ELEMENT_BYTES[region.element]
            assert 0 < used <= region.nbytes < used + 64
    for one, other in itertools.combinations(plan.regions, 2):
        end = one.offset + one.nbytes, other.offset + other.nbytes
        if other.offset < end[0] and one.offset < end[1]:
            assert {one.lifetime, other.lifetime} == {Lifetime.LEARN, Lifetime.MEAN}
            assert (
                Config(**options, budget=budget)._settings.parts["basis"] == Basis.SUPPORT_VECTORS
            )
    names = [region.name for region in plan.regions]
    assert len(set(names)) == len(names)
    assert (names[0], names[-1]) == ("header", "alignment")
    sizes = {region.name: region.nbytes for region in plan.regions}
    item = ITEM[plan.dtype]
    assert sizes["header"] >= FIXED_BYTES
    if plan.algorithm == "sorf":
        assert item * 2 * budget <= sizes["mean_weights"] < item * 2 * budget + 64
        return
    if options.get("frequencies", "stored") == "stored":
        assert sizes["support_vectors"] >= budget * plan.n_features * item
        assert sizes["support_vectors"] < (budget + 64) * plan.n_features * item + 64
    else:
        assert "support_vectors" not in sizes
    assert sizes["coefficients"] >= ITEM[plan.coefficients] * budget


@modest
@given(options=configurations(), ram=st.integers(2000, 300_000))
def test_ram_gives_the_largest_budget(options: dict[str, Any], ram: int) -> None:
    name = options["algorithm"]
    least = ek.plan(**options, budget=smallest_budget(name)).nbytes
    if least > ram:
        with pytest.raises(ValueError, match=f"ram must be at least {least} bytes"):
            ek.plan(**options, ram=ram)
        return
    plan = ek.plan(**options, ram=ram)
    assert plan.nbytes <= ram
    options["lookahead"] = 0  # no byte is spent on that where they are counted
    # Nor are rows remembered by themselves.
    for region in plan.regions:
        if region.name == "row_memory":
            options |= {"memory": region.shape[1], "memory_narrow": True}
    assert ek.plan(**options, budget=plan.budget) == plan
    assert ek.plan(**options, budget=plan.budget + 1).nbytes > ram
    assert ek.Learner(**options, ram=ram).plan == plan


def test_ram_where_a_small_budget_has_no_meaning() -> None:
    """lam = U / sqrt(4 B) fits eps only from some B on: that is the B to find."""
    plan = ek.plan("ahpatron", n_features=5, ram="64KiB", U=10.0)
    assert plan.nbytes <= 65536 < ek.plan("ahpatron", n_features=5, budget=plan.budget + 1).nbytes
    with pytest.raises(ValueError, match="eps must be at least half"):
        ek.plan("ahpatron", n_features=5, ram="64KiB", U=1e6)


@pytest.mark.parametrize("name", EVERY)
def test_not_even_one_fits(name: str) -> None:
    budget = smallest_budget(name, **LIVELY.get(name, {}))
    options: dict[str, Any] = {"budget": budget}
    if name == "sorf":  # the last weights of a linear model are smaller than any kernel
        options = {"D": 0, "linear_group": "last", "scale": "common"}
        options |= {"drift": False, "constant": False}
    least = ek.plan(name, n_features=7, **options).nbytes
    assert ek.plan(name, n_features=7, ram=least).nbytes == least
    for ram in (0, 1, least - 1):
        with pytest.raises(ValueError, match=f"ram must be at least {least} bytes.*got {ram}"):
            ek.plan(name, n_features=7, ram=ram)
        with pytest.raises(ValueError, match=f"ram must be at least {least} bytes"):
            ek.Learner(name, n_features=7, ram=ram)


def test_what_no_budget_allows_is_refused_where_budgets_begin_at_0() -> None:
    with pytest.raises(ValueError, match=r"leak must be a finite number .* got 1"):
        ek.Learner("sorf", n_features=3, ram="4KiB", linear_group=True, leak=1)


def test_text_of_a_plan() -> None:
    plan = ek.plan("spa", n_features=123, budget=1350)
    lines = str(plan).splitlines()
    assert lines[0] == "spa: d = 123, B = 1350, float32"
    assert len(lines) == len(plan.regions) + 4
    for region, line in zip(plan.regions, lines[2:], strict=False):
        words = line.split()
        assert words[:3] == [region.name, str(region.offset), str(region.nbytes)]
    assert lines[-2].split() == ["total", str(plan.nbytes)]
    assert lines[-1].endswith(plan.longest_step)


@pytest.mark.parametrize(
    ("size", "expected"),
    [
        (0, 0), (65536, 65536), (np.int64(7), 7), ("65536", 65536), ("3B", 3), ("64KiB", 65536),
        ("64 kib", 65536), ("1.5KiB", 1536), ("2MiB", 2**21), ("0.5 GiB", 2**29), ("64kB", 64000),
        (" 64 KB ", 64000), ("1MB", 10**6), ("1GB", 10**9),
    ],
)  # fmt: skip
def test_sizes(size: Any, expected: int) -> None:
    assert ek.parse_bytes(size) == expected


@pytest.mark.parametrize(
    "size",
    ["", "KiB", "-1", "64XB", "1e3", "64 Ki B", "0x10", "nan", "1,5KB", -1, 2**63,
     "9" * 400, "9" * 30 + "GiB", None, 1.5, True, [1], b"64KiB"],
)  # fmt: skip
def test_no_sizes(size: Any) -> None:
    error = ValueError if isinstance(size, (str, int)) and size is not True else TypeError
    with pytest.raises(error, match="ram"):
        ek.parse_bytes(size)


def test_models_no_machine_has() -> None:
    with pytest.raises(ValueError, match="cannot be addressed"):
        ek.plan("rbp", n_features=2**31 - 1, budget=2**31 - 1)
    # With 32 bits that cannot be addressed either.
    with pytest.raises((MemoryError, ValueError), match=r"no memory|cannot be addressed"):
        ek.Learner("rbp", n_features=2**31 - 1, budget=2**20)


@pytest.mark.parametrize("both", [{}, {"budget": 3, "ram": "64KiB"}])
def test_either_a_budget_or_a_cap(both: dict[str, Any]) -> None:
    for make in (ek.plan, ek.Learner):
        with pytest.raises(TypeError, match="budget= or ram="):
            make("rbp", n_features=2, **both)


@pytest.mark.parametrize("kind", ["read-only", "bytes", "list", "number", "strided", "short"])
def test_buffers_that_will_not_do(kind: str) -> None:
    size = ek.plan("rbp", n_features=2, budget=3).nbytes
    frozen = np.zeros(size, np.uint8)
    frozen.flags.writeable = False
    buffers: dict[str, Any] = {
        "read-only": frozen,
        "bytes": bytes(size),
        "list": [0] * size,
        "number": size,
        "strided": np.zeros(2 * size, np.uint8)[::2],
        "short": np.full(size - 1, 9, np.uint8),
    }
    with pytest.raises((TypeError, ValueError), match="buffer must"):
        ek.Learner("rbp", n_features=2, budget=3, buffer=buffers[kind])
    assert np.all(buffers["short"] == 9)


@pytest.mark.parametrize(("dtype", "budget"), [("float32", 1024), ("float64", 512)])
def test_rows_are_never_a_whole_page_apart(dtype: str, budget: int) -> None:
    """They would compete for the same lines of the cache; the next budget takes no less."""
    regions = [
        {r.name: r.nbytes for r in ek.plan("rbp", n_features=8, budget=b, dtype=dtype).regions}
        for b in (budget, budget + 1)
    ]
    assert regions[0]["support_vectors"] == 8 * (4096 + 64) == regions[1]["support_vectors"]


def test_the_usual_width_of_structured_features_is_not_written() -> None:
    """It comes back from the file, and one that is named does too."""
    for gamma in (0.5 / 7, 0.3):
        config = ek.Config("sorf", n_features=7, budget=64, kernel=ek.Gaussian(gamma))
        assert ("kernel.gamma" in stored_values(config._settings)) == (gamma == 0.3)
        again = pickle.loads(pickle.dumps(ek.Learner(config)))
        assert again.config == config
        assert again.kernel == ek.Gaussian(gamma)
    assert "kernel.gamma" in stored_values(
        ek.Config("ogd", n_features=7, budget=9, gamma=0.5 / 7)._settings
    )


#: The table of docs/rows.md: arguments, bytes an input and fixed bytes.
COSTS = re.findall(
    r"^\| `(.+?)` \| (\d+) \|.*?\| (\d+) \|.*?\|$",
    (Path(__file__).parents[3] / "docs" / "rows.md").read_text(encoding="utf-8"),
    re.MULTILINE,
)


@pytest.mark.parametrize(("said", "an_input", "fixed"), COSTS)
def test_what_an_input_costs(said: str, an_input: str, fixed: str) -> None:
    """To the byte, beside two weights of two numbers a frequency and the scores of classes."""
    options: dict[str, Any] = eval(f"dict({said})")
    K = options.get("n_classes", 1)
    few, many = (ek.plan(n_features=d, budget=1024, **options) for d in (800, 1600))
    assert many.nbytes - few.nbytes == 800 * int(an_input)
    # In a block of so few bytes regions lie on 8 bytes.
    plan = ek.plan(n_features=16, budget=8, **options)
    averages = 1 if options.get("loss") == "novelty" else 2
    weights = 8 * 2 * averages * K * ITEM[plan.dtype]
    scores = 8 * K if K > 1 else 0
    assert plan.nbytes - weights - scores - 16 * int(an_input) == int(fixed)


@pytest.mark.parametrize(
    ("said", "ram"),
    [
        ({"n_features": 123, "linear_group": False}, 1024),
        ({"n_features": 16, "n_classes": 26, "linear_group": False}, 512),
        ({"algorithm": "ogd", "n_features": 40, "scale": "standard", "n_classes": 7}, 700),
        ({"n_features": 20, "scale": "minmax", "linear_group": False}, 300),
    ],
    ids=str,
)
def test_a_plan_that_does_not_fit_says_what_would(said: dict[str, Any], ram: int) -> None:
    with pytest.raises(ValueError, match="ram must be at least") as error:
        ek.plan(**said, ram=ram)
    words = str(error.value)
    (alike,) = re.findall(r"(\d+) with scale='common'", words)
    for least, changed in (
        (re.findall(r"\d+", words)[0], said),
        (alike, {**said, "scale": "common"}),
    ):
        assert ek.plan(**changed, ram=int(least)).nbytes <= int(least)
        with pytest.raises(ValueError, match="ram must be at least"):
            ek.plan(**changed, ram=int(least) - 1)
    for classes in re.findall(r"at most (\d+) classes", words):
        assert ek.plan(**{**said, "n_classes": int(classes)}, ram=ram).nbytes <= ram
        with pytest.raises(ValueError, match="ram must be at least"):
            ek.plan(**{**said, "n_classes": int(classes) + 1}, ram=ram)


def test_a_plan_of_one_scale_has_nothing_to_say() -> None:
    with pytest.raises(ValueError, match=r"got 100$"):
        ek.plan(n_features=100, ram=100, scale="common")


#: Options of the recommended learner that change its bytes, or how they are spent.
OPTIONS: dict[str, Any] = {
    "loss": st.sampled_from(["hinge", "square", "novelty"]),
    "n_classes": st.integers(2, 40),
    "history": st.sampled_from([True, "auto"]),
    "dtype": st.sampled_from(["int8", "float32", "float64"]),
    "relevance": st.sampled_from([True, False, "shared"]),
    "memory": st.sampled_from([False, 20, 150]),
    "memory_narrow": st.booleans(),
    "groups": st.integers(1, 3),
    "linear": st.booleans(),
    "last_label": st.booleans(),
    "lapse": st.integers(0, 5),
    "drift": st.booleans(),
    "clock": st.booleans(),
    "season": st.integers(0, 9),
    "horizon": st.integers(1, 9),
    "interval": st.just((0.5, 0.9)),
    "gamma": st.sampled_from([None, 0.5, "auto"]),
    "gamma_rows": st.integers(2, 200),
    "scale": st.sampled_from([None, "standard", "minmax", "common"]),
    "clip_rows": st.just(2.0),
    "scratch": st.sampled_from(["block", "row"]),
    "on_bad_row": st.just("skip"),
    "checksums": st.booleans(),
    "sparse": st.booleans(),
}


@st.composite
def recommended(draw: Any) -> dict[str, Any]:
    """Options of the recommended learner, those left out that do not go with the others."""
    options = draw(st.fixed_dictionaries({"n_features": st.integers(1, 80)}, optional=OPTIONS))
    if not options.get("memory"):  # refused where no memory of rows is on by itself
        options.pop("memory_narrow", None)
    while True:
        try:
            ek.Config(ram="64MiB", **options)
        except (TypeError, ValueError) as error:
            free = [name for name in options if name != "n_features"]
            del options[next((name for name in free if f"{name}=" in str(error)), free[-1])]
        else:
            return dict(options)


every = st.one_of(recommended(), configurations())
few_inputs = {"n_features": 2}


def named(options: dict[str, Any], ram: int) -> int:
    """The bytes that a refusal asks for."""
    with pytest.raises(ValueError, match=r"ram must be at least \d+ bytes") as error:
        ek.plan(**options, ram=ram)
    return int(re.findall(r"at least (\d+)", str(error.value))[0])


@modest
@given(options=every, share=st.floats(0.0, 1.0), more=st.integers(0, 40_000))
def test_the_number_named_and_more_fit_and_one_byte_less_does_not(
    options: dict[str, Any], share: float, more: int
) -> None:
    least = named(options, 0)
    assert ek.Learner(**options, ram=least).nbytes == least
    for ram in (least - 1, int(share * (least - 1))):
        assert named(options, ram) == least
    for ram in {least + one for one in (8, 24, more)}:
        assert ek.plan(**options, ram=ram).nbytes <= ram


@pytest.mark.parametrize(
    "options",
    [
        few_inputs,
        {**few_inputs, "n_classes": 4},
        {**few_inputs, "gamma": None, "loss": "square"},
        {**few_inputs, "gamma_rows": 100, "n_classes": 4},
        {"n_features": 5, "groups": 2},
        {"n_features": 5, "memory": 150, "n_classes": 7},
        {"n_features": 5, "loss": "square", "history": True},
        {"n_features": 1, "loss": "novelty", "history": True},
        {"n_features": 8, "loss": "novelty", "history": True, "dtype": "float64"},
        pytest.param({"algorithm": "nogd", "n_features": 3, "k": 50}, marks=pytest.mark.slow),
        {"algorithm": "nogd", "n_features": 3, "k": 10},
    ],
    ids=str,
)
@pytest.mark.spread(12)
def test_every_number_of_bytes_below_and_above(options: dict[str, Any]) -> None:
    """Where defaults follow the bytes, and where only a budget of some size is accepted."""
    least = named(options, 0)
    assert {named(options, ram) for ram in range(least % 8, least, 8)} == {least}
    assert all(ek.plan(**options, ram=ram).nbytes <= ram for ram in range(least, 2 * least, 8))


TERM = re.compile(r"B\^3|B\^2 d|B\^2")


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
def test_no_longer_than_the_page_says(method) -> None:
    plan = ek.plan(method.name, n_features=5, budget=40)
    assert re.search(r"O\([^)]* d[^)]*\)", plan.longest_step)
    assert plan.longest_step in str(plan)
    # Every term beyond a kernel row stands in the description too.
    assert set(TERM.findall(plan.longest_step)) <= set(TERM.findall(DESCRIPTIONS[method.name].cost))


def test_options_and_parameters_change_it() -> None:
    def step(**options) -> str:
        return ek.plan(n_features=5, budget=40, **options).longest_step

    assert "B^3" in step(algorithm="bsgd", maintenance="project")
    assert "2 7 B exponentials" in step(algorithm="bsgd", iters=7)
    assert "9 B d" in step(algorithm="pomdr", M=9)
    assert step(algorithm="bogd") == "O(B d), every step"
    assert "norm is recomputed" in step(algorithm="olrd", projection="ball", U=3.0)
    assert "norm is recomputed" in step(algorithm="forgetron_basic")
    for row in (*POLICIES.values(), *BASES.values()):
        assert "{" not in row.longest_step.format(**dict.fromkeys(of_ring.OPTIONS, 1))
    assert all(row.longest_step for row in POLICIES.values())
    assert step(update="PA1", policy="RANDOM") == "O(B d), every step"


def test_the_command_line_shows_it(capsys) -> None:
    assert main(["plan", "--budget", "40", "--features", "5"]) == 0
    assert re.search(
        r"^ahpatron .*O\(B\^2 d \+ B\^3\), at a halving$", capsys.readouterr().out, re.M
    )
    assert main(["plan", "--budget", "40", "--features", "5", "--algorithm", "rbp"]) == 0
    assert "longest step" in capsys.readouterr().out


def _map_of(shown: str) -> list[tuple[str, float, float, float]]:
    """Name, left edge, lane and width of each box in the map of a plan."""
    found = re.findall(r"<rect x='([\d.]+)' y='(\d+)' width='([\d.]+)'[^>]*><title>(\w+): ", shown)
    return [(name, float(x), float(y), float(width)) for x, y, width, name in found]


@pytest.mark.parametrize(
    "plan",
    [
        ek.plan(n_features=8, ram="16KiB"),
        ek.plan(n_features=3, ram="4KiB", loss="square", history=True),
        ek.plan(update="gradient", n_features=8, budget=100, averaging="mean"),
        ek.RunningScaler.plan(5),
    ],
    ids=["sorf", "forecaster", "averaged", "scaler"],
)
def test_notebooks_show_a_map_and_a_table(plan: Any) -> None:
    """Every region is in both, at its place in proportion; regions on one line never overlap."""
    shown = plan._repr_html_()
    assert str(plan).partition("\n")[0] in shown
    assert f"{plan.nbytes:,} bytes" in shown
    boxes = _map_of(shown)
    assert [name for name, *_ in boxes] == [region.name for region in plan.regions]
    scale = 640 / plan.nbytes
    for (_, x, _, width), region in zip(boxes, plan.regions, strict=True):
        assert x == pytest.approx(scale * region.offset, abs=0.06)
        assert width == pytest.approx(max(scale * region.nbytes - 0.5, 0.5), abs=0.06)
        assert f"<td>{region.offset:,}</td><td>{region.nbytes:,}</td>" in shown
    for lane in {y for _, _, y, _ in boxes}:
        line = [(x, x + width) for _, x, y, width in boxes if y == lane]
        assert all(end <= start + 0.6 for (_, end), (start, _) in itertools.pairwise(line))
    for tag in ("table", "tr", "td", "svg", "rect", "div"):
        assert shown.count(f"<{tag}") == shown.count(f"</{tag}>") > 0


def test_the_first_line_of_a_map_is_state() -> None:
    for plan in (ek.plan(n_features=8, ram="16KiB"), ek.RunningScaler.plan(5)):
        first = {name for name, _, y, _ in _map_of(plan._repr_html_()) if y == 0.0}
        assert "header" in first
        assert "alignment" not in first
        assert len(first) > 2


def test_notebooks_show_what_a_plan_says_of_the_kernel() -> None:
    shown = ek.plan(n_features=4, ram="8KiB", gamma="auto")._repr_html_()
    for line in str(ek.plan(n_features=4, ram="8KiB", gamma="auto")).splitlines()[-2:]:
        name, text = line[:18].strip(), line[18:].strip()
        assert f">{name}</td>" in shown
        assert f">{text}</td>" in shown
