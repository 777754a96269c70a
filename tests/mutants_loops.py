"""Mutations of the C loops, which the checks of ``tests/edgeolk/core/c`` must detect: see
`mutating.py`.

The loops are compiled alone, without optimisation, for one instruction set that has vectors and
their tails: seconds per mutation, where the modules would take minutes. A mutation is found by its
text, in whichever header contains it; its file is the subject of the checks.
"""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

from mutating import ROOT, Mutation, Trials, applied, table

C_FOLDER, CHECKS = "edgeolk/c", "tests/edgeolk/core/c"
FLAGS = ("-std=gnu11", "-O0", "-w", "-ffp-contract=off", "-fno-math-errno", "-fno-trapping-math")
SET = "baseline"

MUTATIONS = [
    *table("together", (),
        ("scores of a block begin anew with each",
         "outputs->f[(i + batch->to[r]) * columns + c] =",
         "outputs->f[batch->to[r] * columns + c] ="),
        ("values of a block begin anew with each",
         "values += (i + r) * outputs->values_pitch", "values += r * outputs->values_pitch"),
        ("few rows have one column",
         "if (3 * m <= OLK_BATCH_ROWS && outputs->columns == 1)", "if (3 * m <= OLK_BATCH_ROWS)"),
        ("sums of few rows begin anew", "outputs->f[i + r] = sum;", "outputs->f[r] = sum;"),
        ("values lie side by side",
         "(char *)outputs->values + (i * outputs->values_pitch + start) * bytes",
         "(char *)outputs->values + (i + start) * bytes"),
        ("coefficients of a panel are the first ones",
         "(const char *)outputs->coef + start * bytes", "(const char *)outputs->coef"),
        ("lengths of rows one on", "norm_x[i + r] = sum[r];", "norm_x[i + r] = sum[0];"),
        ("far rows are near",
         "if (precise)\n            batch->precise = batch->n;", "batch->precise = batch->n;"),
        ("a slice has the same depth",
         "if (slice.depth > d - slice.first)", "if (slice.depth > d)"),
        ("one column counts as several",
         "const int multi_column = coef && outputs->columns > 1;",
         "const int multi_column = coef != NULL;")),
    *table("coefficients", (),
        ("the least of the ends is not looked at",
         "smallest = size[i] < smallest ? size[i] : smallest;", ""),
        ("the least of the vectors is not looked at",
         "smallest = OLK_LANE(low, k) < smallest ? OLK_LANE(low, k) : smallest;", ""),
        ("sizes are of the first numbers",
         "OLK_LANE(sizes_here, k) *= sqrt(diagonal[i + k]);",
         "OLK_LANE(sizes_here, k) *= sqrt(diagonal[k]);"),
        ("sums settle from 0",
         "sum[i] += (double)coef[i] * (weight - start[i]);", "sum[i] += (double)coef[i] * weight;"),
        ("settled sums do not begin anew", "start[i] = weight;", ""),
        ("squares of one column",
         "squares[i] += (double)coef[c * stride + i] * (double)coef[c * stride + i];",
         "squares[i] += (double)coef[i] * (double)coef[i];"),
        ("squares of the ends add up", "squares[i] = 0.0;", ""),
        ("only what is too large is cut",
         "const olk_coef_t below = coef[i] < upper ? coef[i] : upper;",
         "const olk_coef_t below = coef[i];"),
        ("all who stay are divided",
         "probability < 1.0 ? old / probability : old", "old / probability"),
        ("values and coefficients are of one type", "if (dtype == OLK_COEF_DTYPE)", "if (1)")),
    *table("linalg", (),
        ("the rows left are of the matrix",
         "const ptrdiff_t left = m - first;", "const ptrdiff_t left = m;"),
        ("groups of rows begin at the first",
         "const double *group = a + first * stride;", "const double *group = a;")),
    *table("merge", (),
        ("a merge with nothing is a merge",
         "loss[i + k] = c == 0.0 ? INFINITY : both - z * z;", "loss[i + k] = both - z * z;")),
    *table("selection", (),
        ("the one after the k-th", "return v[k - 1];", "return v[k];")),
    *table("eigen", (),
        ("the first eigenvalue is not looked at",
         "for (ptrdiff_t start = 0; start < n; start++) {",
         "for (ptrdiff_t start = 1; start < n; start++) {")),
    *table("normals", (),
        ("tails have no sign", "return q < 0.0 ? -size : size;", "return size;"),
        ("the centre is everything", "if (olk_fabs(q[i]) > OLK_NORMAL_CENTRE)", "if (0)")),
]  # fmt: skip


def header_of(old: str, folder: Path = ROOT / C_FOLDER) -> Path:
    """The header that contains a text.

    Raises
    ------
    ValueError
        If the text occurs nowhere, or several times.
    """
    headers = sorted(folder.glob("*.h"))
    found = [path for path in headers for _ in range(path.read_text().count(old))]
    if len(found) != 1:
        raise ValueError(f"{old!r} occurs {len(found)} times")
    return found[0]


class Checks:
    """The checks are compiled once, the loops for each mutation."""

    def __init__(self, folder: Path) -> None:
        from edgeolk.core.units import units

        self.folder = folder
        self.loops = folder / "loops"
        shutil.copytree(ROOT / C_FOLDER, self.loops)
        made = units(("cc",), "ring_unit.h", folder / "units")
        made = [unit for unit in made if unit.instructions.name in ("scalar", SET)]
        built = {f"-D{unit.instructions.built}" for unit in made}
        self.compile = ["cc", *FLAGS, *built, f"-I{self.loops}"]
        self.units = [unit for unit in made if unit.instructions.name == SET]
        for source in (*sorted((ROOT / CHECKS).glob("*.c")), *(unit.source for unit in made)):
            self._object(source, [])

    def _object(self, source: Path, flags: list[str]) -> bool:
        target = str(self.folder / f"{source.stem}.o")
        command = [*self.compile, *flags, "-c", "-o", target, str(source)]
        return subprocess.run(command, capture_output=True, check=False).returncode == 0

    def fail(self, subject: str) -> bool:
        """Whether the checks of a subject fail with the loops as they are, or do not compile."""
        program = self.folder / "checks"
        changed = [(unit.source, list(unit.flags)) for unit in self.units]
        changed.append((ROOT / CHECKS / f"{subject}.c", []))  # some headers are the check's own
        if not all(self._object(source, flags) for source, flags in changed):
            return True
        objects = map(str, self.folder.glob("*.o"))
        linked = subprocess.run(["cc", *objects, "-o", str(program), "-lm"], check=False)
        command = [str(program), SET, subject]
        try:
            ran = subprocess.run(command, capture_output=True, check=False, timeout=120)
        except subprocess.TimeoutExpired:
            return True
        return linked.returncode != 0 or ran.returncode != 0

    def notice(self, mutation: Mutation) -> bool:
        """Whether the checks fail with a mutation."""
        with applied(mutation, header_of(mutation.old, self.loops)):
            return self.fail(mutation.file)


def lived(wanted: list[Mutation], folder: Path, trials: Trials) -> list[Mutation]:
    """The mutations that no check notices."""
    checks = Checks(folder)
    for subject in sorted({mutation.file for mutation in wanted}):
        if checks.fail(subject):
            raise SystemExit(f"the checks of {subject} fail without any mutation")
    return trials.survivors(wanted, checks.notice)
