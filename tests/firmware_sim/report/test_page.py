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
from firmware_sim.comparison.report import report_of as comparison_report
from firmware_sim.drawing.page import to_page as page_of
from firmware_sim.fleet import Fleet
from firmware_sim.fleet.report import report_of as fleet_report
from firmware_sim.fleet.summary import summarize
from firmware_sim.fleet.task import Record
from firmware_sim.metrics.batch import Batch
from firmware_sim.metrics.curve import rising_errors
from firmware_sim.report import to_page, to_text
from firmware_sim.report.record import to_dict
from firmware_sim.report.summary import command

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "chrome"))), None)
FAULTS = ("stuck:column=light_lux,from=1000,to=1500", "dropout:p=0.05")


class Reader(html.parser.HTMLParser):
    """Notes ids and addresses, and that every element is closed in order."""

    EMPTY = ("meta", "link")

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


REPLAYS: dict[str, dict[str, Any]] = {
    "binary": {
        "stream": "occupancy",
        "limit": 3000,
        "faults": FAULTS,
        "missing": "last",
        "device": "pico",
    },
    "multiclass": {"stream": "robot", "target": "move", "limit": 600},
    "regression": {"stream": "house", "limit": 600, "params": {"history": False}},
    "novelty": {"stream": "office", "limit": 5000},
    "forecast": {"stream": "house", "kind": "regression", "limit": 600},
    "path": {
        "stream": "house",
        "kind": "",
        "forecast": "temperature_comedor_sensor",
        "horizon": 4,
        "season": 96,
        "path": True,
        "ram": "64KiB",
        "limit": 900,
    },
    "held-out": {"stream": "occupancy", "kind": "", "train_rows": 2000, "limit": 3000, "cost": 5.0},
}
WIDTHS = (375, 1280)
EVERY_PAGE = (*REPLAYS, "comparison", "fleet")
#: Identifiers on a page, beside those that every page of a replay has.
OF_REPLAYS = {"summary", "errors", "figures", "memory", "map", "run", "command"}
IDS = {
    **dict.fromkeys(REPLAYS, OF_REPLAYS),
    "binary": OF_REPLAYS | {"confusion", "board", "inputs", "rows"},
    "multiclass": OF_REPLAYS | {"confusion", "classes", "matrix", "f1"},
    "novelty": OF_REPLAYS | {"alarms", "anomalies"},
    "forecast": OF_REPLAYS | {"forecasts", "intervals", "shares"},
    "path": OF_REPLAYS | {"path", "next", "by-horizon", "horizons"},
    "held-out": OF_REPLAYS | {"held-out", "thresholds"},
    "comparison": {"summary", "errors", "ranking", "program", "run"},
    "fleet": {"summary", "errors", "distributions", "differences", "worst"},
}


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
                *(f"{board} {name}", f"board {board}", f"logs/{board}.csv", name, "done", ""),
                *(loss, {"rows_used": 100, "error": loss}),
            )
            for board in range(40)
            for name, loss in zip(names, rng.beta(2, 8, size=6).tolist(), strict=True)
        ]
        return page_of(fleet_report(summarize(Fleet(240, tuple(names), records))))
    config = fs.ReplayConfig("occupancy", algorithm="rbp", limit=800)
    caps = ["1KiB", "4KiB", "16KiB", "64KiB"]
    names = ["rbp", "bpa_s", "ogd"]
    return page_of(
        comparison_report(compare(config, caps, names, folder=folder, workers=1, seeds=1))
    )


class Pages(dict[str, str]):
    """Each made when a test asks for it."""

    def __init__(self, factory: pytest.TempPathFactory) -> None:
        super().__init__()
        self.factory = factory

    def __missing__(self, kind: str) -> str:
        self[kind] = made(kind, self.factory.mktemp("pages"))
        return self[kind]


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Pages:
    return Pages(tmp_path_factory)


@pytest.fixture(scope="module")
def page(pages: Pages) -> str:
    return pages["binary"]


@pytest.mark.parametrize("kind", EVERY_PAGE)
@pytest.mark.spread(9)
def test_every_page_is_whole_and_loads_nothing(kind: str, pages: Pages) -> None:
    reader, text = parsed(pages[kind]), pages[kind]
    assert reader.ids >= IDS[kind]
    assert all(address.startswith(("#", "data:")) for address in reader.addresses)
    assert {address[1:] for address in reader.addresses if address[0] == "#"} <= reader.ids
    assert not {"script", "img", "iframe"} & {*reader.tags}
    assert "http" not in text.replace('http-equiv="Content', "")
    assert not re.search(r"url\((?!#)|@import", text)
    assert "nan" not in "".join(re.findall(' d="(.*?)"', text))


def test_what_befell_the_stream_is_marked(page: str) -> None:
    assert page.count("fill: #cc79a7") == 6  # in both drawings two bands, and their legend
    assert "stuck of light_lux, rows 1,000 to 1,500" in page


