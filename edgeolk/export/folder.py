"""Writes the exported folder: the library's C, the source that uses it, and the model."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from edgeolk.export import samples
from edgeolk.export.costs import FLAGS, Row, scratch_of, stacks_of
from edgeolk.export.kinds import module_of
from edgeolk.export.kits import BOARD, arduino_sources, kits
from edgeolk.export.prefix import USUAL, check_prefix, renamed
from edgeolk.export.readme import readme
from edgeolk.learner import Learner
from edgeolk.named import NamedLearner
from edgeolk.windows import Windows

#: The library's C.
C_FOLDER = BOARD.parent
#: Files of every export besides edgeolk.c.
ALWAYS = ("edgeolk.h", "strict.h", "answers.h", "main.c", "LICENSE")
#: Where calls may have their scratch memory.
SCRATCH = ("stack", "arena")
#: Headers that only the library's own build includes.
NOT_PLAIN = ("vectors_wide.h", "sorf_abreast.h", "row_memory_abreast.h")
_INCLUDE = re.compile(r'^\s*#include "(?:edgeolk/)?([\w.]+)"', re.MULTILINE)


def _headers(names: Iterable[str], found: dict[str, str]) -> None:
    """Add these headers of the library to ``found``, and the headers they include."""
    for name in names:
        if name not in found and name not in NOT_PLAIN and (C_FOLDER / name).exists():
            found[name] = (C_FOLDER / name).read_text(encoding="utf-8")
            _headers(_INCLUDE.findall(found[name]), found)


def _kind_of(learner: Learner) -> Any:
    """The module that writes this learner's C.

    Raises
    ------
    ValueError
        There is no C code for this learner.
    """
    if not isinstance(learner, Learner):
        hint = ": pass its to_learner()" if hasattr(learner, "to_learner") else ""
        raise TypeError(f"learner must be an ek.Learner, got {type(learner).__name__}{hint}")
    kind = module_of(learner)
    if reason := kind.refusal(learner):
        raise ValueError(f"{learner.algorithm} cannot be exported: {reason}")
    return kind


def check_exportable(learner: Learner) -> None:
    """Reject a learner without C code, before rows are learned for it.

    Raises
    ------
    ValueError
        There is no C code for this learner.
    """
    _kind_of(learner)


def files_of(
    learner: Learner,
    counted: Sequence[Row] = (),
    scratch: str = SCRATCH[0],
    classes: Sequence[str] = (),
    windows: Windows | None = None,
) -> dict[str, str]:
    """Name -> text of every file in the folder.

    counted: instructions per row; scratch: where calls have their scratch memory; classes: their
    names; windows: of samples, whose rows it takes.

    Raises
    ------
    ValueError
        There is no C code for this learner.
    """
    kind = _kind_of(learner)
    if windows is not None:
        samples.check_windows(learner, windows)
    if scratch not in SCRATCH:
        raise ValueError(f"scratch must be one of {', '.join(map(repr, SCRATCH))}, got {scratch!r}")
    if scratch == "arena" and not kind.MOVES_SCRATCH:
        raise ValueError(
            f"scratch='arena' is for 'sorf'; {learner.algorithm} takes"
            f" {max(stacks_of(learner).values())} bytes of stack"
        )
    files = {"edgeolk.c": (BOARD / kind.SOURCE).read_text(encoding="utf-8")}
    sampling = () if windows is None else (samples.SOURCE,)
    for name in (*ALWAYS, *kind.FILES, *kind.extra_of(learner), *sampling):
        files[name] = (BOARD / name).read_text(encoding="utf-8")
    found: dict[str, str] = {}
    for text in tuple(files.values()):
        _headers(_INCLUDE.findall(text), found)
    files.update({f"edgeolk/{name}": text for name, text in found.items()})
    stacks = {FLAGS[how]: count for how, count in stacks_of(learner, scratch).items()}
    streamed = kind.MOVES_SCRATCH and kind.is_streamed(learner)
    work = {FLAGS[how]: n for how, n in scratch_of(learner.dtype, streamed=streamed).items()}
    model = replace(
        kind.model_of(learner, scratch),
        stacks=stacks,
        scratch=work if scratch == "arena" else {},
        classes=_checked_classes(learner, classes),
    )
    model = replace(model, macros={"EK_SAMPLES": 0, **model.macros})
    if windows is not None:
        model = samples.with_windows(model, learner, windows)
    use = "" if windows is None else samples.use_of(windows)
    files["README.md"] = readme(learner, model, counted, use)
    return {**files, "model.h": model.header, "model.c": model.source}


def _checked_classes(learner: Learner, classes: Sequence[str]) -> tuple[str, ...]:
    """The names of the classes.

    Raises
    ------
    TypeError, ValueError
        They are not the names of this learner's classes.
    """
    names = tuple(classes)
    if isinstance(classes, str) or not all(isinstance(name, str) for name in names):
        raise TypeError(f"classes must be a sequence of str, got {classes!r}")
    if not names and isinstance(learner, NamedLearner):
        names = tuple(map(str, learner.names.classes))
        names = names if len({*names}) == learner.n_classes else ()
    if not names:
        return ()
    if not learner._config.needs_labels or learner.is_regression:
        kind = "numbers" if learner.is_regression else "not needed"
        raise ValueError(f"classes are for learners of classes; the labels here are {kind}")
    if len(names) != learner.n_classes:
        raise ValueError(f"classes must have {learner.n_classes} names, got {len(names)}: {names}")
    if len({*names}) < len(names):
        raise ValueError(f"classes must differ, got {names}")
    return names


def check_folder(folder: Path, names: Iterable[str], extra: Iterable[str]) -> None:
    """Reject a folder whose files would be overwritten, unless it has an earlier export.

    Raises
    ------
    FileExistsError
        It contains files of these names, but not the model and the header of an export.
    """
    if all((folder / name).is_file() for name in extra):
        return
    existing = [name for name in sorted(names) if (folder / name).exists()]
    if existing:
        raise FileExistsError(
            f"{folder} holds {', '.join(existing)}, and no earlier export: they would be"
            " overwritten"
        )


def export_c(
    learner: Learner,
    folder: str | os.PathLike[str],
    *,
    with_: Sequence[str] = (),
    prefix: str = USUAL,
    scratch: str = SCRATCH[0],
    classes: Sequence[str] = (),
    counted: Sequence[Row] = (),
    windows: Windows | None = None,
) -> list[str]:
    """Export a learner as a folder of C99 code that continues from its present state.

    Page: docs/microcontrollers.md.

    Parameters
    ----------
    learner : Learner
        An exported ``sorf``, ``krls_t``, ``sogp`` or ``krls_auto`` scores, predicts and learns.
        Other learners with support vectors only score and predict: their vectors are constants.
    folder : str or path-like
        Created if it does not exist. Files of an earlier export are replaced; other files of the
        same names are not.
    with_ : sequence of str
        Tool chains for which to write project files: ``"arduino"``, ``"platformio"``, ``"cmake"``,
        ``"zephyr"``, ``"esp-idf"``, ``"pico-sdk"``, ``"micropython"``.
    prefix : str
        Prefix of the names of functions, types, macros and files: a lower-case letter and up to 15
        lower-case letters or digits. With different prefixes, several models fit into one program,
        each in its own folder. Unless it is ``"ek"``, ``edgeolk.h`` and ``edgeolk.c`` are called
        ``PREFIX.h`` and ``PREFIX.c``, and ``flash``, ``model`` and ``samples`` ``PREFIX_flash.h``
        and so on.
    scratch : {"stack", "arena"}
        Where a call has its scratch memory. ``"arena"`` takes 2 or 3 KiB there, and about 1 KiB
        less of the stack: for tasks with small stacks, not to save RAM.
    classes : sequence of str
        Names of the classes in the order of their numbers (of two classes: of -1 and of 1), which
        become the constant ``ek_class_names``. Default: those of a learner that knows them, from an
        estimator or a river model.
    counted : sequence of edgeolk.export.costs.Row
        Instructions per row of this model, counted on emulated boards
        (``firmware_sim.mcu.counting.counted``), for the README instead of estimates.
    windows : Windows, optional
        Windows of samples with rows of this learner: the folder has ``ek_sample`` too, and their
        block is in the arena behind the learner's.

    Returns
    -------
    list of str
        Paths of the files, relative to the folder.

    Raises
    ------
    TypeError, ValueError
        There is no C code for this learner, the tool chain is unknown, or the prefix is invalid;
        nothing was written.
    OSError
        The folder cannot be written, or contains files of the same names but no export.
    """
    check_prefix(prefix)
    files = files_of(learner, counted, scratch, classes, windows)
    sources = sorted(name for name in files if name.endswith(".c") and name != "main.c")
    made = renamed(prefix, kits(with_, sources, prefix))
    files = renamed(prefix, files)
    if "arduino" in with_:
        made.update(arduino_sources(prefix, files))
    files.update(made)
    check_folder(Path(folder), files, renamed(prefix, {"edgeolk.h": "", "model.h": ""}))
    for name, text in files.items():
        path = Path(folder) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="\n")
    return sorted(files)
