"""Compiles the extension modules; everything else is in pyproject.toml."""

import importlib.util
import os
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

import numpy
from Cython.Build import cythonize
from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext
from setuptools.modified import newer_group

HERE = Path(__file__).parent
CORE = Path("edgeolk/core")
C_FOLDER = Path("edgeolk/c")


def load_units():
    """edgeolk/core/units.py: the sets of instructions that loops are compiled for, and their flags.

    Loaded by its path: importing ``edgeolk`` needs compiled modules.
    """
    spec = importlib.util.spec_from_file_location("edgeolk_units", HERE / CORE / "units.py")
    module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


UNITS = load_units()

# -fno-loop-unroll-and-jam: gcc's version of it makes the row loops twice as slow.
# -fno-asynchronous-unwind-tables, -fno-unwind-tables: tables for C++ exceptions, which never pass
# through this code. Clang writes them unless both are given.
# -g0: Python's own flags ask for debugging information, four times the size of the code.
FLAGS = [
    "-g0",
    *UNITS.NUMBERS,
    "-fno-loop-unroll-and-jam",
    "-fno-asynchronous-unwind-tables",
    "-fno-unwind-tables",
]
# On Windows, the headers of Python detect the pointer size only for Microsoft's compiler.
WORD_SIZE_FLAGS = ["-DMS_WIN64"] if sysconfig.get_platform() in ("win-amd64", "win-arm64") else []
FLAGS += WORD_SIZE_FLAGS
# For make coverage: counters of the compiler, and line numbers of the Cython source. With -Og every
# branch of the source is still one when the counters are placed, each of a && b is its own, and a
# function that the loops would have copied to each call has counters in one place.
TRACED = os.environ.get("EDGEOLK_TRACED") == "1"
if TRACED:
    FLAGS = [
        *(*WORD_SIZE_FLAGS, *UNITS.NUMBERS, "-fno-inline", "-w"),
        *("--coverage", "--param=logical-op-non-short-circuit=0", "-Dalways_inline=noinline"),
    ]

# With sanitizers -O3 takes minutes per module, because of unrolled loops, and finds no more.
SPEED = "-O1" if "-fsanitize" in os.environ.get("CFLAGS", "") else "-O3"
#: For make lint: a warning about the loops is an error, also one that only the optimiser finds.
STRICT = ["-Wall", "-Wextra", "-Werror"] if os.environ.get("EDGEOLK_STRICT") == "1" else []
#: Modules of code that runs once per model, optimised for size; the others for speed.
SIZE_MODULES = (
    "edgeolk.core.arena",
    "edgeolk.engine.engine",
    "edgeolk.files.holds",
    "edgeolk.scaling.state",
)
#: Modules of code that runs once per call. rows.scoring, which also converts rows, has loops.
CALL_MODULES = (
    "edgeolk.rows.learning",
    "edgeolk.calibration",
    "edgeolk.probabilities",
    "edgeolk.river.columns",
    "edgeolk.scaling.scaler",
)
CALL_FLAGS = ["-O2", "-ftree-vectorize", "-fvect-cost-model=dynamic"]


#: Microsoft's compiler, which has no vector types, compiles the loops as plain C11 only.
MICROSOFT = ["/std:c11", "/O2"]


def flags_of(module):
    """Flags of GCC and Clang for a module; the loops are C11."""
    if TRACED:
        return [*FLAGS, "-Og"]
    if module in CALL_MODULES:
        return [*FLAGS, *CALL_FLAGS]
    return [*FLAGS, "-Os" if module in SIZE_MODULES else SPEED]


PACKAGES = (
    "Debian, Ubuntu, Raspberry Pi OS: apt install gcc python3-dev; Fedora: dnf install gcc"
    " python3-devel; Alpine: apk add gcc musl-dev python3-dev; macOS: xcode-select --install;"
    " Windows: pip install ziglang, and CC='python -m ziglang cc -target x86_64-windows-gnu'"
)
#: Memory of the compiler for the largest unit, and the same amount left for other processes.
COMPILER_BYTES = 600 << 20
#: Must compile: the headers of Python and numpy, both for the word size of the target.
PROBE = """
#include <math.h>
#include <Python.h>
#include <numpy/_numpyconfig.h>
_Static_assert(SIZEOF_VOID_P == sizeof(void *), "word size: Python");
_Static_assert(NPY_SIZEOF_PY_INTPTR_T == sizeof(void *), "word size: numpy");
"""


