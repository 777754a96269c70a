"""Lines on a replay: stream and learner, events, memory, board."""

from __future__ import annotations

from firmware_sim.boards import board_of, size
from firmware_sim.configuration.config import freezes
from firmware_sim.device.intake import KEEPS
from firmware_sim.plaintext import counted
from firmware_sim.replaying.result import ReplayResult
from firmware_sim.report.record import rate
from firmware_sim.report.summary import learner_size
from firmware_sim.streams.cached import log_of
from firmware_sim.streams.faulty import FaultyStream

#: Most drift alarms whose rows are listed.
_ALARMS = 8


def head_lines(result: ReplayResult) -> list[str]:
    """Return the lines on stream and learner."""
    config, rows, learner = result.config, result.rows, result.learner
    speed = rate(result)
    damaged = f", {rows.damaged:,} damaged" if rows.damaged else ""
    damaged += f", {rows.refused:,} refused" if rows.refused else ""
    lines = [
        f"stream    {result.stream.name}: {rows.read:,} rows read, {rows.used:,} used, "
        f"{rows.missing:,} left out for missing values{damaged}; "
        f"{counted(len(result.stream.features), 'reading')} -> {result.stream.target or 'no label'}"
    ]
    lines += log_lines(result)
    if rows.missing_words():
        lines.append(f"missing   {rows.missing_words()}")
    if rows.lacking:
        n = counted(rows.lacking, "row")
        verb = "lacks" if rows.lacking == 1 else "lack"
        lines.append(f"used      {n} that {verb} a reading: {rows.lacking_words()}")
    lines += [f"gaps      {word}" for word in (rows.filled_words(), rows.break_words()) if word]
    lines += [f"note      {note}" for note in result.stream.notes]
    damages = (log_of(result.stream) or rows).damages
    lines += [f"          {line}" for line in damages.to_lines()]
    algorithm, params, _, _ = config.resolved
    parameters = "".join(f", {name}={value}" for name, value in params.items())
    updates = f", {learner['updates']:,} updates" if config.label_kind.is_supervised else ""
    lines.append(f"learner   {algorithm}{parameters}: {learner_size(result)}{updates}")
    if freezes(config):
        lines.append("note      this method freezes when it is full: then it learns no more")
    reason = "" if result.width is None else f", {result.width.reason}"
    if config.chooses_inside:
        reason = f", {config.label_kind.width_inside}"
    lines.append(f"kernel    {config.kernel}{reason}" if learner["budget"] else "kernel    none")
    freeze = "" if config.freeze_after is None else f", frozen after {config.freeze_after:,} rows"
    where = ", inside the learner" if config.scales_inside else ""
    lines.append(f"scaling   {config.scale}{freeze}{where}")
    matching = "every reading" if not result.n_inexact else f"all but {result.n_inexact:,} readings"
    lines.append(f"row       {result.row}, {matching} to 7 digits")
    if speed is not None:
        lines.append(
            f"host      {result.seconds:.2f} s, {speed:,.0f} rows per second, including reading"
        )
    return lines


def log_lines(result: ReplayResult) -> list[str]:
    """Return a line on the rows of the log, if the replay's rows are made of them."""
    log = log_of(result.stream)
    if log is None:
        return []
    missing = f", {log.lacking:,} with missing values" if log.lacking else ""
    return [f"log       {log.rows:,} rows read, {log.damages.n_rows:,} damaged{missing}"]


def event_lines(result: ReplayResult) -> list[str]:
    """Return the lines on memory of rows, drift, faults and labels."""
    lines = []
    if result.learner.get("n_remembered"):
        held, share = result.learner["n_remembered"], result.learner["memory_percent"]
        lines.append(f"memory    {held:,} rows in the row memory, {share} % of the next answer")
    if result.alarms:
        shown = [*(f"{row:,}" for row in result.alarms[:_ALARMS])]
        shown += ["..."] * (len(result.alarms) > _ALARMS)
        word = "row" if len(result.alarms) == 1 else "rows"
        many = counted(len(result.alarms), "alarm")
        lines.append(f"drift     {many} of the learner, at {word} {', '.join(shown)}")
    if isinstance(result.stream, FaultyStream):
        for fault, count in zip(result.stream.faults, result.stream.counts, strict=True):
            lines.append(f"fault     {fault}: {count:,} rows struck")
        name, first = next(iter(result.metrics.table.items()))
        broken = first.shown(result.metrics.summary()["learner"][name])
        without_faults = first.shown(None if result.clean is None else result.clean[name])
        lines.append(f"faults    {first.title} {broken} with them, {without_faults} without")
    rows, counts = result.rows, result.labels
    if result.config.missing in KEEPS:
        lines.append(f"repaired  {rows.repaired:,} rows, by {result.config.missing} values")
    if result.config.queue_rows or result.config.label_missing or result.config.ask:
        text = f"labels    {counts.learned:,} learned"
        kinds = (
            (counts.missing, "never came"),
            (counts.saved, "not asked for"),
            (counts.lost, "too late for the queue"),
            (counts.cut, "lost their row in a power cut"),
            (counts.waiting, "still to come"),
        )
        lines.append(text + "".join(f", {count:,} {what}" for count, what in kinds if count))
    return lines


