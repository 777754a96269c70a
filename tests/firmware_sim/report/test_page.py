"""The HTML page, as a parser and as a browser sees it; the command to repeat it; rises."""

from __future__ import annotations

import html.parser
import json
import os
import re
import shlex
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import edgeolk as ek
import firmware_sim as fs
from firmware_sim.cli.program import parser
from firmware_sim.cli.replay import to_config
from firmware_sim.comparison import compare
from firmware_sim.comparison.page import to_page as comparison_page
from firmware_sim.drawing.svg import row_marks
from firmware_sim.fleet import Fleet
from firmware_sim.fleet.page import to_page as fleet_page
from firmware_sim.fleet.summary import summarize
from firmware_sim.fleet.task import Record
from firmware_sim.replaying.sampled import Sampled
from firmware_sim.report import to_text
from firmware_sim.report.command import command
from firmware_sim.report.page import to_page
from firmware_sim.report.record import to_dict
from firmware_sim.report.rises import rises

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "chrome"))), None)
FAULTS = ("stuck:column=light_lux,from=1000,to=1500", "dropout:p=0.05")


@pytest.fixture(scope="module")
def page() -> str:
    return to_page(
        fs.replay(
            fs.ReplayConfig(
                "occupancy", ram="8KiB", limit=3000, faults=FAULTS, missing="last", device="pico"
            )
        )
    )


class Reader(html.parser.HTMLParser):
    """Notes ids and addresses, and that every element is closed in order."""

    EMPTY = ("meta", "link", "line", "polygon", "polyline")

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: set[str] = set()
        self.addresses: list[str] = []
        self.tags: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        for name, value in attrs:
            if name == "id":
                assert value not in self.ids
                self.ids.add(str(value))
            if name in ("src", "href"):
                self.addresses.append(str(value))
        if tag not in self.EMPTY:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def parsed(text: str) -> Reader:
    reader = Reader()
    reader.feed(text)
    reader.close()
    assert reader.open == []
    return reader


def test_page_is_whole_and_loads_nothing(page: str) -> None:
    reader = parsed(page)
    wanted = {"verdict", "errors", "figures", "confusion", "rows", "memory", "map", "board"}
    assert wanted | {"run", "command"} <= reader.ids
    assert reader.addresses == ["data:,"]
    assert "script" not in reader.tags
    assert "http" not in page.replace('http-equiv="Content', "")
    assert page.count('class="fault"') == 5  # two bands in each drawing, and their legend
    assert "stuck of light_lux, rows 1,000 to 1,500" in page


def test_names_of_strangers_are_text(tmp_path: Path) -> None:
    path = tmp_path / "a&lt;b.csv"
    lines = "\n".join(f"{i % 7},{i % 2}" for i in range(60))
    path.write_text(f"<img src=x onerror=alert(1)>\x1b[0m,y\n{lines}\n,1\n")
    text = to_page(fs.replay(fs.ReplayConfig(str(path), target="y", ram="8KiB")))
    assert "img" not in parsed(text).tags
    assert "a&amp;lt;b.csv" in text
    assert "&lt;img src=x onerror=alert(1)&gt;\\x1b[0m 1" in text


def test_pages_of_odd_replays(tmp_path: Path) -> None:
    stopped = fs.Replay(fs.ReplayConfig("occupancy", gamma=1.0)).run(should_stop=lambda: True)
    assert "No row was scored." in to_page(stopped)
    parsed(to_page(stopped))
    parsed(to_page(fs.replay(fs.ReplayConfig("occupancy", limit=1, gamma=1.0))))
    path = tmp_path / "s.csv"
    path.write_text("a,y\n" + "\n".join(f"{i % 7},{i * 1.5}" for i in range(90)))
    numbers = fs.ReplayConfig(str(path), target="y", algorithm="ogd", params={"loss": "square"})
    text = to_page(fs.replay(numbers))
    assert "confusion" not in parsed(text).ids
    assert "R2 vs last value" in text


