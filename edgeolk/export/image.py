"""A model file as C constants that store only its non-zero parts."""

from __future__ import annotations

from edgeolk.export.text import array

#: This many consecutive zeros end a run.
GAP = 16


def runs(data: bytes, head: int) -> list[tuple[int, int]]:
    """Offset and length of each non-zero run; the first run contains the header."""
    found = [(0, head)]
    at = head
    while at < len(data):
        if data[at] == 0:
            at += 1
            continue
        end = data.find(bytes(GAP), at)
        end = len(data) if end < 0 else end
        found.append((at, end - at))
        at = end
    return found


def definitions(data: bytes, head: int) -> tuple[int, int, str]:
    """The number of runs, their bytes with the table, and the C definitions of both."""
    found = runs(data, head)
    stored = b"".join(data[start : start + length] for start, length in found)
    places = "".join(f"    {{{start}u, {length}u}},\n" for start, length in found)
    return (
        len(found),
        len(stored) + 8 * len(found),
        (
            f"const ek_run ek_model_runs[EK_RUNS] = {{\n{places}}};\n\n"
            + array("uint8_t", "ek_model_bytes", (str(byte) for byte in stored))
        ),
    )
