"""Are the tests any good? Each mutation of the source must turn them red.

``python tests/mutants.py [WORD...]`` copies the package and its tests to a temporary folder, makes
sure that the tests are green there, applies one mutation after the other (those whose description
has one of the words), and lists the ones that lived. Ends with 1 if there is any.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

import mutants_simulator as simulator
import mutants_wrappers as wrappers

ROOT = Path(__file__).resolve().parent.parent
SLOTS, MEDIA = "edgeolk/files/slots.py", "edgeolk/files/media.py"
LOCKED, LAYOUTS = "edgeolk/files/locked.py", "edgeolk/files/layouts.py"
ATOMIC, CHECKS = "edgeolk/files/atomic.py", "edgeolk/files/invariants.py"
POSIX = "edgeolk/files/posix.py"
KEEPER = "edgeolk/checkpointer.py"
ATTACHING, MENDING = "edgeolk/attaching.py", "edgeolk/files/mending.py"
SUMS, HEAD = "edgeolk/files/checksums.py", "edgeolk/configuration/header.py"
#: The tests that must notice a mutation of a file.
TESTS = {
    SLOTS: [
        "tests/edgeolk/files/test_slots.py", "tests/edgeolk/files/test_slots_killed.py",
        "tests/edgeolk/files/test_layouts.py", "tests/edgeolk/files/test_locked.py",
    ],
    MEDIA: [
        "tests/edgeolk/files/test_media.py", "tests/edgeolk/files/test_media_names.py",
        "tests/edgeolk/files/test_layouts.py",
    ],
    LOCKED: [
        "tests/edgeolk/files/test_media.py", "tests/edgeolk/files/test_media_names.py",
        "tests/edgeolk/files/test_locked.py",
    ],
    LAYOUTS: ["tests/edgeolk/files/test_layouts.py"],
    ATOMIC: ["tests/edgeolk/files/test_atomic.py"],
    POSIX: ["tests/edgeolk/files/test_atomic.py", "tests/edgeolk/files/test_system.py"],
    CHECKS: ["tests/edgeolk/files/test_invariants.py"],
    KEEPER: [
        "tests/edgeolk/test_checkpointer.py", "tests/edgeolk/files/test_hostile_checkpoints.py",
        "-k", "not killed",
    ],
    ATTACHING: ["tests/edgeolk/test_torn.py", "-k", "not killed and not everywhere"],
    MENDING: ["tests/edgeolk/test_torn.py", "-k", "not killed and (pomdr or nogd or rbp)"],
    SUMS: ["tests/edgeolk/files/test_checksums.py"],
    HEAD: ["tests/edgeolk/files/test_checksums.py"],
    **wrappers.TESTS,
    **simulator.TESTS,
}


class Mutation(NamedTuple):
    """A text that occurs once in a file, and what it becomes."""

    what: str
    file: str
    old: str
    new: str


MUTATIONS = (
    # ---- checkpoints: order and choice of slots
    Mutation("the payload is not synced", SLOTS, """            offset += memoryview(piece).nbytes
        medium.sync(slot)
""", """            offset += memoryview(piece).nbytes
"""),
    Mutation("the header is not synced", SLOTS, """length, crc))
        medium.sync(slot)
        self._in""", """length, crc))
        self._in"""),
    Mutation("the header comes before the payload", SLOTS, """        offset = HEADER_BYTES
        for piece""", """        offset = HEADER_BYTES
        medium.write(slot, 0, packed_head(sequence, length, crc))
        for piece"""),
    Mutation("the newest slot is written", SLOTS,
             "range(self._medium.slots) if slot != newest]", "range(self._medium.slots)][::-1]"),
    Mutation("the first slot is always written", SLOTS,
             "slot, sequence = self._target(newest), 1 if", "slot, sequence = 0, 1 if"),
    Mutation("a header in doubt is not wiped", SLOTS,
             """            medium.write(slot, 0, bytes(HEADER_BYTES))
            medium.sync(slot)
""", """            pass
"""),
    Mutation("the wipe is not synced", SLOTS,
             """            medium.write(slot, 0, bytes(HEADER_BYTES))
            medium.sync(slot)
