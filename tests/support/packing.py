"""A stored model as a block of the package's own, so that a learner can go on from it."""

from __future__ import annotations

import struct
import zlib

from edgeolk.config import Config
from edgeolk.core.arena import ALIGNMENT
from edgeolk.core.header import CRC_OFFSET, FORMAT_VERSION, HEADER_BYTES, MAGIC
from edgeolk.files.block import HEADER, WORDS
from edgeolk.files.regions import WIDTH
from edgeolk.files.stored import Stored
from edgeolk.kernels import kernel_from_fields
from edgeolk.parts import AXES
from edgeolk.planning import plan_of
from edgeolk.refusals import refuse


def config_of(stored: Stored) -> Config:
    """Its configuration, as the package has one."""
    config = Config(
        stored.algorithm,
        stored.n_features,
        stored.budget,
        stored.seed,
        kernel_from_fields(stored.kernel),
        {axis: kind(stored.choices[axis]) for axis, kind in AXES.items()},
        stored.parameters,
    )
    refuse(config)
    return config


def packed(stored: Stored) -> bytes:
    """A sealed block of format 2, rows padded as the package pads them now."""
    assert HEADER.size == HEADER_BYTES
    config = config_of(stored)
    plan = plan_of(config)
    block = bytearray(plan.nbytes - ALIGNMENT)
    HEADER.pack_into(
        block, 0, MAGIC, FORMAT_VERSION, 0, len(block), config.n_features, config.budget,
        config.stride, config.seed, *config.params, *config.kernel_fields, *config.choices,
        config.algorithm, config.tracks_norm, *(stored.words[name] for name in WORDS),
    )  # fmt: skip
    padded = {"support_vectors": config.stride, "window": config.window_stride}
    for region in plan.regions:
        if region.name not in stored.regions:
            continue
        kind, stride, data = stored.regions[region.name]
        row = WIDTH[kind] * stride or len(data)
        apart = WIDTH[kind] * padded.get(region.name, stride)
        for i in range(len(data) // row):
            line = data[i * row : (i + 1) * row][: apart or region.nbytes]
            block[region.offset + i * apart : region.offset + i * apart + len(line)] = line
    crc = zlib.crc32(block)  # of the block with zeros where the checksum goes
    struct.pack_into("<I", block, CRC_OFFSET, crc)
    return bytes(block)
