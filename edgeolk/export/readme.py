"""The README of an exported folder: what is in it, and this model's numbers."""

from __future__ import annotations

from edgeolk.learner import Learner
from edgeolk.parts.numbers import Rows

_TEXT = """# {title}

A learner of `edgeolk` as C99: no allocation, no C library but
`memcpy`, `memset` and `memcmp`, no variable but the arena you pass.

| | |
|---|---|
| inputs | {features} numbers a row, `{row}` |
| answers | {answers} |
| RAM | {ram} bytes, `EK_ARENA_BYTES` |
{more}
{what}

## Use

```c
#include "edgeolk.h"

static double arena[(EK_ARENA_BYTES + 7) / 8];

ek_start(arena);                         /* once */
{use}
```

Compile `edgeolk.c` and `model.c` with your program; `main.c` is an example:

```sh
cc -std=c99 -O2 -o example main.c edgeolk.c model.c
```

Every call returns `EK_OK`, or says why nothing was done (`edgeolk.h`). The bits of every answer
are those of the library with `EDGEOLK_SIMD=scalar`, whatever the core and the compiler;
`-ffast-math` is refused.
{notes}"""


def _answers(learner: Learner) -> str:
    if learner.config.columns > 1:
        return f"one of {learner.config.columns} classes, from 0"
    if learner.is_regression:
        return "a number"
    return "1 for normal, -1 for novel" if not learner.config.needs_labels else "-1 or 1"


def readme(learner: Learner, arena: int, *, learns: bool, constants: int) -> str:
    """The text; ``arena`` are bytes of RAM, ``constants`` those of the model in flash."""
    needs_labels = learner.config.needs_labels
    use = "ek_predict(arena, row, &label);          /* what it says of a row */"
    if learns:
        use = (
            f"ek_learn(arena, row, {'label' if needs_labels else '0'}, &score);"
            "   /* learn a row; score: what was said before */\n" + use
        )
    what = (
        "It goes on learning where it was exported. `ek_file()` gives its state as a file that"
        " `edgeolk.load` opens, `ek_load()` takes one."
        if learns
        else "It stays as it is: its support vectors are constants, and nothing is learned here."
    )
    notes = (
        "\nOn a core without double precision, `-DEK_SINGLE` computes in float alone: several times"
        " faster,\nand one rounding in some millions falls otherwise than in the library. On one"
        " without floating point,\n`-DEK_FIXED` makes features in whole numbers, ten times faster"
        " again: they differ by some thousandths,\nso weights become others, as good ones. Either"
        " way states go to `edgeolk.load` and come from it.\n"
        if learns and learner.dtype == "int8"
        else ""
    )
    if learner.config.watches:
        notes += (
            "\nRows come in the order of time, one every period; a number that is not finite is a"
            " missing reading.\n`ek_watch()` says of the last row learned whether it is novel, part"
            " of an event, and by what.\n"
        )
    if not learns and learner.config.parts["rows"] != Rows.DENSE:
        notes = (
            "\nA row is scored whole. Of one that is mostly zeros the library reads the other"
            " numbers only,\nwhich rounds otherwise.\n"
        )
    return _TEXT.format(
        title=f"`{learner.algorithm}` in C",
        features=learner.n_features,
        row="double" if learner.dtype == "float64" else "float",
        answers=_answers(learner),
        ram=arena,
        more=(
            f"| constants | {constants} bytes of the model, in flash, beside the code |\n"
            f"| learned so far | {learner.steps} rows |\n"
        ),
        what=what,
        use=use,
        notes=notes,
    )
