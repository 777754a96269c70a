"""The README of an exported folder: what is in it, and this model's numbers."""

from __future__ import annotations

from collections.abc import Sequence

from edgeolk.export.costs import (
    COMPILERS,
    FLAGS,
    OF_OTHERS,
    code_of,
)
from edgeolk.export.fitted import FIT_ERROR
from edgeolk.export.instructions import Row, instructions_of
from edgeolk.export.text import Model
from edgeolk.learner import Learner
from edgeolk.parts.numbers import Rows

_TEXT = """# {title}

A learner of `edgeolk` as C99: no allocation, no C library but
`memcpy`, `memset` and `memcmp`, no variable but the arena you pass.

| | |
|---|---|
| inputs | {features} numbers a row, `{row}` |
| answers | {answers} |
| RAM | {ram} bytes, `EK_ARENA_BYTES`; nothing else is kept |
{more}
{what}

## Use

```c
#include "edgeolk.h"

static double arena[(EK_ARENA_BYTES + 7) / 8];
{declared}

ek_start(arena); /* once */
{use}
```

Compile `edgeolk.c` and `model.c` with your program; `main.c` is an example:

```sh
cc -std=c99 -O2 -o example main.c edgeolk.c model.c
```

{flash}Every call returns `EK_OK`, or says why nothing was done (`edgeolk.h`). The bits of every
answer are those of the library with `EDGEOLK_SIMD=scalar`, whatever the core and the compiler;
`-ffast-math` is refused.
{notes}{costs}{rules}"""

_COSTS = """
## What it costs

| | stack, bytes at most | code, KiB |
|---|---|---|
{rows}
{scratch}The stack is a bound, not a measurement: frames down the deepest way through the calls,
as the compiler gives them (`-fcallgraph-info=su`; {compilers}), and {others} bytes for
what it calls of its own library. Interrupts and your own frames come on top. `EK_STACK_BYTES` of
`model.h` is the bound for the flags that are given. Code is from -Os to -O2, the compiler's own
arithmetic not among it (2 to 8 KiB without a floating-point unit).
"""
_SCRATCH = """Calls work in the arena, behind the {ram} bytes of the block: `EK_SCRATCH_BYTES` of
it are {work}. `EK_ARENA_BYTES` is both.

"""

_INSTRUCTIONS = """
Thousands of instructions a row{how}:

| core | arithmetic | score | learn | longest step |
|---|---|---|---|---|
{rows}
{about}
"""
_COUNTED = """COUNTED on emulated boards (gcc -O2) for a learner of this configuration. Inputs are
Gaussian, a label is the sign of a product of two of them, which surprises for long: many rows
change weights. Learn is the mean of the first 400 rows, and the longest step is one of them. Where
few rows change weights, one costs little more than two scores."""
_FITTED = """ESTIMATES, not counted for this model: a fit to counts on emulated boards (gcc -O2),
which were of other sizes. {error}.
Learn is the mean of 400 Gaussian rows, the sign of a product of two inputs their label, which
surprises for long, so that many rows change weights; the longest step is one of them. Where few
rows change weights, one costs little more than two scores. A memory of rows counts as full. A
Cortex-M7 or M33 with a unit for single precision takes what a Cortex-M4F does, an M0+ what an M0.
`python -m firmware_sim measure model.olk --out DIR` counts for a model."""
_UNCOUNTED = """
Instructions a row are not known of models with these options:
`python -m firmware_sim measure model.olk --out DIR` counts them on emulated boards.
"""

_RULES = """
## What holds

- Inputs: {inputs}.
- Labels: {labels}.
- Alignment: the arena and files may begin at any address, rows and scores where their C type may.
  Integers and floats are little-endian everywhere, IEEE 754.
- Interrupts: one call at a time on an arena, to score too. No call blocks, so any may be made from
  an interrupt that no call on the same arena can be interrupted by; as it takes as long as above,
  better put the row into a queue. Only the constants of `model.h` may be read at any time.
- Error codes: `EK_BAD_ROW`, `EK_BAD_LABEL`, `EK_BAD_STATE`, `EK_IO`, `EK_SMALL`, `EK_WRONG_ORDER`;
  `edgeolk.h` says of each what it means and what has changed.
- MISRA C:2012, the rules that cppcheck 2.10 (`--addon=misra`) finds broken in an export of the
  recommended learner, by their reasons. Regions of the one arena are reached by casts and sums of
  pointers from its bytes, since there is no allocation: 11.5, 11.6, 11.8, 18.4, 19.2. One source
  is compiled for float and double, and for all models, so that names are defined and undefined,
  headers included on the way, macros and tags left unused: 2.3, 2.4, 2.5, 5.5, 20.1, 20.5, 20.7
  to 20.10. A branch that this model's constants never take stays for the compiler to remove: 2.2,
  14.2. A function returns where a row is refused: 15.5. Style, where C's own meaning is relied
  on: precedence and several declarations in a line (12.1, 12.3), bodies without braces (15.6,
  15.7), whole numbers as conditions and sizes that are known to fit (10.x, 12.2, 14.4, 7.2),
  results that nobody needs (17.7: `memcpy`), tables beside what reads them (8.7, 8.9, 8.11, 9.3,
  11.9), assignments within expressions and to parameters (13.3, 13.4, 17.8). No recursion (17.2),
  no heap (21.3), no `goto` (15.1), no `setjmp` (21.4), no variable length (18.8), no standard I/O
  (21.6) but in `main.c`; of function pointers only the four callbacks of flash.
"""


