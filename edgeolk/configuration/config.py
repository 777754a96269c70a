"""Second step: one checked configuration, from the arguments of a caller or from a file.

Everything that can be wrong with it is found here, before memory is touched.
"""

from __future__ import annotations

from edgeolk.catalogue.methods import Method, find
from edgeolk.checks import MOST, check_int
from edgeolk.configuration import remembering
from edgeolk.configuration.arguments import (
    MOST_CLASSES,
    USUAL_MEMBERS,
    budget_of,
    kernel_of,
    levels,
    options_of,
    range_of,
)
from edgeolk.configuration.composition import (
    DEFAULT,
    given_lists,
    is_default,
    own_names,
    parts_of,
    refuse_unknown,
    values_of,
)
from edgeolk.configuration.fit import fit, parse_bytes
from edgeolk.configuration.history import kernel_in_time, refuse_interval, take_history
from edgeolk.configuration.instead import what_fits
from edgeolk.configuration.layout import layout, total
from edgeolk.configuration.record import LOOKAHEAD, OPTIONS, Record
from edgeolk.configuration.spelling import options_said, parameters_said, spelt
from edgeolk.configuration.usual import MOST_AHEAD, settled
from edgeolk.lean import TYPE_CHECKING, Any
from edgeolk.near import near
from edgeolk.parts.bases import BASES
from edgeolk.parts.forecasting import HISTORY_INPUTS
from edgeolk.parts.kernels import Kernel
from edgeolk.parts.lists import lists_of
from edgeolk.parts.numbers import Algorithm, Basis, Dtype, Loss, Update
from edgeolk.parts.parameters import checked
from edgeolk.parts.refusals import refuse
from edgeolk.parts.table import uses
from edgeolk.parts.updates import UPDATES
from edgeolk.parts.watching import USUAL_FREQUENCIES, least_bytes
from edgeolk.preprocessing.arguments import gamma_of, preprocessing_of

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from edgeolk.configuration.options import Parameters


