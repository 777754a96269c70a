"""What is spent on speed where the caller says nothing."""

from __future__ import annotations

from typing import Any

from edgeolk.configuration.resolved import LOOKAHEAD, Resolved
from edgeolk.parts.numbers import Basis, Rows
from edgeolk.parts.refusals import refuse
from edgeolk.parts.whole import whole

#: Rows ahead: as many as the loops of every instruction set take together. More cost bytes and win
#: nothing; State has room for no more than the most.
USUAL_AHEAD, MOST_AHEAD = 6, 64
#: Bytes of a ring from which on reading it takes as long as what is computed from it, and the share
#: of them that rows ahead may cost.
LONG_TO_READ, SHARE_AHEAD = 2**18, 1 / 8
#: Norms are kept, so that zeros need not be read, where they cost less of the ring than this.
SMALL_SHARE = 0.03


def _but(config: Resolved, **changes: Any) -> Resolved:
    return Resolved(**{**vars(config), **changes})


def usual_rows(config: Resolved) -> Rows:
    """How rows are read where ``sparse`` is not said."""
    d, computing = config.n_features, config.storage.computing_bytes
    cost = config.stride * computing + d * (4 + computing)
    if cost >= SMALL_SHARE * d * config.stride * config.storage.nbytes:
        return Rows.DENSE
    if config.parts["basis"] not in (Basis.SUPPORT_VECTORS, Basis.NYSTROM):
        return Rows.DENSE
    try:
        refuse(_but(config, parts={**config.parts, "rows": Rows.EITHER}))
    except ValueError:
        return Rows.DENSE
    return Rows.EITHER


def usual_lookahead(config: Resolved) -> int:
    """Rows that ``learn_many`` looks ahead where a budget is given."""
    ring = config.n_features * config.stride * config.storage.nbytes
    cost = USUAL_AHEAD * config.weights * config.value_bytes
    pays = config.can_look_ahead and ring >= LONG_TO_READ and cost <= SHARE_AHEAD * ring
    return USUAL_AHEAD if pays else 0


def settled(config: Resolved, sparse: bool | None, lookahead: Any, *, capped: bool) -> Resolved:
    """The configuration with what was not said filled in.

    Parameters
    ----------
    config : Resolved
        Everything else, checked; its rows are what ``sparse`` says, if anything.
    sparse, lookahead
        As the caller has them, None for nothing.
    capped : bool
        Whether the block is to fit a number of bytes: then no rows are looked ahead unless asked.
    """
    if sparse is None:
        config = _but(config, parts={**config.parts, "rows": usual_rows(config)})
    if lookahead is None:
        ahead = 0 if capped else usual_lookahead(config)
    else:
        ahead = whole("lookahead", lookahead, 0, MOST_AHEAD) if config.can_look_ahead else 0
    if ahead:
        config = _but(config, values={**config.values, LOOKAHEAD: float(ahead)})
    return config
