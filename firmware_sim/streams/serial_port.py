"""Rows from a serial line: each line that a board prints is a row, as from a pipe."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from typing import Any
from urllib.parse import parse_qs

from firmware_sim.errors import StreamError
from firmware_sim.streams.stdin import TICK, PipeSource

PREFIX = "serial:"
_FORM = "serial:PORT[?baud=115200][&columns=A,B,LABEL]"
_BAUD = 115_200


class SerialSource(PipeSource):
    """Lines of a table, or JSON objects, from a serial port.

    address: ``serial:/dev/ttyUSB0?baud=115200``; ``columns=a,b,c`` names the cells of a board that
        prints no header, whose first line, which may be the end of one, is then left out.
    Raises StreamError: the address is invalid, pyserial is missing, or the port cannot be opened.
    """

    def __init__(self, address: str) -> None:
        port, _, query = address.removeprefix(PREFIX).partition("?")
        asked = parse_qs(query)
        baud = asked.get("baud", [str(_BAUD)])[0]
        if not port or set(asked) - {"baud", "columns"} or not baud.isdecimal() or baud == "0":
            raise StreamError(f"{address} is not of the form {_FORM}")
        self._columns = asked.get("columns", [""])[0]
        self._port = _opened(port, int(baud))
        super().__init__(name=f"{PREFIX}{port}", blocks=self._blocks())

    def _blocks(self) -> Iterator[bytes | None]:
        """Yield what arrives, and None after a silence."""
        failure: Any = import_module("serial").SerialException
        is_inside = not self._columns  # of a line that began here
        if self._columns:
            yield f"{self._columns}\n".encode()
        while True:
            try:
                data = self._port.read(max(1, self._port.in_waiting))
            except (failure, OSError, TypeError) as error:
                if not self._port.is_open:
                    return
                raise StreamError(f"cannot read {self.name}: {error}") from None
            if not is_inside and data:
                _, end, data = data.partition(b"\n")
                is_inside = bool(end)
            yield data or None

    def close(self) -> None:
        """Close the port."""
        self._port.close()


def _opened(port: str, baud: int) -> Any:
    """Open a port.

    Raises StreamError: pyserial is missing, or the port cannot be opened.
    """
    try:
        serial: Any = import_module("serial")
    except ImportError:
        raise StreamError("a serial line needs pyserial: pip install 'edgeolk[serial]'") from None
    try:
        return serial.Serial(port, baud, timeout=TICK)
    except (serial.SerialException, OSError, ValueError) as error:
        raise StreamError(f"cannot open {port}: {error}") from None
