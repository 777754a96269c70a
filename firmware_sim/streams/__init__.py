"""Labelled sensor streams, read one row at a time in constant memory.

Design: a stream does one thing: it fills the caller's row buffer and returns the target cell. The
main loop interprets missing readings and labels and decides when to stop, so a new source is one
small class with `samples`.
"""

from firmware_sim.streams.block import Row
from firmware_sim.streams.opening import BUNDLED, BundledStream, open_stream
from firmware_sim.streams.stream import Sample, Stream
from firmware_sim.streams.table import CsvStream

__all__ = ["BUNDLED", "BundledStream", "CsvStream", "Row", "Sample", "Stream", "open_stream"]
