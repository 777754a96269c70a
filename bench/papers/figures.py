"""The figures of the papers, drawn from runs that are kept like those of the tables."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from tqdm import tqdm

from bench.cases import Record
from bench.papers import curves, paper000, paper002, paper003, paper004
from bench.papers.runs import run
from bench.papers.setting import Setting
from bench.papers.work import Choices, Job

FOLDER = Path(__file__).resolve().parent / "figures"
SEEDS = (0, 1, 2)
ALPHAS = (0.25, 0.5, 1.0, 2.0, 4.0)
BETAS = (5.0, 10.0, 20.0, 40.0, 80.0, 160.0)
#: Colour and marker of each series; distinct in hue and lightness.
STYLES = (
    ("#0072B2", "o"), ("#D55E00", "s"), ("#009E73", "^"), ("#CC79A7", "D"), ("#E69F00", "v"),
    ("#56B4E9", "P"),
)  # fmt: skip
DATA_NAMES = {
    "a9a_train": "a9a (32,561 rows)",
    "ijcnn1_train": "ijcnn1 (49,990 rows)",
    "mushrooms": "mushrooms (8,124 rows)",
}
MARKED = (2.0, 20.0, 100.0)
STREAMED = ("BPA-NN", "BPA-NN ramp", "BPA-P", "BPA-P ramp")
REGRESSIONS = (("NC", "nc"), ("Margin", "margin"), ("Auxiliary, gamma 2", "auxiliary"))


class Artist:
    """Runs what a figure needs and draws it."""

    def __init__(self, choices: Choices) -> None:
        import matplotlib as mpl

        mpl.use("Agg")
        import matplotlib.pyplot as plt

        self.plt = plt
        self.choices = choices
        plt.rcParams.update(
            {
                "font.size": 10, "axes.spines.top": False, "axes.spines.right": False,
                "axes.grid": True, "grid.alpha": 0.3, "grid.linewidth": 0.6,
                "legend.frameon": False, "lines.linewidth": 1.6, "lines.markersize": 5,
                "axes.titlesize": 11, "figure.dpi": 150,
            }
        )  # fmt: skip

    def runs(
        self,
        jobs: Iterable[Job],
        title: str,
        call: Callable[[Setting, int], Record] = run,
    ) -> None:
        """Do the runs that are not stored."""
        listed = list(jobs)
        kind = "" if call is run else f"{call.__name__}:"
        with tqdm(total=len(listed), desc=title, disable=None) as bar:
            self.choices.bench.do(listed, bar.update, call, kind)

    def record(self, setting: Setting, seed: int, kind: str = "") -> Record:
        """A run that has been done."""
        found: Record | None = self.choices.bench.cases.get(kind + setting.key(seed))
        assert found is not None
        return found

    def mean(self, setting: Setting, seeds: Sequence[int], field: str) -> float:
        """Mean of a field over the seeds."""
        return statistics.fmean(self.record(setting, seed)[field] for seed in seeds)

    def save(self, figure: Any, name: str) -> None:
        """Write a PNG."""
        FOLDER.mkdir(parents=True, exist_ok=True)
        figure.savefig(FOLDER / name, bbox_inches="tight", metadata={"Software": None})
        self.plt.close(figure)


def _budget_settings(artist: Artist, data: str) -> dict[str, list[Setting]]:
    """Settings by method over budgets halfway between those of the table."""
    table = paper002.PUBLISHED[data]
    after = (f"{paper002.width_choice(data)}:width",)
    small, middle, large = table
    budgets = {
        small // 2: small, small: small, (small + middle) // 2: middle, middle: middle,
        (middle + large) // 2: middle, large: large, 2 * large: large,
    }  # fmt: skip
    series: dict[str, list[Setting]] = {}
    for label in ("RBP", "Forgetron", "Projectron", "OLRD"):
        for budget, nearest in budgets.items():
            base = Setting(label.lower(), data, budget)
            tuned = (*after, f"002 {data} {nearest}") if label == "OLRD" else after
            series.setdefault(label, []).append(base.choosing(artist.choices.taken(tuned)))
    return series


def budget(artist: Artist) -> None:
    """002, figure 1: error against the budget."""
    drawn = {data: _budget_settings(artist, data) for data in paper002.PUBLISHED}
    settings = [s for series in drawn.values() for line in series.values() for s in line]
    settings.sort(key=lambda s: s.budget)
    artist.runs([(s, seed) for s in settings for seed in SEEDS], "error against budget")
    figure, axes = artist.plt.subplots(1, len(drawn), figsize=(10.5, 4.2))
    for ax, (data, series) in zip(axes, drawn.items(), strict=True):
        published = paper002.PUBLISHED[data]
        for (colour, marker), (label, line) in zip(STYLES, series.items(), strict=False):
            sizes = [s.budget for s in line]
            errors = [artist.mean(s, SEEDS, "error") for s in line]
            ax.plot(sizes, errors, color=colour, marker=marker, label=label)
            points = [(b, figures[label]) for b, figures in published.items() if label in figures]
            if points:
                ax.plot(*zip(*points, strict=True), marker, mfc="none", mec=colour, ms=9, ls="")
        ax.set(xscale="log", xlabel="budget B", ylabel="mistakes, %", title=DATA_NAMES[data])
        ax.plot([], [], "o", mfc="none", mec="0.4", ms=9, label="published")
    axes[-1].legend()
    artist.save(figure, "002_budget.png")


def learning(artist: Artist) -> None:
    """003: accuracy against training examples."""
    lines = {
        data: [
            (label, paper003.setting(data, method).choosing(
                artist.choices.taken(paper003.chosen(data, method))
            ))
            for label, method in REGRESSIONS
        ]
        for data in paper003.DATA
    }  # fmt: skip
    jobs = [(s, seed) for line in lines.values() for _, s in line for seed in SEEDS]
    artist.runs(jobs, "learning curves", curves.learning)
    figure, axes = artist.plt.subplots(1, len(lines), figsize=(13, 4))
    for ax, (data, line) in zip(axes, lines.items(), strict=True):
        for (colour, marker), (label, setting) in zip(STYLES, line, strict=False):
            records = [artist.record(setting, seed, "learning:") for seed in SEEDS]
            columns = zip(*(record["accuracy"] for record in records), strict=True)
            accuracy = [statistics.fmean(column) for column in columns]
            kept = statistics.fmean(r["support"][-1] for r in records)
            text = f"{label}: {kept:,.0f} vectors"
            ax.plot(records[0]["seen"], accuracy, color=colour, marker=marker, label=text)
        ax.set(xscale="log", xlabel="training examples", title=DATA_NAMES[data])
        ax.legend(loc="upper center", bbox_to_anchor=(0.5, -0.16))
    axes[0].set_ylabel("accuracy on the test fold, %")
    artist.save(figure, "003_learning.png")


def sparsity(artist: Artist) -> None:
    """003: accuracy relative to NC against the share of vectors kept."""
    chosen = {data: artist.choices.taken((paper003.choice(data),)) for data in paper003.DATA}
    curve = {
        (data, h): [
            paper003.setting(data, "auxiliary", height, h).choosing(chosen[data])
            for height in paper003.HEIGHTS
        ]
        for data in paper003.DATA
        for h in ("shift", "scale")
    }
    full = {data: paper003.setting(data, "nc").choosing(chosen[data]) for data in paper003.DATA}
    settings = [*(s for line in curve.values() for s in line), *full.values()]
    artist.runs([(s, seed) for s in settings for seed in SEEDS], "sparsity")
    figure, axes = artist.plt.subplots(1, len(full), figsize=(13, 4), sharey=True)
    for ax, data in zip(axes, full, strict=True):
        reference = 100.0 - artist.mean(full[data], SEEDS, "error")
        rows = artist.mean(full[data], SEEDS, "train")
        for (colour, marker), h in zip(STYLES, ("shift", "scale"), strict=False):
            line = curve[data, h]
            share = [100.0 * artist.mean(s, SEEDS, "support") / rows for s in line]
            errors = (artist.mean(s, SEEDS, "error") for s in line)
            relative = [100.0 * (100.0 - e) / reference for e in errors]
            ax.plot(share, relative, color=colour, marker=marker, label=f"auxiliary, h {h}")
            for height, x, y in zip(paper003.HEIGHTS, share, relative, strict=True):
                if height in MARKED and h == "shift" and data != "mushrooms":
                    offset = {"textcoords": "offset points", "xytext": (7, -9)}
                    ax.annotate(f"gamma {height:g}", (x, y), fontsize=8, color=colour, **offset)
        ax.axhline(100.0, color="0.5", lw=0.8)
        ax.set(xscale="log", xlabel="vectors kept, % of the rows", title=DATA_NAMES[data])
        ax.set_xticks([5, 10, 20, 50, 100], ["5", "10", "20", "50", "100"])
        ax.minorticks_off()
    axes[0].set_ylabel("accuracy relative to NC, %")
    axes[0].legend(loc="lower right")
    artist.save(figure, "003_sparsity.png")


def labels(artist: Artist) -> None:
    """004: a million noisy rows; accuracy against rows seen and labels requested."""
    lines = {}
    for method in STREAMED:
        one = paper004.setting("ncheckerboard", method, 100)
        name = paper004.choice("ncheckerboard", method, 100)
        lines[method] = one.choosing(artist.choices.taken((name,)))
    artist.runs([(setting, 0) for setting in lines.values()], "a million rows", curves.stream)
    figure, axes = artist.plt.subplots(1, 2, figsize=(10.5, 4.2), sharey=True)
    for i, (method, setting) in enumerate(lines.items()):
        record = artist.record(setting, 0, "stream:")
        colour, marker = STYLES[i // 2]
        dashes = "-" if method.endswith("ramp") else "--"
        share = 100.0 * record["labels"][-1] / record["seen"][-1]
        for ax, across in zip(axes, ("seen", "labels"), strict=True):
            text = method if across == "seen" else f"{method}: {share:.0f} % of the labels"
            ax.plot(
                record[across], record["accuracy"], dashes, color=colour, marker=marker,
                ms=3, label=text,
            )  # fmt: skip
    for ax, across in zip(axes, ("examples seen", "labels asked for"), strict=True):
        ax.set(xscale="log", xlabel=across)
        ax.legend(loc="lower right")
    axes[0].set_ylabel("accuracy on clean rows, %")
    figure.suptitle("checkerboard, 15 % of the labels flipped, B = 100", fontsize=11)
    artist.save(figure, "004_labels.png")


def sensitivity(artist: Artist) -> None:
    """000, figure 1: SPA's accuracy and size over alpha and beta."""
    seeds = SEEDS[:2]
    spa = replace(paper000.SPA, budget=25_000)
    grid = {(a, b): spa.choosing({"alpha": a, "beta": b}) for a in ALPHAS for b in BETAS if b >= a}
    artist.runs([(s, seed) for s in grid.values() for seed in seeds], "alpha and beta")
    figure, axes = artist.plt.subplots(1, 2, figsize=(11, 4))
    for ax, title, field in zip(
        axes, ("online accuracy of the average, %", "support vectors"), ("error", "support"),
        strict=True,
    ):  # fmt: skip
        values = [[artist.mean(grid[a, b], seeds, field) for b in BETAS] for a in ALPHAS]
        if field == "error":
            values = [[100.0 - v for v in line] for line in values]
        norm = None if field == "error" else "log"
        image = ax.imshow(values, cmap="viridis", origin="lower", aspect="auto", norm=norm)
        bounds = image.get_clim()
        for i, line in enumerate(values):
            for j, v in enumerate(line):
                dark = image.norm(v) < 0.55
                text = f"{v:.2f}" if field == "error" else f"{v:,.0f}"
                ax.text(j, i, text, ha="center", va="center", color="w" if dark else "k", size=8)
        image.set_clim(*bounds)
        ax.set_xticks(range(len(BETAS)), [f"{b:g}" for b in BETAS])
        ax.set_yticks(range(len(ALPHAS)), [f"{a:g}" for a in ALPHAS])
        ax.set(xlabel="beta", ylabel="alpha", title=f"SPA on a9a: {title}")
        ax.grid(False)
        figure.colorbar(image, ax=ax)
    artist.save(figure, "000_sensitivity.png")


def draw_all(choices: Choices) -> None:
    """Draw every figure."""
    artist = Artist(choices)
    for draw in (labels, budget, sensitivity, learning, sparsity):
        draw(artist)