def browse(page: Path, *more: str) -> subprocess.CompletedProcess[str]:
    assert BROWSER is not None
    return subprocess.run(
        [
            *(BROWSER, "--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr"),
            *(f"--user-data-dir={page.parent / 'profile'}", *more, page.as_uri()),
        ],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
        env={**os.environ, "HOME": str(page.parent)},
    )


@pytest.mark.skipif(BROWSER is None, reason="no Chromium here")
def test_page_in_a_browser(page: str, tmp_path: Path) -> None:
    """At phone width nothing is wider than the screen, and the console stays empty."""
    path = tmp_path / "report.html"
    path.write_text(page, encoding="utf-8")
    plain = browse(path, "--dump-dom", "--window-size=390,844")
    assert "CONSOLE" not in plain.stderr
    assert '<p id="verdict">' in plain.stdout
    # A script of the test's own looks at sizes; the page itself forbids scripts.
    measure = (
        "<script>document.title = JSON.stringify({inner: innerWidth, wide: "
        "document.documentElement.scrollWidth, chart: document.querySelector('.narrow svg')"
        ".getBoundingClientRect().width, line: parseFloat(getComputedStyle(document.body)"
        ".fontSize)})</script></body>"
    )
    policy = re.search(r"<meta http-equiv[^>]*>", page)
    assert policy is not None
    path.write_text(page.replace(policy[0], "").replace("</body>", measure), encoding="utf-8")
    framed = tmp_path / "phone.html"  # a window is never as narrow as a phone: a frame is
    framed.write_text(
        '<iframe id="phone" src="report.html" style="width:390px;height:844px;border:0"></iframe>'
        "<script>onload = () => document.title = document.getElementById('phone')"
        ".contentDocument.title</script>"
    )
    seen = browse(framed, "--dump-dom", "--allow-file-access-from-files")
    found = re.search(
        r'<title>\{"inner":(\d+),"wide":(\d+),"chart":([\d.]+),"line":(\d+)', seen.stdout
    )
    assert found is not None, seen.stderr[-2000:]
    inner, wide, chart, line = (float(part) for part in found.groups())
    assert inner == 390
    assert wide <= 390
    assert 300 < chart <= 390
    assert line >= 16


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"algorithm": "bpa_s", "params": {"C": 2, "loss": "ramp"}, "gamma": 0.1, "seed": 3},
        {"ignore": ("a", "b c"), "missing_codes": (-200.0, 5.0), "positive": "-1", "limit": 9},
        {"faults": FAULTS, "label_delay": "90s", "label_queue": 5, "label_missing": 0.25},
        {"ask": True, "kernel": "polynomial", "degree": 2, "offset": -0.5, "device": "pico"},
        {"missing": "mean", "damaged": "stop", "categories": "hash", "period": 2.5, "idle": 3.0},
        {"enforce": "process", "limit_by": "seccomp", "leak": 64, "scale": "minmax"},
        {"algorithm": "bpa_s", "dtype": "int8"},
        {"algorithm": "bpa_s", "dtype": "float32"},
        {"algorithm": "sorf", "dtype": "float32", "scale": "none", "gamma": 0.5},
        {"algorithm": "sorf", "params": {"scale": "standard", "gamma": "auto"}},
        {"algorithm": "sorf", "params": {"gamma": "auto"}, "scale": "none"},
        {"dtype": "float64", "scale": "none"},
        {"scale": "minmax", "freeze_after": 50, "params": {"C": float("inf")}},
        {"params": {"loss": "square"}},
        {"params": {"scale": "minmax", "linear": False}},
        {"kind": "regression"},
        {"kind": "novelty", "positive": "1"},
        {"kind": "multiclass"},
        {"classes": ("idle, yes", 'a "b" c', "no"), "ignore": ("x, y", "-z")},
        {"classes": ("-1", "+1"), "target": "-y"},
        {"power_cut": "at=7", "checkpoint_every": 5, "time": "none"},
    ],
)
def test_command_gives_the_configuration_again(changes: dict[str, object]) -> None:
    config = fs.ReplayConfig("my file.csv", **{"ram": "16KiB", **changes})  # type: ignore[arg-type]
    words = shlex.split(command(config))
    assert words[:4] == ["python", "-m", "firmware_sim", "replay"]
    assert to_config(parser().parse_args(words[3:])) == config


