"""Second step: one checked configuration, from a caller's arguments or from a file, and its plan.

All errors in it are found here, before memory is touched.
"""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING, Any

from edgeolk.configuration.arguments import Given, take_aliases
from edgeolk.configuration.families import FAMILIES
from edgeolk.configuration.plan import (
    Plan,
    RamError,
    first_that_fits,
    fit,
    parse_bytes,
    plan_of,
    smallest_bytes,
)
from edgeolk.configuration.repr import config_arguments, config_call, config_parameters
from edgeolk.configuration.settings import Settings
from edgeolk.errors import suggest, unknown_attribute
from edgeolk.parts.kernels import Kernel
from edgeolk.parts.methods import Method, find
from edgeolk.parts.numbers import Algorithm, Coefficients, Dtype, Family, Loss
from edgeolk.parts.table import DEFAULT_PARTS

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Literal

    from typing_extensions import Unpack

    from edgeolk.configuration.options import Options, Parameters


class Config:
    """The checked configuration of a learner, with every default filled in. It cannot be changed.

    ``Learner``, ``plan``, ``edgeolk.bare``, the command line and the simulator accept one, or build
    one from the same arguments.

    Parameters
    ----------
    algorithm : str or Algorithm, optional
        A published algorithm (``ek.algorithms()`` lists them). If you name none, you get the
        recommended one, ``sorf``. To compose a learner from parts instead, give ``update=, loss=,
        policy=, sampling=, projection=, schedule=, averaging=, basis=``: members of the enums of
        these names, or their names. A composed learner does not scale its inputs and has the width
        1 / n_features unless you give ``scale=`` and ``gamma=``.
    n_features : int
        Number of inputs, d.
    budget : int, optional
        The maximum number of support vectors, B. For ``fogd`` and ``sorf`` it is the number of
        frequencies, D (default 100).
    ram : int or str, optional
        Instead of ``budget``: bytes, or a size such as ``"64KiB"``. B is the largest that fits.
    kernel : Kernel, optional
        ``Gaussian(gamma)``, ``Laplacian(gamma)``, ``Polynomial(degree, scale, offset)``,
        ``Linear()`` or ``Sigmoid(scale, offset)``. Default: Gaussian with width ``gamma``.
    dtype : {"float32", "float64", "float16", "int8"}
        Storage type of support vectors; for ``sorf``, of its weights. Kernels are computed in
        float64 for float64, else in float32, from rows rounded to the storage type. Default
        float32; int8 for ``sorf``.
    coefficients : {"float64", "float32"}
        Storage type of coefficients, and of kernel rows that a policy stores; sums are float64.
        float32 halves their bytes. Default float64, for ``krls_auto`` always the type of its rows,
        ``dtype``. float32 is not supported by policies that solve linear systems with them
        (``Policy.SPAN``, ``PROJECT``, ``HALVE``, ``LIGHTEST_PROJECT``, ``ANCHOR``) or update scores
        by increments (``FORGETRON_GREEDY``), by ``Basis.NYSTROM``, and by ``sorf``, which has none.
    seed : int
        Seed of the PCG32 generator, 0 to 2^64 - 1.
    sparse : bool, optional
        True: cache the norms of the support vectors (4 bytes each, 8 for float64). The time for a
        row with at most half non-zero entries then depends on these only. Dense rows benefit too: a
        Gaussian kernel computes |x - s|^2 as |x|^2 + |s|^2 - 2 x.s, half the arithmetic. Rows far
        from the origin, gamma |x|^2 > 64 (2^20 for float64), still use differences, which lose no
        digits. False: no norms, always differences. Default: cache norms where they take less than
        3 % of the ring. CSR matrices are accepted either way.
    n_classes : int, optional
        Number of classes, with labels 0 to n_classes - 1. Each class adds a column of coefficients
        over the same support vectors. Default: two classes with labels -1 and +1.
    on_bad_row : {"raise", "skip"}
        For rows or labels that are not finite or out of range: raise ``BadRowError``, or skip the
        row, return NaN and count it (``learner.n_skipped``, 8 bytes of the block). A wrong length,
        type or class always raises.
    checksums : bool
        Reserve memory for the checksums of ``learner.seal()``: 4 bytes per region.
    lookahead : int, optional
        How many rows' kernel values ``learn_many`` computes together, 0 to 64; the model is the
        same bit for bit. Each takes the bytes of a kernel row and of a row of X. Default: 6 if the
        ring takes at least 256 KiB and these rows at most an eighth of it; with ``n_classes`` also
        if ring and coefficients take at least 64 KiB, and these rows at most a fifth of that and
        two fifths of the ring; 24 for ``nogd`` if ring and map take at least 256 KiB and these rows
        at most an eighth; else 0, and 0 with ``ram=``. Always 0 if scores need more than kernel
        values: other features, ``scale=``, ``clip_rows=``, merging, BPA-NN.
    feature_range : (low, high), with int8 only
        The range of the 256 levels, two numbers or two sequences of n_features. Default (-4, 4),
        for standardised inputs. Values beyond are clipped.
    gamma : float, "auto" or None
        A number: the width of a Gaussian kernel, short for ``kernel=Gaussian(gamma)``. "auto": the
        width of ``sorf`` with a scaler follows the rows; any other Gaussian or Laplacian kernel
        takes its width from the first ``gamma_rows`` rows. Until then it uses that of ``kernel``;
        then the model restarts, while the counters of the stream continue. None: 1 / n_features,
        half of that for ``sorf``. Default: "auto" for ``sorf`` without ``kernel=``, else None.
        ``kernel_gamma`` is another name for it; use that with ``olru``, ``bogd``, ``bogd++`` and
        ``klr``, whose papers call another parameter gamma: a number is taken as that one, with a
        warning if there is no ``kernel=``.
    gamma_rows : int
        Default 100. If given, ``sorf`` also takes its width from these rows.
    scale : {"standard", "minmax", "common"} or None
        A ``RunningScaler`` inside the block: a learned row first updates its statistics, then is
        scaled by them; scoring leaves them unchanged. "common": one mean and deviation for all
        inputs, for inputs of one unit; takes no bytes per input. Default: "standard" for ``sorf``,
        else None. ``scale_clip`` (short: ``clip``), ``scale_window`` and ``freeze_after`` are the
        scaler's ``clip``, ``window`` and ``freeze_after``.
    clip_rows : float, optional
        Shorten rows with a larger Euclidean norm (after scaling) to this norm. It bounds k(x, x),
        and so every step, of linear and polynomial kernels.
    history : bool or "auto", with ``sorf``
        Rows form a time series. With ``loss="square"``, forecast targets from their own
        history too (docs/forecast.md): ``horizon`` is how many rows later a target comes (default
        1: before the next row), ``season`` the rows of a season (0: none), ``interval`` the level
        of the intervals, or several levels (default .9). If the bytes do not hold 32 frequencies
        there is no kernel: ``budget`` is 0, and options of the kernel are off. With
        ``loss="novelty"``, novelty in time (docs/novelty.md). "auto": these, and
        ``last_label=True`` for classes; use it only if each label is known before the next
        prediction.
    **params
        The algorithm's own parameters (``parameters`` shows them). The letters of its paper are
        accepted as aliases (docs/algorithms.md).

    Raises
    ------
    TypeError, ValueError
        With a message that names the argument, the value, and what is allowed.

    Notes
    -----
    ``repr`` is the call that creates the same configuration, with every default filled in.
    """

    _settings: Settings

    def __init__(
        self,
        algorithm: Algorithm | str | Method | None = None,
        *,
        n_features: int,
        budget: int | None = None,
        ram: int | str | None = None,
        kernel: Kernel | None = None,
        dtype: Any = None,
        coefficients: Any = None,
        seed: int = 0,
        sparse: bool | None = None,
        n_classes: int | None = None,
        on_bad_row: Literal["raise", "skip"] = "raise",
        checksums: bool = False,
        lookahead: int | None = None,
        feature_range: tuple[Any, Any] | None = None,
        **parameters: Unpack[Parameters],
    ) -> None:
        given = {
            "algorithm": algorithm,
            "n_features": n_features,
            "budget": budget,
            "ram": ram,
            "kernel": kernel,
            "dtype": dtype,
            "coefficients": coefficients,
            "seed": seed,
            "sparse": sparse,
            "n_classes": n_classes,
            "on_bad_row": on_bad_row,
            "checksums": checksums,
            "lookahead": lookahead,
            "feature_range": feature_range,
            **parameters,
        }
        try:
            settings = _configured(**given)
        except RamError as error:
            raise RamError(f"{error}{_alternatives(given, error.least)}", error.least) from None
        self.__dict__["_settings"] = settings

    @classmethod
    def _of(cls, settings: Settings) -> Config:
        """A view of existing settings."""
        config = cls.__new__(cls)
        config.__dict__["_settings"] = settings
        return config

    @property
    def name(self) -> str:
        """Public name of the algorithm, or "custom"."""
        return self._settings.name

    @property
    def n_features(self) -> int:
        """Number of inputs, d."""
        return self._settings.n_features

    @property
    def budget(self) -> int:
        """The maximum number of support vectors, or of frequencies."""
        return self._settings.budget

    @property
    def seed(self) -> int:
        """Seed of the generator."""
        return self._settings.seed

    @property
    def kernel(self) -> Kernel:
        """The kernel; with ``gamma="auto"`` the one in use until the width is known."""
        return self._settings.kernel

    @property
    def dtype(self) -> Dtype:
        """Storage type of support vectors, or of the weights of ``sorf``."""
        return self._settings.dtype

    @property
    def coefficients(self) -> Coefficients:
        """Storage type of coefficients."""
        return self._settings.coefficients

    @property
    def feature_range(self) -> tuple[Any, Any] | None:
        """The range of the levels of int8 storage, as given."""
        return self._settings.feature_range

    @property
    def parameters(self) -> dict[str, Any]:
        """The values of the algorithm's own parameters, by name.

        ``Config(config.name, ..., **config.parameters)`` is the same configuration. For a
        composition they include its parts.
        """
        return config_parameters(self._settings)

    @property
    def options(self) -> dict[str, Any]:
        """Every argument except the algorithm; those at a constant default are omitted."""
        return config_arguments(self._settings)

    def call(self, name: str) -> str:
        """The call that creates this configuration, as text for ``import edgeolk as ek``.

        Parameters
        ----------
        name : str
            What is called, such as "ek.Learner".
        """
        return config_call(self._settings, name)

    def difference(self, other: Config) -> str:
        """What differs from another configuration, such as "seed: 0, other 1"; "" if nothing.

        A state continues only in a learner of an equal configuration.

        Parameters
        ----------
        other : Config
            ``ek.load("old.olk").config``.
        """
        if not isinstance(other, Config):
            raise TypeError(f"other must be a Config, got {type(other).__name__}")
        ours, theirs = (
            {"algorithm": each.name, "seed": each.seed, **each.parameters, **each.options}
            for each in (self, other)
        )

        def shown(options: Mapping[str, Any], name: str) -> str:
            return repr(options[name]) if name in options else "not set"

        return "; ".join(
            f"{name}: {shown(ours, name)}, other {shown(theirs, name)}"
            for name in {**ours, **theirs}
            if (name in ours) != (name in theirs) or ours[name] != theirs[name]
        )

    def __repr__(self) -> str:
        return self.call("ek.Config")

    if not TYPE_CHECKING:  # type checkers know every attribute

        def __getattr__(self, name: str) -> Any:
            """Raise AttributeError with similar names; Python calls it only for unknown names."""
            settings = self.__dict__.get("_settings")
            raise unknown_attribute(self, name, config_parameters(settings) if settings else ())

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"a Config cannot be changed; create a new one with {name}=")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"a Config cannot be changed: {name} cannot be deleted")

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Config):
            return NotImplemented
        same = self._settings.member == other._settings.member
        return same and self.options == other.options

    def __hash__(self) -> int:
        return hash((self._settings.member, self.n_features, self.budget, self.seed))

    def __reduce__(self) -> tuple[Any, ...]:
        return Config._of, (self._settings,)


