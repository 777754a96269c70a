"""Exports of ours and of other libraries: one stream, one emulated board.

The C of CMSIS-DSP's support vector machine is unpacked from its Python package into build/.
"""

from __future__ import annotations

import struct
import subprocess
import sys
import tarfile
import tempfile
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import edgeolk as ek
from bench.mcu.energy import microjoules
from bench.mcu.rows import Array, stream
from bench.table import Table
from firmware_sim.mcu import BOARDS, build
from firmware_sim.mcu.counting import learn_on, packed
from firmware_sim.mcu.emulator import execute

BUILD = Path(__file__).resolve().parents[2] / "build" / "cmsis"
SOURCES = ("arm_svm_rbf_predict_f32.c", "arm_svm_rbf_init_f32.c")
#: Without the headers of a vendor's device.
FLAGS = ("-D__GNUC_PYTHON__",)
BOARD, STREAM, INPUTS = "mps2-an386", "occupancy", 5
#: Rows that they are trained on, that are predicted, and more of them after the sensor has moved.
BEFORE, ROWS = 4000, 2000
#: How far every input moves then, in its deviations over the first rows.
MOVED = 1.0
GAMMA = 1 / INPUTS
HEADER = (
    *("what", "RAM KiB", "stack KiB", "flash KiB", "instructions", "energy µJ"),
    *("error %", "moved %", "learns"),
)
_RECORD = struct.Struct("<3Q4I")
_HARNESS = Path(__file__).with_name("peer.c")
_NOTHING = "int peer_start(void) { return 0; }\n"


@dataclass(frozen=True)
class Peer:
    """Something that predicts, as C or C++ in a folder."""

    name: str
    sources: list[Path]
    include: list[Path]
    learns: str
    flags: tuple[str, ...] = ()


def _ours(name: str, learner: ek.Learner, folder: Path, learns: str) -> Peer:
    ek.export_c(learner, folder)
    (folder / "peer_of.c").write_text(
        '#include "edgeolk.h"\nint peer_start(void);\nint peer_predict(float *x);\n'
        "static unsigned char arena[EK_ARENA_BYTES];\n"
        "int peer_start(void) { ek_start(arena); return 0; }\n"
        "int peer_predict(float *x) { double said = 0.0; (void)ek_predict(arena, x, &said);\n"
        "    return said > 0.0; }\n"
    )
    sources = [folder / file for file in ("peer_of.c", "edgeolk.c", "model.c")]
    return Peer(name, sources, [folder], learns)


def sorf(X: Array, y: Array, folder: Path) -> Peer:
    """The recommended learner, in 4 KiB."""
    learner = ek.Learner(n_features=INPUTS, ram="4KiB")
    learner.learn_many(X, y)
    return _ours("edgeolk sorf, 4 KiB", learner, folder, "yes")


def _ring(name: str, X: Array, y: Array, folder: Path) -> Peer:
    """Support vectors, frozen."""
    learner = ek.Learner(name, n_features=INPUTS, budget=100, scale="standard", gamma="auto")
    learner.learn_many(X, y)
    return _ours(f"edgeolk {name}, {learner.n_support} vectors", learner, folder, "no")


def projectron(X: Array, y: Array, folder: Path) -> Peer:
    """A ring that learned from margins."""
    return _ring("projectron++", X, y, folder)


def passive_aggressive(X: Array, y: Array, folder: Path) -> Peer:
    """A ring that knows best what it saw last."""
    return _ring("bpa_s", X, y, folder)


def _scaled(X: Array, folder: Path) -> str:
    """C that scales a row as the training rows were: the others have no scaler."""
    mean, sd = X.mean(axis=0), X.std(axis=0)
    numbers = ", ".join(f"{float(v):.9g}f" for v in (*mean, *(1 / sd)))
    return (
        f"static const float moments[] = {{{numbers}}};\n"
        "static void scale(const float *x, float *z) {\n"
        f"    for (int j = 0; j < {INPUTS}; j++)"
        f" z[j] = (x[j] - moments[j]) * moments[{INPUTS} + j];\n}}\n"
    )


