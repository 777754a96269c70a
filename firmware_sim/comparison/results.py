"""Results on disk as they come, so that a comparison can go on where it was."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from firmware_sim.comparison.work import Outcome
from firmware_sim.report.journal import Journal


class Results(Journal):
    """A line for each run, after a mark of what was compared.

    outcomes: those there are, by the key of their run.
    """

    def __init__(self, path: Path, mark: str) -> None:
        super().__init__(path, mark)
        self.outcomes: dict[str, Outcome] = {}
        for said in self.found:
            with suppress(TypeError):  # no line of ours
                self._take(Outcome(**said))
        self.found.clear()

    def _take(self, outcome: Outcome) -> None:
        self.outcomes[outcome.key] = outcome

    def enter(self, outcome: Outcome) -> None:
        """Keep a result.

        Raises SimulatorError: it cannot be written; it is not among `outcomes` then.
        """
        self.add(outcome.to_dict())
        self._take(outcome)
