"""Shared by the models: a learner created at the first row, and its columns."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any

from edgeolk.learner import Learner
from edgeolk.named import NamedLearner
from edgeolk.names import Names
from edgeolk.parts.kernels import Kernel
from edgeolk.river.columns import Columns
from edgeolk.river.pending import PendingRows
from edgeolk.rows.scoring import Scorer
from edgeolk.wrapped import (
    check_task,
    delay_of,
    only_given,
    other_arguments,
    scales_itself,
    size_of,
)

Row = Mapping[Hashable, Any]

#: Rows learned in which new keys may start the learner again, with more columns.
GROWTH_ROWS = 1000


class KernelModel:
    """The parameters of a learner, its columns, and the learner from the first row on."""

    #: The task of its learner, as for ``check_task``.
    _task = ""
    #: Arguments of the learner that the model has by name; None leaves their defaults.
    _named: tuple[str, ...] = ()
    #: Whether rows are scored before they are learned.
    _scores_first = False

    algorithm: str
    ram: int | str
    budget: int | None
    D: int | None
    gamma: float | str
    kernel: Any
    scale: str | None
    features: Any
    unseen: str
    missing: str | None
    params: dict[str, Any] | None
    seed: int

    def _keep(self, given: dict[str, Any]) -> None:
        """Store the arguments of ``__init__``, its ``locals()``, and initialise the state."""
        for name, value in given.items():
            if name != "self":
                setattr(self, name, value)
        self._columns = self._new_columns()
        self._learner: Learner | None = None
        # Rows learned while new keys may start the learner again; None if they may not.
        grows = self.features is None and self.unseen == "warn"
        self._growing: int | None = 0 if grows else None
        # The score of the last scored row, and the number of rows learned by then.
        self._scored: Any = None
        self._scored_at = -1
        # Scored rows whose label has not come; whether the last label is an expert.
        self._open = 0
        self._first: Row | None = None  # the last row scored before any was learned
        self._repeats = False
        # With ``delay``: rows asked before the learner exists, those that wait for their labels,
        # and the methods that answered the last one.
        self._n_early = 0
        self._pending: PendingRows | None = None
        self._answered: set[str] = set()

    def _new_columns(self) -> Columns:
        return Columns(self.features, self.unseen, self._fill_rule(self.missing))

    def _fill_rule(self, missing: str | None) -> str:
        """How to fill in a missing key; None means the default of the model."""
        return missing or "mean"

    def _arguments(self) -> dict[str, Any]:
        """The learner's arguments that depend on the kind of model."""
        raise NotImplementedError

    @property
    def learner(self) -> Learner | None:
        """The learner; None until a row has been learned."""
        return self._learner

    def _names(self) -> dict[str, Any]:
        """The fields of ``Names`` besides the inputs."""
        return {}

    def to_learner(self) -> NamedLearner:
        """A copy of the learner, to save or to run on a board.

        Returns
        -------
        NamedLearner
            Its scores equal those of the model bit for bit. It has the names of classes and inputs,
            learns and answers labels as the model does, and gives the same probabilities.

        Raises
        ------
        ValueError
            Nothing has been learned yet.
        """
        if self._learner is None:
            raise ValueError("there is no learner yet: no row has been learned")
        return NamedLearner(self._learner, Names(features=tuple(self.columns), **self._names()))

    def save(self, path: Any) -> None:
        """Write the learner with its names and probabilities to one file, for ``ek.load``.

        Parameters
        ----------
        path
            An existing file is replaced as a whole.

        Raises
        ------
        TypeError
            A label or a key is neither text nor a number.
        OSError
            The file cannot be written.
        ValueError
            Nothing has been learned yet.
        """
        self.to_learner().save(path)

    @property
    def n_missing(self) -> int:
        """Readings that were missing in the rows learned: no key, None or NaN."""
        return int(self._columns.n_missing)

    @property
    def columns(self) -> list[Hashable]:
        """Keys of the features, in the order of the learner's numbers."""
        return list(self._columns.place)

    @property
    def _raw_memory_usage(self) -> int:
        """Bytes of the learner; other memory does not grow."""
        return 0 if self._learner is None else self._learner.nbytes

    def _new_learner(self, n_features: int | None) -> Learner:
        extra = self._arguments()
        size: dict[str, Any] = {"n_features": n_features, **size_of(self)}
        learner = Learner(
            self.algorithm,
            seed=self.seed,
            **size,
            **self._kernel_and_scale(),
            **{**extra, **other_arguments(self)},
        )
        return check_task(learner, self._task)

    def _kernel_and_scale(self) -> dict[str, Any]:
        if scales_itself(self.algorithm):
            return only_given(self.scale, self.gamma, self.kernel)
        # kernel_gamma is the width for every algorithm; some have another parameter gamma.
        kernel: Kernel | None = self.kernel
        width = {"kernel_gamma": self.gamma} if kernel is None else {"kernel": kernel}
        return {"scale": self.scale, **width}

    def _refuse_list(self, x: Any) -> None:
        """Raise TypeError for a row that is no dict."""
        if type(x) is not dict and not isinstance(x, Mapping):
            raise TypeError(
                f"x must be a dict of numbers by key, got {type(x).__name__}: ek.Learner and"
                " edgeolk.sklearn take rows without keys"
            )

    def _score(self, x: Row, method: str | None = None) -> Any:
        """The score of a row; the learner must have learned one.

        method: the public method that answers it; None: the row is about to be learned.

        The numbers of the row and its score are cached: the next row with the same numbers gets the
        same score, if nothing was learned in between. If the label of a previously scored row has
        not come, the last label is not used: it is out of date, and would determine all answers if
        labels stop. With ``delay`` it is used, and the row waits for its label.
        """
        learner = self._learner
        assert learner is not None
        self._refuse_list(x)
        row = self._columns.row(x, self._growing is not None)
        learned = learner._engine.steps
        is_cached = self._columns.is_same and learned == self._scored_at
        if not is_cached:
            self._scored_at = -1
        if self._pending is not None and method is not None and self._is_asked(method, is_cached):
            learner.ask_one(row)
            self._pending.ask(self._columns.fingerprint())
        if not is_cached:
            if method is not None and self._pending is None:
                if self._open and self._repeats:
                    learner.restart()
                self._open += 1
            # For the count of ``lapse``.
            is_answer = self._pending is None and not (method is None and self._repeats)
            self._scored = self._raw_score(learner if is_answer else learner._uncounted(), row)
            self._scored_at = learned
        return self._scored

    def _is_asked(self, method: str, is_same: bool) -> bool:
        """Whether an answer is of a further row: another method answers the same row again."""
        is_further = not is_same or method in self._answered
        self._answered = {method} if is_further else {*self._answered, method}
        return is_further

    def _count_early(self, x: Row, method: str) -> None:
        """Count a row that is scored before any was learned."""
        self._refuse_list(x)
        is_same = x == self._first
        self._open += not is_same
        self._n_early += self._is_asked(method, is_same)
        self._first = dict(x)

    def _raw_score(self, learner: Scorer, row: Any) -> Any:
        """The score of a row of numbers."""
        return learner.decision_one(row)

    def _with_room_for(self, x: Row) -> tuple[Columns, Learner | None]:
        """Columns and learner for a row, which may have new keys: then they start again."""
        columns, learner = self._columns, self._learner
        if not columns.known:
            columns = self._new_columns()
            columns.begin(x)
        elif self._growing is not None and (more := columns.with_room_for(x)) is not None:
            try:
                return more, self._new_learner(more.count)
            except ValueError:  # no room for so many columns: new keys are ignored, with a warning
                self._growing = None
        return columns, learner

    def _learn(self, x: Row, y: float | None, weight: float, time: float | None = None) -> Any:
        """Learn a row, and return its score before; a rejected row changes nothing."""
        self._refuse_list(x)
        columns, learner = self._columns, self._learner
        if learner is None or self._growing is not None:
            columns, learner = self._with_room_for(x)
        has_started = learner is not None and learner is self._learner
        scored, still_open = None, max(0, self._open - 1) if learner is None else 0
        if has_started and self._scores_first:
            scored_at = self._scored_at
            scored, row = self._score(x), columns.values
            # Not the last scored row.
            if not (columns.is_same and scored_at == learner._engine.steps):  # type: ignore[union-attr]
                still_open = max(0, self._open - 1)
        else:
            self._scored_at = -1  # the cached score is of another row
            row = columns.row(x)
            if learner is None:
                learner = self._new_learner(columns.count)
            if not has_started:
                self._repeats = bool(learner.parameters.get("last_label"))
                self._first = None
        assert learner is not None
        self._learn_numbers(learner, columns, row, y, None if weight == 1.0 else weight, time)
        columns.learned()
        if self._growing is not None:
            self._growing = self._growing + 1 if self._growing < GROWTH_ROWS else None
        self._open = still_open
        self._columns, self._learner = columns, learner
        return scored

    def _learn_numbers(
        self, learner: Learner, columns: Columns, row: Any, y: float | None,
        weight: float | None, time: float | None,
    ) -> None:  # fmt: skip
        """Learn a row of numbers: with ``delay`` as the one of those asked that it is."""
        pending = self._pending
        if pending is None and learner is not self._learner and (delay := delay_of(learner)):
            pending = PendingRows(delay, self._n_early)
        if pending is None:
            learner.learn_one(row, y, weight, time)
            return
        number = pending.find(columns.fingerprint())
        oldest = pending.n_asked - learner.n_waiting
        learner._learn_pending(row, y, weight, -1 if number is None else max(-1, number - oldest))
        if number is not None:
            pending.learn(number)
        while learner.n_waiting and pending.has_label(pending.n_asked - learner.n_waiting):
            learner.tell_one(None)
        self._pending = pending