#: The algorithm if the caller gives neither an algorithm nor parts, and its losses.
DEFAULT, DEFAULT_LOSSES = "sorf", ("hinge", "square", "novelty")


def _is_default(given: Mapping[str, Any]) -> bool:
    """Whether arguments without an algorithm give no part, except a loss that sorf supports."""
    loss = given.get("loss", "hinge")
    name = loss.name if isinstance(loss, Loss) else loss
    if not isinstance(name, str) or name.lower() not in DEFAULT_LOSSES:
        return False
    return not any(axis in given for axis in DEFAULT_PARTS if axis != "loss")


def _configured(
    algorithm: Algorithm | str | Method | None, *, ram: int | str | None, **given: Any
) -> Settings:
    """The settings that the arguments of ``Config`` mean."""
    common = {name: given.pop(name) for name in _COMMON if name not in ("algorithm", "ram")}
    others = tuple(DEFAULT_PARTS) if algorithm is None else ()
    if algorithm is None and _is_default(given):
        algorithm = DEFAULT
    method = None if algorithm is None else find(algorithm)
    family = FAMILIES[method.family if method else Family.RING]
    take_aliases(method, given, kernel=common["kernel"] is not None)
    nbytes = None if ram is None else parse_bytes(ram)
    choices = family.configure(Given(method, common, given, nbytes, others))
    least = choices.least
    if nbytes is None:
        configured, _ = least[0]
        return configured(choices.budget)  # type: ignore[arg-type]  # one of the two is given
    if len(least) > 1:
        least = sorted(least, key=smallest_bytes, reverse=True)
    if choices.instead is None:
        return fit([*choices.first, *least], nbytes)
    try:
        fitted = fit([*choices.first, *least], nbytes)
    except RamError:
        better = choices.instead(None)
        found = first_that_fits(better, nbytes)
        # The error names the fewest bytes that hold one of all.
        return found or fit([min([*least, *better], key=smallest_bytes)], nbytes)
    return first_that_fits(choices.instead(fitted), nbytes) or fitted


