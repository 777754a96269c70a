"""Defaults that follow the bytes: cached norms, rows to look ahead, sorf's memory of rows.

The first two spend memory on speed; the third is the size of the memory if only bytes are given
(docs/sorf.md, section 7f).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from edgeolk.checks import check_int
from edgeolk.configuration.settings import LOOKAHEAD, MAX_AHEAD, Settings
from edgeolk.parts.numbers import Basis, Rows
from edgeolk.parts.refusals import refuse
from edgeolk.parts.sorf import MAX_REMEMBERED_CLASSES

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


def default_rows(config: Settings) -> Rows:
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


def default_lookahead(config: Settings) -> int:
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
    config: Settings, sparse: bool | None, lookahead: Any, *, capped: bool
) -> Settings:
    """The configuration with these defaults where the caller gave None.

    ``capped`` says whether the block has to fit ``ram=``: then the default lookahead is 0.
    """
    if sparse is None:
        config = replace(config, parts={**config.parts, "rows": default_rows(config)})
    if lookahead is None:
        ahead = 0 if capped else default_lookahead(config)
    else:
        ahead = check_int("lookahead", lookahead, 0, MAX_AHEAD) if config.can_look_ahead else 0
    if ahead:
        config = replace(config, values={**config.values, LOOKAHEAD: float(ahead)})
    return config


#: Below these numbers of rows, or of frequencies left, a memory does not pay.
MIN_ROWS = 150
MIN_OF_CLASSES, MIN_OF_TWO = 8, 256
#: With two classes and long rows, this few rows still pay next to this many frequencies.
FEW_ROWS, MIN_WITH_FEW_ROWS = 64, 1024
#: In smaller blocks, with several classes and long rows, features need a larger share.
SMALL = 32 * 1024
#: From this size on, the memory of two classes grows more slowly than the block.
ENOUGH = 12 * 1024


def default_memory_rows(nbytes: int, n_features: int, classes: int) -> int:
    """The number of rows to remember in a block of this size; 0 for no memory.

    ``classes`` is 1 for two classes, which share a column. The more classes there are, the more a
    frequency costs, and the larger is the memory's share.
    """
    row = (n_features + 1) // 2 + (3 if classes > 1 else 1)
    min_rows = MIN_ROWS
    if classes >= 3:
        small = row >= 4 * classes and nbytes < SMALL
        sixteenths = 10 if row <= 2 * classes else 5 if small else 6
        rows = sixteenths * nbytes // 16 // row
    else:
        rows = max(nbytes // 4, min(3 * nbytes // 8, ENOUGH)) // row
        if rows < MIN_ROWS:
            rows, min_rows = nbytes // 4 // row, FEW_ROWS
    return rows if rows >= min_rows and classes <= MAX_REMEMBERED_CLASSES else 0


def min_frequencies(classes: int, rows: int) -> int:
    """The minimum number of frequencies next to such a memory."""
    if classes >= 3:
        return MIN_OF_CLASSES
    return MIN_OF_TWO if rows >= MIN_ROWS else MIN_WITH_FEW_ROWS


def min_memory_rows(classes: int) -> tuple[int, ...]:
    """The smallest memories that pay, each with its own ``min_frequencies``."""
    return (MIN_ROWS,) if classes >= 3 else (MIN_ROWS, FEW_ROWS)