""", """            medium.write(slot, 0, bytes(HEADER_BYTES))
"""),
    Mutation("a failed slot is not in doubt", SLOTS, "        self._in_doubt.add(slot)\n", ""),
    Mutation("what claims to be newer is not in doubt", SLOTS,
             "other for other, head in self._heads.items() if is_newer(head.sequence, sequence)",
             "other for other in ()"),
    Mutation("the oldest slot is opened", SLOTS, "max(waiting, key=self._age)",
             "min(waiting, key=self._age)"),
    Mutation("numbers do not wrap", SLOTS,
             "return (self._heads[slot].sequence - first + _ROUND // 2) % _ROUND",
             "return self._heads[slot].sequence"),
    Mutation("the next number does not wrap", SLOTS, "(before + 1) % _ROUND", "before + 1"),
    Mutation("the number stays the same", SLOTS, "(before + 1) % _ROUND", "before"),
    Mutation("the payload's checksum is not looked at", SLOTS, "if _crc([payload]) != head.crc:",
             "if False:"),
    Mutation("the header's checksum is not looked at", SLOTS,
             "!= zlib.crc32(raw[: _FIELDS.size]):", "is None:"),
    Mutation("the mark is not looked at", SLOTS, "if magic != MAGIC:", "if False:"),
    Mutation("the version is not looked at", SLOTS, "if version != VERSION:", "if False:"),
    Mutation("the length is not looked at", SLOTS,
             "if isinstance(head, _Head) and head.length > self._medium.room(slot) - HEADER_BYTES:",
             "if False:"),
    Mutation("a refused payload is taken as none", SLOTS,
             """                refused[slot] = str(error)
                continue""", """                refused[slot] = str(error)
                break"""),
    Mutation("a header is noted once it is synced", SLOTS,
             """        self._heads[slot] = _Head(sequence, length, crc)
        medium.write(slot, 0, packed_head(sequence, length, crc))
        medium.sync(slot)
""", """        medium.write(slot, 0, packed_head(sequence, length, crc))
        medium.sync(slot)
        self._heads[slot] = _Head(sequence, length, crc)
