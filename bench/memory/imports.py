"""What importing costs: resident memory and processor time of a process, above what it stands on.

``python -m bench.memory.imports [ROUNDS]``; nothing is saved.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile

from bench.table import Table

#: What is imported, and what must be there already for it.
PROGRAMS = {
    "Python": "pass",
    "numpy": "import numpy",
    "edgeolk": "import numpy, edgeolk; edgeolk.Learner",
    "edgeolk.bare": "from edgeolk.bare import BareLearner",
}
BELOW = {"edgeolk": "numpy", "edgeolk.bare": "Python"}
#: Resident MB and seconds that each may cost.
MOST = {"edgeolk": (5.0, 0.060), "edgeolk.bare": (2.0, 0.060)}


def cost(program: str, compiled: str) -> tuple[float, float]:
    """Resident megabytes at the end of a program, and its seconds of processor time.

    ``compiled`` is the folder of what Python compiles: an installed package is compiled once.
    """
    report = (
        "; import os; t = os.times(); print(t.user + t.system);"
        "print(int(open('/proc/self/statm').read().split()[1]) * os.sysconf('SC_PAGESIZE'))"
    )
    command = [sys.executable, "-c", program + report]
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "PYTHONPYCACHEPREFIX": compiled}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    run = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    seconds, resident = run.stdout.split()
    return int(resident) / 1e6, float(seconds)


def measure(rounds: int) -> dict[str, tuple[float, float]]:
    """Medians over interleaved rounds, after one that compiles."""
    found: dict[str, list[tuple[float, float]]] = {name: [] for name in PROGRAMS}
    with tempfile.TemporaryDirectory() as compiled:
        for _ in range(rounds + 1):
            for name, program in PROGRAMS.items():
                found[name].append(cost(program, compiled))
    return {
        name: (
            statistics.median(resident for resident, _ in each[1:]),
            statistics.median(seconds for _, seconds in each[1:]),
        )
        for name, each in found.items()
    }


def table(found: dict[str, tuple[float, float]]) -> Table:
    """Each beside what it stands on."""
    rows = []
    for name, (resident, seconds) in found.items():
        cells = [name, f"{resident:.1f}", f"{1e3 * seconds:.0f}"]
        if name in BELOW:
            below = found[BELOW[name]]
            most = MOST[name]
            cells += [f"{resident - below[0]:.1f} of {most[0]:.0f}",
                      f"{1e3 * (seconds - below[1]):.0f} of {1e3 * most[1]:.0f}"]  # fmt: skip
        rows.append(cells + [""] * (5 - len(cells)))
    return Table(
        "Imports",
        ["process that imports", "MB resident", "ms", "MB more, of at most", "ms more, of at most"],
        rows,
        "edgeolk is compared with numpy alone, edgeolk.bare with Python alone. Medians.",
    )


def main() -> None:
    """Measure and print."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 21
    print(table(measure(rounds)).markdown())


if __name__ == "__main__":
    main()
