"""The learner: a model in one block of memory, and the names a user knows it by."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from edgeolk.block import build
from edgeolk.boundary.scoring import Scorer
from edgeolk.catalogue import Method
from edgeolk.config import Config
from edgeolk.core.engine import Engine
from edgeolk.counting import Counting
from edgeolk.parts import Algorithm, Averaging, Dtype
from edgeolk.parts.kernels import Kernel
from edgeolk.planning.fit import parse_bytes
from edgeolk.plans import Plan, plan_of
from edgeolk.scaling import RunningScaler
from edgeolk.scaling.inside import copied
from edgeolk.storing import Storing

if TYPE_CHECKING:
    from edgeolk.files.atomic import Path

FloatArray = NDArray[np.float64]


def _coefficients(columns: memoryview, n: int, scale: float) -> FloatArray:
    """The first n coefficients of a region as float64: (n,), or (n, columns) if there are more."""
    held: NDArray[Any] = np.asarray(columns)[:, :n].T
    each = held if held.shape[1] > 1 else held[:, 0]
    return np.ascontiguousarray(each, dtype=np.float64) * scale


class Averaged(Scorer):
    """Read-only view of the averaged model (f_1 + ... + f_T) / T, T examples seen.

    f_1 = 0 counts, the model after the last example does not: the average of the T models that
    made the predictions (Lu, Zhao & Hoi 2016). It has ``decision_one``, ``predict_one``,
    ``decision_function`` and ``predict`` of the learner.
    """

    @property
    def dual_coef_(self) -> FloatArray:
        """Averaged coefficients of shape (n_support,), or (n_support, n_classes); a copy."""
        engine = self._engine
        return _coefficients(engine.mean_view(), engine.counters()["n_coefficients"], 1.0)


class Learner(Storing, Counting):
    """An online kernel learner in memory fixed at construction.

    Parameters
    ----------
    algorithm : Config, str or Algorithm, optional
        A configuration; or what ``Config`` takes, with its other arguments as ``options``:
        ``n_features=``, ``budget=`` or ``ram=``, ``kernel=``, ``dtype=``, ``coefficients=``,
        ``seed=``, ``sparse=``, ``n_classes=``, ``feature_range=``,
        ``on_bad_row=``, ``checksums=`` and the algorithm's own parameters.
    buffer : writable contiguous buffer, optional
        Memory to build the model in, at least ``plan(...).nbytes`` long; zeroed, kept alive and not
        resizable while the learner lives. Nothing else is taken.
    **options
        As for ``Config``.

    Raises
    ------
    TypeError, ValueError
        Names the argument, what was got and what is allowed.
    MemoryError
        No memory for the block.

    Notes
    -----
    ``nbytes`` is taken once, here; after that nothing is allocated but returned Python objects.
    One thread at a time may use a learner; a second one gets a RuntimeError. ``repr`` is the call
    that makes the same learner, every default filled in, with its state behind a ``#``. ``pickle``
    and ``copy`` carry the bytes that ``save`` writes.
    """

    __slots__ = ("_config",)

    def __init__(
        self,
        algorithm: Config | Algorithm | str | Method | None = None,
        *,
        buffer: Any = None,
        **options: Any,
    ) -> None:
        config = Config.take(algorithm, options)
        self._start(config, build(config, buffer))

    def _start(self, config: Config, engine: Engine) -> None:
        self._config = config
        self._bind(engine)

    def _ring(self) -> NDArray[Any]:
        """The ring as it lies, (n_features, stride); for a Fourier basis, its frequencies."""
        ring = np.asarray(self._engine.view("support_vectors"))
        return ring.view(np.float16) if self._config.dtype == Dtype.FLOAT16 else ring

    def __repr__(self) -> str:
        state = f"{self.steps} steps"
        if self._config.basis.keeps_vectors:
            state += f", {self.n_support}/{self.budget} support vectors"
        if self._config.freezes:
            state += ", frozen" if self.n_support == self.budget else ", freezes when full"
        return f"{self._config.call('ek.Learner')}  # {state}, {self.nbytes} bytes"

    # ---- configuration ------------------------------------------------------------------------

    @property
    def algorithm(self) -> str:
        """Name of the algorithm, or "custom"."""
        return self._config.name

    @property
    def n_features(self) -> int:
        """Dimension of the examples."""
        return self._config.n_features

    @property
    def budget(self) -> int:
        """The most support vectors ever held, B; for a basis of features, their frequencies, D."""
        return self._config.budget

    @property
    def kernel(self) -> Kernel:
        """The kernel; with ``gamma="auto"`` its width as it is now."""
        if self._config.intake.gamma_rows:
            return replace(self._config.kernel, gamma=self._engine.gamma())  # type: ignore[call-arg]
        return self._config.kernel

    @property
    def dtype(self) -> str:
        """Storage type of the support vectors, or of the weights of structured features."""
        return self._config.dtype.name.lower()

    @property
    def seed(self) -> int:
        """Seed of the generator."""
        return self._config.seed

    @property
    def parts(self) -> dict[str, Any]:
        """The composition: a member of the enum of that name for each axis, ``update`` to
        ``basis``."""
        own = ("dtype", "rows", "coefficients")
        return {axis: part for axis, part in self._config.parts.items() if axis not in own}

    @property
    def parameters(self) -> dict[str, Any]:
        """The algorithm's own parameters in force, by the names it is called with.

        ``Learner(learner.algorithm, n_features=..., budget=..., **learner.parameters)``, with the
        same kernel, storage and seed, is made alike; so is ``Learner(learner.config)``. For a
        composition, without a name, its parts are among them.
        """
        return self._config.parameters

    @property
    def config(self) -> Config:
        """What the learner is made of; ``Learner(learner.config)`` is made alike."""
        return self._config

    @property
    def coefficients(self) -> str:
        """Type of the coefficients."""
        return self._config.coefficients.name.lower()

    # ---- memory -------------------------------------------------------------------------------

    @property
    def nbytes(self) -> int:
        """Bytes taken, exactly those of the plan."""
        return self._engine.arena.nbytes

    @property
    def plan(self) -> Plan:
        """Where every byte is."""
        return plan_of(self._config)

    # ---- state --------------------------------------------------------------------------------

    @property
    def scaler(self) -> RunningScaler | None:
        """The scaler inside, a copy as it is now; None where rows are not scaled."""
        intake = self._config.intake
        return copied(intake, self._engine) if intake.method else None

    @property
    def threshold(self) -> float:
        """What a score must reach not to be novel, rho; ``learn_one`` returns f(x) less this.

        Raises
        ------
        AttributeError
            The loss is not novelty.
        """
        if self._config.needs_labels:
            raise AttributeError(f"{self.algorithm} has no threshold: its loss is not novelty")
        return float(np.asarray(self._engine.view("novelty"))[0, 0])

    @property
    def norm2(self) -> float | None:
        """Squared norm of the function where the algorithm keeps it, else None."""
        value = self._engine.norm2()
        return None if value is None else float(value)

    @property
    def support_vectors_(self) -> NDArray[Any]:
        """Support vectors of shape (n_support, n_features), slot order, a copy in the dtype.

        Those of int8 storage are given as float32.

        For a Fourier basis, the frequencies.

        Raises
        ------
        AttributeError
            The learner stores no vectors.
        """
        if not self._config.basis.keeps_vectors:
            raise AttributeError(f"{self.algorithm} stores weights of features, no vectors")
        held: NDArray[Any] = self._ring()[:, : self.n_support].T.copy()
        if self._config.dtype != Dtype.INT8:
            return held
        levels: NDArray[Any] = np.asarray(self._engine.view("levels"))
        return np.asarray(held * levels[0] + levels[1])

    @property
    def dual_coef_(self) -> FloatArray:
        """Dual coefficients of shape (n_support,), slot order, a copy.

        With ``n_classes=`` of shape (n_support, n_classes).

        For cosines and sines the weights of the D cosines, then of the D sines; for a Nystrom basis
        the coefficients on the support vectors that the weights amount to.

        Raises
        ------
        AttributeError
            The learner keeps no coefficients of kernels.
        """
        if self._config.update.whole:
            raise AttributeError(f"{self.algorithm} has weights_, no dual coefficients")
        engine = self._engine
        counters = engine.counters()
        n, rank = counters["n_support"], counters["rank"]
        weights = _coefficients(
            engine.view("coefficients"), counters["n_coefficients"], engine.scale()
        )
        if rank == 0:
            return weights
        rows: FloatArray = np.asarray(engine.view("feature_map")).reshape(-1)[: rank * n]
        return np.asarray(weights @ rows.reshape(rank, n))

    @property
    def weights_(self) -> NDArray[Any]:
        """Weights as stored, (2, D, n_classes or 1, 2), a copy: the last ones, then their average;
        cosines, then sines. For novelty the average alone, (1, D, 1, 2).

        Raises
        ------
        AttributeError
            The learner is not ``sorf``.
        """
        if not self._config.update.whole:
            raise AttributeError(f"{self.algorithm} has dual_coef_, no weights")
        names = ("weights", "mean_weights") if self._config.needs_labels else ("mean_weights",)
        shape = (self.budget, self._config.columns, 2)
        return np.stack([np.asarray(self._engine.view(n)).reshape(shape) for n in names])

    @property
    def n_saturated(self) -> int:
        """Stored weights of int8 at an end of their range, -127 or 127; 0 for other storage.

        Counted when asked. More than a few per cent call for a smaller ``unit=``.

        Raises
        ------
        AttributeError
            As ``weights_``.
        """
        weights = self.weights_
        if self._config.dtype != Dtype.INT8:
            return 0
        return int(np.count_nonzero((weights == 127) | (weights == -127)))

    @property
    def n_classes(self) -> int:
        """Classes told apart; 2 where labels are -1 and +1."""
        return max(2, self._config.columns)

    @property
    def averaged(self) -> Averaged:
        """The averaged model, read-only.

        Raises
        ------
        AttributeError
            The algorithm keeps none.
        """
        if self._config.parts["averaging"] == Averaging.NONE:
            raise AttributeError(f"{self.algorithm} keeps no averaged model")
        view = Averaged()
        view._bind(self._engine, True)
        return view

    @property
    def is_regression(self) -> bool:
        """Whether targets are real numbers."""
        return self._config.is_regression


def load(path: Path, ram: int | str | None = None) -> Learner:
    """The learner saved in a file of any format there was (1 to 3). Nothing in it is executed.

    Parameters
    ----------
    path : str, bytes or path-like
        The configuration is checked before memory is taken. A file laid out as a block of this
        version is read where it is to stay; another is copied from there, row by row.
    ram : int or str, optional
        The most bytes that the model may take, as for ``Learner``: a larger one is refused before
        memory is taken. A small file may tell of a large model: scratch is not in it.

    Raises
    ------
    ValueError
        Not a whole, consistent model: wrong mark, version, length, checksum, configuration, or a
        state that learning does not lead to; or one that takes more than ``ram``.
    OSError
        The file cannot be read, or is not a regular one.
    """
    from edgeolk.files import restore

    most = None if ram is None else parse_bytes(ram)
    return Learner._over(*restore.from_file(path, most))
