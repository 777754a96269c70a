"""Learners that know the names of their classes and inputs, their probabilities and their unit."""

from __future__ import annotations

import io
import json
import math
import os
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from edgeolk.calibration import Probabilities
from edgeolk.configuration.plan import parse_bytes
from edgeolk.learner import Learner
from edgeolk.learner import load as load_plain
from edgeolk.windows.file import WINDOWS

if TYPE_CHECKING:
    from edgeolk.files.atomic import Path

#: Names in a file of a named learner.
_LEARNER, _ABOUT = "learner.olk", "about.json"
_FORMAT = 2
#: How such a file begins, as every archive.
_MARK = b"PK\x03\x04"
_PLAIN = (str, int, float, bool)


def is_balanced(decision: Any) -> bool:
    """Whether an argument ``decision`` asks for balanced decisions.

    Raises ValueError: it is neither "accuracy" nor "balanced".
    """
    if not (isinstance(decision, str) and decision in ("accuracy", "balanced")):
        raise ValueError(f"decision must be 'accuracy' or 'balanced', got {decision!r}")
    return decision == "balanced"


@dataclass(frozen=True)
class Names:
    """What a learner's numbers mean.

    Attributes
    ----------
    classes : tuple
        Labels of the classes in the order of the learner; empty if it has none.
    features : tuple
        Names of the inputs; empty if unknown.
    probabilities : Probabilities or None
        Turns scores into probabilities; None if there are no classes.
    decision : str
        What labels aim for: "accuracy" or "balanced".
    target_mean, target_scale : float
        A target is the score times ``target_scale``, plus ``target_mean``.
    """

    classes: tuple[Any, ...] = ()
    features: tuple[Any, ...] = ()
    probabilities: Probabilities | None = None
    decision: str = "accuracy"
    target_mean: float = 0.0
    target_scale: float = 1.0


class NamedLearner(Learner):
    """A learner from an estimator or a river model, with what its numbers mean.

    Page: docs/learners.md. ``to_learner`` of these makes it, ``ek.load`` reads it. In addition to
    what ``Learner`` has, it gives labels, probabilities and targets in their unit; scores are the
    same bit for bit. It learns by the numbers of ``Learner``: ``label_of_class`` gives them.

    Attributes
    ----------
    names : Names
        Labels of the classes, names of the inputs, calibration, unit of the targets.
    """

    __slots__ = ("names",)
    __signature__ = None  # its own, not that of ``Learner``
    names: Names

    def __init__(self, learner: Learner, names: Names) -> None:
        self.names = names
        self._start(learner._config, Learner._from_block(bytes(learner._sealed()))._engine)

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (bytes(self._sealed()), self.names)

    def answer_one(self, x: Any) -> Any:
        """The label of the class of a row, or its target in the unit of the targets.

        Parameters
        ----------
        x : ndarray of shape (n_features,)
            As for ``decision_one``.

        Returns
        -------
        label or float
            For novelty -1 or +1, as of ``predict_one``.
        """
        if self.is_regression:
            return self.decision_one(x) * self.names.target_scale + self.names.target_mean
        names = self.names
        if names.probabilities is None:
            return self.predict_one(x)
        known, balanced = len(names.classes), is_balanced(names.decision)
        place = names.probabilities.label_one(self._scores_behind(x), balanced, known)
        return names.classes[place]

    def _scores_behind(self, x: Any) -> Any:
        """The scores of a row as ``Probabilities`` takes them."""
        if self.n_classes > 2:
            return self.scores_one(x)
        assert self.names.probabilities is not None
        behind = self.names.probabilities.columns > 1
        return self._parts_one(x) if behind else self.decision_one(x)

    def predict_proba_one(self, x: Any) -> Any:
        """Probabilities of the classes by their labels, as of the model that the learner is from.

        Parameters
        ----------
        x : ndarray of shape (n_features,)
            As for ``decision_one``.

        Returns
        -------
        dict
            They sum to 1.

        Raises
        ------
        AttributeError
            The learner has no classes.
        """
        names = self.names
        if names.probabilities is None:
            raise AttributeError("predict_proba_one needs classes")
        known = len(names.classes)
        shares = names.probabilities.probabilities_one(self._scores_behind(x), known)
        if known < len(shares):  # of two classes, the second has not come
            shares = [1.0]
        return dict(zip(names.classes, shares, strict=True))

    def label_of_class(self, name: Any) -> int:
        """The number by which the learner learns a class: its position, or -1 and +1 of two.

        Raises ValueError: there is no such class.
        """
        if name not in self.names.classes:
            raise ValueError(f"there is no class {name!r}, only {list(self.names.classes)}")
        place = self.names.classes.index(name)
        return place if self.n_classes > 2 else 2 * place - 1

    def save_named(self, path: Path) -> None:
        """Write learner and names to one file, which ``ek.load`` reads; it executes nothing.

        ``save`` writes the learner alone, for ``edgeolk.bare``, checkpoints and exports.

        Parameters
        ----------
        path : str, bytes or path-like
            Replaced as a whole, as by ``save``.

        Raises
        ------
        TypeError
            A class or input has a name that is neither text nor a number.
        OSError
            The file cannot be written.
        """
        from edgeolk.files.atomic import write_atomically

        names = self.names
        about = {
            "format": _FORMAT,
            "classes": [_plain(name, "classes") for name in names.classes],
            "features": [_plain(name, "features") for name in names.features],
            "probabilities": names.probabilities and names.probabilities.__getstate__(),
            "decision": names.decision,
            "target_mean": names.target_mean,
            "target_scale": names.target_scale,
        }
        archive = io.BytesIO()
        with zipfile.ZipFile(archive, "w") as box:  # the same learner gives the same file
            box.writestr(zipfile.ZipInfo(_LEARNER), bytes(self._sealed()))
            box.writestr(zipfile.ZipInfo(_ABOUT), json.dumps(about, indent=1) + "\n")
        write_atomically(path, (archive.getvalue(),))


