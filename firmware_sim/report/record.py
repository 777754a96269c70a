"""The report of a replay as a dictionary for JSON."""

from __future__ import annotations

import math
from dataclasses import asdict
from typing import Any

import numpy as np

from firmware_sim.boards import board_of
from firmware_sim.configuration.values import offset_of
from firmware_sim.containment.memory import Region
from firmware_sim.kinds import DETAILS
from firmware_sim.metrics import Metrics
from firmware_sim.metrics.curve import Curve
from firmware_sim.replaying.result import ReplayResult
from firmware_sim.report import forecast
from firmware_sim.report.summary import command
from firmware_sim.streams.cached import log_of
from firmware_sim.streams.faulty import FaultyStream

#: Counters of `RowCount`.
_COUNTS = ("read", "used", "missing", "repaired", "refused", "damaged")
FORMAT = 1  # of report.json: incremented when a field changes its meaning


def to_dict(result: ReplayResult) -> dict[str, Any]:
    """Return the complete report, in types of strict JSON.

    Everything but ``host`` is identical in every run of the same configuration.
    """
    metrics = result.metrics
    return {
        "format": FORMAT,
        "status": result.status,
        "detail": result.detail,
        "warnings": list(result.warnings),
        "command": command(result.config),
        "stream": _stream(result),
        "learner": _learner(result),
        "scaling": {"method": result.config.scale, "freeze_after": result.config.freeze_after},
        "row": {"type": result.row, "unlike": result.n_inexact},
        "memory": _memory(result),
        "faults": _faults(result),
        "labels": _labels(result),
        "power": None if result.power is None else asdict(result.power),
        "board": _board(result),
        "emulated": None if result.emulated is None else asdict(result.emulated),
        "inputs": result.inputs,
        "kind": metrics.kind,
        "metrics": metrics.summary(),
        **dict.fromkeys(DETAILS),
        **metrics.details(result.stream.features),
        "frozen": None if result.frozen is None else asdict(result.frozen),
        "held_out": _held_out(result),
        "outlook": forecast.record(result),
        "curve": _curve(metrics.curve),
        "host": {
            "seconds": result.seconds,
            "rows_per_second": rate(result),
            "learner_process_peak_bytes": result.peak_resident,
            "note": "time on the host, reading and bookkeeping included; says nothing of a device",
        },
    }


def _stream(result: ReplayResult) -> dict[str, Any]:
    """The stream and counts of its rows."""
    config, stream, rows = result.config, result.stream, result.rows
    log = log_of(stream)
    damages = rows.damages if log is None else log.damages
    return {
        "name": stream.name,
        "target": stream.target,
        "positive": config.positive,
        "features": list(stream.features),
        "ignored": list(stream.ignored),
        **{f"rows_{name}": getattr(rows, name) for name in _COUNTS},
        "log": None if log is None else {"rows_read": log.rows, "rows_damaged": damages.n_rows},
        "missing_by_column": dict(rows.missing_by_column),
        "left_out_by_column": dict(rows.left_out_by_column),
        "first_refusal": rows.first_refusal,
        "first_damage": rows.first_damage,
        "damages": {
            reason: {"rows": count, "first": list(shown)}
            for reason, (count, shown) in damages.by_reason.items()
        },
        "understood": list(result.understood),
        "damaged_policy": config.damaged,
        "notes": list(stream.notes),
        "missing_policy": config.missing,
        "missing_codes": [
            code if isinstance(code, str) else _strict(code) for code in config.missing_codes
        ],
        "limit": config.limit,
    }


def _learner(result: ReplayResult) -> dict[str, Any]:
    """The learner and its counters."""
    config, width = result.config, result.width
    return {
        "algorithm": config.resolved.algorithm,
        "parameters": {name: _strict(value) for name, value in config.resolved.params.items()},
        "kernel": config.kernel,
        "gamma": None if width is None else width.gamma,
        "gamma_rows": None if width is None else width.rows,
        "gamma_reason": None if width is None else width.reason,
        "degree": config.degree if config.kernel == "polynomial" else None,
        "offset": offset_of(config.kernel, config.offset),
        "dtype": config.resolved.dtype,
        "seed": config.seed,
        **result.learner,
        "alarm_rows": list(result.alarms),
    }