"""),
    Mutation("writing without opening does not look", SLOTS, """            self.open()
        self._claim""", """            self.opened = Opened(None, None, {})
        self._claim"""),
    Mutation("what was written since the opening is not seen", SLOTS,
             " or self._read_heads()[0] != self._heads:", ":"),
    Mutation("what was written since the lock was lost is not seen", SLOTS,
             "if claim == self._claim:", "if self._claim:"),
    Mutation("a slot that cannot be read ends the opening", SLOTS,
             "            except OSError as error:\n                head =",
             "            except KeyError as error:\n                head ="),
    Mutation("the newest slot is not synced before the first write", SLOTS,
             "            self._medium.settle()\n", "            pass\n"),
    Mutation("what could not be synced is relied on", SLOTS,
             "            self._heads = {}  #", "            pass  #"),
    Mutation("a beginning is not looked at", SLOTS,
             "            self._look(head.length, part)\n", "            pass\n"),
    Mutation("a checkpoint that found no memory is written over", SLOTS,
             "                self._unread.add(slot)\n", ""),
    # ---- live blocks
    Mutation("a torn block is taken", ATTACHING, 'if is_torn and torn == "refuse":', "if False:"),
    Mutation("a torn block is not checked", ATTACHING,
             'if not (is_torn and torn == "repair"):', "if not is_torn:"),
    Mutation("a repaired block is not checked", ATTACHING,
             "        live.check(config, unpack(block, NATIVE), regions, block)\n    except",
             "        pass\n    except"),
    Mutation("a refused repair leaves its traces", ATTACHING, "        block[:] = before\n", ""),
    Mutation("the mark stays", ATTACHING, "            live.clear_flags(block)\n", ""),
    Mutation("nothing is computed afresh", ATTACHING,
             "if not over(config, arena).mend():", "if False:"),
    Mutation("counters stay one apart", MENDING, "    count_again(config, words)\n", ""),
    Mutation("counters are not written", MENDING,
             "    live.write_words(words, state, block)\n", ""),
    Mutation("unused coefficients stay", MENDING, "                    columns[at] = 0.0",
             "                    pass"),
    Mutation("the header has no checksum", SUMS,
             'yield "header", zlib.crc32(start)', 'yield "header", 0'),
    Mutation("a seal that is off is none", SUMS, "if not head.flags and not changed:", "if False:"),
    Mutation("a seal is whole before its end", SUMS, "held[own] = sums[own] ^ _ALL", "pass"),
    Mutation("the old seal stays in a torn block", ATTACHING,
             "            checksums.forget(head, block)\n", ""),
    Mutation("flags are not looked at", HEAD, "if flags not in (0, TORN, SEALED):", "if False:"),
    Mutation("checksums are not compared", SUMS, "if held[at] != crc]", "if False]"),
    # ---- places
    Mutation("files are not synced", LOCKED, "            system.sync(fd)", "            pass"),
    Mutation("mapped memory is not flushed", MEDIA,
             "            self._flush()", "            pass"),
    Mutation("names are not synced before the first write", MEDIA,
             "        system.sync_folder_at(folder)", "        pass"),
    Mutation("files are not synced before the first write", MEDIA,
             "            file.sync()\n", "            pass\n"),
    Mutation("memory is not flushed before the first write", MEDIA,
             "        self.sync(0)", "        pass"),
    Mutation("the cache is believed after a failed sync", LOCKED,
             "            system.forget(fd)", "            pass"),
    Mutation("slots share a sector", MEDIA, "room_of(self._file.size(), self.slots, SECTOR)",
             "room_of(self._file.size(), self.slots, 512) + 512"),
    Mutation("slots share a line", MEDIA, "room_of(len(self._memory), slots, LINE)",
             "room_of(len(self._memory), slots, 1)"),
    Mutation("anything is written over", MEDIA, "            if bytes(start) in allowed:",
             "            if True:"),
    Mutation("a used device is written over", MEDIA, "known, blank = bytes(mark)[:8], (bytes(8), b",
             'known, blank = bytes(mark)[:8], (b"partitio", bytes(8), b'),
    Mutation("files are made sparse", MEDIA, "            yield _ZEROS", "            yield b''"),
    Mutation("two may write", LOCKED, "            self._lock()\n", "            pass\n"),
    Mutation("a lock is taken of a file without its name", LOCKED,
             "            if self._has_name():", "            if True:"),
    Mutation("a file that has lost its name is written to", LOCKED,
             "if writable and not self._has_name():", "if False:"),
    Mutation("a reader stays with a file that has lost its name", LOCKED,
             "(writable or not self._has_name())", "writable"),
    Mutation("two may make a file", LOCKED, "            made = placed_whole(self.path, pieces)",
             "            self.close()\n            made = placed_whole(self.path, pieces)"),
    Mutation("a file that is made is not locked", LOCKED,
             "        self._fd, self._writable = made, True", "        os.close(made)"),
    Mutation("a file that may be made is taken for the old one", LOCKED, """            self.close()
            raise
        self.close()""", """            raise
        self.close()"""),
    Mutation("short writes are not completed", LOCKED, "        while done < len(view):",
             "        if done < len(view):"),
    Mutation("short reads are not completed", LOCKED, """            done += got
        return done
""", """            done += got
            break
        return done