def _restored(block: bytes, names: Names) -> NamedLearner:
    """Restore a pickled learner."""
    return NamedLearner(Learner._from_block(block), names)


def _plain(name: Any, what: str) -> Any:
    """A name as JSON has it; raises TypeError for one that JSON lacks."""
    name = name.item() if isinstance(name, np.generic) else name
    if not isinstance(name, _PLAIN):
        raise TypeError(
            f"{what} in a file must be text or numbers, got {type(name).__name__}: {name!r}"
        )
    return name


def _names_from(data: bytes, learner: Learner) -> Names:
    """The names in a file, for its learner; raises ValueError if they are not valid."""
    about = json.loads(data)
    if not isinstance(about, dict) or about.get("format") not in (1, _FORMAT):
        raise ValueError(f"{_ABOUT} is not of format 1 or {_FORMAT}")
    classes: Any = about.get("classes")
    features: Any = about.get("features")
    unit: list[Any] = [about.get("target_mean"), about.get("target_scale")]
    if not all(isinstance(some, list) and _are_plain(some) for some in (classes, features)):
        raise ValueError(f"{_ABOUT} must list classes and features")
    if not _are_finite(unit):
        raise ValueError(f"{_ABOUT} must have finite numbers")
    expected = learner.n_classes if learner.n_classes > 2 else 2
    if len(classes) > expected or (classes and learner.is_regression):
        raise ValueError(f"the file names {len(classes)} classes of {expected}")
    if features and len(features) > learner.n_features:
        raise ValueError(f"the file names {len(features)} inputs of {learner.n_features}")
    old = about["format"] == 1
    decision: Any = "accuracy" if old else about.get("decision")
    is_balanced(decision)
    state: Any = _state_of_old(about, expected) if old else about.get("probabilities")
    probabilities = _probabilities_from(state, expected, learner) if classes else None
    return Names(
        tuple(classes), tuple(features), probabilities, decision, float(unit[0]), float(unit[1])
    )