def _memory(result: ReplayResult) -> dict[str, Any]:
    """The memory layout under the cap."""
    layout = result.layout
    return {
        "cap": layout.cap,
        "used": layout.used,
        "alignment_gaps": layout.gaps,
        "enforce": result.config.enforce,
        "enforced_by": result.enforcement,
        "free": layout.free,
        "parts": [
            {**_place(part), "regions": [_place(region) for region in part.regions]}
            for part in layout.parts
        ],
    }


def _place(part: Region) -> dict[str, Any]:
    return {
        "name": part.name, "offset": part.offset, "bytes": part.nbytes, "purpose": part.purpose,
    }  # fmt: skip


def _labels(result: ReplayResult) -> dict[str, Any]:
    """Options and counts of labels."""
    config = result.config
    return {
        "delay": config.label_delay,
        "queue": config.queue_rows,
        "missing_share": config.label_missing,
        "ask": config.ask,
        **asdict(result.labels),
    }


def _held_out(result: ReplayResult) -> dict[str, Any] | None:
    """The figures of rows that were not learned from."""
    found, config = result.held_out, result.config
    if found is None:
        return None
    lasting = result.metrics.lasting_baselines

    def figures(metrics: Metrics, *names: str) -> dict[str, Any]:
        known = metrics.summary()
        kept = [
            name for name, one in metrics.table.items() if not one.against or one.against in lasting
        ]
        return {who: {name: known[who][name] for name in kept} for who in ("learner", *names)}

    return {
        "train_rows": config.train_rows,
        "test": None if config.test is None else found.parts[-1].name,
        "group": config.group,
        "parts": [
            {
                "name": part.name,
                "learned": part.learned,
                "rows": part.metrics.rows,
                "refused": part.refused,
                "metrics": figures(part.metrics, *lasting),
            }
            for part in found.parts
        ],
        "rows": found.total.rows,
        "metrics": figures(found.total),
    }


def _curve(curve: Curve) -> dict[str, Any]:
    """Errors over time: cumulative and in a window."""

    def curve_dict(rows: np.ndarray, errors: np.ndarray) -> dict[str, Any]:
        return {"rows": rows.tolist(), **dict(zip(curve.names, errors.T.tolist(), strict=True))}

    *windowed, window = curve.windowed()
    return {
        "cumulative": curve_dict(*curve.cumulative()),
        "windowed": {"window": window, **curve_dict(*windowed)},
    }


def _faults(result: ReplayResult) -> dict[str, Any] | None:
    """The injected faults, and the learner's figures without them."""
    if not isinstance(result.stream, FaultyStream):
        return None
    counts = zip(result.stream.faults, result.stream.counts, strict=True)
    return {
        "faults": [{"fault": str(fault), "rows": int(count)} for fault, count in counts],
        "learner_without": result.clean,
    }


def _board(result: ReplayResult) -> dict[str, Any] | None:
    """The board given by --device, and whether the replay would fit there in memory and time."""
    if result.config.device is None or result.timing is None:
        return None
    board = board_of(result.config.device)
    return {
        "name": board.name,
        "title": board.title,
        "ram": board.ram,
        "for_learner": board.for_learner,
        "fits": result.layout.cap <= board.for_learner,
        "step_seconds": result.timing.step,
        "longest_step_seconds": result.timing.longest,
        "longest_step": result.timing.formula,
        "mean_step_seconds": result.timing.mean(result.learner["updates"], result.learner["steps"]),
        "period_seconds": result.period,
        "note": f"times are estimates: {result.timing.source}",
        "source": board.provenance,
    }


def rate(result: ReplayResult) -> float | None:
    """Return the rows per second on the host."""
    return result.rows.read / result.seconds if result.seconds > 0 else None


def _strict(value: Any) -> Any:
    """Return the value, or its name if it is a number that JSON lacks."""
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value
