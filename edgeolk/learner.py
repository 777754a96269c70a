"""The learner: a model in one block of memory, with its public properties."""

from __future__ import annotations

from dataclasses import replace
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from edgeolk.block import attached, build, over
from edgeolk.configuration.config import Config, Signature, settings_of
from edgeolk.configuration.plan import Plan, parse_bytes, plan_of
from edgeolk.configuration.repr import config_call, config_parameters
from edgeolk.configuration.settings import Settings
from edgeolk.counters import Counters
from edgeolk.engine.engine import Engine
from edgeolk.errors import unknown_attribute
from edgeolk.inputs import Inputs
from edgeolk.parts import Algorithm, Dtype
from edgeolk.parts.kernels import Kernel
from edgeolk.parts.methods import Method
from edgeolk.parts.table import STORED
from edgeolk.rows.learning import RowLearner
from edgeolk.rows.scoring import Scorer
from edgeolk.sorf.faces import PARTS, Forecasting, Watching, verdict_of

if TYPE_CHECKING:
    from typing_extensions import Self, Unpack

    from edgeolk.configuration.options import Options
    from edgeolk.core.arena import Arena
    from edgeolk.files.atomic import Path

FloatArray = NDArray[np.float64]
#: What ``Learner.watch_many`` returns for each row.
VERDICTS = np.dtype(
    [
        ("score", np.float64),
        *((name, np.bool_) for name in ("novel", "alarm", "event", "rare")),
        ("part", "U9"),
        ("channel", np.int32),
    ]
)


def _coefficients(columns: memoryview, n: int, scale: float) -> FloatArray:
    """The first n coefficients of a region as float64: (n,), or (n, columns) if there are more."""
    values: NDArray[Any] = np.asarray(columns)[:, :n].T
    each = values if values.shape[1] > 1 else values[:, 0]
    return np.ascontiguousarray(each, dtype=np.float64) * scale


class Averaged(Scorer):
    """Read-only view of the averaged model (f_1 + ... + f_T) / T after T examples.

    ``learner.averaged`` returns it, as in ``learner.averaged.predict(X)``.

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


class Learner(Counters, Inputs, Forecasting, RowLearner, Watching):
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
        if self._config.keeps_vectors:
            state += f", {self.n_support}/{self.budget} {self._config.size_name}"
        if not self.budget:
            state += ", no kernel"
        if self._config.freezes:
            state += ", frozen" if self.n_support == self.budget else ", freezes when full"
        return f"{config_call(self._config, 'ek.Learner')}  # {state}, {self.nbytes} bytes"

    def __getattr__(self, name: str) -> Any:
        """Raise AttributeError with similar names; Python calls it only for unknown names."""
        if hasattr(type(self), name):  # a property that raised AttributeError: raise it again
            return object.__getattribute__(self, name)
        raise unknown_attribute(self, name, config_parameters(self._config))

    def _repr_html_(self) -> str:
        """A small table, which notebooks show."""
        return _table_of(self)

    # ---- files ---------------------------------------------------------------------------------

    @classmethod
    def _from_block(cls, block: bytes) -> Self:
        from edgeolk.files import restore

        return cls._over(*restore.from_bytes(block))

    @classmethod
    def _over(cls, config: Settings, arena: Arena) -> Self:
        """A learner over a block that has been checked."""
        learner = cls.__new__(cls)
        learner._start(config, over(config, arena))
        return learner

    def _sealed(self) -> bytearray:
        """The bytes of a model file."""
        from edgeolk.files import restore

        return restore.written(self._engine.saved())

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self)._from_block, (bytes(self._sealed()),)

    def seal(self) -> None:
        """Write checksums into the block, so that ``attach`` can tell whether it has changed.

        For a block in memory that outlives the process. The next learned row removes the seal, and
        so do ``restart``, ``accept`` and an answer that ``lapse`` counts.

        Raises
        ------
        ValueError
            The learner was made without ``checksums=True``.
        """
        from edgeolk.files import checksums

        if not self._config.checksums:
            raise ValueError("seal needs a learner created with checksums=True")

        def write(arena: Arena) -> None:
            with memoryview(arena) as block:
                checksums.seal(block)

        self._engine.alone(write)

    def save(self, path: Path) -> None:
        """Write the model to a file: the part of its block that is state, with a CRC-32.

        Format 5; docs/file-format.md describes every byte.

        The file is written under a temporary name, synced and renamed: a reader finds the old model
        or the new one, even after a power cut. A loaded learner continues bit for bit as the saved
        one would have.

        Parameters
        ----------
        path : str, bytes or path-like
            A symbolic link is followed; mode and owner of an existing file are kept.

        Raises
        ------
        OSError
            The file cannot be written, or something other than a regular file has that name.
        RuntimeError
            Another thread is using the learner.
        """
        from edgeolk.files.atomic import write_atomically

        write_atomically(path, (self._sealed(),))

    # ---- streams ------------------------------------------------------------------------------

    def watch_many(self, X: Any, time: Any = None) -> NDArray[Any]:
        """Learn rows of a stream in order and return the verdict on each; for ``history=True``.

        Page: docs/anomalies.md.

        Parameters
        ----------
        X : ndarray of shape (n, n_features)
            A row per period; a single channel is a column: ``X.reshape(-1, 1)``.
        time
            As for ``learn_many``.

        Returns
        -------
        structured ndarray of shape (n,)
            For each row ``score``, which is ``anomaly`` after it; ``novel``, ``alarm``, ``event``,
            ``rare``; ``part`` and ``channel``, which are ``why``.

        Raises
        ------
        AttributeError
            The learner is not one of novelty with ``history=True``.
        TypeError, ValueError, KeyboardInterrupt
            As for ``learn_many``.
        """
        verdict_of(self._engine)
        n = X.shape[0] if hasattr(X, "shape") and len(X.shape) > 0 else len(X)
        scores, outputs = np.empty(n), np.empty(2 * n)
        self._answer_many(X, None, scores, None, outputs, time)
        words = outputs[::2].astype(np.int64)
        found = np.empty(n, dtype=VERDICTS)
        found["score"] = outputs[1::2]
        for bit, name in enumerate(("novel", "alarm", "event", "rare")):
            found[name] = words >> bit & 1
        found["part"] = np.array(PARTS)[words >> 4 & 7]
        found["channel"] = words >> 8
        return found

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

        The storage types and the kind of rows are left out; ``sorf`` has a loss only.
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
    def threshold(self) -> float:
        """The threshold of novelty.

        A row is novel if f(x) < rho; ``learn_one`` returns f(x) - rho. With ``history=True`` a row
        is novel if ``anomaly`` is 0.5 or more; ``learn_one`` returns 0.5 - ``anomaly``.

        Raises
        ------
        AttributeError
            The loss is not novelty.
        """
        if self._config.reports_events:
            return 0.5
        name = self._config.threshold_region
        if not name:
            raise AttributeError(f"{self.algorithm} has no threshold: its loss is not novelty")
        return float(np.asarray(self._engine.view(name))[0, 0])

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
        if not self._config.keeps_vectors:
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
        if self._config.weight_regions:
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
        names = self._config.weight_regions
        if not names:
            raise AttributeError(f"{self.algorithm} has dual_coef_, no weights")
        shape = (self.budget, self._config.columns, 2)
        if not self.budget:
            return np.zeros((len(names), *shape))
        return np.stack([np.asarray(self._engine.view(n)).reshape(shape) for n in names])

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
        if not self._config.has_mean:
            raise AttributeError(f"{self.algorithm} keeps no averaged model")
        view = Averaged()
        view._bind(self._engine, True)
        return view

    @property
    def is_regression(self) -> bool:
        """Whether targets are real numbers."""
        return self._config.is_regression


def load(path: Path, ram: int | str | None = None) -> Learner:
    """Load a learner from a file of format 5. Nothing in the file is executed.

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