"""),
    Mutation("a FIFO is opened", LOCKED, "if not (stat.S_ISREG(mode) or stat.S_ISBLK(mode)):",
             "if False:"),
    Mutation("another number of slots is opened", SLOTS,
             "        self._refuse_other_slots()\n", ""),
    Mutation("a lock outlives its process", LOCKED, "        file.close()\n", "        pass\n"),
    Mutation("a forked process writes too", SLOTS, "if self._owner not in (0, here):", "if False:"),
    Mutation("nobody owns the checkpoints", SLOTS, "        self._owner = here\n", ""),
    Mutation("a slot of another number begins anywhere", LAYOUTS, "not at % room and ", ""),
    Mutation("a slot of another number is as large as needed", LAYOUTS,
             " and found[at] <= room", ""),
    Mutation("the last slot of another number is not looked at", LAYOUTS,
             "for i in range(n)}", "for i in range(n - 1)}"),
    Mutation("other slots in a folder are not looked at", MEDIA,
             "range(self.slots, MOST_SLOTS)", "range(self.slots, self.slots)"),
    Mutation("objects are written over", MEDIA,
             ' or view.format.lstrip("@=<>!") not in _NUMBERS', ""),
    Mutation("a larger checkpoint drops the others", MEDIA,
             "        if not alone:", "        if False:"),
    # ---- files replaced whole
    Mutation("the file is not synced", ATOMIC, "        system.sync(fd)\n", ""),
    Mutation("the folder is not synced", ATOMIC,
             "            folder.sync()\n", "            pass\n"),
    Mutation("the file is renamed before it is synced", ATOMIC, """        system.sync(fd)
        folder.replace(beside, name)
""", """        folder.replace(beside, name)
        system.sync(fd)
