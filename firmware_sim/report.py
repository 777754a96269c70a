"""The report of a replay, as a dictionary for JSON and as text for a terminal."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

from firmware_sim.loop import ReplayResult

FORMAT = 1  # of report.json: grows when a name in it changes its meaning
NAMES = {"learner": "", "majority": "majority class", "no_change": "no-change"}


def write_report(result: ReplayResult, folder: str | Path, *, picture: bool = True) -> list[Path]:
    """Write ``report.txt``, ``report.json`` and ``report.png``.

    Parameters
    ----------
    result : ReplayResult
        What a replay returned.
    folder : str or Path
        Made if it does not exist.
    picture : bool
        Whether to draw the PNG, which needs matplotlib.

    Returns
    -------
    list of Path
        The files written.
    """
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    files = [folder / "report.txt", folder / "report.json"]
    files[0].write_text(to_text(result), encoding="utf-8")
    data = json.dumps(to_dict(result), indent=1, allow_nan=False)
    files[1].write_text(data + "\n", encoding="utf-8")
    if picture:
        from firmware_sim.picture import draw  # matplotlib takes a second to import

        files.append(folder / "report.png")
        draw(result, files[2])
    return files


def to_dict(result: ReplayResult) -> dict[str, Any]:
    """Return everything the report knows, in types strict JSON has.

    Everything but ``host`` is the same for the same configuration on every run.
    """
    config, stream, layout = result.config, result.stream, result.layout
    rows, cumulative = result.metrics.curve.cumulative()
    window_rows, windowed, window = result.metrics.curve.windowed()
    names = result.metrics.curve.names
    return {
        "format": FORMAT,
        "status": result.status,
        "detail": result.detail,
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
        "metrics": result.metrics.summary(),
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


def to_text(result: ReplayResult) -> str:
    """Return the report as plain text that ends with a line end."""
    lines = [*_head(result), "", *_scores(result), "", *_memory(result)]
    return "\n".join(lines) + "\n"


def rate(result: ReplayResult) -> float | None:
    """Return the rows per second on the host."""
    return result.rows.read / result.seconds if result.seconds > 0 else None


def verdict(result: ReplayResult, *, counts: bool = True) -> str:
    """Return one honest sentence: how the learner stands against both baselines."""
    metrics = result.metrics
    ours = metrics.learner.wrong
    if metrics.learner.rows == 0:
        return "No row was scored."
    clauses = []
    for record, name in ((metrics.majority, "majority class"), (metrics.no_change, "no-change")):
        word = "beats" if ours < record.wrong else "does not beat"
        shown = f" ({ours:,} wrong against {record.wrong:,})" if counts else ""
        clauses.append(f"{word} {name}{shown}")
    return f"{result.config.algorithm} {clauses[0]} and {clauses[1]}."


def _head(result: ReplayResult) -> list[str]:
    config, rows, learner = result.config, result.rows, result.learner
    speed = rate(result)
    lines = []
    if result.status != "complete":
        lines += [f"{result.status.upper()}: {result.detail}. This is the report so far.", ""]
    lines.append(
        f"stream    {result.stream.name}: {rows.read:,} rows read, {rows.used:,} used, "
        f"{rows.missing:,} with missing values; {len(result.stream.features)} readings "
        f"-> {result.stream.target}"
    )
    if rows.missing_by_column:
        counts = sorted(rows.missing_by_column.items(), key=lambda item: -item[1])
        shown = ", ".join(f"{name} {count:,}" for name, count in counts[:6])
        lines.append(f"missing   {shown}" + (", ..." if len(counts) > 6 else ""))
    parameters = "".join(f", {name}={value}" for name, value in config.params.items())
    lines.append(
        f"learner   {config.algorithm}{parameters}: {learner['n_support']:,} of "
        f"{learner['budget']:,} support vectors, {learner['updates']:,} updates"
    )
    reason = "" if result.width is None else f", {result.width.reason}"
    lines.append(f"kernel    {config.kernel}{reason}")
    freeze = "" if config.freeze_after is None else f", frozen after {config.freeze_after:,} rows"
    lines.append(f"scaling   {config.scale}{freeze}")
    if speed is not None:
        lines.append(
            f"host      {result.seconds:.2f} s, {speed:,.0f} rows a second, reading included"
        )
    return lines


def _scores(result: ReplayResult) -> list[str]:
    lines = [f"{'prequential':<18}{'error':>9}{'kappa':>9}{'kappa vs no-change':>21}{'F1':>9}"]
    for name, figures in result.metrics.summary().items():
        error = figures["error"]
        lines.append(
            f"{NAMES[name] or result.config.algorithm:<18}"
            f"{'-' if error is None else f'{100 * error:.2f} %':>9}"
            f"{_number(figures['kappa']):>9}"
            f"{_number(figures['kappa_no_change']):>21}"
            f"{_number(figures['f1']):>9}"
        )
    counts = result.metrics.learner
    lines += [
        f"right on +1: {counts.true_positive:,} of "
        f"{counts.true_positive + counts.false_negative:,}; right on -1: "
        f"{counts.true_negative:,} of {counts.true_negative + counts.false_positive:,}",
        verdict(result),
    ]
    return lines


def _memory(result: ReplayResult) -> list[str]:
    layout = result.layout
    lines = [
        f"memory    cap {layout.cap:,} bytes: {layout.used:,} used, {layout.gaps:,} lost to "
        f"alignment, {layout.free:,} free",
        f"enforced  {result.enforcement}",
    ]
    if result.peak_resident is not None:
        lines.append(f"resident  at most {result.peak_resident / 1e6:.1f} MB in that process")
    lines.append(f"{'offset':>10}{'bytes':>10}  region")
    for part in layout.parts:
        lines.append(f"{part.offset:>10,}{part.nbytes:>10,}  {part.name}: {part.purpose}")
        for region in part.regions:
            lines.append(
                f"{region.offset:>10,}{region.nbytes:>10,}    {region.name}: {region.purpose}"
            )
    return lines


def _number(value: float | int | None) -> str:
    return "-" if value is None else f"{value:.3f}"


def _strict(value: Any) -> Any:
    """Return the value, or its name where JSON has no such number."""
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value
