"""Pictures of the page on why `sorf` works: ``PYTHONPATH=. python docs/sorf_pictures.py``.

The kernel and the blend are drawn from `edgeolk.reference`, error against bytes from the library on
three sets of ``EDGEOLK_DATA``.
"""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl
import numpy as np

import edgeolk as ek
from bench.bytes.sets import load
from edgeolk.reference import Sorf
from edgeolk.reference.sorf import Features

mpl.use("Agg")

from matplotlib import pyplot as plt

plt.rcParams.update({"font.size": 8, "axes.grid": True, "grid.alpha": 0.3})

FOLDER = Path(__file__).parent / "sorf"
INPUTS, PAIRS, GAMMA = 10, 300, 0.05
FREQUENCIES = (64, 128, 256, 512, 1024, 2048)
SEEDS = range(20)
CHANGE, ROWS, WINDOW = 4000, 8000, 200
SETS = ("ijcnn1_train", "phoneme", "elec2")
SIZES = (1024, 2048, 4096, 8192, 16384)


def pairs() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Pairs of points at all distances, and their kernel of one width."""
    draws = np.random.default_rng(0)
    x = draws.normal(size=(PAIRS, INPUTS))
    z = x + draws.normal(size=(PAIRS, INPUTS)) * draws.uniform(0.0, 2.0, size=(PAIRS, 1))
    return x, z, np.exp(-GAMMA * np.sum((x - z) ** 2, axis=1))


def approximated(x: np.ndarray, z: np.ndarray, D: int, seed: int) -> np.ndarray:
    """The mean of the features' products."""
    features = Features(INPUTS, D, GAMMA, ((1.0,),), seed)
    both = zip(x, z, strict=True)
    return np.array([np.sum(features(a) * features(b)) / D for a, b in both])


def draw_kernel() -> None:
    """Approximated against exact, and the error against D."""
    x, z, exact = pairs()
    figure, (left, right) = plt.subplots(1, 2, figsize=(7.4, 3.0), layout="constrained")
    for D, colour in ((64, "#e69f00"), (1024, "#1f4e79")):
        left.plot(exact, approximated(x, z, D, 1), ".", ms=3, color=colour, label=f"D = {D:,}")
    left.plot([0, 1], [0, 1], "k-", lw=0.7)
    left.set(xlabel="exact kernel", ylabel="approximated")
    left.legend()
    found = [
        np.sqrt(np.mean([(approximated(x, z, D, s) - exact) ** 2 for s in SEEDS]))
        for D in FREQUENCIES
    ]
    theory = [np.sqrt(np.mean((1.0 - exact**2) ** 2 / (2.0 * D))) for D in FREQUENCIES]
    right.loglog(FREQUENCIES, found, "o-", color="#1f4e79", label="sorf")
    right.loglog(FREQUENCIES, theory, "k--", lw=0.9, label="independent frequencies")
    right.set(xlabel="D", ylabel="root mean square error")
    right.set_xticks(FREQUENCIES, [str(D) for D in FREQUENCIES])
    right.legend()
    save(figure, "kernel")
    print("kernel", dict(zip(FREQUENCIES, np.round(found, 4), strict=True)), np.round(theory, 4))


def draw_blend() -> None:
    """Share of w and errors where labels turn."""
    draws = np.random.default_rng(0)
    X = draws.normal(size=(ROWS, 4))
    y = np.where(X[:, 0] * X[:, 1] + 0.3 * draws.normal(size=ROWS) > 0, 1.0, -1.0)
    y[CHANGE:] *= -1.0
    model = Sorf(4, 400, 0.125, dtype="int8", drift=False, seed=1)
    share = np.empty(ROWS)
    wrong = {name: np.empty(ROWS) for name in ("w alone", "a alone", "blend")}
    for t, (row, label) in enumerate(zip(X, y, strict=True)):
        fw, fa = model.models(model.phi(row))
        share[t] = model.shares()[1][0]
        for name, f in zip(wrong, (fw[0], fa[0], model.blend(fw, fa, 0.0)), strict=True):
            wrong[name][t] = label * float(np.ravel(f)[0]) <= 0.0
        model.step(row, label)
    figure, (top, low) = plt.subplots(
        2, 1, figsize=(7.4, 3.8), sharex=True, height_ratios=(1, 2), layout="constrained"
    )
    top.plot(share, color="#1f4e79", lw=0.8)
    top.set(ylabel="share of w", ylim=(-0.02, 1.02))
    colours = ("#e69f00", "#009e73", "#1f4e79")
    for (name, lost), colour in zip(wrong.items(), colours, strict=True):
        total = np.cumsum(np.concatenate([[0.0], lost]))
        rows = np.arange(WINDOW, ROWS + 1)
        low.plot(
            rows, (total[rows] - total[rows - WINDOW]) / WINDOW, lw=0.9, color=colour, label=name
        )
        late = lost[CHANGE : CHANGE + 2000]
        print(
            f"{name}: {lost[1000:CHANGE].mean():.4f} before, {late.mean():.4f} in 2,000 rows after"
        )
    low.axvline(CHANGE, color="k", lw=0.7, ls=":")
    low.set(xlabel="row", ylabel=f"error of the last {WINDOW} rows")
    low.legend()
    save(figure, "blend")


def draw_bytes() -> None:
    """Error against bytes for the three storages."""
    figure, axes = plt.subplots(1, len(SETS), figsize=(7.4, 2.6), layout="constrained")
    for axis, data in zip(axes, SETS, strict=True):
        X, y = load(data, 4000, raw=True)
        for dtype, colour in (("int8", "#1f4e79"), ("float32", "#e69f00"), ("float64", "#009e73")):
            found = []
            for ram in SIZES:
                try:
                    made = [
                        ek.Learner(
                            n_features=X.shape[1], ram=ram, dtype=dtype, seed=s, relevance=False
                        )
                        for s in (1, 2, 3)
                    ]
                except ValueError:
                    found.append(np.nan)
                    continue
                found.append(100.0 * np.mean([np.mean(y * m.learn_many(X, y) <= 0) for m in made]))
            axis.semilogx(SIZES, found, "o-", ms=3, lw=1.0, color=colour, label=dtype)
            print(data, dtype, np.round(found, 2))
        axis.set_title(data)
        axis.set_xticks(SIZES, [f"{ram // 1024}" for ram in SIZES])
        axis.set_xticks([], minor=True)
        axis.set_xlabel("KiB")
    axes[0].set_ylabel("wrong answers in %")
    axes[0].legend()
    save(figure, "bytes")


def save(figure: plt.Figure, name: str) -> None:
    """As PNG."""
    FOLDER.mkdir(exist_ok=True)
    figure.savefig(FOLDER / f"{name}.png", dpi=120)
    plt.close(figure)


if __name__ == "__main__":
    draw_kernel()
    draw_blend()
    draw_bytes()
