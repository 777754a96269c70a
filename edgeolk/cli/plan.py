"""``edgeolk plan``: shows the memory of learners to the byte, without building them."""

from __future__ import annotations

import argparse
import ast
import json
from collections import Counter
from inspect import signature
from typing import Any

from edgeolk.configuration.config import Config, plan, settings_of
from edgeolk.configuration.plan import parse_bytes
from edgeolk.errors import suggest
from edgeolk.export.costs import scratch_of
from edgeolk.export.folder import SCRATCH
from edgeolk.export.sorf import streams
from edgeolk.parts import Dtype
from edgeolk.parts.kernels import Gaussian, Kernel, Laplacian, Linear, Polynomial, Sigmoid
from edgeolk.parts.methods import algorithms
from edgeolk.scaling.record import INSIDE, INSIDE_NAMES

DTYPES = [member.name.lower() for member in Dtype]
KERNELS: dict[str, type[Kernel]] = {
    kind.__name__.lower(): kind for kind in (Gaussian, Laplacian, Polynomial, Linear, Sigmoid)
}
_WORDS = {"true": True, "false": False, "none": None, "inf": float("inf")}


def _pair(text: str) -> tuple[str, Any]:
    """NAME=VALUE; the value is a Python literal, a word such as inf, or else text."""
    name, equals, value = text.partition("=")
    if not equals or not name.isidentifier():
        raise argparse.ArgumentTypeError(f"{text!r} is not NAME=VALUE, as in eta=0.1")
    if value.lower() in _WORDS:
        return name, _WORDS[value.lower()]
    try:
        return name, ast.literal_eval(value)
    except (ValueError, SyntaxError):
        return name, value


def _kernel(text: str) -> tuple[type[Kernel], dict[str, Any]]:
    """NAME or NAME:FIELD=NUMBER,..., as in polynomial:degree=3,scale=0.5."""
    name, _, rest = text.partition(":")
    kind = KERNELS.get(name.lower())
    if kind is None:
        raise argparse.ArgumentTypeError(
            f"{name!r} is not one of {', '.join(KERNELS)}{suggest(name, KERNELS)}"
        )
    given = dict(_pair(part) for part in rest.split(",") if part)
    known = list(signature(kind).parameters)
    for field in given:
        if field not in known:
            raise argparse.ArgumentTypeError(
                f"the {name} kernel has no {field!r}, it has {', '.join(known) or 'no fields'}"
            )
    return kind, given


def _gamma(text: str) -> str | float:
    """A width, or "auto"."""
    try:
        return "auto" if text == "auto" else float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is neither 'auto' nor a number") from None


def _kernel_of(options: argparse.Namespace) -> Kernel | None:
    """The requested kernel, None for the algorithm's own; an omitted width is 1 / d."""
    if options.kernel is None:
        return None
    kind, given = options.kernel
    if kind in (Gaussian, Laplacian):
        given = {"gamma": 1.0 / max(options.features, 1), **given}
    kernel: Kernel = kind(**given)
    return kernel


def _record(config: Config, options: argparse.Namespace, *, regions: bool) -> dict[str, Any]:
    """A plan as a record for JSON."""
    planned = plan(config)
    record: dict[str, Any] = {
        "algorithm": planned.algorithm,
        "n_features": planned.n_features,
        "budget": planned.budget,
        "dtype": planned.dtype,
        "kernel": str(config.kernel),
        "gamma_rows": planned.gamma_rows,
        "scale": INSIDE_NAMES.get(settings_of(config).preprocessing.method),
        "sparse": bool(options.sparse),
        "seed": options.seed,
        "nbytes": planned.nbytes,
        "longest_step": planned.longest_step,
    }
    if regions:
        record["regions"] = [region._asdict() for region in planned.regions]
    return record


def _config_of(name: str, options: argparse.Namespace) -> Config:
    requested = {"kernel_gamma": options.gamma, "scale": options.scale}
    given = {name: value for name, value in requested.items() if value is not None}
    if options.scale == "none":
        given["scale"] = None
    return Config(
        name,
        n_features=options.features,
        ram=options.ram,
        budget=options.budget,
        kernel=_kernel_of(options),
        dtype=options.dtype,
        seed=options.seed,
        sparse=options.sparse,
        **given,
        **dict(options.param),
    )


def _recommended(options: argparse.Namespace) -> str:
    """One line about the recommended learner of this size, or the error message for it."""
    try:
        planned = plan(n_features=options.features, ram=options.ram, budget=options.budget)
    except ValueError as error:
        return str(error)
    what = f"D = {planned.budget}, with scaling and kernel width"
    if not planned.budget:
        what = "a linear model, with scaling"
    return f"{planned.algorithm}, {what}, {planned.nbytes} bytes"


