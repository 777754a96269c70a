"""Defaults that spend memory on speed: how rows are read, and how many are looked ahead."""

from __future__ import annotations

from edgeolk.checks import check_int
from edgeolk.configuration.settings import LOOKAHEAD, MOST_AHEAD, Settings
from edgeolk.lean import Any, replace
from edgeolk.parts.numbers import Basis, Rows
from edgeolk.parts.refusals import refuse

#: Rows ahead: as many as the loops of every instruction set take together, since more would cost
#: bytes and save no time.
USUAL_AHEAD = 6
#: Rows ahead where features are made of kernel values by a matrix: it is larger than the ring.
USUAL_WITH_MAP = 24
#: Looking ahead saves readings of the ring. It pays from so many bytes of ring on, and may cost at
#: most this share of them.
LONG_TO_READ, SHARE_AHEAD = 2**18, 1 / 8
#: Several columns of coefficients are read at every row, and a ring that is read in between drives
#: them out of the nearest cache. It pays from so many bytes of both on, and may cost at most these
#: shares, of both and of the ring.
LONG_WITH_COLUMNS, SHARE_OF_BOTH, SHARE_OF_RING = 2**16, 1 / 5, 2 / 5
#: With norms of the support vectors the zeros of a row can be passed over. They are kept where they
#: cost less than this share of the ring.
SMALL_SHARE = 0.03


def usual_rows(config: Settings) -> Rows:
    """How rows are read where ``sparse`` is not given."""
    d, computing = config.n_features, config.storage.computing_bytes
    cost = config.stride * computing + d * (4 + computing)
    if cost >= SMALL_SHARE * d * config.stride * config.storage.nbytes:
        return Rows.DENSE
    if config.parts["basis"] not in (Basis.SUPPORT_VECTORS, Basis.NYSTROM):
        return Rows.DENSE
    try:
        refuse(replace(config, parts={**config.parts, "rows": Rows.EITHER}))
    except ValueError:
        return Rows.DENSE
    return Rows.EITHER


def usual_lookahead(config: Settings) -> int:
    """Rows that ``learn_many`` looks ahead where a budget is given."""
    if not config.can_look_ahead:
        return 0
    mapped = "features_ahead" in config.basis.ahead
    features = int(config.values["rank"]) if mapped else 0
    ring = config.n_features * config.stride * config.storage.nbytes
    # A map to features is read at every row, too.
    read = ring + 8 * features * config.budget
    both = ring + config.columns * config.weights * config.coefficient_bytes
    for ahead in (USUAL_WITH_MAP, USUAL_AHEAD) if mapped else (USUAL_AHEAD,):
        cost = ahead * (config.weights * config.value_bytes + 8 * features)
        pays = read >= LONG_TO_READ and cost <= SHARE_AHEAD * read
        if config.columns > 1 and both >= LONG_WITH_COLUMNS:
            pays = pays or (cost <= SHARE_OF_BOTH * both and cost <= SHARE_OF_RING * ring)
        if pays:
            return ahead
    return 0


def settled(config: Settings, sparse: bool | None, lookahead: Any, *, capped: bool) -> Settings:
    """The configuration with these defaults filled in where the caller gave None.

    ``capped`` says whether the block is to fit ``ram=``: then no rows are looked ahead unless asked
    for.
    """
    if sparse is None:
        config = replace(config, parts={**config.parts, "rows": usual_rows(config)})
    if lookahead is None:
        ahead = 0 if capped else usual_lookahead(config)
    else:
        ahead = check_int("lookahead", lookahead, 0, MOST_AHEAD) if config.can_look_ahead else 0
    if ahead:
        config = replace(config, values={**config.values, LOOKAHEAD: float(ahead)})
    return config