def forest(X: Array, y: Array, folder: Path) -> Peer:
    """emlearn: ten trees."""
    import emlearn
    from sklearn.ensemble import RandomForestClassifier

    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    made: Any = RandomForestClassifier(10, max_depth=8, random_state=0).fit(Z, y > 0)
    folder.mkdir(parents=True)
    emlearn.convert(made, method="inline", dtype="float").save(
        file=str(folder / "model.h"), name="model"
    )
    (folder / "peer_of.c").write_text(
        '#include "model.h"\n' + _NOTHING + _scaled(X, folder)
        + f"int peer_predict(float *x) {{ float z[{INPUTS}]; scale(x, z);"
        f" return (int)model_predict(z, {INPUTS}); }}\n"
    )  # fmt: skip
    return Peer(
        "emlearn, 10 trees", [folder / "peer_of.c"], [folder, Path(emlearn.includedir)], "no"
    )


def _svc(X: Array, y: Array) -> Any:
    """Of scikit-learn, on scaled rows."""
    from sklearn.svm import SVC

    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    return SVC(kernel="rbf", gamma=GAMMA).fit(Z, (y > 0).astype(int))


def dsp(X: Array, y: Array, folder: Path) -> Peer:
    """CMSIS-DSP: the same SVC."""
    root, made = unpacked(), _svc(X, y)
    folder.mkdir(parents=True)
    (folder / "peer_of.c").write_text(
        "#include <stdint.h>\n" + _scaled(X, folder)
        + program(made.support_vectors_, made.dual_coef_, float(made.intercept_[0]), GAMMA)
    )  # fmt: skip
    sources = [root / "Source" / "SVMFunctions" / name for name in SOURCES]
    include = [folder, root / "Include", root / "PrivateInclude"]
    name = f"CMSIS-DSP, the same SVC of {len(made.support_)}"
    return Peer(name, [folder / "peer_of.c", *sources], include, "no", FLAGS)


def vectors(X: Array, y: Array, folder: Path) -> Peer:
    """micromlgen: scikit-learn's SVC."""
    import micromlgen

    made = _svc(X, y)
    folder.mkdir(parents=True)
    (folder / "svm.h").write_text(micromlgen.port(made))
    # The cross-compiler may come without headers of C++.
    (folder / "cstdarg").write_text("#include <stdarg.h>\n")
    (folder / "peer_of.cpp").write_text(
        '#include <math.h>\n#include <stdint.h>\n#include "svm.h"\n'
        "static Eloquent::ML::Port::SVM svm;\n"
        'extern "C" { int peer_start(void); int peer_predict(float *x); }\n' + _NOTHING
        + _scaled(X, folder) + f"int peer_predict(float *x) {{ float z[{INPUTS}]; scale(x, z);"
        " return svm.predict(z); }\n"
    )  # fmt: skip
    name = f"micromlgen, SVC of {len(made.support_)} vectors"
    return Peer(name, [folder / "peer_of.cpp"], [folder], "no")


#: Rows and labels: those after the training, and those after them, moved.
Tails = tuple[tuple[Array, Array], tuple[Array, Array]]
#: Hidden units of the OS-ELM, with which it takes 4 KiB; its start.
HIDDEN, START = 24, "100.0f"


def learning_machine(X: Array, folder: Path, skip: int) -> Peer:
    """An OS-ELM, of oselm.c, over scaled rows; it learns on the board, from the first row on."""
    folder.mkdir(parents=True)
    text = _HARNESS.with_name("oselm.c").read_text(encoding="utf-8")
    for name in ("predict", "learn"):
        text = text.replace(f"peer_{name}", f"scaled_{name}")
    (folder / "peer_of.c").write_text(
        text + _scaled(X, folder)
        + f"int peer_predict(float *x);\nvoid peer_learn(float *x, int label);\n"
        f"int peer_predict(float *x) {{ float z[{INPUTS}]; scale(x, z);"
        " return scaled_predict(z); }\n"
        f"void peer_learn(float *x, int label) {{ float z[{INPUTS}]; scale(x, z);"
        " scaled_learn(z, label); }\n"
    )  # fmt: skip
    flags = ("-DPEER_LEARNS", f"-DPEER_SKIP={skip}", f"-DOSELM_HIDDEN={HIDDEN}",
             f"-DOSELM_START={START}")  # fmt: skip
    return Peer(f"OS-ELM, {HIDDEN} hidden units, learning on", [folder / "peer_of.c"], [folder],
                "yes", flags)  # fmt: skip


