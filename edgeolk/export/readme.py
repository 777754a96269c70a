"""The README of an exported folder, with the numbers of its model."""

from __future__ import annotations

from collections.abc import Sequence

from edgeolk.export.costs import (
    COMPILERS,
    FIT_ERROR,
    FLAGS,
    OF_OTHERS,
    OF_SIZES,
    Row,
    costs_of,
    instructions_of,
)
from edgeolk.export.kinds import module_of
from edgeolk.export.text import Model
from edgeolk.learner import Learner

_TEXT = """# {title}

A learner of `edgeolk` as C99: no allocation, no C library but
`memcpy`, `memset` and `memcmp`, no variable but the arena you pass.

| | |
|---|---|
| inputs | {features} inputs per row, `{row}` |
| answers | {answers} |
| RAM | {ram}, `EK_ARENA_BYTES`; no other state |
{more}
{what}

## Use

```c
#include "edgeolk.h"

static uint8_t arena[EK_ARENA_BYTES];
{declared}

ek_start(arena); /* once */
{use}
```

Compile {named} with your program; `main.c` is an example:

```sh
cc -std=c99 -O2 -o example main.c {sources}
```

{names}{flash}Every call returns `EK_OK` or an error code (`edgeolk.h`). Every answer is bit for bit
that of the library with `EDGEOLK_SIMD=scalar`, on any core and with any compiler;
`-ffast-math` is refused.
{notes}{costs}{rules}"""

_COSTS = """
## What it costs

| | stack, bytes at most | code, KiB |
|---|---|---|
{rows}
{scratch}The stack is an upper bound, not a measurement: the frames along the deepest call chain,
as reported by the compiler (`-fcallgraph-info=su`; {compilers}), plus {others} bytes for
compiler library routines and {sizes} for other sizes than were compiled. Interrupts and your own
frames come on top. `EK_STACK_BYTES` of `model.h` is the bound for the chosen flags. Code sizes are
those of a learner with every option of its kind, from -Os to -O2; with fewer options code is
smaller, down to half. Compiler library routines, 2 to 8 KiB without a floating-point unit, come on
top.
"""
_SCRATCH = """Calls use working memory in the arena, behind the {ram} bytes of the block:
`EK_SCRATCH_BYTES`, which are {work}. `EK_ARENA_BYTES` is the sum.

"""

_INSTRUCTIONS = """
Thousands of instructions per row{how}:

| core | arithmetic | score | learn | longest step |
|---|---|---|---|---|
{rows}
{about}
"""
_IDLE = """A row that changes no weights costs little more to learn than to score; if you score it
before, two scores."""
_COUNTED = """COUNTED on emulated boards (gcc -O2) for a learner of this configuration. Inputs are
Gaussian, and labels are the sign of a product of two inputs, which takes long to learn: many rows
change weights. Learn is the mean over the first 400 rows, and the longest step is among them.
{idle}"""
_FITTED = """ESTIMATES, not counted for this model: a fit to counts on emulated boards (gcc -O2),
of other sizes. {error}.
Learn is the mean over 400 Gaussian rows whose label is the sign of a product of two inputs, which
takes long to learn, so many rows change weights; the longest step is among them.
{idle}
A memory of rows counts as full. A Cortex-M7 or M33 with a single-precision unit needs as many
instructions as a Cortex-M4F, an M0+ as many as an M0.
`python -m firmware_sim measure model.olk --out DIR` counts for a model."""
_UNCOUNTED = """
No estimate of the instructions per row is available for these options:
`python -m firmware_sim measure model.olk --out DIR` counts them on emulated boards.
"""

_RULES = """
## What holds

- Inputs: {inputs}.
- Labels: {labels}.
- Alignment: the arena and files may begin at any address; rows and scores need that of their C
  type.
  Integers and floats are little-endian everywhere, IEEE 754.
- Interrupts: one call at a time on an arena, including scoring. No call blocks, so an interrupt
  may call any function if it never interrupts a call on the same arena. As a call takes as long as
  above, putting the row into a queue is usually better. The constants of `model.h` can be read at
  any time.
- Error codes: `EK_BAD_ROW`, `EK_BAD_LABEL`, `EK_BAD_STATE`, `EK_IO`, `EK_SMALL`, `EK_WRONG_ORDER`,
  `EK_OTHER`; `edgeolk.h` explains each, and what it changes.
- MISRA C:2012, the rules that cppcheck 2.10 (`--addon=misra`) reports for an export of the
  recommended learner, by reason. Regions of the one arena are reached by casts and pointer
  arithmetic, since there is no allocation: 11.5, 11.6, 11.8, 18.4, 19.2. One source
  is compiled for float and double, and for all models, so names are defined and undefined,
  headers included in the middle, macros and tags left unused: 2.3, 2.4, 2.5, 5.5, 20.1, 20.5, 20.7
  to 20.10. The compiler removes branches that this model's constants never take: 2.2,
  14.2. A function returns when a row is rejected: 15.5. Style that relies on the semantics of
  C: precedence and several declarations in a line (12.1, 12.3), bodies without braces (15.6,
  15.7), integers as conditions and sizes that are known to fit (10.x, 12.2, 14.4, 7.2),
  ignored results (17.7: `memcpy`), tables next to the code that reads them (8.7, 8.9, 8.11, 9.3,
  11.9), assignments within expressions and to parameters (13.3, 13.4, 17.8). No recursion (17.2),
  no heap (21.3), no `goto` (15.1), no `setjmp` (21.4), no variable length (18.8), no standard I/O
  (21.6) except in `main.c`; the only function pointers are the four callbacks of flash.
"""