def _alternatives(given: Mapping[str, Any], least: int) -> str:
    """What takes less than ``least`` bytes, the fewest of these arguments, as text; "" if nothing.

    No season of a day, no Gaussian process, one scale for all inputs, or fewer classes; each is
    tried as a caller would.
    """
    text = ""
    left_out = {"clock": "the season of a day", "gaussian_process": "a process"}
    for name, words in left_out.items():
        if not given.get(name):
            continue
        try:
            _configured(**{**given, name: False, "ram": 0})
        except RamError as error:
            text += f"; or {error.least} without {words}, {name}=False"
        except (TypeError, ValueError):  # other arguments exclude it
            pass
    if given.get("scale") != "common":
        try:
            _configured(**{**given, "scale": "common", "ram": 0})
        except RamError as error:
            if error.least < least:
                text += f"; or {error.least} with scale='common' if all inputs have the same unit"
        except (TypeError, ValueError):  # other arguments exclude it
            pass

    def is_refused(classes: int) -> bool:
        try:
            _configured(**{**given, "n_classes": classes})
        except (TypeError, ValueError):
            return True
        return False

    columns = given["n_classes"] or 1
    beyond = 2 + bisect_left(range(2, columns), True, key=is_refused)
    if beyond > 2:
        text += f"; or at most {beyond - 1} classes per block"
    return text