def learning_on(X: Array, y: Array, tails: Tails, made: Path) -> list[str]:
    """A row of the OS-ELM: it learns the training rows and the others in turn."""
    wrong, stack, each = [], 0, 0.0
    rows = packed(X, y)
    for end, tail in enumerate(tails):
        rows += packed(*tail)
        folder = made / f"oselm{end}"
        peer = learning_machine(X, folder, BEFORE + ROWS * end)
        program = _program(peer, folder)
        instructions, ticks, spent, count, mistakes, used, _ = _run(
            peer.name, program, rows, folder
        )
        wrong.append(mistakes / count)
        stack, each = max(stack, used), each or spent * instructions / ticks / count
    return _row(peer.name, program, stack, each, wrong, peer.learns)


def _program(peer: Peer, folder: Path) -> Any:
    flags = ["-O2", *peer.flags, f"-DPEER_INPUTS={INPUTS}", "-fno-exceptions", "-fno-rtti", "-w"]
    return build(
        BOARDS[BOARD], [_HARNESS, *peer.sources], folder / "peer.elf", include=peer.include,
        flags=flags, libraries=["-lm"],
    )  # fmt: skip


def _run(name: str, program: Any, rows: bytes, folder: Path) -> Any:
    (folder / "rows.bin").write_bytes(rows)
    if execute(program, folder, 3600):
        raise RuntimeError(f"{name}: it failed on the board")
    return _RECORD.unpack((folder / "counts.bin").read_bytes())


def _row(
    name: str, program: Any, stack: int, each: float, wrong: list[float], learns: str
) -> list[str]:
    return [
        name, f"{program.ram / 1024:.1f}", f"{stack / 1024:.1f}", f"{program.flash / 1024:.1f}",
        f"{each:,.0f}", f"{microjoules(BOARD, each):.1f}",
        *(f"{100 * share:.2f}" for share in wrong), learns,
    ]  # fmt: skip


def measure(peer: Peer, tails: Tails, folder: Path) -> list[str]:
    """A row of the table."""
    program = _program(peer, folder)
    wrong, deepest, each = [], 0, 0.0
    for tail in tails:
        instructions, ticks, spent, rows, mistakes, stack, _ = _run(
            peer.name, program, packed(*tail), folder
        )
        wrong.append(mistakes / rows)
        deepest, each = max(deepest, stack), each or spent * instructions / ticks / rows
    return _row(peer.name, program, deepest, each, wrong, peer.learns)


def going_on(X: Array, y: Array, tails: Tails) -> list[str]:
    """Ours again, each row learned after it was predicted."""
    learner = ek.Learner(n_features=INPUTS, ram="4KiB")
    learner.learn_many(X, y)
    before, wrong, stack, each = learner.mistakes, [], 0, 0.0
    for end in (1, 2):  # the board starts from scratch each time
        rows = b"".join(packed(*tail) for tail in tails[:end])
        program, board_run = learn_on(BOARDS[BOARD], learner, rows)
        wrong.append((board_run.mistakes - before) / ROWS)
        before = board_run.mistakes
        stack, each = max(stack, board_run.stack), each or board_run.learned.mean
    return _row("edgeolk sorf, 4 KiB, learning on", program, stack, each, wrong, "yes")


