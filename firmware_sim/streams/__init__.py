"""Labelled sensor streams, read one row at a time in constant memory.

Design: a stream does one thing, it fills the row buffer it is given and says what the target
column holds. What a missing reading means, what a label means and when to stop is the main loop's
business, so another source is one small class with `samples`.
"""

from firmware_sim.streams.bundled import BUNDLED, BundledStream
from firmware_sim.streams.opening import open_stream
from firmware_sim.streams.stream import Row, Sample, Stream
from firmware_sim.streams.table import CsvStream

__all__ = ["BUNDLED", "BundledStream", "CsvStream", "Row", "Sample", "Stream", "open_stream"]
