"""Every learner's scores, files and plan over 2,000 rows, compared between two platforms.

``python -m release.agreement write FOLDER [--resume OTHER]`` writes the scores, and each learner's
file after half of the rows; those of another folder are loaded, saved again and learn the rest.
``python -m release.agreement compare FOLDER OTHER [--same]`` prints what differs.
"""

from __future__ import annotations

import argparse
import json
import platform
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import edgeolk as ek
from bench.rows import EAGER

ROWS, FEATURES, BUDGET = 2000, 5, 60
HALF = ROWS // 2
#: Allowed difference of scores, relative to the largest score, if both variants fuse a*b+c or
#: neither does: exponentials and logarithms of the C library differ in the last digit, and merging
#: searches the flat maximum of a function of them. No decision may differ.
SAME = 1e-8
#: The same if one of them fuses, by the type of the computation: the difference propagates through
#: coefficients that are computed from scores.
FUSED = {"float64": 1e-7, "float32": 1e-2}

Doubles = NDArray[np.float64]


def stream() -> tuple[Doubles, Doubles]:
    """Rows in multiples of 1/32 and labels, 10 % of them wrong; identical on every platform."""
    rng = np.random.Generator(np.random.PCG64(9))
    integers = rng.integers(-64, 65, (ROWS, FEATURES), dtype=np.int64)
    signs = np.where(integers[:, 0] * integers[:, 1] + 32 * integers[:, 2] > 0, 1.0, -1.0)
    wrong = rng.integers(0, 10, ROWS, dtype=np.int64) == 0
    return integers / 32.0, np.where(wrong, -signs, signs)


def cases() -> Iterator[tuple[str, dict[str, Any]]]:
    """Every algorithm in float32 and float64; three of them also with the narrow types."""
    for row in ek.algorithms():
        dtypes = ["float32", "float64"]
        if row.name in ("rbp", "bpa_nn", "sorf"):
            dtypes += ["float16", "int8"]
        for dtype in dtypes:
            size: dict[str, Any] = {"n_features": FEATURES, "budget": BUDGET, "dtype": dtype}
            if dtype == "int8" and row.name != "sorf":  # which stores no vectors
                size["feature_range"] = (-2.0, 2.0)
            options = {"kernel": ek.Gaussian(0.5), **size, **EAGER.get(row.name, {})}
            try:
                ek.plan(row.name, **options)
            except ValueError:
                continue  # the algorithm does not support this type
            yield f"{row.name}-{dtype}", {"algorithm": row.name, "seed": 7, **options}


def write(folder: Path, resume: Path | None) -> None:
    """Learn the rows with every learner; ``resume``: the folder of another platform."""
    folder.mkdir(parents=True, exist_ok=True)
    X, y = stream()
    scores: dict[str, Doubles] = {"rows": X, "labels": y}
    plans, crossed = {}, {}
    for name, options in cases():
        learner = ek.Learner(**options)
        first = learner.learn_many(X[:HALF], y[:HALF])
        learner.save(folder / f"{name}.olk")
        rest = learner.learn_many(X[HALF:], y[HALF:])
        scores[name] = np.concatenate([first, rest])
        plans[name] = learner.nbytes
        if resume is not None:
            arguments = resume / f"{name}.olk"
            loaded = ek.load(arguments)
            loaded.save(folder / f"{name}-again.olk")
            crossed[name] = (folder / f"{name}-again.olk").read_bytes() == arguments.read_bytes()
            scores[f"{name}-resumed"] = loaded.learn_many(X[HALF:], y[HALF:])
    np.savez(folder / "scores.npz", **scores)  # type: ignore[arg-type]
    facts = {"machine": platform.machine(), "order": sys.byteorder, "simd": ek.simd()}
    (folder / "facts.json").write_text(json.dumps({**facts, "plans": plans, "crossed": crossed}))


def compare(folder: Path, other: Path, *, same: bool, lines: list[str]) -> list[str]:
    """Compare the results of two platforms; return the violations.

    Parameters
    ----------
    folder, other : Path
        Results of two platforms; the first has resumed the learners of the second.
    same : bool
        Whether both fuse a*b+c or neither does, which selects the bound.
    lines : list of str
        A line with the result is appended.
    """
    facts, others = (json.loads((f / "facts.json").read_text()) for f in (folder, other))
    with np.load(folder / "scores.npz") as found, np.load(other / "scores.npz") as theirs:
        here, there = dict(found), dict(theirs)
    wrong = [f"other {name}" for name in ("rows", "labels") if (here[name] != there[name]).any()]
    n_identical = files = decisions = 0
    largest = dict.fromkeys(FUSED, 0.0)
    for name, nbytes in facts["plans"].items():
        a, b = here[name], there[name]
        resumed = here.get(f"{name}-resumed", b[HALF:])
        size = max(1.0, float(np.abs(b).max()))
        off = max(float(np.abs(a - b).max()), float(np.abs(resumed - b[HALF:]).max())) / size
        differ = int((np.sign(a) != np.sign(b)).sum())
        kind = "float64" if name.endswith("float64") else "float32"
        largest[kind] = max(largest[kind], off)
        n_identical += off == 0.0
        decisions += differ
        files += (folder / f"{name}.olk").read_bytes() == (other / f"{name}.olk").read_bytes()
        if nbytes != others["plans"].get(name):
            wrong.append(f"{name}: {nbytes} bytes here, {others['plans'].get(name)} there")
        if not facts["crossed"].get(name, True):
            wrong.append(f"{name}: the file differs after loading and saving")
        if off > (SAME if same else FUSED[kind]) or (differ and same):
            wrong.append(f"{name}: scores differ by {off:.1e}, {differ} decisions")
    lines.append(
        f"{facts['machine']} {facts['simd']} and {others['machine']} {others['simd']}:"
        f" {n_identical} of {len(facts['plans'])} learners identical to the bit, {decisions}"
        f" decisions differ, scores by {largest['float64']:.1e} (float64), {largest['float32']:.1e}"
        f" (narrower) at most; {files} files identical,"
        f" {sum(facts['crossed'].values())} of {len(facts['crossed'])} crossed"
    )
    return wrong


def main() -> int:
    """Write or compare; return 1 if there are violations."""
    parser = argparse.ArgumentParser(prog="python -m release.agreement", description=__doc__)
    parser.add_argument("task", choices=("write", "compare"))
    parser.add_argument("folder", type=Path)
    parser.add_argument("other", type=Path, nargs="?")
    parser.add_argument("--resume", type=Path)
    parser.add_argument("--same", action="store_true")
    arguments = parser.parse_args()
    if arguments.task == "write":
        write(arguments.folder, arguments.resume)
        return 0
    lines: list[str] = []
    wrong = compare(arguments.folder, arguments.other, same=arguments.same, lines=lines)
    print(*lines, *wrong, sep="\n")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
