"""Hostile model files and blocks: ``python tests/support/fuzz.py [COUNT [SEED]]``.

``make fuzz`` runs it under AddressSanitizer and UndefinedBehaviourSanitizer, in two processes.

Prints the outcome of the mutants as JSON, and saves it in ``build/fuzz-SEED`` during the run. Exits
with 1 and saves the mutant there if it is not handled as it must be: it crashes (the sanitizer says
where), takes more than a second or more memory than its size and 64 KiB before it is rejected,
raises something other than ValueError, is saved as another model, or learns into a state that a
later load rejects.
"""

from __future__ import annotations

import faulthandler
import os
import sys
import tempfile
import time
from pathlib import Path

from fuzzing import MOST_MEMORY, BrokenError, Fuzzer

#: Mutants between two lines of progress; a mutant that hangs is told after so many seconds.
ROUND, HANGS = 10_000, 600
#: Where a file costs no access to a disk.
IN_MEMORY = "/dev/shm"


def main(count: int, seed: int, folder: Path) -> int:
    with tempfile.TemporaryDirectory(dir=IN_MEMORY if os.path.isdir(IN_MEMORY) else None) as name:
        return fuzz(Fuzzer(Path(name), seed, folder), count, seed)


def fuzz(fuzzer: Fuzzer, count: int, seed: int) -> int:
    began = time.monotonic()
    resident = 0
    for done in range(0, count, ROUND):
        for _ in range(0, min(ROUND, count - done), 100):
            faulthandler.dump_traceback_later(HANGS, exit=True)
            fuzzer.run(100)
        faulthandler.cancel_dump_traceback_later()
        import resource  # of POSIX alone

        now = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        resident = resident or now
        print(
            f"seed {seed}: {min(done + ROUND, count)} mutants, {time.monotonic() - began:.0f} s,"
            f" resident +{now - resident} KiB",
            file=sys.stderr,
            flush=True,
        )
        (fuzzer.broken / "report.json").write_text(fuzzer.report())
    print(fuzzer.report())
    return int(fuzzer.most_memory > MOST_MEMORY or fuzzer.tally["poisoned"] > 0)


if __name__ == "__main__":
    numbers = [int(word) for word in sys.argv[1:]]
    target = Path("build") / f"fuzz-{numbers[1] if len(numbers) > 1 else 0}"
    target.mkdir(parents=True, exist_ok=True)
    try:
        sys.exit(main(*(numbers + [1_000_000, 0][len(numbers) :]), target))
    except BrokenError as error:
        sys.exit(f"{error}\nthe mutant is in {target}")