def settings_of(
    given: Config | Algorithm | str | Method | None, options: Mapping[str, Any] | None = None
) -> Settings:
    """The settings of a ``Config``, or those given by an algorithm and options."""
    options = options or {}
    if not isinstance(given, Config):
        if "n_features" not in options:
            similar = next((name for name in options if suggest(name, ["n_features"])), "")
            raise TypeError(
                "n_features= is missing: the number of inputs in a row"
                + (f" (instead of {similar!r}?)" if similar else "")
            )
        return Config(given, **options)._settings
    if options:
        name = next(iter(options))
        raise TypeError(f"a Config already contains every option; do not pass {name}= as well")
    return given._settings


def plan(algorithm: Config | Algorithm | str | None = None, **options: Unpack[Options]) -> Plan:
    """Every region of a model with its bytes, without building it.

    Page: docs/reference.md.

    Parameters
    ----------
    algorithm : Config, str or Algorithm, optional
        A configuration, or a published algorithm; without it the recommended one, or a composition
        by ``update=``, ``loss=``, ``policy=``...
    **options
        As for ``Config``: ``n_features=``, ``budget=`` or ``ram=``, ``kernel=``, ... With ``ram=``
        the budget is the largest that fits; with neither it is that of ``Config``.

    Returns
    -------
    Plan
        ``plan.nbytes`` is exactly ``Learner(...).nbytes``.

    Raises
    ------
    TypeError, ValueError
        As ``Learner`` would.
    """
    return plan_of(settings_of(algorithm, {**options}))


#: The arguments common to all configurations, after `self` and the algorithm.
_COMMON = Config.__init__.__code__.co_varnames[2 : 2 + Config.__init__.__code__.co_kwonlyargcount]


class Signature:
    """A descriptor: the signature of its class, with ``Config``'s arguments for ``**options``.

    It is built on access: `inspect` takes memory that a learner on a board does not need.
    """

    def __get__(self, instance: Any, owner: type) -> Any:
        import inspect

        own = list(inspect.signature(owner.__init__).parameters.values())[1:-1]  # type: ignore[misc]
        keyword_only = [parameter for parameter in own if parameter.kind is parameter.KEYWORD_ONLY]
        all_of_config = list(inspect.signature(Config.__init__).parameters.values())[2:]
        positional = [parameter for parameter in own if parameter not in keyword_only]
        *common, last = all_of_config
        return inspect.Signature([*positional, *common, *keyword_only, last])