"""),
    Mutation("a planted file is written to", POSIX, "os.O_EXCL | os.O_NOFOLLOW | os.O_NONBLOCK",
             "os.O_NONBLOCK"),
    Mutation("live savers are taken for dead", ATOMIC,
             """        system.lock(fd)
        if stat""", """        if stat"""),
    Mutation("savers do not lock", ATOMIC, """        system.lock(fd)
    except BlockingIOError:""", """        pass
    except BlockingIOError:"""),
    Mutation("a saver does not look whether it was taken for dead", ATOMIC,
             "return folder.holds(beside, fd)", "return True"),
    Mutation("leftovers stay", ATOMIC,
             "            _remove_leftover(folder, entry)", "            pass"),
    Mutation("links are replaced", ATOMIC, "os.path.realpath(os.fsdecode(path))",
             "os.path.abspath(os.fsdecode(path))"),
    Mutation("devices are replaced", ATOMIC, "    if not stat.S_ISREG(mode):\n        raise",
             "    if False:\n        raise"),
    Mutation("the mode is not kept", POSIX, "    os.fchmod(fd, mode)", "    pass"),
    Mutation("the owner is not kept", POSIX,
             "            os.fchown(fd, before.st_uid, before.st_gid)", "            pass"),
    Mutation("another group gets rights", POSIX,
             "                mode &= ~0o070", "                pass"),
    Mutation("a failed save leaves its file", ATOMIC,
             "                folder.remove(beside)\n            os.close",
             "                pass\n            os.close"),
    # ---- states
    Mutation("seen may be anything", CHECKS, "require(seen == (steps if optimistic else 0),",
             "require(True,"),
    Mutation("counters have no bounds", CHECKS,
             "require(0 <= value <= MOST_COUNT,", "require(True,"),
    Mutation("seen < 0 is accepted", CHECKS, "0 <= value <= MOST_COUNT", "value <= MOST_COUNT"),
    Mutation("neighbours need not be held", CHECKS, "-1 <= other < n and other != slot",
             "-1 <= other < config.budget and other != slot"),
    Mutation("a full Nystrom ring needs no rank", CHECKS,
             "require(1 <= rank <=", "require(0 <= rank <="),
    Mutation("POMDR's ring may be full", CHECKS, '        require(n < budget, "the ring is full',
             '        require(n <= budget, "the ring is full'),
    Mutation("a scale may be 0", CHECKS,
             "require(1.0 / most <= scale <= most,", "require(0.0 <= scale <= most,"),
    Mutation("a squared norm may be negative", CHECKS, "require(0.0 <= value <= most,",
             "require(value <= most,"),
    Mutation("coefficients have no bounds", CHECKS,
             "require(_within(column, min(bare, alpha / scale)),", "require(_no_nan(column),"),
    Mutation("the scale of Pegasos may be any", CHECKS,
             "good = 0.999 * first <= scale <= 1.001 * last", "good = scale > 0.0"),
    Mutation("numbers may be NaN", CHECKS,
             "    return all(map(isfinite, numbers))", "    return True"),
    Mutation("float16 may be NaN", CHECKS, "        if not all(map(isfinite, read(",
             "        if False and not all(map(isfinite, read("),
    Mutation("pivots may be negative", CHECKS, "require(rows[_triangle(i) - 1] > 0.0,",
             "require(rows[_triangle(i) - 1] != 0.0,"),
    Mutation("levels may be 0", CHECKS, "min(scale) > 0.0", "min(scale) >= 0.0"),
    Mutation("labels may be anything", CHECKS,
             "signs = all(map(_LABELS.__contains__, labels[:held]))",
             "signs = True"),
    Mutation("a name need not fit its parts", CHECKS, "    check_name(config)\n", ""),
    # ---- when checkpoints are written, and what comes back
    Mutation("a checkpoint every step", KEEPER, "learned >= self.every", "learned >= 1"),
    Mutation("a checkpoint a step late", KEEPER, "learned >= self.every", "learned > self.every"),
    Mutation("steps are counted from the start", KEEPER,
             "        self._last = _progress(parts)\n", ""),
    Mutation("seconds count without learning", KEEPER, "self.seconds is not None and learned:",
             "self.seconds is not None:"),
    Mutation("seconds are counted from the start", KEEPER,
             "        self._last_time = self._clock()\n", ""),
    Mutation("what was opened does not count", KEEPER,
             "            self._last = _progress(_parts(found))",
             "            pass"),
    Mutation("bytes left over are ignored", KEEPER, "    if at != length:", "    if False:"),
    Mutation("the memory that is allowed is not looked at", KEEPER,
             "partial(_revived, most=most), partial(_look, most=most))", "_revived, _look)"),
    Mutation("each object may take all memory", KEEPER,
             "return None if most is None else max(0, most - taken)", "return most"),
    Mutation("what could not be opened is written", KEEPER,
             "if self._most is not None and taken > self._most:", "if False:"),
    Mutation("the clock is read once", KEEPER,
             "due = self._clock() - self._last_time", "due = self._last_time"),
)  # fmt: skip


EVERY = (
    *MUTATIONS,
    *(Mutation(*one) for one in (*wrappers.MUTATIONS, *simulator.MUTATIONS)),
)


def red(folder: Path, tests: list[str]) -> bool:
    """Whether the tests fail in the copy."""
    environment = {**os.environ, "PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1"}
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", "-x", "-p", "no:cacheprovider", *tests],
        cwd=folder, env=environment, capture_output=True, text=True, timeout=900, check=False,
    )
    if ran.returncode not in (0, 1):
        raise SystemExit(f"pytest ended with {ran.returncode}:\n{ran.stdout[-2000:]}{ran.stderr}")
    return ran.returncode == 1


def lives(folder: Path, mutation: Mutation) -> bool:
    """Whether a mutation, applied to the copy, escapes its tests."""
    path = folder / mutation.file
    source = path.read_text()
    if source.count(mutation.old) != 1:
        raise SystemExit(f"{mutation.what}: its text occurs {source.count(mutation.old)} times")
    path.write_text(source.replace(mutation.old, mutation.new))
    try:
        return not red(folder, TESTS[mutation.file])
    finally:
        path.write_text(source)


def main(words: list[str]) -> int:
    wanted = [m for m in EVERY if not words or any(w in f"{m.file} {m.what}" for w in words)]
    survivors = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for part in ("edgeolk", "firmware_sim", "tests"):
            shutil.copytree(ROOT / part, folder / part)
        shutil.copy(ROOT / "pyproject.toml", folder)
        for tests in {m.file: TESTS[m.file] for m in wanted}.values():
            if red(folder, tests):
                raise SystemExit(f"{tests[0]} is red without any mutation")
        for mutation in wanted:
            start = time.perf_counter()
            alive = lives(folder, mutation)
            survivors += [mutation] if alive else []
            took = time.perf_counter() - start
            print(f"{'LIVES ' if alive else 'killed'} {took:5.1f} s  {mutation.what}", flush=True)
    print(f"{len(wanted)} mutations, {len(survivors)} lived")
    return 1 if survivors else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
