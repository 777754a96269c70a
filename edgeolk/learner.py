"""The learner: a model in one block of memory, with its public properties."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from edgeolk.block import build
from edgeolk.boundary.scoring import Scorer
from edgeolk.catalogue import Method
from edgeolk.configuration.config import Config, settings_of
from edgeolk.configuration.fit import parse_bytes
from edgeolk.configuration.plan import Plan, plan_of
from edgeolk.configuration.repr import config_call, config_parameters
from edgeolk.configuration.settings import Settings
from edgeolk.configuration.signature import Signature
from edgeolk.core.engine import Engine
from edgeolk.counting import Counting
from edgeolk.forecasting import Forecasting
from edgeolk.inputs import learned, shuffled
from edgeolk.notebook import table_of
from edgeolk.parts import Algorithm, Averaging, Dtype
from edgeolk.parts.kernels import Kernel
from edgeolk.parts.table import STORED
from edgeolk.preprocessing.scaling import INSIDE
from edgeolk.scaling import RunningScaler
from edgeolk.scaling.inside import CommonScale, common_scale, copied
from edgeolk.storing import Storing
from edgeolk.suggest import unknown_attribute
from edgeolk.watching import Watching

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from edgeolk.configuration.options import Options
    from edgeolk.files.atomic import Path

FloatArray = NDArray[np.float64]


def _coefficients(columns: memoryview, n: int, scale: float) -> FloatArray:
    """The first n coefficients of a region as float64: (n,), or (n, columns) if there are more."""
    values: NDArray[Any] = np.asarray(columns)[:, :n].T
    each = values if values.shape[1] > 1 else values[:, 0]
    return np.ascontiguousarray(each, dtype=np.float64) * scale


class Averaged(Scorer):
    """Read-only view of the averaged model (f_1 + ... + f_T) / T after T examples.

    Page: docs/algorithms.md.

    It averages the T models that made the predictions, so f_1 = 0 counts and the model after the
    last example does not (Lu, Zhao & Hoi 2016). It scores and predicts with the methods of the
    learner.
    """

    @property
    def dual_coef_(self) -> FloatArray:
        """Averaged coefficients, a float64 copy: (n_support,) or (n_support, n_classes)."""
        engine = self._engine
        return _coefficients(engine.mean_view(), engine.counters()["n_coefficients"], 1.0)


class Learner(Storing, Forecasting, Counting, Watching):
    """An online kernel learner in memory fixed at construction.

    Pages: docs/tutorial.md, the first ten minutes; docs/which-one.md, which algorithm to choose.

    Parameters
    ----------
    algorithm : Config, str or Algorithm, optional
        A configuration or an algorithm. If you name none, you get ``sorf``, the recommended one,
        or a composition of the parts that you name.
    buffer : writable contiguous buffer, optional
        Memory for the model, at least ``plan(...).nbytes`` long. It is zeroed, and kept alive and
        not resizable while the learner lives. No other memory is used.
    **options
        The arguments of ``Config``, all described there (``help(ek.Config)``). The most common:
        ``n_features``, the number of inputs; ``ram``, the bytes of the model, or ``budget``, its
        support vectors; ``n_classes`` for more than two classes, ``loss="square"`` for real
        targets, ``loss="novelty"`` for no labels; ``kernel`` or ``gamma``, ``dtype``, ``seed`` and
        the algorithm's own parameters. Not together with a configuration.

    Raises
    ------
    TypeError, ValueError
        With a message that names the argument, the value, and what is allowed.
    MemoryError
        No memory for the block.

    Notes
    -----
    The block is allocated here, once. Later calls allocate only the Python objects they return, and
    scratch for threads that score concurrently. Learning needs exclusive access; several threads
    may score while none learns. Other calls raise RuntimeError (docs/threads.md).

    ``repr`` is the call that creates the same learner, with every default filled in and its state
    after a ``#``. ``pickle`` and ``copy`` use the bytes that ``save`` writes.
    """

    __slots__ = ("_config",)
    __signature__ = Signature()

    def __init__(
        self,
        algorithm: Config | Algorithm | str | Method | None = None,
        *,
        buffer: Any = None,
        **options: Unpack[Options],
    ) -> None:
        config = settings_of(algorithm, {**options})
        self._start(config, build(config, buffer))

    def _start(self, config: Settings, engine: Engine) -> None:
        self._config = config
        self._bind(engine)

    def _ring(self) -> NDArray[Any]:
        """A view of the ring, (n_features, stride); for a Fourier basis, of its frequencies."""
        ring = np.asarray(self._engine.view("support_vectors"))
        return ring.view(self._config.storage.element)

    def __repr__(self) -> str:
        state = f"{self.steps} steps"
        if self._config.basis.keeps_vectors:
            state += f", {self.n_support}/{self.budget} support vectors"
        if not self.budget:
            state += ", no kernel"
        if self._config.freezes:
            state += ", frozen" if self.n_support == self.budget else ", freezes when full"
        return f"{config_call(self._config, 'ek.Learner')}  # {state}, {self.nbytes} bytes"

    def __getattr__(self, name: str) -> Any:
        """Raise AttributeError with similar names; Python calls it only for unknown names."""
        if hasattr(type(self), name):  # a property that raised AttributeError: raise it again
            return object.__getattribute__(self, name)
        raise unknown_attribute(self, name)

    def _repr_html_(self) -> str:
        """A small table, which notebooks show."""
        return table_of(self)

    # ---- configuration ------------------------------------------------------------------------

    @property
    def algorithm(self) -> str:
        """Name of the algorithm, or "custom"."""
        return self._config.name

    @property
    def n_features(self) -> int:
        """Dimension d of the examples."""
        return self._config.n_features

    @property
    def budget(self) -> int:
        """The maximum number of support vectors, B; for a feature basis, of frequencies, D."""
        return self._config.budget

    @property
    def kernel(self) -> Kernel:
        """The kernel; with ``gamma="auto"``, at its current width."""
        if self._config.preprocessing.gamma_rows or self._config.preprocessing.follows:
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
        """The composition: for each axis, such as "policy", a member of its enum, ``ek.Policy``.

        The storage types and the kind of rows are left out.
        """
        return {axis: part for axis, part in self._config.parts.items() if axis not in STORED}

    @property
    def parameters(self) -> dict[str, Any]:
        """The values of the algorithm's own parameters, by their public names.

        With the same size, kernel, storage, seed, ``scale=`` and ``gamma=``,
        ``Learner(learner.algorithm, ..., **learner.parameters)`` creates a learner with the same
        configuration. Those of a composition include its parts.
        """
        return config_parameters(self._config)

    @property
    def config(self) -> Config:
        """The configuration; ``Learner(learner.config)`` creates a new learner like this one."""
        return Config._of(self._config)

    @property
    def coefficients(self) -> str:
        """Storage type of the coefficients."""
        return self._config.coefficients.name.lower()

    # ---- memory -------------------------------------------------------------------------------

    @property
    def nbytes(self) -> int:
        """Bytes of the block, exactly those of the plan."""
        return self._engine.arena.nbytes

    @property
    def plan(self) -> Plan:
        """Every region of the block with its bytes."""
        return plan_of(self._config)

    # ---- state --------------------------------------------------------------------------------

    @property
    def scaler(self) -> RunningScaler | CommonScale | None:
        """A copy of the scaler inside as it is now; None if rows are not scaled.

        A ``CommonScale`` with ``scale="common"``. Otherwise it has a scale for each input, even
        while a common one is used because all readings were one of two numbers (``common_scale``).
        """
        preprocessing = self._config.preprocessing
        if preprocessing.method == INSIDE["common"]:
            return self.common_scale
        scales = preprocessing.method and self.n_features
        return copied(preprocessing, self._engine) if scales else None

    @property
    def common_scale(self) -> CommonScale | None:
        """The scale shared by all inputs; None if each has its own, or rows are not scaled.

        It exists with ``scale="common"``, and, if the width of ``sorf`` follows the rows, as long
        as all readings have been one of two numbers.
        """
        return common_scale(self._config.preprocessing, self._engine)

    @property
    def threshold(self) -> float:
        """The threshold of novelty.

        A row is novel if f(x) < rho; ``learn_one`` returns f(x) - rho. With ``history=True`` a row
        is novel if u(x) > tau; ``learn_one`` returns tau - u(x).

        Raises
        ------
        AttributeError
            The loss is not novelty.
        """
        if self._config.needs_labels:
            raise AttributeError(f"{self.algorithm} has no threshold: its loss is not novelty")
        values = self._engine.view("deviations" if self._config.watches else "novelty")
        return float(np.asarray(values)[0, 0])

    @property
    def norm2(self) -> float | None:
        """Squared norm of the function if the algorithm tracks it, else None."""
        value = self._engine.norm2()
        return None if value is None else float(value)

    @property
    def support_vectors_(self) -> NDArray[Any]:
        """Support vectors in the order of slots, a copy of shape (n_support, n_features).

        Their dtype is the storage type, float32 for int8. A Fourier basis returns its frequencies.

        Raises
        ------
        AttributeError
            The learner stores no vectors.
        """
        if not self._config.basis.keeps_vectors:
            raise AttributeError(f"{self.algorithm} stores weights of features, no vectors")
        values: NDArray[Any] = self._ring()[:, : self.n_support].T.copy()
        if self._config.dtype != Dtype.INT8:
            return values
        levels: NDArray[Any] = np.asarray(self._engine.view("levels"))
        return np.asarray(values * levels[0] + levels[1])

    @property
    def dual_coef_(self) -> FloatArray:
        """Dual coefficients in the order of slots, a copy: float64 of shape (n_support,).

        With ``n_classes=`` the shape is (n_support, n_classes). A Fourier basis returns the weights
        of the D cosines, then of the D sines; a Nystrom basis the coefficients of its support
        vectors that are equivalent to its weights.

        Raises
        ------
        AttributeError
            The learner keeps no coefficients of kernels.
        """
        if self._config.update.is_sorf:
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
        """Weights as stored, a copy of shape (2, D, n_classes or 1, 2).

        The first axis holds the last weights, then their running average; the last axis those of
        cosines, then of sines. For novelty only the average, (1, D, 1, 2). A forecaster without a
        kernel has D = 0.

        Raises
        ------
        AttributeError
            The learner is not ``sorf``.
        """
        if not self._config.update.is_sorf:
            raise AttributeError(f"{self.algorithm} has dual_coef_, no weights")
        names = ("weights", "mean_weights") if self._config.needs_labels else ("mean_weights",)
        shape = (self.budget, self._config.columns, 2)
        if not self.budget:
            return np.zeros((len(names), *shape))
        return np.stack([np.asarray(self._engine.view(n)).reshape(shape) for n in names])

    def inputs(self, X: Any = None, *, seed: int = 0) -> FloatArray:
        """How much each input matters: shares that sum to 1.

        Parameters
        ----------
        X : array-like of shape (n, n_features), optional
            Rows, such as the last few hundred. The result is how much the scores change when one
            input is shuffled among these rows (permutation importance, Breiman, Machine Learning
            45, 2001, applied to scores, so no labels are needed). Without rows, the result is
            what the learner has learned: the squared learned scales of the inputs
            (``relevance=True``).
        seed : int
            Seed of the shuffling.

        Returns
        -------
        ndarray of float64, shape (n_features,)
            All zeros if no input changes any score. With rows, memory is needed for a copy of
            them. The learner is not changed: each row is scored as the next one would be, and
            ``lapse`` counts no row as an answer.

        Raises
        ------
        ValueError
            There are no rows and no learned relevance, or the learner has ``history=True``.

        Examples
        --------
        >>> import edgeolk as ek, numpy as np
        >>> X = np.random.default_rng(0).normal(size=(2000, 3))
        >>> learner = ek.Learner(n_features=3, ram="4KiB")
        >>> scores = learner.learn_many(X, np.where(X[:, 1] > 0, 1.0, -1.0))
        >>> int(learner.inputs(X[-300:]).argmax()), int(learner.inputs().argmax())
        (1, 1)
        """
        config = self._config
        if config.forecasts or config.watches:
            raise ValueError(
                "inputs() does not support history=True: rows in order cannot be shuffled"
            )
        if X is not None:
            still = Scorer()  # its scores are no answers
            still._bind(self._engine, counts=False)
            score = still.scores if config.columns > 1 else still.decision_function
            return shuffled(score, X, seed)
        if config.values.get("relevance") != 1.0:
            raise ValueError(f"{self.algorithm} has not learned relevances; pass rows: inputs(X)")
        return learned(self._engine.view("relevance"))

    @property
    def n_saturated(self) -> int:
        """Number of int8 weights at either end of the range, -127 or 127.

        Counted at each call; 0 for other storage types. If more than a few per cent of the weights
        saturate, reduce ``unit=``.

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
        """Number of classes; 2 if labels are -1 and +1."""
        return max(2, self._config.columns)

    @property
    def averaged(self) -> Averaged:
        """The averaged model, read-only.

        Raises
        ------
        AttributeError
            The algorithm keeps no averaged model.
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
    """Load a learner from a file of format 3. Nothing in the file is executed.

    Page: docs/file-format.md.

    Parameters
    ----------
    path : str, bytes or path-like
        Written by ``Learner.save``.
    ram : int or str, optional
        The maximum size of the model in bytes, as for ``Learner``. A small file can describe a
        large model, since it does not contain scratch.

    Returns
    -------
    Learner
        It continues bit for bit as the saved learner would have.

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
    from edgeolk.files import restore

    max_bytes = None if ram is None else parse_bytes(ram)
    return Learner._over(*restore.from_file(path, max_bytes))