class Config(Record):
    """What a learner is made of, checked, every default filled in.

    ``Learner``, ``plan``, ``edgeolk.bare``, the command line and the simulator take one, or make
    one from the same arguments.

    Parameters
    ----------
    algorithm : str or Algorithm, optional
        A published algorithm (``ek.algorithms()`` lists them). Without it the recommended one,
        ``sorf``. A learner is composed where ``update=, loss=, policy=, sampling=, projection=,
        schedule=, averaging=, basis=`` take members of the enums of these names; its rows come as
        they are, and its width is 1 / n_features, unless ``scale=`` and ``gamma=`` are given.
    n_features : int
        Dimension d of the examples.
    budget : int, optional
        The most support vectors ever held, B. ``fogd`` and ``sorf`` call it D, their frequencies,
        and take 100 where nothing is said.
    ram : int or str, optional
        Instead of ``budget``: bytes, or a size such as ``"64KiB"``; B is the largest that fits.
    kernel : Kernel, optional
        ``Gaussian(gamma)``, ``Laplacian(gamma)``, ``Polynomial(degree, scale, offset)``,
        ``Linear()`` or ``Sigmoid(scale, offset)``. Default a Gaussian one, of width ``gamma``.
    dtype : {"float32", "float64", "float16", "int8"}
        How support vectors are stored. Rows are computed in float64 for float64, else in float32.
        The learner sees every example as storage would hold it. Default float32; int8 for
        ``sorf``, which stores no vectors but weights.
    coefficients : {"float64", "float32"}
        How coefficients are stored, and kernel rows where a policy keeps them; sums are float64.
        float32 halves their bytes. What solves linear systems with them (``Policy.SPAN``,
        ``PROJECT``, ``HALVE``, ``LIGHTEST_PROJECT``, ``ANCHOR``) refuses it, ``FORGETRON_GREEDY``,
        which keeps f of every support vector by increments, ``Basis.NYSTROM``, whose map outweighs
        them, and ``sorf``, which has none.
    seed : int
        Seed of the PCG32 generator, 0 to 2^64 - 1.
    sparse : bool, optional
        True: norms of the support vectors are kept (4 bytes each, 8 for float64), and a row with at
        most half non-zeros costs only these. A Gaussian kernel then takes |x - s|^2 of other rows
        too from norms and products, |x|^2 + |s|^2 - 2 x.s, at half the arithmetic, however many are
        scored at a time; scores agree with those of differences to rounding, and are made of
        differences for rows far from the origin, gamma |x|^2 > 64 (2^20 for float64), which would
        lose digits. False: every row is read in full, by differences. Without it norms are kept
        where they cost under 3 % of the ring, and a far row with few non-zeros is read in full too.
        CSR matrices are taken either way.
    n_classes : int, optional
        Classes to tell apart, labels 0 to n_classes - 1: a column of coefficients each, over one
        ring; without it two, labels -1 and +1.
    on_bad_row : {"raise", "skip"}
        What to do with a row or label that is not finite or beyond what storage and kernel hold:
        raise ``BadRowError``, or leave it out, answer NaN and count it (``learner.n_skipped``, 8
        bytes of the block). A wrong length, kind or class always raises.
    checksums : bool
        Whether there is room for ``learner.seal()``: 4 bytes a region.
    lookahead : int, optional
        Rows whose kernel values ``learn_many`` works out together, in one reading of the ring, 0 to
        64; what is learned is the same to the last bit. Costs a kernel row and a row of X each.
        Default 6 for a ring of 256 KiB or more of which that is at most an eighth; with
        ``n_classes`` also where ring and coefficients take 64 KiB or more, of which it is at most a
        fifth, and two fifths of the ring; for ``nogd`` 24 where ring and map take 256 KiB and that
        is at most an eighth; else 0, and 0 with ``ram=``. Always 0 where a score needs more than
        kernel values: other features, ``scale=``, ``clip_rows=``, merging, BPA-NN.
    feature_range : (low, high), with int8 only
        Ends of the 256 levels, numbers or sequences of n_features; default (-4, 4), which suits
        standardised features. A reading beyond them counts as the end.
    gamma : float, "auto" or None
        A number: the width of a Gaussian kernel, as ``kernel=Gaussian(gamma)``. "auto": that of
        ``sorf`` with a scaler inside follows the rows; the width of any other Gaussian or Laplacian
        kernel is made from the first ``gamma_rows`` rows. Until then
        ``kernel`` answers; then the model starts anew, with its generator, while the counters of
        the stream go on. None: 1 / n_features, half of that for ``sorf``. Where nothing is said,
        "auto" for ``sorf`` without ``kernel=``, else None. Where an algorithm has a ``gamma`` of
        its own, ``kernel_gamma``.
    gamma_rows : int
        Default 100. Where it is given, the width of ``sorf`` is made from these rows, too.
    scale : {"standard", "minmax", "common"} or None
        A ``RunningScaler`` inside the block: a row that is learned goes into its statistics, then
        it is scaled by them; scoring uses them as they are. Where nothing is said, "standard" for
        ``sorf``, else None. ``clip``, ``scale_window`` (its ``window``) and ``freeze_after`` are
        the scaler's. "common": one mean and deviation for all features, which have one unit; no
        bytes a feature. Where an algorithm has a ``clip`` of its own, ``scale_clip``.
    clip_rows : float, optional
        A row longer than this, in the Euclidean norm, counts as one that long in its direction:
        what bounds k(x, x), and so every step, of linear and polynomial kernels. After scaling.
    history : bool or "auto", with ``sorf``
        Rows come in the order of time. Targets (``loss="square"``) are then forecast from their own
        history too (docs/forecast.md); ``horizon`` says how many rows later a target comes (default
        1: before the next row), ``season`` how many rows a season has (0: none), ``interval`` the
        level of the intervals, or several (.9). Bytes that leave no room for 32 frequencies leave
        no kernel, ``budget`` is 0. Without labels it is novelty in time (docs/novelty.md). "auto":
        these, and ``last_label=True`` for classes: for uses where a label is known before the next
        row is answered.
    **params
        The algorithm's own parameters, by the names of its paper (``parameters`` shows them).

    Raises
    ------
    TypeError, ValueError
        Names the argument, what was got and what is allowed.

    Notes
    -----
    ``repr`` is the call that makes the same configuration, every default filled in.
    """

    def __init__(
        self,
        algorithm: Algorithm | str | Method | None = None,
        *,
        n_features: int,
        budget: int | None = None,
        ram: int | str | None = None,
        kernel: Kernel | None = None,
        dtype: Any = None,
        coefficients: Any = "float64",
        seed: int = 0,
        sparse: bool | None = None,
        n_classes: int | None = None,
        on_bad_row: str = "raise",
        checksums: bool = False,
        lookahead: int | None = None,
        feature_range: tuple[Any, Any] | None = None,
        **parameters: Unpack[Parameters],
    ) -> None:
        params: dict[str, Any] = {**parameters}
        if algorithm is None and is_default(params):
            algorithm = DEFAULT
        method = None if algorithm is None else find(algorithm)
        options = options_of(sparse, on_bad_row, checksums)
        parts = parts_of(method, params, dtype, coefficients, sparse)
        basis, update = BASES[Basis(parts["basis"])], UPDATES[Update(parts["update"])]
        own = own_names(method, parts)
        watches, forecasts = take_history(params, parts, own)
        n_features = check_int("n_features", n_features, 0 if forecasts else 1)
        usual = method.preprocessing if method and not watches else {}
        if watches:
            kernel = kernel_in_time(params, kernel)
        gamma = gamma_of(params, own, usual, kernel=kernel is not None)
        seen = n_features + (HISTORY_INPUTS if forecasts else 0)
        used_kernel = kernel_of(kernel, gamma, method, seen)
        narrow = parts["dtype"] != Dtype.FLOAT64
        follows = update.whole and not watches
        preprocessing = preprocessing_of(
            params, own, usual, gamma, narrow=narrow, may_follow=follows
        )
        refuse_unknown(params, method, parts, _COMMON)
        members = basis.members if params.get(basis.members) is not None else "budget"
        usual_members = USUAL_FREQUENCIES if watches else USUAL_MEMBERS
        budget = budget_of(basis.members, budget, ram, params, usual_members)
        lists = given_lists(update.lists, params)
        refuse_interval(lists.get("interval"), forecasts=forecasts)
        columns = 1 if n_classes is None else check_int("n_classes", n_classes, 2, MOST_CLASSES)
        context = {
            "n_features": float(seen),
            "ram": 0.0 if ram is None else float(parse_bytes(ram)),
            "novelty": float(parts["loss"] == Loss.NOVELTY),
        }
        name = method.public.get("row_memory") if method else None
        remembers = (
            remembering.ON_BY_ITSELF
            and update.whole
            and parts["loss"] == Loss.HINGE
            and params.get(name or "row_memory") is None
        )
        seed = check_int("seed", seed, 0, 2**64 - 1)
        used_range = range_of(feature_range, parts, n_features)

        def configure(size: int, *, cramped: bool = False) -> Config:
            size = check_int(members, size, 0 if forecasts else 1)
            known = {**context, "budget": float(size), "cramped": float(cramped)}
            chosen, values = values_of(method, parts, known, params)
            made = self.unchecked(
                member=method.algorithm if method else Algorithm.CUSTOM,
                n_features=n_features,
                budget=size,
                seed=seed,
                kernel=used_kernel,
                parts=chosen,
                values={**values, **options},
                feature_range=used_range,
                columns=columns,
                lists=lists_of(values, **lists) if lists else {},
                preprocessing=preprocessing if size else preprocessing.without_width(),
            )
            refuse(made)
            return settled(made, sparse, lookahead, capped=ram is not None)

        if ram is None:
            made = configure(budget)  # type: ignore[arg-type]  # budget_of: one of them is given
        else:
            most = USUAL_FREQUENCIES if watches else MOST - 1
            usual_memory = 0
            if remembers:
                usual_memory = remembering.usual_rows(int(context["ram"]), n_features, columns)
            for rows in (usual_memory, 0) if usual_memory else (0,):
                context["usual_memory"] = float(rows)
                try:
                    made = fit(
                        configure, lambda config: total(layout(config)), ram, most,
                        without=forecasts, instead=what_fits,
                        leaner=None if rows else lambda size: configure(size, cramped=True),
                    )  # fmt: skip
                except ValueError:
                    if not rows:
                        raise
                else:
                    if not rows or made.budget >= remembering.least_frequencies(columns):
                        break
            if watches and context["ram"] < least_bytes(n_features):
                raise ValueError(
                    f"ram must be at least {least_bytes(n_features)} bytes for novelty with"
                    f" history=True and {n_features} features, got {ram!r}"
                )
        self.__dict__.update(made.__dict__)

    @classmethod
    def unchecked(cls, *fields: Any, **named: Any) -> Config:
        """A configuration of these fields of ``Record`` as they are."""
        made = cls.__new__(cls)
        made.__dict__.update(Record(*fields, **named).__dict__)
        return made

    def but(self, **changes: Any) -> Config:
        """This configuration with other values in some fields, unchecked."""
        return self.unchecked(**{**vars(self), **changes})

    def check(self) -> None:
        """Check a configuration whose parts are known, such as a file's.

        Raises ValueError: a number is out of range, or the parts contradict each other.
        """
        wanted = uses({axis: part for axis, part in self.parts.items() if axis != "dtype"})
        for name in wanted:
            if name not in self.values:
                raise ValueError(f"parameter {name} is missing")
            checked(name, self.values[name], name)
        for name, value in self.values.items():
            if name == LOOKAHEAD and self.can_look_ahead and value in range(1, MOST_AHEAD + 1):
                continue
            if name not in wanted and not (name in OPTIONS and value == 1.0):
                raise ValueError(f"parameter {name} is set but not used by the composition")
        check_int("n_features", self.n_features, 0 if self.forecasts else 1)
        check_int("budget", self.budget, 0 if self.forecasts else 1)
        check_int("columns", self.columns, 1, MOST_CLASSES)
        if self.update.lists:
            widths = [self.lists[name] for name in self.lists if name.startswith("widths")]
            given = (self.lists.get("blends"), self.lists.get("interval"))
            if lists_of(self.values, widths or None, *given) != self.lists:
                raise ValueError("a list of numbers is not one that can be given")
        elif self.lists:
            raise ValueError("a list of numbers is set but not used by the composition")
        refuse(self)

    @classmethod
    def take(
        cls, given: Config | Algorithm | str | Method | None, options: dict[str, Any]
    ) -> Config:
        """The configuration given, or one made from an algorithm and options."""
        if not isinstance(given, Config):
            if "n_features" not in options:
                like = next((name for name in options if near(name, ["n_features"])), "")
                raise TypeError(
                    "n_features= is missing, the numbers in a row"
                    + (f" (did you mean it by {like!r}?)" if like else "")
                )
            return cls(given, **options)
        if options:
            raise TypeError(f"a Config says everything: {next(iter(options))!r} is one too many")
        return given

    def with_levels(self, scale: list[float], offset: list[float]) -> Config:
        """This configuration with the range that int8 levels of a block amount to."""
        if (scale, offset) == levels(None, self.n_features):
            return self
        low = tuple(zero - 128.0 * step for step, zero in zip(scale, offset, strict=True))
        high = tuple(zero + 127.0 * step for step, zero in zip(scale, offset, strict=True))
        return self.but(feature_range=(low, high))

    # ---- as a caller would say it -------------------------------------------------------------

    @property
    def name(self) -> str:
        """Public name of the algorithm, or "custom"."""
        return "custom" if self.member == Algorithm.CUSTOM else find(self.member).name

    @property
    def parameters(self) -> dict[str, Any]:
        """The algorithm's own parameters in force, by the names it is called with.

        ``Config(config.name, ..., **config.parameters)`` is the same configuration; a composition
        has its parts among them.
        """
        return parameters_said(self)

    @property
    def options(self) -> dict[str, Any]:
        """Every argument but the algorithm, those left at a plain default omitted."""
        return options_said(self)

    def call(self, name: str) -> str:
        """The call of ``name`` that makes this configuration, for ``import edgeolk as ek``."""
        first = [] if self.member == Algorithm.CUSTOM else [repr(self.name)]
        return f"{name}({', '.join([*first, *map(spelt, self.options.items())])})"

    def __repr__(self) -> str:
        return self.call("ek.Config")

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Config):
            return NotImplemented
        return (self.member, self.options) == (other.member, other.options)

    def __hash__(self) -> int:
        return hash((self.member, self.n_features, self.budget, self.seed))


#: The arguments that every configuration has, after `self` and the algorithm.
_COMMON = Config.__init__.__code__.co_varnames[2 : 2 + Config.__init__.__code__.co_kwonlyargcount]