#: Saving state in flash, and several models in one program.
_FLASH = """To keep what was learned when the power goes, compile `flash.c` too: `ek_save` and
`ek_open` of `flash.h` write and read two slots behind four callbacks of yours. If a program of
another configuration saved there, they return `EK_OTHER` until you call `ek_discard`. Several
models go into one program if each has names of its own: `edgeolk export --prefix NAME`.

"""


def _answers(learner: Learner) -> str:
    if learner._config.columns > 1:
        return f"one of {learner._config.columns} classes, from 0"
    if learner.is_regression:
        return "a number"
    return "1 for normal, -1 for novel" if not learner._config.needs_labels else "-1 or 1"


def _inputs(learner: Learner, model: Model) -> str:
    if learner._config.takes_gaps:
        return (
            "any numbers; a non-finite one is a missing reading: pass `NAN` where a sensor returns"
            "\n  a code for it, such as -127"
        )
    limit = model.macros["EK_MOST"]
    scaled = " as the scaler leaves it" if model.macros["EK_SCALE_METHOD"] else ""
    if module_of(learner).BOUNDS_EACH:
        return f"finite numbers, each{scaled} from -{limit:.3g} to {limit:.3g}"
    sizes = f"the sum of their sizes{scaled} is at most {limit:.3g}"
    return f"finite numbers in your sensor's units; {sizes}"


def _labels(learner: Learner, *, learns: bool) -> str:
    config = learner._config
    if not learns or not config.needs_labels:
        return "not needed"
    kind = "from -1e100 to 1e100" if learner.is_regression else "-1 or 1"
    if config.columns > 1:
        kind = f"integers from 0 to {config.columns - 1}"
    if config.no_weights:
        return f"{kind}, as a double"
    return f"{kind}, as a double; a weight is above 0 and at most {config.max_weight:,.0f}"


def _names(learner: Learner) -> str:
    """A table of the inputs by place, "" if they have no names."""
    names = getattr(getattr(learner, "names", None), "features", ())
    if not names:
        return ""
    rows = [f"| `row[{place}]` | {name} |" for place, name in enumerate(names)]
    if learner.n_features > len(names):
        rows.append(f"| `row[{len(names)}]` and all others | no input yet: 0 |")
    return "\n".join(["| place | input |", "|---|---|", *rows]) + "\n\n"


def _ram(model: Model) -> str:
    """Bytes of the arena; apart where another arithmetic has more working memory."""
    usual = model.scratch.get("", 0)
    others = ", ".join(
        f"{model.arena + count} with `{flag}`"
        for flag, count in model.scratch.items()
        if count != usual
    )
    return f"{model.arena + usual} bytes" + (f" ({others})" if others else "")


def _flagged(flag: str) -> str:
    return f"with `{flag}`" if flag else "in the default arithmetic"


def _arithmetic(how: str) -> str:
    """Its name, with the flag that selects it."""
    return f"{how}, `{FLAGS[how]}`" if FLAGS.get(how) else how


def _costs(learner: Learner, model: Model, counted: Sequence[Row]) -> str:
    """The costs in each arithmetic, and in instructions: counted or estimated."""
    code = {how: cost.code for how, cost in costs_of(learner).items()}
    rows = "".join(
        f"| {_arithmetic(how)} | {stack:,} | {code[how][0]} to {code[how][1]} |\n"
        for how, flag in FLAGS.items()
        if (stack := model.stacks.get(flag))
    )
    work = "".join(f"{n:,} {_flagged(flag)}, " for flag, n in model.scratch.items())
    text = _COSTS.format(
        scratch=_SCRATCH.format(work=work.rstrip(", "), ram=model.arena) if work else "",
        rows=rows,
        compilers=COMPILERS,
        others=OF_OTHERS,
        sizes=OF_SIZES,
    )
    rows = "".join(
        f"| {each.core} | {_arithmetic(each.arithmetic)} | {each.score:,.0f} | {each.learn:,.0f} |"
        f" {each.longest:,.0f} |\n"
        for each in counted or instructions_of(learner)
    )
    if not rows:
        return text + _UNCOUNTED
    about = _FITTED.format(error=FIT_ERROR, idle=_IDLE)
    if counted:
        about = counted[0].about or _COUNTED.format(idle=_IDLE)
    return text + _INSTRUCTIONS.format(how="" if counted else ", ESTIMATED", rows=rows, about=about)


def readme(learner: Learner, model: Model, counted: Sequence[Row] = (), samples: str = "") -> str:
    """The text of the README; samples: what it says of them."""
    kind = module_of(learner)
    learns = kind.LEARNS
    sources = ["edgeolk.c", "model.c", *(["samples.c"] if samples else [])]
    *most, last = (f"`{name}`" for name in sources)
    declared, use = kind.use_of(learner)
    what = (
        "It continues to learn from its exported state. `ek_file()` returns its state as a file"
        " that `edgeolk.load` opens, `ek_load()` reads one."
        if learns
        else "It does not learn: its support vectors are constants."
    )
    return _TEXT.format(
        title=f"`{learner.algorithm}` in C",
        features=learner.n_features,
        row="double" if learner.dtype == "float64" else "float",
        answers=_answers(learner),
        ram=_ram(model),
        more=(
            f"| constants | {model.constants} bytes of the model, in flash, in addition to the"
            f" code |\n"
            f"| learned so far | {learner.steps} rows |\n"
        ),
        what=what,
        declared=declared,
        named=f"{', '.join(most)} and {last}",
        sources=" ".join(sources),
        use="\n".join(use),
        names="" if samples else _names(learner),
        flash=_FLASH if learns else "",
        notes=samples + kind.notes_of(learner),
        costs=_costs(learner, model, counted),
        rules=_RULES.format(inputs=_inputs(learner, model), labels=_labels(learner, learns=learns)),
    )
