"""From the options of the command line to a configuration."""

from __future__ import annotations

import argparse
from typing import Any

from edgeolk import parse_bytes
from firmware_sim import values
from firmware_sim.boards import BOARDS
from firmware_sim.config import ReplayConfig
from firmware_sim.kinds import KINDS, Kind, kind_of


def to_config(options: argparse.Namespace) -> ReplayConfig:
    """Return the configuration that the options of ``replay`` ask for."""
    return ReplayConfig(
        **_stream_fields(options),
        ram=_ram(options),
        device=options.device,
        period=options.period,
        algorithm=options.algorithm,
        budget=options.budget,
        params=dict(options.param),
        kernel=options.kernel,
        gamma=options.gamma,
        degree=options.degree,
        offset=options.offset,
        dtype=options.dtype,
        seed=options.seed,
        scale=options.scale,
        freeze_after=options.freeze_after,
        faults=tuple(options.fault),
        fault_seed=options.fault_seed,
        label_delay=options.label_delay,
        label_queue=options.label_queue,
        label_missing=options.label_missing,
        ask=options.ask,
        power_cut=options.power_cut,
        checkpoint_every=options.checkpoint_every,
        prefix=options.prefix,
        enforce=options.enforce,
        limit_by=options.limit_by,
        leak=options.inject,
    )


def to_compare_config(options: argparse.Namespace) -> ReplayConfig:
    """Return what all runs of ``compare`` have in common."""
    return ReplayConfig(
        **_stream_fields(options),
        algorithm=_kind(options).tuned,
        ram=max(values.nbytes(size) for size in options.ram),
        gamma=options.gamma,
        dtype=options.dtype or "float32",
        scale=options.scale,
        freeze_after=options.freeze_after,
        prefix=options.prefix,
    )


def to_tune_config(options: argparse.Namespace) -> ReplayConfig:
    """Return what is tuned."""
    return ReplayConfig(
        **_stream_fields(options),
        ram=options.ram,
        algorithm=options.algorithm or _kind(options).tuned,
        params=dict(options.param),
        dtype=options.dtype,
        seed=options.seed,
        scale=options.scale,
    )


def _kind(options: argparse.Namespace) -> Kind:
    """Return the kind of labels that the options ask for."""
    params = dict(getattr(options, "param", []))
    return KINDS[options.kind or ("multiclass" if options.classes else kind_of(params))]


def _stream_fields(options: argparse.Namespace) -> dict[str, Any]:
    """Return the fields that say what is read, and how."""
    return {
        "stream": options.stream,
        "target": options.target,
        "ignore": tuple(name for group in options.ignore for name in values.words(group)),
        "positive": options.positive,
        "kind": options.kind,
        "classes": options.classes,
        "missing": options.missing,
        "missing_codes": tuple(options.missing_code),
        "damaged": options.damaged,
        "time": options.time,
        "categories": options.categories,
        "category_slots": options.category_slots,
        "idle": options.idle,
        "limit": options.limit,
    }


def _ram(options: argparse.Namespace) -> int | str:
    """Return the cap that is asked for, or the usual one where the board has so much."""
    usual = ReplayConfig("").ram
    if options.ram is not None:
        return str(options.ram)
    if options.device is None:
        return usual
    return min(int(parse_bytes(usual)), BOARDS[options.device].for_learner)