def compiler():
    """The C compiler and its arguments, from CC or from this Python."""
    named = os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc"
    return shlex.split(named, posix=sys.platform != "win32")


def architectures():
    """The target architectures on macOS; empty elsewhere.

    From ``ARCHFLAGS``, as in setuptools, else from the flags of this Python. Two architectures make
    a universal module.
    """
    if not sysconfig.get_platform().startswith("macosx"):
        return []
    flags = os.environ.get("ARCHFLAGS") or sysconfig.get_config_var("CFLAGS") or ""
    return list(dict.fromkeys(re.findall(r"-arch +(\S+)", flags)))


def jobs():
    """How many compilers run at once: one per core, as far as memory is available."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    try:
        meminfo = Path("/proc/meminfo").read_text(encoding="ascii")
    except OSError:
        return cores or 1
    free = re.search(r"^MemAvailable: +(\d+) kB", meminfo, re.MULTILINE)
    capacity = int(free[1]) * 1024 // COMPILER_BYTES if free else 1
    return max(1, min(cores or 1, capacity))


def check_compiler(include_dirs):
    """Exit with a message that says what to install if C cannot be compiled.

    Parameters
    ----------
    include_dirs : list of str
        Folders of the headers of Python and numpy.
    """
    command = compiler()
    if shutil.which(command[0]) is None:
        raise SystemExit(
            f"edgeolk is compiled when it is installed, and there is no C compiler {command[0]!r}."
            f" Install one ({PACKAGES}), or name another by CC."
        )
    if "clang-cl" in Path(command[0]).name:
        raise SystemExit(
            "edgeolk's loops are written for GCC and Clang, and clang-cl takes their flags in"
            f" another spelling. Install one ({PACKAGES}), or name another by CC."
        )
    error = compile_error([*WORD_SIZE_FLAGS, *(f"-I{folder}" for folder in include_dirs)], PROBE)
    if error is None:
        return
    for package in ("Python", "numpy"):
        if f"word size: {package}" in error:
            raise SystemExit(
                f"the headers of {package} are for another word size than {command[0]!r} compiles"
                f" for ({', '.join(include_dirs)}): use those of the target."
            )
    raise SystemExit(
        f"{command[0]!r} cannot compile against the headers of Python and C. Install them"
        f" ({PACKAGES}). Its message:\n{error}"
    )


def compile_error(flags, text=""):
    """The error messages of the C compiler for a source text; None if it compiles."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "probe.c"
        source.write_text(text, encoding="utf-8", newline="\n")
        command = [*compiler(), *flags, "-c", "-o", f"{source}.o", str(source)]
        run = subprocess.run(command, capture_output=True, text=True, check=False)
    return run.stderr if run.returncode else None


def supported(flags):
    """The flags that the C compiler supports."""
    return [flag for flag in flags if compile_error(["-Werror", flag]) is None]