#: Several folders in one program, and states that outlive the power.
_FLASH = """To keep what was learned when the power goes, compile `flash.c` too: `ek_save` and
`ek_open` of `flash.h` write and read two slots behind four callbacks of yours. Several models go
into one program if each has names of its own: `edgeolk export --prefix NAME`.

"""


def _use(learner: Learner, *, learns: bool) -> tuple[str, list[str]]:
    """Variables of a program that uses it, and the calls of a row."""
    predicts = "ek_predict(arena, row, &label); /* what it says of a row */"
    row = "ek_number row[EK_FEATURES];"
    if not learns:
        return f"{row}\ndouble label;", [predicts]
    if learner.config.forecasts:
        return f"{row}\ndouble target;\nek_forecast next;", [
            "ek_ask(arena, row, &next);  /* answers a row, which then waits for its target */",
            "ek_tell(arena, target);     /* the target of the oldest row that waits: learned */",
            "ek_look(arena, row, &next); /* an answer alone; nothing waits, nothing is learned */",
        ]
    if learner.config.watches:
        return f"{row}\ndouble score;\nek_verdict verdict;", [
            "ek_learn(arena, row, 0, &score); /* every period; score: less the threshold */",
            "ek_watch(arena, &verdict);       /* of that row: novel, an event, by what */",
        ]
    label = "label" if learner.config.needs_labels else "0"
    return f"{row}\ndouble label, score;", [
        f"ek_learn(arena, row, {label}, &score); /* learn a row; score: what was said before */",
        predicts,
    ]


def _answers(learner: Learner) -> str:
    if learner.config.columns > 1:
        return f"one of {learner.config.columns} classes, from 0"
    if learner.is_regression:
        return "a number"
    return "1 for normal, -1 for novel" if not learner.config.needs_labels else "-1 or 1"


def _inputs(learner: Learner, model: Model) -> str:
    if learner.config.watches or learner.config.forecasts:
        return "any numbers; one that is not finite is a missing reading"
    most = model.macros["EK_MOST"]
    scaled = " as the scaler leaves it" if model.macros["EK_SCALE_METHOD"] else ""
    if not model.macros["EK_LEARNS"]:
        return f"finite numbers, each{scaled} from -{most:.3g} to {most:.3g}"
    sizes = f"the sum of their sizes{scaled} is at most {most:.3g}"
    return f"finite numbers in your sensor's units; {sizes}"


def _labels(learner: Learner) -> str:
    config = learner.config
    if not config.update.whole or not config.needs_labels:
        return "none are asked for"
    kind = "from -1e100 to 1e100" if learner.is_regression else "-1 or 1"
    if config.columns > 1:
        kind = f"whole numbers from 0 to {config.columns - 1}"
    return f"{kind}, as a double; a weight is above 0 and at most {config.update.most_weight:,.0f}"


def _flagged(flag: str) -> str:
    return f"with `{flag}`" if flag else "in its usual arithmetic"


def _costs(learner: Learner, model: Model, counted: Sequence[Row]) -> str:
    """What it costs in each arithmetic, and in instructions: counted, or else by the fit."""
    code = code_of(learner)
    rows = "".join(
        f"| {how}{f', `{flag}`' if flag else ''} | {stack:,} | {code[how][0]} to {code[how][1]} |\n"
        for how, flag in FLAGS.items()
        if (stack := model.stacks.get(flag))
    )
    work = "".join(f"{n:,} {_flagged(flag)}, " for flag, n in model.scratch.items())
    text = _COSTS.format(
        scratch=_SCRATCH.format(work=work.rstrip(", "), ram=model.arena) if work else "",
        rows=rows,
        compilers=COMPILERS,
        others=OF_OTHERS,
    )
    rows = "".join(
        f"| {each.core} | {each.arithmetic} | {each.score:,.0f} | {each.learn:,.0f} |"
        f" {each.longest:,.0f} |\n"
        for each in counted or instructions_of(learner)
    )
    if not rows:
        return text + _UNCOUNTED
    about = _COUNTED if counted else _FITTED.format(error=FIT_ERROR)
    return text + _INSTRUCTIONS.format(how="" if counted else ", ESTIMATED", rows=rows, about=about)


def readme(learner: Learner, model: Model, *, learns: bool, counted: Sequence[Row] = ()) -> str:
    """The text; ``arena`` are bytes of RAM, ``constants`` those of the model in flash."""
    declared, use = _use(learner, learns=learns)
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
        ram=model.arena + max(model.scratch.values(), default=0),
        more=(
            f"| constants | {model.constants} bytes of the model, in flash, beside the code |\n"
            f"| learned so far | {learner.steps} rows |\n"
        ),
        what=what,
        declared=declared,
        use="\n".join(use),
        flash=_FLASH if learns else "",
        notes=notes,
        costs=_costs(learner, model, counted),
        rules=_RULES.format(inputs=_inputs(learner, model), labels=_labels(learner)),
    )
