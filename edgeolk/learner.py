"""The learner: a model in one block of memory, and the names a user knows it by."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from edgeolk import checkpoint
from edgeolk.boundary import RowLearner, Scorer
from edgeolk.config import Config, from_header
from edgeolk.core.arena import ALIGNMENT, Arena
from edgeolk.core.engine import Engine
from edgeolk.core.header import MAGIC, read_header
from edgeolk.files.atomic import Path
from edgeolk.kernels import Kernel
from edgeolk.levels import levels_of
from edgeolk.parts import Algorithm, Averaging, Basis, Dtype, Loss
from edgeolk.planning import Plan, choose, plan_of

FloatArray = NDArray[np.float64]


def _coefficients(block: memoryview, n: int, scale: float) -> FloatArray:
    return np.frombuffer(block, np.float64)[:n] * scale


class Averaged(Scorer):
    """Read-only view of the averaged model (f_1 + ... + f_T) / T, T examples seen.

    f_1 = 0 counts, the model after the last example does not: the average of the T models that
    made the predictions (Lu, Zhao & Hoi 2016). It has ``decision_one``, ``predict_one``,
    ``decision_function`` and ``predict`` of the learner.
    """

    @property
    def dual_coef_(self) -> FloatArray:
        """Averaged coefficients of shape (n_support,), slot order, a copy."""
        engine = self._engine
        return _coefficients(engine.mean_view(), engine.counters()["n_coefficients"], 1.0)


class Learner(RowLearner):
    """An online kernel learner in memory fixed at construction.

    Parameters
    ----------
    algorithm : str or Algorithm, optional
        A published algorithm (``ek.algorithms()`` lists them). Without it the learner is composed:
        ``update=, loss=, policy=, sampling=, projection=, schedule=, averaging=`` take members of
        the enums of these names.
    n_features : int
        Dimension d of the examples.
    budget : int, optional
        The most support vectors ever held, B.
    ram : int or str, optional
        Instead of ``budget``: bytes, or a size such as ``"64KiB"``; B is the largest that fits.
    kernel : Kernel, optional
        ``Gaussian(gamma)``, ``Laplacian(gamma)``, ``Polynomial(degree, scale, offset)``,
        ``Linear()`` or ``Sigmoid(scale, offset)``. Default ``Gaussian(1 / n_features)``.
    dtype : {"float32", "float64", "float16", "int8"}
        How support vectors are stored. Rows are computed in float64 for float64, else in float32;
        coefficients and everything made from them are float64. The learner sees every example as
        storage would hold it.
    sparse : bool
        Whether rows are mostly zeros. Norms of the support vectors are then kept (4 bytes each, 8
        for float64), and a row with at most half non-zeros costs only these; scores agree with
        dense ones to rounding. CSR matrices are taken either way.
    feature_range : (low, high), with int8 only
        Ends of the 256 levels, numbers or arrays of shape (n_features,); default (-4, 4), which
        suits standardised features. A reading beyond them counts as the end.
    seed : int
        Seed of the PCG32 generator, 0 to 2^64 - 1.
    buffer : writable contiguous buffer, optional
        Memory to build the model in, at least ``plan(...).nbytes`` long; zeroed, kept alive and not
        resizable while the learner lives. Nothing else is taken.
    **params
        The algorithm's own parameters, by the names of its paper (``parameters`` shows them).

    Raises
    ------
    TypeError, ValueError
        Names the argument, what was got and what is allowed.
    MemoryError
        No memory for the block.

    Notes
    -----
    ``nbytes`` is taken once, here; after that nothing is allocated but returned Python objects.
    One thread at a time may use a learner; a second one gets a RuntimeError.
    """

    __slots__ = ("_config",)

    def __init__(
        self,
        algorithm: Algorithm | str | None = None,
        *,
        n_features: int,
        budget: int | None = None,
        ram: int | str | None = None,
        kernel: Kernel | None = None,
        dtype: Any = "float32",
        seed: int = 0,
        sparse: bool = False,
        feature_range: tuple[Any, Any] | None = None,
        buffer: Any = None,
        **params: Any,
    ) -> None:
        config = choose(
            algorithm,
            n_features=n_features,
            budget=budget,
            ram=ram,
            kernel=kernel,
            dtype=dtype,
            seed=seed,
            sparse=sparse,
            params=params,
        )
        quantum = levels_of(config, feature_range)
        plan = plan_of(config)
        self._start(config, Engine(config, plan.regions, Arena(plan.nbytes, buffer)))
        if quantum is not None:
            for name, values in zip(("quantum_scale", "quantum_offset"), quantum, strict=True):
                region = self._engine.view(name).cast("f")
                for feature, value in enumerate(values):
                    region[feature] = value
        if config.parts["basis"] == Basis.FOURIER:
            self._draw_frequencies(config)

    def _start(self, config: Config, engine: Engine) -> None:
        self._config = config
        self._bind(engine)

    def _numbers(self, region: str, dtype: Any) -> NDArray[Any]:
        return np.frombuffer(self._engine.view(region), dtype)

    def _ring(self) -> NDArray[Any]:
        """The ring as it lies, (n_features, stride); for a Fourier basis, its frequencies."""
        config = self._config
        ring = self._numbers("support_vectors", config.dtype.name.lower())
        return ring[: config.n_features * config.stride].reshape(config.n_features, config.stride)

    def _draw_frequencies(self, config: Config) -> None:
        """Omega = standard normal (D, d) * sqrt(2 gamma), by numpy's PCG64."""
        generator = np.random.Generator(np.random.PCG64(config.seed))
        draws = generator.standard_normal((config.budget, config.n_features))
        gamma = config.kernel.fields()[2]
        self._ring()[:, : config.budget] = (draws * math.sqrt(2.0 * gamma)).T

    @classmethod
    def _from_block(cls, block: bytes) -> Learner:
        config = checkpoint.checked(block)
        arena = Arena(plan_of(config).nbytes)
        memoryview(arena)[:] = block
        return cls._over(config, arena)

    @classmethod
    def _over(cls, config: Config, arena: Arena) -> Learner:
        """A learner over a block that has been checked."""
        learner = cls.__new__(cls)
        learner._start(config, Engine(config, plan_of(config).regions, arena, False))
        return learner

    def __reduce__(self) -> tuple[Any, ...]:
        self._engine.check_idle()
        return type(self)._from_block, (checkpoint.sealed(self._engine.arena),)

    def __repr__(self) -> str:
        return (
            f"<Learner {self.algorithm}: d={self.n_features}, {self.steps} steps,"
            f" {self.n_support}/{self.budget} support vectors, {self.nbytes} bytes>"
        )

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
        """The most support vectors ever held."""
        return self._config.budget

    @property
    def kernel(self) -> Kernel:
        """The kernel."""
        return self._config.kernel

    @property
    def dtype(self) -> str:
        """Storage type of the support vectors."""
        return self._config.dtype.name.lower()

    @property
    def seed(self) -> int:
        """Seed of the generator."""
        return self._config.seed

    @property
    def parts(self) -> dict[str, Any]:
        """The composition: update, loss, sampling, policy, projection, schedule, averaging."""
        own = ("dtype", "rows")
        return {axis: part for axis, part in self._config.parts.items() if axis not in own}

    @property
    def parameters(self) -> dict[str, float]:
        """Real-valued parameters in force, by their stored names."""
        return dict(self._config.values)

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
    def steps(self) -> int:
        """Examples learned."""
        return int(self._engine.counters()["steps"])

    @property
    def mistakes(self) -> int:
        """Examples with y f <= 0 before their update; a score of 0 is a mistake."""
        return int(self._engine.counters()["mistakes"])

    @property
    def updates(self) -> int:
        """Examples that changed the model."""
        return int(self._engine.counters()["updates"])

    @property
    def capacity_hits(self) -> int:
        """Examples that asked a full, frozen ring for an update."""
        return int(self._engine.counters()["capacity_hits"])

    @property
    def labels_asked(self) -> int:
        """Calls of ``wants_label`` that said yes."""
        return int(self._engine.counters()["labels_asked"])

    @property
    def halvings(self) -> int:
        """Times the ring was halved."""
        return int(self._engine.counters()["halvings"])

    @property
    def squared_error(self) -> float:
        """Sum of (y - f)^2 before each update; with the square loss only."""
        return float(self._engine.counters()["squared_error"])

    @property
    def n_support(self) -> int:
        """Support vectors held."""
        return int(self._engine.counters()["n_support"])

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
        """
        held: NDArray[Any] = self._ring()[:, : self.n_support].T.copy()
        if self._config.dtype != Dtype.INT8:
            return held
        d = self.n_features
        scale: NDArray[Any] = self._numbers("quantum_scale", np.float32)[:d]
        offset: NDArray[Any] = self._numbers("quantum_offset", np.float32)[:d]
        return np.asarray(held * scale + offset)

    @property
    def dual_coef_(self) -> FloatArray:
        """Dual coefficients of shape (n_support,), slot order, a copy.

        For a Fourier basis the weights of the D cosines, then of the D sines; for a Nystrom basis
        the coefficients on the support vectors that the weights amount to.
        """
        engine = self._engine
        basis = self._config.parts["basis"]
        counters = engine.counters()
        n, rank = counters["n_support"], counters["rank"]
        weights = _coefficients(
            engine.view("coefficients"), counters["n_coefficients"], engine.scale()
        )
        if basis == Basis.FOURIER or rank == 0:
            return weights
        rows = np.frombuffer(engine.view("feature_map"), np.float64)[: rank * n]
        return weights @ rows.reshape(rank, n)

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
        return self._config.parts["loss"] == Loss.SQUARE

    # ---- files --------------------------------------------------------------------------------

    def save(self, path: Path) -> None:
        """Write the model to a file: its block with a CRC-32, replaced whole.

        The file is written beside its final name, synced and renamed, so a reader finds the old
        model or the new one, also after a power cut. Loading it and going on gives bit for bit what
        going on without stopping does.

        Parameters
        ----------
        path : str, bytes or path-like
            A symbolic link is followed; mode and owner of an existing file are kept.

        Raises
        ------
        OSError
            The file cannot be written, or something other than a regular file has that name.
        """
        self._engine.check_idle()
        checkpoint.write(path, checkpoint.sealed(self._engine.arena))


def load(path: Path) -> Learner:
    """The learner saved in a file. Nothing in the file is executed.

    Parameters
    ----------
    path : str, bytes or path-like
        The file is checked before memory is taken, and read where it is to stay: no more is needed
        than it is long.

    Raises
    ------
    ValueError
        Not a whole, consistent model: wrong mark, version, length, checksum, configuration, or a
        state that learning does not lead to.
    OSError
        The file cannot be read, or is not a regular one.
    """
    return Learner._over(*checkpoint.read_model(path))


def attach(buffer: Any) -> Learner:
    """Continue the model that lies in a buffer, where it lies.

    Parameters
    ----------
    buffer : writable contiguous buffer
        One that a learner was built in (``buffer=``) in this or another process, or a copy of it,
        however aligned; ``nbytes`` of the model long at least. It is kept alive and not resizable
        while the learner lives.

    Returns
    -------
    Learner
        Nothing is copied; going on gives bit for bit what the first learner would have given.

    Raises
    ------
    TypeError
        No writable contiguous buffer.
    ValueError
        No whole, consistent model, or another learner is in the buffer. A live block has no
        checksum: a state that learning does not lead to is refused, a number that is wrong but
        possible is not found.
    """
    try:
        view = memoryview(buffer).cast("B")
    except TypeError as error:
        raise TypeError(f"buffer must be contiguous memory: {error}") from None
    # What is said outside the block keeps no view of the buffer alive.
    refusal = ""
    with view:
        try:
            config, plan = _lying_in(view)
        except ValueError as error:
            refusal = str(error)
    if refusal:
        raise ValueError(refusal)
    return Learner._over(config, Arena(plan.nbytes, buffer, MAGIC))


def _lying_in(view: memoryview) -> tuple[Config, Plan]:
    """Configuration and plan of the model in a buffer, whose state has been checked."""
    at = bytes(view[: ALIGNMENT + len(MAGIC)]).find(MAGIC)
    if at < 0:
        raise ValueError("buffer holds no model")
    header = read_header(view[at:])
    config = from_header(header)
    plan = plan_of(config)
    length = plan.nbytes - ALIGNMENT
    if header["nbytes"] != length or len(view) < plan.nbytes:
        raise ValueError(f"buffer must hold {plan.nbytes} bytes for this model, got {len(view)}")
    checkpoint.check_block(config, header, view[at : at + length])
    return config, plan