class BuildExtensions(build_ext):
    """Check the compiler, then compile with the flags that it supports."""

    def finalize_options(self):
        """Compile modules in parallel unless -j is given.

        On Windows, a compiler named by CC is one like GCC: distutils ignores CC for others.
        """
        if sys.platform == "win32" and os.environ.get("CC") and self.compiler is None:
            self.compiler = "mingw32"
        super().finalize_options()
        if self.parallel is None:
            self.parallel = jobs()

    def run(self):
        """Record whether this is an in-place build: setuptools resets ``inplace`` meanwhile."""
        self.into_tree = bool(self.inplace)
        super().run()

    def build_extensions(self):
        """Check the compiler and choose flags; installed modules are stripped."""
        self.microsofts = self.compiler.compiler_type == "msvc"
        if self.microsofts:
            for extension in self.extensions:
                extension.extra_compile_args = MICROSOFT
            self.parallel = False
            super().build_extensions()
            return
        check_compiler([*self.include_dirs, numpy.get_include()])
        known = supported([*FLAGS, *CALL_FLAGS, "-Os", "-Og", SPEED])
        # Symbols stay in the source tree, where instructions are counted by function.
        stripped = sysconfig.get_platform().startswith(("linux", "win")) and not self.into_tree
        links = ["-Wl,-s"] if stripped else []
        links += ["--coverage"] if TRACED else []
        for extension in self.extensions:
            flags = flags_of(extension.name)
            extension.extra_compile_args = [flag for flag in flags if flag in known]
            extension.extra_link_args = links
            # The code that selects an instruction set must not be compiled for one of them.
            if extension.name in UNITS.HEADERS:
                extension.extra_compile_args += supported(["-fno-lto"])
                extension.extra_link_args = [*links, *supported(["-fno-lto"])]
        super().build_extensions()

    def build_extension(self, extension):
        """First compile the loops of a module for every instruction set."""
        if header := UNITS.HEADERS.get(extension.name):
            extension.extra_objects = [
                self.compile_unit(extension, unit) for unit in self.units(header, extension)
            ]
        super().build_extension(extension)

    def units(self, header, extension):
        """The units of a module; defines their macros."""
        # Relative: for absolute sources setuptools puts objects outside the build folder.
        temporary = self.build_temp if sys.platform == "win32" else os.path.relpath(self.build_temp)
        folder = Path(temporary) / Path(header).stem
        command = None if self.microsofts else compiler()
        found = UNITS.units(command, header, folder, architectures())
        for unit in found:
            macro = unit.instructions.built
            if not unit.only:
                extension.define_macros = [*extension.define_macros, (macro, None)]
            for name in unit.only:
                words = [f"-Xarch_{name}", f"-D{macro}"]
                extension.extra_compile_args = [*extension.extra_compile_args, *words]
        return found

    def compile_unit(self, extension, unit):
        """The object of a unit, recompiled if a header is newer."""
        source = str(unit.source)
        [target] = self.compiler.object_filenames([source])
        headers = included([str(C_FOLDER / UNITS.HEADERS[extension.name])])
        if self.force or newer_group([source, *headers, str(CORE / "units.py")], target):
            common = [flag for flag in extension.extra_compile_args if not flag.startswith("-O")]
            optimisation = ["-Os" if unit.instructions.small else SPEED] if not TRACED else ["-Og"]
            self.compiler.compile(
                [source],
                include_dirs=extension.include_dirs,
                extra_postargs=[
                    *common,
                    *optimisation,
                    *unit.flags,
                    *STRICT,
                ],
            )
        return target


def included(headers):
    """Headers, and all headers that they include."""
    found, remaining = set(), [Path(header) for header in headers]
    while remaining:
        header = remaining.pop()
        if header in found or not header.exists():
            continue
        found.add(header)
        names = re.findall(r'^#include "([^"]+)"', header.read_text(encoding="utf-8"), re.MULTILINE)
        remaining += [header.parent / name for name in names]
    return sorted(map(str, found))


def extension(name):
    """A compiled module; its flags are set when it is built."""
    return Extension(
        name,
        [name.replace(".", "/") + ".pyx"],
        include_dirs=[str(C_FOLDER), numpy.get_include()],
        define_macros=[("NPY_NO_DEPRECATED_API", "NPY_1_22_API_VERSION")],
    )


MODULES = (
    "edgeolk.core.arena",
    "edgeolk.core.variants",
    "edgeolk.sorf.tables",
    "edgeolk.ring.ring",
    "edgeolk.engine.step",
    "edgeolk.engine.engine",
    "edgeolk.files.holds",
    "edgeolk.rows.scoring",
    "edgeolk.rows.learning",
    "edgeolk.scaling.state",
    "edgeolk.scaling.scaler",
    "edgeolk.calibration",
    "edgeolk.probabilities",
    "edgeolk.river.columns",
    "edgeolk.windows.windows",
)
#: For make checked: an index outside a view is an error instead of a wrong address.
CHECKED = os.environ.get("EDGEOLK_CHECKED") == "1"
DIRECTIVES = {
    "language_level": 3,
    "boundscheck": CHECKED,
    "wraparound": False,
    "cdivision": True,
    "initializedcheck": False,
    "embedsignature": True,
    # No module needs the interpreter lock: docs/threads.md.
    "freethreading_compatible": True,
}

if __name__ == "__main__":
    extensions = cythonize(
        [extension(name) for name in MODULES],
        # In separate processes, whose memory is freed before the C compiler runs.
        nthreads=jobs(),
        compiler_directives=DIRECTIVES,
        emit_linenums=TRACED,
        force=TRACED,
    )
    for ext in extensions:
        # Cython lists only the headers that a module names directly; it regenerates the C file if a
        # Cython source is newer.
        units = [UNITS.HEADERS[ext.name]] if ext.name in UNITS.HEADERS else []
        ext.depends = included([*ext.depends, *(str(C_FOLDER / name) for name in units)])
        ext.depends += [str(CORE / "units.py")] if units else []
    setup(
        ext_modules=extensions,
        cmdclass={"build_ext": BuildExtensions},
    )