def memory_lines(result: ReplayResult) -> list[str]:
    """Return the lines on the memory under the cap and on power cuts."""
    layout = result.layout
    lines = [
        f"memory    cap {layout.cap:,} bytes: {layout.used:,} used, {layout.gaps:,} lost to "
        f"alignment, {layout.free:,} free",
        f"enforced  {result.enforcement}",
    ]
    if result.outlook is not None and len(result.outlook.horizons) > 1:
        many = len(result.outlook.horizons)
        lines.append(
            f"share     each of {many} horizons has a learner; this is the last one's part"
        )
    if result.peak_resident is not None:
        lines.append(f"resident  at most {result.peak_resident / 1e6:.1f} MB in that process")
    counts, config = result.power, result.config
    if counts is not None:
        is_forgotten = counts.cuts and config.resolved.params.get("last_label")
        forgotten = ", the last label forgotten at each" if is_forgotten else ""
        lines.append(
            f"power     {counts.cuts:,} cuts and restarts{forgotten}, learning of "
            f"{counts.rows_lost:,} rows lost; {counts.checkpoints:,} checkpoints, "
            f"{counts.bytes_written:,} bytes written"
        )
        if config.device is not None and result.elapsed:
            board, mean = board_of(config.device), result.elapsed / result.rows.read
            years = counts.years(board, config.checkpoint_every, mean)
            cycles = f"{board.endurance:,} cycles"
            lines.append(f"flash     lasts about {years:.3g} years at this rate, {cycles}")
    return lines


def board_lines(result: ReplayResult) -> list[str]:
    """Return the lines on the board given by --device."""
    if result.config.device is None or result.timing is None:
        return []
    board, timing, cap = board_of(result.config.device), result.timing, result.layout.cap
    fits = "fits" if cap <= board.for_learner else "DOES NOT FIT"
    where = ""
    if board.cache:
        held = "within" if cap <= board.cache else "beyond"
        where = f", {held} its cache of {size(board.cache)}"
    lines = [
        f"board     {board.title}: {cap:,} bytes {fits} the {board.for_learner:,} a learner may "
        f"have of {board.ram:,}{where}",
        f"step      about {_time(timing.step)}"
        + (" without an update" if timing.structured else "")
        + ", the longest "
        + ("unknown" if timing.longest is None else f"about {_time(timing.longest)}")
        + f" ({timing.formula}); estimates, {timing.source}",
    ]
    learner = result.learner
    mean = timing.mean(learner["updates"], learner["steps"])
    if mean is not None:
        lines.append(
            f"mean      about {_time(mean)} a row of this stream, of which {learner['updates']:,} "
            "changed weights; an estimate too"
        )
    if result.period is None:
        lines.append("period    unknown: name a time column with --time, or give --period")
    else:
        which = "usual" if timing.longest is None else "longest"
        share = (timing.longest or timing.step) / result.period
        word = "in time" if share < 1.0 else "TOO LATE"
        if timing.longest is None and share < 1.0:
            word = "unknown whether in time"  # the longest step is unknown
        lines.append(
            f"period    {_time(result.period)} between rows: {word}, the {which} step takes "
            f"{100 * share:.2g} % of it"
        )
    return [*lines, "energy    not estimated"]


def _time(seconds: float) -> str:
    for unit, length in (("s", 1.0), ("ms", 1e-3)):
        if seconds >= length:
            return f"{seconds / length:.3g} {unit}"
    return f"{seconds * 1e6:.3g} us"