def test_command_says_no_more_than_it_must() -> None:
    start = "python -m firmware_sim replay s.csv --ram 64KiB"
    assert command(fs.ReplayConfig("s.csv")) == start
    config = fs.ReplayConfig("s.csv", params={"C": 2.0}, kind="binary")
    assert command(config) == start + " --param C=2.0"
    assert command(fs.ReplayConfig("s.csv", algorithm="rbp")) == start + " --algorithm rbp"


def test_command_names_the_emulated_board() -> None:
    assert command(fs.ReplayConfig("s.csv", on="microbit")).endswith(" --on microbit")


def test_command_with_members_of_enums_and_streams_of_its_own() -> None:
    config = fs.ReplayConfig("s", params={"loss": ek.Loss.RAMP})
    assert "--param loss=ramp" in command(config)
    assert command(fs.ReplayConfig(fs.Replay(fs.ReplayConfig("occupancy", gamma=1.0)).stream)) == ""


@pytest.mark.parametrize(
    ("rows", "marks"),
    [(1, [0, 1]), (500, [0, 100, 200, 300, 400, 500]), (4137, [0, 1000, 2000, 3000, 4137])],
)
def test_rows_are_marked_at_round_numbers(rows: int, marks: list[int]) -> None:
    assert row_marks(rows) == marks


def test_rises_are_where_the_error_rises() -> None:
    result = fs.replay(fs.ReplayConfig("occupancy", limit=2, gamma=1.0))
    rng = np.random.default_rng(0)
    rows, drawn = np.arange(8000), rng.random((2, 8000))
    bad = np.where((rows >= 5000) & (rows < 5600), 0.4, 0.05)
    result.metrics = type(result.metrics)()
    result.metrics.add_block(np.ones(8000), np.where(drawn[0] < bad, -1.0, 1.0))
    ((first, last),) = rises(result)
    assert 4700 < first < 5100
    assert 5500 < last < 5900
    result.metrics = type(result.metrics)()
    result.metrics.add_block(np.ones(8000), np.where(drawn[1] < 0.05, -1.0, 1.0))
    assert rises(result) == []


#: Looks, in a page of the test's own, at a report in a frame.
MEASURE = """
const measure = frame => {
  const own = frame.contentDocument, screen = own.documentElement;
  const shown = [...own.querySelectorAll("svg")].filter(one => one.getBoundingClientRect().width);
  const box = shown[0].getBoundingClientRect(), text = shown[0].querySelector("text");
  return {
    wide: screen.scrollWidth, drawings: shown.length, chart: [box.width, box.height],
    text: text.getBoundingClientRect().height,
    cut: [...own.querySelectorAll(".scroll")].filter(one => one.scrollWidth > one.clientWidth + 1)
      .map(one => one.firstChild.id),
    beyond: [...own.querySelectorAll("svg text")].filter(one => {
      const at = one.getBoundingClientRect();
      return at.width && (at.left < 0 || at.right > screen.clientWidth + 1);
    }).length,
  };
};
onload = () => {
  const frames = [...document.querySelectorAll("iframe")];
  document.title = JSON.stringify(Object.fromEntries(frames.map(one => [one.id, measure(one)])));
};
"""
REPLAYS: dict[str, dict[str, Any]] = {
    "binary": {"stream": "occupancy", "limit": 3000},
    "multiclass": {"stream": "robot", "target": "move", "limit": 600},
    "regression": {"stream": "house", "limit": 600},
    "novelty": {"stream": "office", "limit": 5000},
    "forecast": {
        "stream": "house",
        "kind": "regression",
        "params": {"history": True},
        "limit": 600,
    },
}
WIDTHS = (375, 1280)
EVERY_PAGE = (*REPLAYS, "comparison", "fleet")


