"""A model file as constants that store only its non-zero parts in flash."""

from __future__ import annotations

from edgeolk.export.text import array

#: Zeros in a row that are worth a run of their own.
GAP = 16


def runs(data: bytes, head: int) -> list[tuple[int, int]]:
    """Offset and length of what is not zero; the first holds the whole header."""
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
    """How many runs, how many bytes in them, and the C definitions of both."""
    found = runs(data, head)
    kept = b"".join(data[start : start + length] for start, length in found)
    places = "".join(f"    {{{start}u, {length}u}},\n" for start, length in found)
    return (
        len(found),
        len(kept) + 8 * len(found),
        (
            f"const ek_run ek_model_runs[EK_RUNS] = {{\n{places}}};\n\n"
            + array("uint8_t", "ek_model_bytes", (str(byte) for byte in kept))
        ),
    )
