"""Hostile files, guided by coverage: ``make fuzz-guided``, with atheris (libFuzzer).

``python tests/support/fuzz_guided.py CORPUS [libFuzzer's options]``: the golden files are the
initial corpus, the readers and checks are instrumented, and half of the mutations know the
format and correct the CRC. Accepted models learn, score, and are saved and loaded again, as in
``make fuzz``. Fails, and writes the input to a file, on anything but a ValueError or a usable
model.
"""

from __future__ import annotations

import random
import sys
import tempfile
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["edgeolk"]):
    import fuzzing
    from mutations import mutated, seal

FUZZER = fuzzing.Fuzzer(Path(tempfile.mkdtemp()), 0)
KINDS = ("load", "pickle", "attach")


def one_input(data: bytes) -> None:
    """The first byte selects the reader."""
    if data and not FUZZER.attempt(KINDS[data[0] % 3], bytearray(data[1:]), False):
        raise fuzzing.BrokenError("it learns into a state that a later load refuses")


def mutate(data: bytes, most: int, seed: int) -> bytes:
    """libFuzzer's mutation, or one that knows the format; sealed again."""
    chance = random.Random(seed)
    kind, rest = data[:1] or b"\0", data[1:]
    if rest and chance.random() < 0.5:
        _, made = mutated([rest], chance)
    else:
        made = bytearray(atheris.Mutate(rest, most - 1))
        if len(made) >= 16 and chance.random() < 0.9:
            seal(made, chance.random() < 0.5)
    return (kind + bytes(made))[:most]


def main() -> None:
    corpus = Path(sys.argv[1])
    corpus.mkdir(parents=True, exist_ok=True)
    if not any(corpus.iterdir()):
        for kind, files in enumerate((fuzzing.models(), fuzzing.models(), fuzzing.blocks())):
            for number, data in enumerate(files):
                (corpus / f"{KINDS[kind]}-{number}").write_bytes(bytes([kind]) + data)
    atheris.Setup(sys.argv, one_input, custom_mutator=mutate)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
