"""The result of a replay."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from firmware_sim.boards.step_time import Timing
from firmware_sim.config import ReplayConfig
from firmware_sim.containment.memory import Layout
from firmware_sim.device.power import PowerCount
from firmware_sim.device.supervision import LabelCount
from firmware_sim.device.width import Width
from firmware_sim.metrics import Figures, Metrics
from firmware_sim.replaying.frozen import Frozen
from firmware_sim.replaying.rows import RowCount
from firmware_sim.streams import Stream

if TYPE_CHECKING:
    from firmware_sim.mcu.replaying import Emulated


@dataclass
class ReplayResult:
    """Everything a report is made from.

    Page: docs/tutorial.md.

    Attributes
    ----------
    config : ReplayConfig
        What was replayed.
    stream : Stream
        Where the rows came from.
    layout : Layout
        What lay where under the cap.
    width : Width or None
        The kernel width, where it was not made by the learner.
    rows : RowCount
        How many rows were read, and what became of them.
    metrics : Metrics
        The error of the learner and of the baselines.
    learner : dict
        Budget, bytes and counters of the learner.
    seconds : float
        How long the replay took on the host.
    status : {"complete", "interrupted", "stopped", "killed", "died"}
        How the replay ended: at the end of the stream (or the limit), by the user, at a
        row the configuration forbids (a damaged one or one with a missing value under the policy
        "stop", one that no longer fits a budget that is told to refuse it), because the learner's
        process took more memory than it may, or because it ended for another reason.
    detail : str
        One sentence about an early end, empty otherwise.
    warnings : list of str
        What a reader of the figures has to know, a sentence each.
    labels : LabelCount
        What became of labels.
    power : PowerCount or None
        What power cuts cost, where there are any.
    timing : Timing or None
        How long steps take on the board, where one is named.
    period : float or None
        Seconds between rows, where that is known.
    clean : dict or None
        The learner's figures on the same stream without its faults, where there are any.
    emulated : Emulated or None
        What an emulated microcontroller made of the same rows, where one was asked.
    alarms : list of int
        Rows at which the learner's alarm of drift rang.
    frozen : Frozen or None
        How the same learner did that was frozen after the first rows.
    inputs : dict
        How much each reading matters to the answers, as shares; empty where that is not known.
    hint : str
        What does better on the stream's first rows, where that was tried.
    row : str
        Type of the row buffer.
    unlike : int
        Readings that it held to fewer than 7 digits.
    understood : list of str
        What was understood of the log from its first rows, a line each.
    enforcement : str
        What kept the learner under the cap, in words.
    peak_resident : int or None
        Peak resident bytes of the learner's process, where it has one.
    """

    config: ReplayConfig
    stream: Stream
    layout: Layout
    width: Width | None
    rows: RowCount
    metrics: Metrics
    learner: dict[str, int]
    seconds: float
    status: str
    detail: str
    enforcement: str
    peak_resident: int | None
    warnings: list[str]
    labels: LabelCount
    power: PowerCount | None
    timing: Timing | None
    period: float | None
    clean: Figures | None
    emulated: Emulated | None = None
    hint: str = ""
    alarms: list[int] = field(default_factory=list)
    frozen: Frozen | None = None
    inputs: dict[str, float] = field(default_factory=dict)
    understood: list[str] = field(default_factory=list)
    row: str = "float64"
    unlike: int = 0