def attach(buffer: Any, torn: str = "refuse", verify: bool | None = None) -> Learner:
    """Continue with the model in a buffer, in place.

    Page: docs/file-format.md.

    Parameters
    ----------
    buffer : writable contiguous buffer
        A buffer in which this version of the library built a learner (``buffer=``), in this or
        another process, or a copy of it with any alignment; at least ``nbytes`` of the model long.
        It is kept alive and cannot be resized while the learner lives.
    torn : {"refuse", "repair", "accept"}
        What to do if the last step was interrupted by a kill or a power cut, which a flag in the
        block shows. "repair" corrects counters, recomputes norms, factors and neighbours, and
        checks everything; vectors and coefficients stay unchanged, so part of the interrupted step
        may remain. "accept" only checks.
    verify : bool, optional
        Whether to compare the checksums of ``Learner.seal``: None if there are any, True always
        (a block that is not sealed is rejected), False never.

    Returns
    -------
    Learner
        Uses the buffer without a copy. It continues bit for bit as the first learner would have,
        unless a step was interrupted.

    Raises
    ------
    TypeError
        No writable contiguous buffer.
    ValueError
        The model is incomplete or inconsistent, its last step was interrupted (``torn="refuse"``),
        it has the layout of another version (use ``save`` and ``load``), it has changed since it
        was sealed, or another learner uses the buffer; nothing was changed. In a block that is not
        sealed, impossible states are detected, but not wrong values that are possible.
    """
    return Learner._over(*attached(buffer, torn, verify))


def _table_of(learner: Learner) -> str:
    """The learner's task, size and counters as an HTML table."""
    config = learner._config
    if learner.is_regression:
        task = "regression"
    elif not config.needs_labels:
        task = "novelty"
    else:
        task = f"{learner.n_classes or 2} classes"
    rows = {
        "task": f"{task}, {learner.n_features} inputs",
        "memory": f"{learner.nbytes:,} bytes",
        "kernel": repr(learner.kernel),
        "rows learned": f"{learner.steps:,}",
        "updates": f"{learner.updates:,}",
    }
    if config.keeps_vectors:
        rows[config.size_name] = f"{learner.n_support:,} of {learner.budget:,}"
    if config.needs_labels and not learner.is_regression and learner.steps:
        share = 100.0 * learner.mistakes / learner.steps
        rows["mistakes"] = f"{learner.mistakes:,} ({share:.1f} %)"
    if learner.is_regression and learner.steps:
        rows["mean absolute error"] = f"{learner.absolute_error / learner.steps:.4g}"
    cells = "".join(
        f"<tr><th style='text-align:left'>{name}</th>"
        f"<td style='text-align:left'>{escape(value)}</td></tr>"
        for name, value in rows.items()
    )
    return f"<table><caption>{escape(learner.algorithm)}</caption>{cells}</table>"
