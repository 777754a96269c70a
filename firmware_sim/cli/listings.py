"""The commands ``streams`` and ``devices``: lists of what is available."""

from __future__ import annotations

import argparse
from typing import Any

from firmware_sim import boards
from firmware_sim.cli.terminal import OK, show
from firmware_sim.streams import BUNDLED


def add_options(commands: Any) -> None:
    """Add both commands."""
    streams = commands.add_parser("streams", help="list the bundled streams")
    streams.set_defaults(run=list_streams)
    devices = commands.add_parser("devices", help="list the boards that --device knows")
    devices.set_defaults(run=list_devices)


def list_streams(chosen: argparse.Namespace) -> int:
    """Print a line for each bundled stream."""
    width = max(map(len, BUNDLED))
    show("\n".join(f"{stream.name:<{width}}  {stream.about}" for stream in BUNDLED.values()))
    return OK


def list_devices(chosen: argparse.Namespace) -> int:
    """Print a line for each board."""
    show(boards.table())
    return OK