def test_names_of_strangers_are_text(tmp_path: Path) -> None:
    path = tmp_path / "a&lt;b.csv"
    lines = "\n".join(f"{i % 7},{i % 2}" for i in range(60))
    path.write_text(f"<img src=x onerror=alert(1)>\x1b[0m,y\n{lines}\n,1\n")
    text = to_page(fs.replay(fs.ReplayConfig(str(path), target="y", ram="8KiB")))
    assert "img" not in parsed(text).tags
    assert "a&amp;lt;b.csv" in text
    assert "&lt;img src=x onerror=alert(1)&gt;\\x1b[0m 1" in text
    fleet = Fleet(1, ("a",), [Record("k", "<b0>", "<b0>.csv", "a", "done", "", 0.1, {})])
    assert "<b0>" not in page_of(fleet_report(summarize(fleet)))


def test_pages_of_odd_replays() -> None:
    stopped = fs.Replay(fs.ReplayConfig("occupancy", gamma=1.0)).run(should_stop=lambda: True)
    assert "No row was scored." in to_page(stopped)
    parsed(to_page(stopped))
    parsed(to_page(fs.replay(fs.ReplayConfig("occupancy", limit=1, gamma=1.0))))


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
    """The console stays empty."""
    path = tmp_path / "report.html"
    path.write_text(page, encoding="utf-8")
    plain = browse(path, "--dump-dom", "--window-size=390,844")
    assert "CONSOLE" not in plain.stderr
    assert '<h1 id="summary"' in plain.stdout


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


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({}, ""),
        ({"params": {"C": 2.0}, "kind": "binary"}, " --kind binary --param C=2.0"),
        ({"algorithm": "rbp"}, " --algorithm rbp"),
        ({"algorithm": "sorf"}, " --algorithm sorf"),
        ({"on": "microbit"}, " --on microbit"),
        ({"params": {"loss": ek.Loss.RAMP}}, " --param loss=ramp"),
    ],
)
def test_command_says_no_more_than_it_must(changes: dict[str, Any], said: str) -> None:
    start = "python -m firmware_sim replay s.csv --ram 64KiB"
    assert command(fs.ReplayConfig("s.csv", **changes)) == start + said


def test_a_stream_object_has_no_command() -> None:
    assert command(fs.ReplayConfig(fs.Replay(fs.ReplayConfig("occupancy", gamma=1.0)).stream)) == ""


def test_rises_are_where_the_error_rises() -> None:
    result = fs.replay(fs.ReplayConfig("occupancy", limit=2, gamma=1.0))
    rng = np.random.default_rng(0)
    rows, drawn = np.arange(8000), rng.random((2, 8000))
    bad = np.where((rows >= 5000) & (rows < 5600), 0.4, 0.05)
    result.metrics = type(result.metrics)()
    scores = np.where(drawn[0] < bad, -1.0, 1.0)
    result.metrics.add_block(Batch.of(label=np.ones(8000), score=scores))
    ((first, last),) = rising_errors(result.metrics.curve)
    assert 4700 < first < 5100
    assert 5500 < last < 5900
    result.metrics = type(result.metrics)()
    scores = np.where(drawn[1] < 0.05, -1.0, 1.0)
    result.metrics.add_block(Batch.of(label=np.ones(8000), score=scores))
    assert rising_errors(result.metrics.curve) == []


#: Looks, in a page of the test's own, at a report in a frame.
MEASURE = """
const measure = frame => {
  const own = frame.contentDocument, screen = own.documentElement;
  const shown = [...own.querySelectorAll("svg[role]")]
    .filter(one => one.getBoundingClientRect().width);
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


@pytest.fixture(scope="module")
def measured(
    tmp_path_factory: pytest.TempPathFactory, pages: Pages
) -> dict[str, dict[str, Any]]:
    """What a browser says of every page in frames of both widths, and how many drawings it has."""
    folder = tmp_path_factory.mktemp("pages")
    drawings, frames = {}, []
    for kind in EVERY_PAGE:
        (folder / f"{kind}.html").write_text(pages[kind], encoding="utf-8")
        drawings[kind] = pages[kind].count('role="img"')
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
@pytest.mark.spread(3)
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
@pytest.mark.spread(2)
def test_inputs_that_matter_are_drawn(algorithm: str) -> None:
    result = fs.replay(fs.ReplayConfig("occupancy", ram="4KiB", algorithm=algorithm, limit=6000))
    assert sum(result.inputs.values()) == pytest.approx(1.0)
    assert max(result.inputs, key=result.inputs.__getitem__) == "light_lux"
    text = to_text(result)
    assert "Input importance: change of the answers when this input is shuffled" in text
    bars = [line for line in text.splitlines() if line.endswith("#")]
    assert bars[0].startswith("light_lux")
    assert [len(line) for line in bars] == sorted(map(len, bars), reverse=True)
    assert '<dl id="inputs"><dt>light_lux</dt>' in to_page(result)
    assert to_dict(result)["inputs"] == result.inputs
