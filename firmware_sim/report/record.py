"""The report of a replay as a dictionary for JSON."""

from __future__ import annotations

import math
from dataclasses import asdict
from typing import Any

from firmware_sim.boards import board_of
from firmware_sim.metrics import Multiclass, Novelty
from firmware_sim.replaying.loop import ReplayResult
from firmware_sim.report.command import command
from firmware_sim.streams.faulty import FaultyStream

FORMAT = 1  # of report.json: grows when a name in it changes its meaning


def to_dict(result: ReplayResult) -> dict[str, Any]:
    """Return everything the report knows, in types strict JSON has.

    Everything but ``host`` is the same for the same configuration on every run.
    """
    config, stream, layout = result.config, result.stream, result.layout
    metrics = result.metrics
    rows, cumulative = result.metrics.curve.cumulative()
    window_rows, windowed, window = result.metrics.curve.windowed()
    names = result.metrics.curve.names
    return {
        "format": FORMAT,
        "status": result.status,
        "detail": result.detail,
        "warnings": list(result.warnings),
        "command": command(config, emulated_on(result)),
        "stream": {
            "name": stream.name,
            "target": stream.target,
            "positive": config.positive,
            "features": list(stream.features),
            "ignored": list(stream.ignored),
            "rows_read": result.rows.read,
            "rows_used": result.rows.used,
            "rows_missing": result.rows.missing,
            "missing_by_column": dict(result.rows.missing_by_column),
            "rows_repaired": result.rows.repaired,
            "rows_refused": result.rows.refused,
            "first_refusal": result.rows.first_refusal,
            "rows_damaged": result.rows.damaged,
            "first_damage": result.rows.first_damage,
            "damaged_policy": config.damaged,
            "notes": list(stream.notes),
            "missing_policy": config.missing,
            "missing_codes": [_strict(code) for code in config.missing_codes],
            "limit": config.limit,
        },
        "learner": {
            "algorithm": config.algorithm,
            "parameters": {name: _strict(value) for name, value in config.params.items()},
            "kernel": config.kernel,
            "gamma": None if result.width is None else result.width.gamma,
            "gamma_rows": None if result.width is None else result.width.rows,
            "gamma_reason": None if result.width is None else result.width.reason,
            "degree": config.degree if config.kernel == "polynomial" else None,
            "offset": config.offset if config.kernel in ("polynomial", "sigmoid") else None,
            "dtype": config.dtype,
            "seed": config.seed,
            **result.learner,
        },
        "scaling": {"method": config.scale, "freeze_after": config.freeze_after},
        "memory": {
            "cap": layout.cap,
            "used": layout.used,
            "alignment_gaps": layout.gaps,
            "enforce": config.enforce,
            "enforced_by": result.enforcement,
            "free": layout.free,
            "parts": [
                {
                    "name": part.name,
                    "offset": part.offset,
                    "bytes": part.nbytes,
                    "purpose": part.purpose,
                    "regions": [
                        {
                            "name": region.name,
                            "offset": region.offset,
                            "bytes": region.nbytes,
                            "purpose": region.purpose,
                        }
                        for region in part.regions
                    ],
                }
                for part in layout.parts
            ],
        },
        "faults": _faults(result),
        "labels": {
            "delay": config.label_delay,
            "queue": config.queue_rows,
            "missing_share": config.label_missing,
            "ask": config.ask,
            **asdict(result.labels),
        },
        "power": None if result.power is None else asdict(result.power),
        "board": _board(result),
        "emulated": None if result.emulated is None else asdict(result.emulated),
        "kind": result.metrics.kind,
        "metrics": result.metrics.summary(),
        "classes": metrics.to_dict() if isinstance(metrics, Multiclass) else None,
        "windows": metrics.windows if isinstance(metrics, Novelty) else None,
        "curve": {
            "cumulative": {
                "rows": rows.tolist(),
                **{name: cumulative[:, i].tolist() for i, name in enumerate(names)},
            },
            "windowed": {
                "window": window,
                "rows": window_rows.tolist(),
                **{name: windowed[:, i].tolist() for i, name in enumerate(names)},
            },
        },
        "host": {
            "seconds": result.seconds,
            "rows_per_second": rate(result),
            "learner_process_peak_bytes": result.peak_resident,
            "note": "time on the host, reading and bookkeeping included; says nothing of a device",
        },
    }


def emulated_on(result: ReplayResult) -> str:
    """Return the emulated board that learned the same rows; empty for none."""
    return "" if result.emulated is None else result.emulated.board


def _faults(result: ReplayResult) -> dict[str, Any] | None:
    """What was broken on purpose, and the learner's figures without it."""
    if not isinstance(result.stream, FaultyStream):
        return None
    counts = zip(result.stream.faults, result.stream.counts, strict=True)
    return {
        "faults": [{"fault": str(fault), "rows": int(count)} for fault, count in counts],
        "learner_without": result.clean,
    }


def _board(result: ReplayResult) -> dict[str, Any] | None:
    """The board the replay is judged by, and how it does there."""
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
    """Return the value, or its name where JSON has no such number."""
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value
