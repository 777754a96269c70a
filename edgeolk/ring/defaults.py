"""Defaults that spend memory on speed where it costs little: cached norms, rows to look ahead."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from edgeolk.checks import check_int
from edgeolk.configuration.settings import MAX_AHEAD
from edgeolk.parts.numbers import Basis, Rows
from edgeolk.ring.refusals import refuse
from edgeolk.ring.settings import RingSettings

#: Rows ahead: as many as the loops of every instruction set process together; more would cost bytes
#: and save no time.
DEFAULT_AHEAD = 6
#: Rows ahead if a matrix maps kernel values to features: the matrix is larger than the ring.
DEFAULT_WITH_MAP = 24
#: Looking ahead saves passes over the ring. It pays for rings of at least this size, and may cost
#: at most this share of it.
MIN_RING_BYTES, SHARE_AHEAD = 2**18, 1 / 8
#: Several columns of coefficients are read for every row, and reading the ring in between evicts
#: them from the L1 cache. Looking ahead pays from this size of both on, and may cost at most these
#: shares of both and of the ring.
MIN_BYTES_WITH_COLUMNS, SHARE_OF_BOTH, SHARE_OF_RING = 2**16, 1 / 5, 2 / 5
#: With cached norms of the support vectors the zeros of a row can be skipped. Norms are cached if
#: they cost less than this share of the ring.
SMALL_SHARE = 0.03


def default_rows(config: RingSettings) -> Rows:
    """The kind of rows if ``sparse`` is not given."""
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


def default_lookahead(config: RingSettings) -> int:
    """The number of rows that ``learn_many`` looks ahead if a budget is given."""
    if not config.can_look_ahead:
        return 0
    mapped = "features_ahead" in config.basis.ahead
    features = int(config.values["rank"]) if mapped else 0
    ring = config.n_features * config.stride * config.storage.nbytes
    # A map to features is read for every row, too.
    read = ring + 8 * features * config.budget
    both = ring + config.columns * config.weights * config.coefficient_bytes
    for ahead in (DEFAULT_WITH_MAP, DEFAULT_AHEAD) if mapped else (DEFAULT_AHEAD,):
        cost = ahead * (config.weights * config.value_bytes + 8 * features)
        pays = read >= MIN_RING_BYTES and cost <= SHARE_AHEAD * read
        if config.columns > 1 and both >= MIN_BYTES_WITH_COLUMNS:
            pays = pays or (cost <= SHARE_OF_BOTH * both and cost <= SHARE_OF_RING * ring)
        if pays:
            return ahead
    return 0


def fill_defaults(
    config: RingSettings, sparse: bool | None, lookahead: Any, *, capped: bool
) -> RingSettings:
    """The configuration with these defaults where the caller gave None.

    ``capped`` says whether the block has to fit ``ram=``: then the default lookahead is 0.
    """
    if sparse is None:
        config = replace(config, parts={**config.parts, "rows": default_rows(config)})
    if lookahead is None:
        ahead = 0 if capped else default_lookahead(config)
    else:
        ahead = check_int("lookahead", lookahead, 0, MAX_AHEAD) if config.can_look_ahead else 0
    return replace(config, lookahead=ahead)
