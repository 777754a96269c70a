"""Export of windows of samples with the learner of their rows."""

from __future__ import annotations

from dataclasses import replace
from os import PathLike

from edgeolk.configuration.layout import boundary
from edgeolk.export.kinds import module_of
from edgeolk.export.text import Model, Single, designated, wrapped
from edgeolk.learner import Learner
from edgeolk.windows import Windows, WindowsPlan
from edgeolk.windows.file import has_windows

#: The source of an export with windows.
SOURCE = "samples.c"
#: In docs and the README of a folder.
USE = """
## Samples

Rows are those of windows of {size} samples, one every {hop}; `EK_ARENA_BYTES` includes {nbytes}
bytes for them. After `ek_start(arena)`:

```c
ek_reading sample[EK_CHANNELS]; /* {kind}, as the sensor delivers them: {rate:g} a second */

if (ek_sample(arena, sample) == 1) {{ /* a row is there */
    ek_predict(arena, ek_row(arena), &label);
}}
/* after a gap: ek_restart_samples(arena); */
```
"""


def windows_in(path: str | PathLike[str]) -> Windows | None:
    """The windows in a file beside its learner; None if there are none."""
    return Windows.load(path) if has_windows(path) else None


def check_windows(learner: Learner, windows: Windows) -> None:
    """Reject windows whose rows the learner cannot take.

    Raises
    ------
    TypeError, ValueError
        Names what was got and what is allowed.
    """
    if not isinstance(windows, Windows):
        raise TypeError(f"windows must be edgeolk.Windows, got {type(windows).__name__}")
    if not module_of(learner).LEARNS:
        raise ValueError(
            "windows are for learners that learn on boards (sorf, krls_t, sogp), got"
            f" {learner.algorithm}"
        )
    if learner.dtype == "float64":
        raise ValueError("windows have rows of float32, got a learner with dtype='float64'")
    if windows.n_features != learner.n_features:
        raise ValueError(
            f"windows must have rows of {learner.n_features} numbers, as the learner, got"
            f" {windows.n_features}"
        )


def constant(plan: WindowsPlan) -> str:
    """The options as the value of a macro."""
    return wrapped(
        designated(
            {
                "features": plan.bits,
                "channels": plan.channels,
                "log_size": plan.size.bit_length() - 1,
                "hop": plan.hop,
                "is_float": int(plan.dtype == "float32"),
                "envelope": int(plan.envelope),
                "bands": max(len(plan.edges) - 1, 0),
                "rate": Single(plan.rate),
                "edges": list(plan.edges),
            }
        )
    )


def with_windows(model: Model, learner: Learner, windows: Windows) -> Model:
    """The constants of a model with windows behind its block, before any scratch."""
    plan = windows.plan
    end = learner.plan.nbytes - boundary(learner.plan.regions)
    start = -(-end // 8) * 8
    after = start + plan.block_bytes
    more = after - end
    macros = {
        **model.macros,
        "EK_SAMPLES": 1,
        "EK_CHANNELS": plan.channels,
        "EK_FLOAT_SAMPLES": int(plan.dtype == "float32"),
        "EK_AT_WINDOWS": f"{start}u",
        "EK_ARENA_BYTES": f"{learner.plan.nbytes + more}u",
        "EK_WINDOWS": constant(plan),
    }
    if model.macros["EK_SCRATCH"]:
        macros["EK_AT_SCRATCH"] = f"{after}u"
        macros["EK_ARENA_BYTES"] = f"({learner.plan.nbytes + more}u + EK_SCRATCH_BYTES)"
    return replace(model, macros=macros, arena=model.arena + more)


def use_of(windows: Windows) -> str:
    """What the README of the folder says of samples."""
    plan = windows.plan
    kind = "integers of 16 bits" if plan.dtype == "int16" else "floats"
    return USE.format(
        size=plan.size, hop=plan.hop, nbytes=plan.block_bytes, kind=kind, rate=plan.rate
    )