def peers() -> Table:
    """The table."""
    X, y = stream(STREAM, BEFORE + 2 * ROWS, INPUTS)
    middle = BEFORE + ROWS
    moved = (X[middle:] + MOVED * X[:BEFORE].std(axis=0)).astype(np.float32)
    tails = (X[BEFORE:middle], y[BEFORE:middle]), (moved, y[middle:])
    rows = []
    kinds: tuple[Callable[[Array, Array, Path], Peer], ...] = (
        *(sorf, projectron, passive_aggressive),
        *(forest, vectors, dsp),
    )
    with tempfile.TemporaryDirectory() as made, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for kind in kinds:
            folder = Path(made) / kind.__name__
            try:
                peer = kind(X[:BEFORE], y[:BEFORE], folder)
            except ImportError as missing:
                print(f"left out: {missing}", file=sys.stderr)
                continue
            rows.append(measure(peer, tails, folder))
            print("  ".join(rows[-1]), file=sys.stderr, flush=True)
        first = X[:BEFORE], y[:BEFORE]
        rows.append(going_on(*first, tails))
        rows.append(learning_on(*first, tails, Path(made)))
    return Table(
        "Beside what others export",
        HEADER,
        rows,
        f"`{STREAM}`: trained on the first {BEFORE:,} rows here, then {ROWS:,} more predicted on"
        f" {BOARD} (Cortex-M4F, hard float), gcc -O2; defaults of each library, rows scaled by the"
        " training rows where there is no scaler inside. Moved: the share of mistakes in the next"
        f" {ROWS:,} rows, every input there {MOVED:g} of its training deviations more, as of a"
        " sensor that was moved; all of them have the label -1, so repeating the last label would"
        " err once: the column tells who follows, not who is accurate. RAM is variables without the"
        " stack, which is painted and measured; flash the whole program; instructions a prediction"
        " (learning on: a row predicted and learned). A ring that is frozen keeps the last"
        " function, not the best one: it is for learners that go on. The OS-ELM (bench/mcu/oselm.c)"
        " was written for this table: it is scaled by the training rows and learns every row on the"
        " board from the first one on; its RAM is all its state. What emlearn and micromlgen export"
        " does not learn. Energy is an ESTIMATE, that of an nRF52840 (first table). CMSIS-DSP's"
        " `arm_svm_rbf_predict_f32` is compiled from the sources of its Python"
        " package, without the vector instructions of larger cores. TensorFlow Lite Micro is not"
        " here: no package of an index or of Debian has its C++ to compile for a board.",
    )


def unpacked() -> Path:
    """The folder of the sources, downloaded where it is not there yet.

    Raises
    ------
    ImportError
        They cannot be had.
    """
    if not (found := sorted(BUILD.glob("cmsisdsp-*/Source"))):
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
        command += ["--no-binary", "cmsisdsp", "--dest", str(BUILD), "cmsisdsp"]
        if subprocess.run(command, check=False).returncode:
            raise ImportError("no sources of cmsisdsp")
        for archive in BUILD.glob("cmsisdsp-*.tar.gz"):
            with tarfile.open(archive) as file:
                file.extractall(BUILD, filter="data")
        found = sorted(BUILD.glob("cmsisdsp-*/Source"))
    return found[-1].parent


def _numbers(name: str, values: Array) -> str:
    text = ", ".join(f"{float(v):.8e}f" for v in np.ravel(values))
    return f"static const float {name}[] = {{{text}}};\n"


def program(vectors: Array, coefficients: Array, intercept: float, gamma: float) -> str:
    """C that answers 1 or 0 of a scaled row, for what scikit-learn's SVC has found."""
    count, d = vectors.shape
    return (
        '#include "dsp/svm_functions.h"\n'
        + _numbers("vectors", vectors) + _numbers("coefficients", coefficients)
        + "static const int32_t classes[] = {0, 1};\n"
        "static arm_svm_rbf_instance_f32 svm;\n"
        "int peer_start(void);\nint peer_predict(float *x);\n"
        "int peer_start(void) {\n"
        f"    arm_svm_rbf_init_f32(&svm, {count}, {d}, {intercept:.8e}f, coefficients, vectors,"
        f" classes, {gamma:.8e}f);\n    return 0;\n}}\n"
        f"int peer_predict(float *x) {{ float z[{d}]; int32_t said = 0; scale(x, z);"
        " arm_svm_rbf_predict_f32(&svm, z, &said); return said; }\n"
    )  # fmt: skip
