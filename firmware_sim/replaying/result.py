"""The result of a replay."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from firmware_sim.boards.step_time import Timing
from firmware_sim.configuration.config import ReplayConfig
from firmware_sim.containment.memory import Layout
from firmware_sim.device.planning import Width
from firmware_sim.device.power import PowerCount
from firmware_sim.device.supervision import LabelCount
from firmware_sim.drawing.shown import Shown
from firmware_sim.mcu.replaying import Emulated
from firmware_sim.metrics import Figures, Metrics
from firmware_sim.replaying.forecast import Outlook
from firmware_sim.replaying.frozen import Frozen
from firmware_sim.replaying.held_out import HeldOut
from firmware_sim.replaying.rows import RowCount
from firmware_sim.streams import Stream
from firmware_sim.streams.row_times import RowTimes


@dataclass
class ReplayResult(Shown):
    """Everything a report is made from; notebooks show the report.

    Page: docs/tutorial.md.

    Attributes
    ----------
    config : ReplayConfig
        What was replayed.
    stream : Stream
        The source of the rows.
    layout : Layout
        The memory layout under the cap.
    width : Width or None
        The kernel width, unless the learner chose it.
    rows : RowCount
        Counts of rows by outcome.
    metrics : Metrics
        The error of the learner and of the baselines.
    learner : dict
        Budget, bytes and counters of the learner.
    seconds : float
        How long the replay took on the host.
    status : {"complete", "interrupted", "stopped", "killed", "died"}
        How the replay ended: at the end of the stream (or the limit), by the user, at a row that
        the configuration forbids (a damaged one or one with a missing value under the policy
        "stop", one that a full budget refuses), because the learner's
        process exceeded its memory limit, or because it ended for another reason.
    detail : str
        One sentence about an early end, empty otherwise.
    warnings : list of str
        Warnings on the figures, one sentence each.
    left_out : str
        The first of them if more than a tenth of the rows was left out, with the option that
        keeps them; else empty.
    labels : LabelCount
        Counts of labels by outcome.
    power : PowerCount or None
        The cost of power cuts, if configured.
    timing : Timing or None
        Estimated times of steps on the board, if one is given.
    period : float or None
        The usual seconds between rows, if known.
    elapsed : float or None
        Seconds that the rows cover, if known.
    clean : dict or None
        The learner's figures on the same stream without its faults, if there are any.
    emulated : Emulated or None
        The result of an emulated microcontroller on the same rows, if ``on=`` names one: ``board``,
        ``core``, ``rows``, ``mistakes``, ``host_mistakes``, ``same`` (the state, byte for byte);
        ``flash``, ``ram``, ``stack`` in bytes; ``learn``, ``longest``, ``score`` in instructions
        per row.
    alarms : list of int
        Rows with a drift alarm of the learner.
    frozen : Frozen or None
        The result of the same learner, frozen after the first rows.
    held_out : HeldOut or None
        Errors on rows that the learner did not learn from, if configured.
    outlook : Outlook or None
        Of a forecast: its errors by horizon, and the path beyond the last row.
    inputs : dict
        Importance of each reading for the answers, as shares; empty if unknown.
    hint : str
        Options that improve the loss on the stream's first rows, if they were tested.
    row : str
        Type of the row buffer.
    n_inexact : int
        Readings that the row buffer stores with fewer than 7 digits.
    times : RowTimes or None
        The times of rows, if they have dates.
    understood : list of str
        What was understood of the log from its first rows, a line each.
    enforcement : str
        How the cap was enforced, as text.
    peak_resident : int or None
        Peak resident bytes of the learner's process, if it has one.
    """

    _reporter: ClassVar[str] = "firmware_sim.report.sections"

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
    held_out: HeldOut | None = None
    outlook: Outlook | None = None
    inputs: dict[str, float] = field(default_factory=dict)
    understood: list[str] = field(default_factory=list)
    row: str = "float64"
    n_inexact: int = 0
    elapsed: float | None = None
    left_out: str = ""
    times: RowTimes | None = None
