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

from edgeolk.calibration import Calibration, softmax, two_columns
from edgeolk.configuration.plan import parse_bytes
from edgeolk.learner import Learner
from edgeolk.learner import load as load_plain

if TYPE_CHECKING:
    from edgeolk.files.atomic import Path

#: Names in a file of a named learner.
_LEARNER, _ABOUT = "learner.olk", "about.json"
_FORMAT = 1
#: How such a file begins, as every archive.
_MARK = b"PK\x03\x04"
_PLAIN = (str, int, float, bool)


@dataclass(frozen=True)
class Names:
    """What a learner's numbers mean.

    Attributes
    ----------
    classes : tuple
        Labels of the classes in the order of the learner; empty if it has none.
    features : tuple
        Names of the inputs; empty if unknown.
    calibration : Calibration or None
        Turns scores into probabilities; None if they are log odds.
    target_mean, target_scale : float
        A target is the score times ``target_scale``, plus ``target_mean``.
    """

    classes: tuple[Any, ...] = ()
    features: tuple[Any, ...] = ()
    calibration: Calibration | None = None
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
        classes = self.names.classes
        if not classes:
            return self.predict_one(x)
        several = self.n_classes > 2
        place = self.scores_one(x).argmax() if several else self.decision_one(x) > 0.0
        return classes[min(int(place), len(classes) - 1)]

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
        if not names.classes:
            raise AttributeError("predict_proba_one needs classes")
        if self.n_classes > 2:
            scores = np.asarray(self.scores_one(x))[None, : len(names.classes)]
        else:
            scores = two_columns([self.decision_one(x)])
        calibration = names.calibration
        shares = softmax(scores) if calibration is None else calibration.probabilities(scores)
        known = shares[0]
        if len(names.classes) < len(known):  # of classes that have not come
            known = known[: len(names.classes)] / known[: len(names.classes)].sum()
        return dict(zip(names.classes, known.tolist(), strict=True))

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

        names, calibration = self.names, self.names.calibration
        about = {
            "format": _FORMAT,
            "classes": [_plain(name, "classes") for name in names.classes],
            "features": [_plain(name, "features") for name in names.features],
            "calibration": None if calibration is None else calibration.__getstate__(),
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


def _names_from(data: bytes) -> Names:
    """The names in a file; raises ValueError if they are not valid."""
    about = json.loads(data)
    if not isinstance(about, dict) or about.get("format") != _FORMAT:
        raise ValueError(f"{_ABOUT} is not of format {_FORMAT}")
    classes: Any = about.get("classes")
    features: Any = about.get("features")
    numbers: Any = about.get("calibration")
    unit: list[Any] = [about.get("target_mean"), about.get("target_scale")]
    if not all(isinstance(some, list) and _are_plain(some) for some in (classes, features)):
        raise ValueError(f"{_ABOUT} must list classes and features")
    if not _are_finite(unit) or not (
        numbers is None
        or (isinstance(numbers, list) and len(numbers) == 5 and _are_finite(numbers))
    ):
        raise ValueError(f"{_ABOUT} must have finite numbers")
    calibration = None
    if numbers is not None:
        calibration = Calibration()
        calibration.__setstate__(tuple(map(float, numbers)))
    return Names(tuple(classes), tuple(features), calibration, float(unit[0]), float(unit[1]))


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
        Written by ``save`` of a learner, or by ``save`` of an estimator or a river model.
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
                parts = {name: _part(box, name, size) for name in (_LEARNER, _ABOUT)}
            names = _names_from(parts[_ABOUT])
        except (zipfile.BadZipFile, KeyError, NotImplementedError, ValueError) as error:
            raise ValueError(f"the file is no model with names: {error}") from None
    learner = _bounded(parts[_LEARNER], None if ram is None else parse_bytes(ram))
    expected = learner.n_classes if learner.n_classes > 2 else 2
    if len(names.classes) > expected or (names.classes and learner.is_regression):
        raise ValueError(f"the file names {len(names.classes)} classes of {expected}")
    if names.features and len(names.features) > learner.n_features:
        raise ValueError(f"the file names {len(names.features)} inputs of {learner.n_features}")
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
