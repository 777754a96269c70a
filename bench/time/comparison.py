"""Forecasts compared with those of river and statsforecast, each in one pass."""

from __future__ import annotations

from typing import Any

from bench.table import Table
from bench.time import streams
from bench.time.forecasts import error_of, formatted, one_pass
from bench.time.learners import rows_of
from bench.time.peers import FITTED, PEERS, REFIT, SEASONS, SLOW_PEERS, Peer


def _peers(
    title: str,
    peers: dict[str, Peer],
    names: tuple[str, ...],
    data: dict[str, Any],
    note: str,
    most: int | None = None,
) -> Table:
    """Errors of peers on the first ``most`` rows, and the forecaster's, also without a kernel."""
    lines = []
    for name in names:
        X, y = (part[:most] for part in rows_of(name))
        season = streams.SEASONS.get(name, 0)
        found = {
            "forecaster": one_pass(X, y, history=True)[0],
            "no kernel": one_pass(X, y, history=True, D=0)[0],
            **{peer: error_of(ask(X, y, season), y) for peer, ask in peers.items()},
        }
        data.setdefault(name, {}).setdefault("peers", {})[title] = found
        lines.append([name, *map(formatted, found.values())])
    return Table(title, ("stream", "forecaster", "no kernel", *peers), lines, note)


_GUARDED = (
    " A forecast that is none, or further off than targets ever went, counts as the last value."
)
_ONLINE = (
    "river's models one row ahead, every row answered before it is learned: SNARIMAX of 12"
    " values and a season where there is one; Holt-Winters with an additive season; a linear"
    " model on scaled inputs and the last three values. Their memory is that of Python." + _GUARDED
)
_SLOW = (
    "The same on the first {most:,} rows, for models that take milliseconds a row: river's adaptive"
    " random forest of ten trees on the inputs and the last three values; statsforecast's AutoETS,"
    f" chosen and fitted again after every season (every {REFIT} rows where there is none) on the"
    f" last {SEASONS} of them, at most {FITTED:,} rows; in between its states follow each target."
    + _GUARDED
)
#: Rows for slow peers.
FIRST = 5000


def run(names: tuple[str, ...] = ()) -> tuple[list[Table], dict[str, Any]]:
    """The tables and the numbers behind them."""
    data: dict[str, Any] = {}
    all_names = (*streams.DESIGN, "mg", *streams.ASIDE)
    wanted = tuple(name for name in all_names if not names or name in names)
    slow = _SLOW.format(most=FIRST)
    tables = [
        _peers("Online peers", PEERS, wanted, data, _ONLINE),
        _peers("Slower peers", SLOW_PEERS, wanted, data, slow, FIRST),
    ]
    return tables, data