def made(kind: str, folder: Path) -> str:
    """A page of that kind."""
    if kind in REPLAYS:
        said = {"kind": kind, "ram": "8KiB", **REPLAYS[kind]}
        return to_page(fs.replay(fs.ReplayConfig(**said)))
    if kind == "fleet":
        rng = np.random.default_rng(0)
        names = [f"a configuration of fleets {i}" for i in range(6)]
        records = [
            Record(
                f"{board} {name}",
                f"board {board}",
                f"logs/{board}.csv",
                name,
                "done",
                "",
                loss,
                {"rows_used": 100, "error": loss},
            )
            for board in range(40)
            for name, loss in zip(names, rng.beta(2, 8, size=6).tolist(), strict=True)
        ]
        return fleet_page(summarize(Fleet(240, tuple(names), records)))
    config = fs.ReplayConfig("occupancy", algorithm="rbp", limit=800)
    caps = ["1KiB", "4KiB", "16KiB", "64KiB"]
    names = ["rbp", "bpa_s", "ogd"]
    return comparison_page(compare(config, caps, names, folder=folder, workers=1, seeds=1))


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Any]]:
    """What a browser says of every page in frames of both widths, and how many drawings it has."""
    folder = tmp_path_factory.mktemp("pages")
    drawings, frames = {}, []
    for kind in EVERY_PAGE:
        text = made(kind, folder / kind)
        (folder / f"{kind}.html").write_text(text, encoding="utf-8")
        drawings[kind] = text.count("<svg")
        frames += [
            f'<iframe id="{kind} {width}" src="{kind}.html"'
            f' style="width:{width}px;height:900px;border:0"></iframe>'
            for width in WIDTHS
        ]
    framed = folder / "framed.html"
    framed.write_text("".join(frames) + f"<script>{MEASURE}</script>")
    seen = browse(framed, "--dump-dom", "--allow-file-access-from-files")
    title = re.search(r"<title>({.*?})</title>", seen.stdout)
    assert title is not None, seen.stderr[-2000:]
    found: dict[str, dict[str, Any]] = json.loads(title[1])
    return {at: {**one, "drawn": drawings[at.split()[0]]} for at, one in found.items()}


@pytest.mark.skipif(BROWSER is None, reason="no Chromium here")
@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("kind", EVERY_PAGE)
def test_every_page_fits_a_telephone_and_a_desktop(
    kind: str, width: int, measured: dict[str, dict[str, Any]]
) -> None:
    found = measured[f"{kind} {width}"]
    assert found["wide"] <= width
    # Of each two, the one for this width.
    assert found["drawings"] == found["drawn"] // 2
    assert found["beyond"] == 0
    chart_width, height = found["chart"]
    assert chart_width > 0.85 * min(width, 900)
    assert height > 240
    assert found["text"] >= 12
    assert [name for name in found["cut"] if name != "confusion"] == []


@pytest.mark.parametrize("algorithm", ["", "bpa_s"])
def test_inputs_that_matter_are_drawn(algorithm: str) -> None:
    result = fs.replay(fs.ReplayConfig("occupancy", ram="4KiB", algorithm=algorithm, limit=6000))
    assert sum(result.inputs.values()) == pytest.approx(1.0)
    assert max(result.inputs, key=result.inputs.__getitem__) == "light_lux"
    text = to_text(result)
    assert "Input importance: change of the answers when this input is shuffled" in text
    bars = [line for line in text.splitlines() if line.endswith("#")]
    assert bars[0].startswith("light_lux")
    assert [len(line) for line in bars] == sorted(map(len, bars), reverse=True)
    assert '<dl class="bars" id="inputs"><dt>light_lux</dt>' in to_page(result)
    assert to_dict(result)["inputs"] == result.inputs


@pytest.mark.parametrize("blocks", [False, True])
def test_a_sample_of_rows_is_from_all_over_a_stream(blocks: bool) -> None:
    sampled, X = Sampled(), np.arange(5_000.0).reshape(-1, 1)
    if blocks:
        for first in range(0, 5_000, 700):
            sampled.add_block(X[first : first + 700])
    else:
        for row in X:
            sampled.add(row)
    held = sampled.rows[:, 0]
    assert 256 <= len(held) <= 512
    assert len(set(np.diff(held))) == 1
    assert held[0] == 0.0
    assert held[-1] > 4_900.0
