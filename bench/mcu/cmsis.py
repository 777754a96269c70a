"""CMSIS-DSP's support vector machine: its C out of the Python package's sources, into build/."""

from __future__ import annotations

import subprocess
import sys
import tarfile
from pathlib import Path

import numpy as np

from bench.mcu.rows import Array

BUILD = Path(__file__).resolve().parents[2] / "build" / "cmsis"
SOURCES = ("arm_svm_rbf_predict_f32.c", "arm_svm_rbf_init_f32.c")
#: Without the headers of a vendor's device.
FLAGS = ("-D__GNUC_PYTHON__",)


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
