"""The command ``replay``: one stream, one learner, one report."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import edgeolk as ek
from firmware_sim.boards import BOARDS
from firmware_sim.cli import sacrifice, values
from firmware_sim.cli.exit_codes import BEYOND_CAP, DIED, OK, USAGE
from firmware_sim.cli.shared import DEFAULT, add_common, add_stream, stream_fields
from firmware_sim.cli.signals import Interruption, interruption
from firmware_sim.cli.terminal import Bar, can_draw, note, show, tell, told, written
from firmware_sim.config import ReplayConfig
from firmware_sim.configuration import choices
from firmware_sim.deployment import board_script, model_file
from firmware_sim.errors import SimulatorError
from firmware_sim.replaying.loop import Replay, ReplayResult
from firmware_sim.report import to_text
from firmware_sim.report.writing import claimed, write_files
from firmware_sim.streams import BUNDLED
from firmware_sim.streams.faults import KINDS

if TYPE_CHECKING:
    from firmware_sim.mcu.replaying import OnBoard

_Add = Callable[..., object]


def add_options(commands: Any) -> None:
    """Add the command and its options."""
    command = commands.add_parser(
        "replay",
        help="replay one stream with one learner and report on it",
        description="Replay one stream with one learner and report on it.",
        epilog="Bundled streams: "
        + "; ".join(f"{stream.name}: {stream.about}" for stream in BUNDLED.values())
        + ".",
    )
    command.set_defaults(run=run)
    add_stream(command)
    _add_trouble(command.add_argument_group("what goes wrong").add_argument)
    _add_device(command.add_argument_group("device").add_argument)
    _add_learner(command.add_argument_group("learner").add_argument)
    _add_report(command.add_argument_group("report").add_argument)


def _add_trouble(add: _Add) -> None:
    add(
        "--fault",
        metavar="KIND[:...]",
        action="append",
        default=[],
        help=f"break sensors (repeatable): {', '.join(KINDS)}; as in "
        "stuck:column=light,from=1000,to=2000",
    )
    add("--fault-seed", metavar="N", type=int, help="of what breaks (default: as --seed)")
    add(
        "--label-delay",
        metavar="ROWS|SECONDSs",
        default=DEFAULT.label_delay,
        help="labels come so much later: 20, or 90s",
    )
    add(
        "--label-queue",
        metavar="N",
        type=values.count,
        help="rows that can wait for their label (default: as many as the delay, or 64)",
    )
    add(
        "--label-missing",
        metavar="P",
        type=float,
        default=DEFAULT.label_missing,
        help="share of the labels that never come",
    )
    add("--ask", action="store_true", help="only labels that the learner asks for")
    add(
        "--power-cut",
        metavar="every=N|at=ROW|random=P",
        help="the power goes; the board goes on from its last checkpoint",
    )
    add(
        "--checkpoint-every",
        metavar="N",
        type=values.count,
        default=DEFAULT.checkpoint_every,
        help="rows learned between checkpoints (default: %(default)s)",
    )


def _add_device(add: _Add) -> None:
    add(
        "--ram",
        metavar="SIZE",
        help="the cap: 64KiB, 16kB, 4096 (default: 64KiB, or what the device has, if less)",
    )
    add("--device", choices=BOARDS, metavar="BOARD", help="judge by a board, see `devices`")
    add(
        "--on",
        metavar="BOARD",
        default="",
        help="learn the same rows on an emulated microcontroller too: mps2-an386, microbit, ..., "
        "with qemu-system-arm and gcc-arm-none-eabi",
    )
    add(
        "--period",
        metavar="SECONDS",
        type=values.duration,
        help="time between rows (default: as the time column tells)",
    )
    add(
        "--enforce",
        choices=choices.ENFORCE,
        default=DEFAULT.enforce,
        help="the cap: by guard pages around one block (default), or the learner in a process "
        "that may not grow",
    )
    add(
        "--limit-by",
        choices=choices.LIMITS,
        default=DEFAULT.limit_by,
        help="what keeps that process from growing (default: the first that can be had)",
    )
    add(
        "--inject",
        metavar="leak=SIZE",
        type=values.leak,
        default=DEFAULT.leak,
        help="leak so many bytes every step on purpose, as leak=64B, to see it caught",
    )
    add_common(add, "--scale", "--freeze-after")


def _add_learner(add: _Add) -> None:
    add(
        "--algorithm",
        metavar="NAME",
        default="",
        help=f"default: {DEFAULT.algorithm}, which scales and makes its width by itself",
    )
    add("--budget", metavar="N", type=int, help="most support vectors (default: what fits)")
    add(
        "--param",
        metavar="NAME=VALUE",
        action="append",
        type=values.parameter,
        default=[],
        help="one of the algorithm's own parameters (repeatable)",
    )
    add("--kernel", choices=choices.KERNELS, default=DEFAULT.kernel, help="default: %(default)s")
    add_common(add, "--gamma")
    add(
        "--degree",
        metavar="N",
        type=int,
        default=DEFAULT.degree,
        help="of the polynomial kernel (default: %(default)s)",
    )
    add(
        "--offset",
        metavar="X",
        type=float,
        default=DEFAULT.offset,
        help="constant term of the polynomial and sigmoid kernels (default: "
        f"{choices.OFFSETS['polynomial']:g} and {choices.OFFSETS['sigmoid']:g})",
    )
    add_common(add, "--prefix", "--dtype", "--seed")


def _add_report(add: _Add) -> None:
    add("--out", metavar="DIR", default="replay-report", help="default: %(default)s")
    add_common(add, "--quiet", "--no-progress")
    add("--no-picture", action="store_true", help="draw no PNG: saves a second or two")
    add("--save-model", metavar="FILE", help="keep learner and scaler, in one file")
    add("--write-script", metavar="FILE", help="write the Python that runs the saved model")
    add("--export", metavar="DIR", help="write the learner as C for a microcontroller")


def to_config(chosen: argparse.Namespace) -> ReplayConfig:
    """Return the configuration that the options ask for."""
    return ReplayConfig(
        **stream_fields(chosen),
        ram=_ram(chosen),
        device=chosen.device,
        period=chosen.period,
        algorithm=chosen.algorithm,
        budget=chosen.budget,
        params=_params(chosen.param),
        kernel=chosen.kernel,
        gamma=chosen.gamma,
        degree=chosen.degree,
        offset=chosen.offset,
        dtype=chosen.dtype,
        seed=chosen.seed,
        scale=chosen.scale,
        freeze_after=chosen.freeze_after,
        faults=tuple(chosen.fault),
        fault_seed=chosen.fault_seed,
        label_delay=chosen.label_delay,
        label_queue=chosen.label_queue,
        label_missing=chosen.label_missing,
        ask=chosen.ask,
        power_cut=chosen.power_cut,
        checkpoint_every=chosen.checkpoint_every,
        prefix=chosen.prefix,
        enforce=chosen.enforce,
        limit_by=chosen.limit_by,
        leak=chosen.inject,
    )


def unused(config: ReplayConfig, given: Iterable[str]) -> list[str]:
    """Return a sentence on each option that is given and changes nothing.

    Parameters
    ----------
    config : ReplayConfig
        What the options make.
    given : iterable of str
        Fields whose options were given.
    """
    kernel = config.kernel
    fitted = kernel in ("gaussian", "laplacian") and config.gamma is None
    fitted = fitted and not config.chooses_inside
    rules = {
        "prefix": (fitted, "no width is chosen by it"),
        "degree": (kernel == "polynomial", f"the {kernel} kernel has none"),
        "offset": (kernel in ("polynomial", "sigmoid"), f"the {kernel} kernel has none"),
        "gamma": (kernel != "linear", "the linear kernel has none"),
        "category_slots": (config.categories != "refuse", "it is for --categories"),
        "checkpoint_every": (config.power_cut is not None, "it is for --power-cut"),
        "fault_seed": (bool(config.faults), "it is for --fault"),
    }
    return [
        f"--{name.replace('_', '-')} changes nothing: {reason}"
        for name, (used, reason) in rules.items()
        if name in given and not used
    ]


def _params(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    """Return parameters by name; refuse one that is given twice."""
    params: dict[str, Any] = {}
    for name, value in pairs:
        if name in params:
            raise SimulatorError(f"--param {name}: given twice, as {params[name]!r} and {value!r}")
        params[name] = value
    return params


def _ram(chosen: argparse.Namespace) -> int | str:
    """Return the cap that is asked for, or the usual one where the board has so much."""
    usual = DEFAULT.ram
    if chosen.ram is not None:
        return str(chosen.ram)
    if chosen.device is None:
        return usual
    return min(int(ek.parse_bytes(usual)), BOARDS[chosen.device].for_learner)


def run(chosen: argparse.Namespace) -> int:
    """Replay, write and print the report, and return the exit code."""
    if chosen.inject and chosen.enforce == "arena" and not sacrifice.is_one():
        to_config(chosen)  # what is wrong with it is better said by this process
        return _sacrificed(chosen.words)
    if chosen.write_script and not chosen.save_model:
        raise SimulatorError("--write-script needs --save-model: the script runs that file")
    config = to_config(chosen)
    for line in unused(config, getattr(chosen, "_given", {})):
        tell(line)
    replay = Replay(config)
    if chosen.save_model:
        model_file.check(Path(chosen.save_model))
    if chosen.write_script:
        board_script.check(replay.config, chosen.write_script)
    if chosen.export:
        _check_export(replay.config, Path(chosen.export))
    picture = can_draw(chosen)
    with ExitStack() as stack:
        stack.enter_context(claimed(Path(chosen.out)))  # before the long part, not after it
        interrupted = stack.enter_context(interruption())
        on_board = _on_board(chosen.on, replay) if chosen.on else None
        if replay.width is not None and not chosen.quiet:
            note(f"kernel width: {replay.width.reason}")
        result = _replayed(replay, chosen, interrupted)
        if on_board is not None and result.status == "complete":
            result.emulated = on_board.run()
        writers = [lambda: write_files(result, Path(chosen.out), picture=picture)]
        if result.status not in ("killed", "died"):  # the learner's process is still there
            writers += _savers(replay, chosen)
        outcomes = [written(write) for write in writers]
    files = [file for found, _ in outcomes for file in found]
    unwritten = [sentence for _, found in outcomes for sentence in found]
    if not chosen.quiet:
        for warning in result.warnings:
            tell(f"warning: {warning}")
        show(to_text(result) + "\nreport    " + "  ".join(str(file) for file in files))
    code = told(unwritten)
    return _exit_code(result, interrupted) or code


def _check_export(config: ReplayConfig, folder: Path) -> None:
    """Refuse to export a learner that is only a part of what answers, and where nothing can be."""
    there = next(place for place in (folder, *folder.absolute().parents) if place.exists())
    if not there.is_dir() or not os.access(there, os.W_OK):
        what = "no folder" if not there.is_dir() else "a folder that cannot be written to"
        raise SimulatorError(f"--export {folder}: {there} is {what}")
    if config.is_regression:
        raise SimulatorError(
            "--export is not for --kind regression: the learner answers in standard deviations of "
            "the targets, whose mean and deviation run beside it, and the C has no such scaler; "
            "edgeolk.export_c takes a learner of targets that you scale yourself"
        )
    if config.scales_outside:
        raise SimulatorError(
            "--export needs a learner that scales its readings itself, such as the default: the C "
            "has no scaler beside it"
        )


def _sacrificed(words: Sequence[str]) -> int:
    """Run the same command in a process that may die, and tell how it ended."""
    code, death = sacrifice.run(words)
    if death is None:
        return code
    tell(f"caught: the device wrote beyond its cap and died: {death}")
    return BEYOND_CAP


def _on_board(name: str, replay: Replay) -> OnBoard:
    from firmware_sim.mcu.replaying import OnBoard

    return OnBoard(name, replay.config, replay.device)


def _replayed(
    replay: Replay, chosen: argparse.Namespace, interrupted: Interruption
) -> ReplayResult:
    """Replay with a progress bar."""
    with Bar(" rows", chosen) as bar:
        total = replay.config.limit
        if bar.wanted:
            count = replay.stream.count()
            total = count if total is None or count is None else min(total, count)
        bar.start(total)
        return replay.run(on_row=bar.move, should_stop=lambda: bool(interrupted))


def _savers(replay: Replay, chosen: argparse.Namespace) -> list[Callable[[], list[Path]]]:
    """Return what writes the model, its script and its C, where they are asked for."""

    def export() -> list[Path]:
        try:
            ek.export_c(replay.device.learner, chosen.export)
        except (OSError, ValueError) as error:
            raise SimulatorError(f"--export {chosen.export}: {error}") from None
        return [Path(chosen.export)]

    model, script = chosen.save_model, chosen.write_script
    savers: list[Callable[[], list[Path]]] = []
    if model:
        savers.append(lambda: [model_file.save_model(replay, model)])
    if script:
        savers.append(lambda: [board_script.write_script(replay, script, model)])
    return [*savers, export] if chosen.export else savers


def _exit_code(result: ReplayResult, interrupted: Interruption) -> int:
    """Return the exit code; tell why, where the replay did not reach its end."""
    if result.status == "complete":
        return OK
    tell(f"{result.status}: {result.detail}")
    if result.status == "interrupted":
        return interrupted.exit_code
    return {"killed": BEYOND_CAP, "died": DIED}.get(result.status, USAGE)