def _state_of_old(about: dict[str, Any], n_classes: int) -> dict[str, Any]:
    """The state of probabilities of a file of format 1, which had a calibration alone."""
    labels = [0.0] * n_classes
    calibration = about.get("calibration")
    # So far ahead of the shares that these count nothing.
    return {"calibration": calibration, "all_scores": None, "labels": labels, "over_shares": 1e6}


def _probabilities_from(state: Any, n_classes: int, learner: Learner) -> Probabilities:
    """Probabilities of a state in a file; raises ValueError if it is not valid."""
    if not isinstance(state, dict):
        raise ValueError(f"{_ABOUT} must have probabilities")
    calibration, behind = state.get("calibration"), state.get("all_scores")
    labels: Any = state.get("labels")
    numbers = [state.get("over_shares")]
    for some, n in ((calibration, 5), (behind, 21), (labels, n_classes)):
        if some is None and some is not labels:
            continue
        if not isinstance(some, list) or len(some) != n:
            raise ValueError(f"{_ABOUT} must have finite numbers")
        numbers += some
    if not _are_finite(numbers) or min(labels) < 0.0:
        raise ValueError(f"{_ABOUT} must have finite numbers")
    if behind is not None and not learner._config.has_parts:
        raise ValueError(f"{_ABOUT} has more scores than the learner")
    found = Probabilities(n_classes, behind is not None, calibration is not None)
    found.__setstate__(state)
    return found


def _are_plain(some: Sequence[Any]) -> bool:
    return all(isinstance(one, _PLAIN) for one in some)


def _are_finite(some: Sequence[Any]) -> bool:
    return all(isinstance(one, (int, float)) and math.isfinite(one) for one in some)


def load(path: Path, ram: int | str | None = None) -> Learner:
    """Load a learner from a file. Nothing in the file is executed.

    Page: docs/file-format.md.

    Parameters
    ----------
    path : str, bytes or path-like
        Written by ``save`` of a learner, of an estimator or a river model, or of ``Windows`` with
        their learner.
    ram : int or str, optional
        The maximum size of the model in bytes, as for ``Learner``. A small file can describe a
        large model, since it does not contain scratch.

    Returns
    -------
    Learner
        It continues bit for bit as the saved learner would have. A ``NamedLearner`` if the file has
        names.

    Raises
    ------
    ValueError
        The model is incomplete or inconsistent (wrong magic number, version, length, checksum or
        configuration, or an impossible state), or takes more than ``ram``. Configuration and
        ``ram`` are checked before memory is allocated.
    MemoryError
        No memory for the block.
    OSError
        The file cannot be read, or is not a regular file.
    """
    from edgeolk.files.atomic import open_regular

    with open_regular(path) as file:
        if file.read(len(_MARK)) != _MARK:
            return load_plain(path, ram)
        size = os.fstat(file.fileno()).st_size
        file.seek(0)
        try:
            with zipfile.ZipFile(file) as box:
                has_windows = WINDOWS in box.namelist()  # edgeolk.Windows opens those
                names_of_parts = (_LEARNER,) if has_windows else (_LEARNER, _ABOUT)
                parts = {name: _part(box, name, size) for name in names_of_parts}
        except (zipfile.BadZipFile, KeyError, NotImplementedError, ValueError) as error:
            raise ValueError(f"the file is no model with names: {error}") from None
    learner = _bounded(parts[_LEARNER], None if ram is None else parse_bytes(ram))
    if has_windows:
        return learner
    try:
        names = _names_from(parts[_ABOUT], learner)
    except ValueError as error:
        raise ValueError(f"the file is no model with names: {error}") from None
    return NamedLearner(learner, names)


def _part(box: zipfile.ZipFile, name: str, size: int) -> bytes:
    """A file of an archive of `size` bytes, stored without compression."""
    about = box.getinfo(name)
    if about.compress_type != zipfile.ZIP_STORED or about.file_size > size:
        raise ValueError(f"{name} is compressed")
    return box.read(about)


def _bounded(block: bytes, max_bytes: int | None) -> Learner:
    from edgeolk.files import restore

    return Learner._over(*restore.from_bytes(block, max_bytes))
