"""Small fleets for tests: distinguishable streams, a manifest, configurations."""

from __future__ import annotations

from pathlib import Path

import numpy as np

CONFIGS = """
[small]
algorithm = "ogd"
ram = "2KiB"
gamma = 0.5

[wide]
algorithm = "rbp"
ram = "8KiB"

[usual]
ram = "8KiB"
"""


def write_stream(path: Path, seed: int, rows: int = 700, damage: bool = True) -> None:
    """Write a stream of three readings and a label, with gaps and a damaged row."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((rows, 3)) * [1.0, 5.0, 0.1] + [0.0, 20.0, 3.0]
    y = np.where((X[:, 0] * (X[:, 1] - 20.0) > 0.0) ^ (rng.random(rows) < 0.05), 1, -1)
    lines = [f"{a:.4f},{b:.4f},{c:.4f},{label}" for (a, b, c), label in zip(X, y, strict=True)]
    if damage:
        lines[10] = "1,2,1"
        lines[20] = ",20,3,1"
        lines[30] = "nan,20,3,-1"
        lines[40] = "1,20,3,"
        lines[600] = "1,word,3,1"
    path.write_text("\n".join(["a,b,c,label", *lines]) + "\n")


def write_fleet(folder: Path, boards: int = 6) -> tuple[Path, Path]:
    """Write streams, a manifest and configurations; return the paths of the last two."""
    (folder / "logs").mkdir(parents=True)
    lines = ["device,stream,target,faults,fault_seed,missing"]
    for i in range(boards):
        write_stream(folder / "logs" / f"log{i}.csv", seed=i)
        faults = '"noise:column=a,sd=0.5;dropout:column=b,p=0.1"' if i % 3 == 2 else ""
        missing = "last" if i % 3 == 1 else ""
        lines.append(f"board{i},logs/log{i}.csv,label,{faults},0,{missing}")
    manifest, configs = folder / "manifest.csv", folder / "configs.toml"
    manifest.write_text("\n".join(lines) + "\n")
    configs.write_text(CONFIGS)
    return manifest, configs