def _one(options: argparse.Namespace) -> None:
    """Print every region of one algorithm."""
    config = _config_of(options.algorithm, options)
    if options.json:
        print(json.dumps(_record(config, options, regions=True), indent=1))
        return
    planned = plan(config)
    print(planned)
    if options.scratch == "arena":
        streamed = streams(settings_of(config).columns, (region.name for region in planned.regions))
        work = scratch_of(planned.dtype, streamed=streamed)
        text = ", ".join(f"{n:,} bytes in {how}" for how, n in work.items())
        print(f"exported with --scratch arena, in addition: {text}")


def _every_config(options: argparse.Namespace) -> dict[str, Config | str]:
    """The configuration of each algorithm, or the error message for it.

    Raises ValueError: all are invalid; with the commonest reason.
    """
    configs: dict[str, Config | str] = {}
    for row in algorithms():
        try:
            configs[row.name] = _config_of(row.name, options)
        except ValueError as error:
            configs[row.name] = str(error)
    reasons = Counter(config for config in configs.values() if isinstance(config, str))
    if reasons.total() == len(configs):
        raise ValueError(reasons.most_common(1)[0][0])
    return configs


def _all(options: argparse.Namespace) -> None:
    """Print a line for each algorithm."""
    configs = _every_config(options)
    if options.json:
        records = [
            {"algorithm": name, "refused": config}
            if isinstance(config, str)
            else _record(config, options, regions=False)
            for name, config in configs.items()
        ]
        print(json.dumps(records, indent=1))
        return
    print(f"recommended: {_recommended(options)}")
    size = f"{parse_bytes(options.ram)} bytes" if options.ram else f"B = {options.budget}"
    rows = ", sparse rows" if options.sparse else ""
    kernel = type(_kernel_of(options) or Gaussian(1.0)).__name__
    dtype = f", {options.dtype}" if options.dtype else ""  # else it is in each line
    print(f"{size}, d = {options.features}{dtype}, {kernel} kernel{rows}")
    head = f"{'algorithm':<20}{'dtype':<8}{'B':>8}{'bytes':>12}{'bytes per SV':>14}"
    print(f"{head}  longest step")
    for name, config in configs.items():
        if isinstance(config, str):
            print(f"{name:<20}{'-':<8}{'-':>8}  {config}")
            continue
        planned = plan(config)
        each = f"{planned.nbytes / planned.budget:.1f}" if planned.budget else "-"
        line = f"{name:<20}{planned.dtype:<8}{planned.budget:>8}{planned.nbytes:>12}{each:>14}"
        print(f"{line}  {planned.longest_step}")


def _run(options: argparse.Namespace) -> None:
    if options.algorithm:
        _one(options)
    elif options.param:
        raise ValueError("--param needs --algorithm: parameters differ between algorithms")
    else:
        _all(options)


def add_plan(commands: Any) -> None:
    """Add the command to a parser's subparsers."""
    parser = commands.add_parser("plan", help="show the memory of learners to the byte")
    add = parser.add_argument
    size = parser.add_mutually_exclusive_group(required=True)
    size.add_argument("--ram", help="cap, such as 64KiB: the largest budget that fits")
    size.add_argument("--budget", type=int, help="maximum number of support vectors")
    add("--features", type=int, required=True, help="dimension d")
    add("--algorithm", help="list every region of this one (default: a line per algorithm)")
    add("--dtype", choices=DTYPES, help="default: the algorithm's own")
    add(
        "--kernel",
        type=_kernel,
        metavar="NAME[:FIELD=X,...]",
        help=f"{', '.join(KERNELS)}, as in polynomial:degree=3 (default: gaussian, of the"
        " algorithm's own width)",
    )
    add(
        "--gamma",
        type=_gamma,
        metavar="auto|X",
        help="width of a Gaussian kernel; auto: determined from the rows (default: the"
        " algorithm's own)",
    )
    add("--scale", choices=[*INSIDE, "none"], help="scaling (default: the algorithm's own)")
    add(
        "--param",
        type=_pair,
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="one of the algorithm's own parameters (repeatable)",
    )
    add("--sparse", action="store_true", default=None, help="rows that are mostly zeros")
    add("--seed", type=int, default=0, help="seed of the generator (takes no memory)")
    add("--scratch", choices=SCRATCH, help="arena: add the scratch memory of exported C")
    add("--json", action="store_true", help="print JSON")
    parser.set_defaults(run=_run)
