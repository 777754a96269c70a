"""The exported folder: what is in it, and what any compiler makes of it."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from exported import STRICT

import edgeolk as ek
from edgeolk.cli import main
from edgeolk.export.kits import KITS

COMPILERS = ("gcc", "clang")
#: Every form the source has.
FORMS: dict[str, dict[str, Any]] = {
    "recommended": {"ram": "3KiB"},
    "float32": {"algorithm": "sorf", "D": 64, "dtype": "float32", "scale": "minmax"},
    "float64": {"algorithm": "sorf", "D": 64, "dtype": "float64", "on_bad_row": "skip"},
    "classes": {"algorithm": "sorf", "D": 64, "n_classes": 3},
    "regression": {"algorithm": "sorf", "D": 64, "loss": "square", "linear": True},
    "novelty": {"algorithm": "sorf", "D": 64, "loss": "novelty", "gamma": "auto"},
    "ring": {"algorithm": "rbp", "budget": 9, "scale": "standard"},
    "ring, bounded": {"algorithm": "rbp", "budget": 9, "clip_rows": 2.0},
    "ring, float64": {"algorithm": "rbp", "budget": 9, "dtype": "float64"},
    "ring, float16": {"algorithm": "rbp", "budget": 9, "dtype": "float16", "n_classes": 3},
    "ring, int8": {"algorithm": "rbp", "budget": 9, "dtype": "int8", "kernel": ek.Linear()},
    "ring, probability": {"algorithm": "ogd", "budget": 9, "loss": "logistic", "scale": "minmax"},
}


def few_first(*kept: str) -> list[Any]:
    """All forms, those that are not named at night."""
    slow = pytest.mark.slow
    return [form if form in kept else pytest.param(form, marks=slow) for form in FORMS]


def folder_of(form: str, folder: Path) -> Path:
    options = dict(FORMS[form])
    learner = ek.Learner(options.pop("algorithm", None), n_features=3, **options)
    ek.export_c(learner, folder)
    return folder


def run(*command: Any) -> str:
    if shutil.which(str(command[0])) is None:
        pytest.skip(f"no {command[0]}")
    ran = subprocess.run([*map(str, command)], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("compiler", COMPILERS)
def test_clean_under_strict_flags(compiler: str, form: str, tmp_path: Path) -> None:
    folder = folder_of(form, tmp_path)
    # Some warnings only come of what the optimiser sees.
    more = (("-O2",), ("-DEK_SINGLE",), ("-DEK_FIXED",)) if form == "recommended" else ()
    for flags in ((), *more):
        for source in folder.glob("*.c"):
            run(compiler, *STRICT, *flags, "-c", source, "-o", source.with_suffix(".o"))


@pytest.mark.parametrize("form", few_first("recommended", "float64", "ring", "ring, probability"))
def test_nothing_of_the_c_library_but_memory(form: str, tmp_path: Path) -> None:
    """No mathematics, no allocation; and no variable of its own."""
    folder = folder_of(form, tmp_path)
    run("cc", "-std=c99", "-O2", "-c", folder / "edgeolk.c", "-o", folder / "e.o")
    symbols = [line.split()[-2:] for line in run("nm", folder / "e.o").splitlines()]
    taken = {"_GLOBAL_OFFSET_TABLE_", "__stack_chk_fail", "memcpy", "memset", "memcmp", "memmove"}
    undefined = {name for kind, name in symbols if kind == "U" and not name.startswith("ek_")}
    assert undefined <= taken
    assert not [name for kind, name in symbols if kind in "bBdDcC"]


def test_whole_numbers_are_for_int8(tmp_path: Path) -> None:
    folder = folder_of("float32", tmp_path)
    command = ["cc", "-std=c99", "-DEK_FIXED", "-c", str(folder / "edgeolk.c"), "-o", "/dev/null"]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ran.returncode
    assert "int8" in ran.stderr


@pytest.mark.parametrize("compiler", ["g++", "clang++"])
def test_header_is_cxx_too(compiler: str, tmp_path: Path) -> None:
    folder = folder_of("recommended", tmp_path)
    program = folder / "use.cpp"
    program.write_text('#include "edgeolk.h"\nint main() { static double a[EK_ARENA_BYTES / 8];\n'
                       "ek_start(a); return 0; }\n")  # fmt: skip
    flags = ("-Wall", "-Wextra", "-Werror", "-pedantic", "-std=c++11")
    run(compiler, *flags, "-c", program, "-o", folder / "use.o")


def test_command_line_and_example(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """From a model file to a program that runs."""
    learner = ek.Learner(n_features=4, ram="3KiB")
    learner.save(tmp_path / "model.olk")
    out = tmp_path / "out"
    assert main(["export", str(tmp_path / "model.olk"), "--out", str(out)]) == 0
    listed = capsys.readouterr().out.split()
    assert sorted(str(p.relative_to(out)) for p in out.rglob("*") if p.is_file()) == listed
    assert f"{learner.nbytes} bytes" in (out / "README.md").read_text()
    sources = [out / name for name in ("main.c", "edgeolk.c", "model.c")]
    run("cc", "-std=c99", "-O2", "-o", out / "example", *sources)
    assert "500 rows learned" in run(out / "example")


def test_tool_chains(tmp_path: Path) -> None:
    """On request; every source that they name is there, and a name that is none writes nothing."""
    learner = ek.Learner(n_features=4, ram="3KiB")
    plain = set(ek.export_c(learner, tmp_path / "plain"))
    listed = ek.export_c(learner, tmp_path / "all", with_=list(KITS))
    more = {"library.properties", "library.json", "CMakeLists.txt", "zephyr/module.yml"}
    assert more <= set(listed) - plain
    library = json.loads((tmp_path / "all/library.json").read_text())
    for source in library["build"]["srcFilter"]:
        name = source.removeprefix("+<").removesuffix(">")
        assert (tmp_path / "all" / name).exists()
        for file in ("CMakeLists.txt", "zephyr/CMakeLists.txt"):
            assert name in (tmp_path / "all" / file).read_text()
    with pytest.raises(ValueError, match="arduino, platformio, cmake, zephyr"):
        ek.export_c(learner, tmp_path / "none", with_=["make"])
    with pytest.raises(TypeError, match="with_"):
        ek.export_c(learner, tmp_path / "none", with_="cmake")  # type: ignore[arg-type]
    assert not (tmp_path / "none").exists()


@pytest.mark.parametrize("compiler", ["g++"])
def test_the_sketch_compiles(compiler: str, tmp_path: Path) -> None:
    """With what it uses of Arduino, and nothing else."""
    ek.export_c(ek.Learner(n_features=4, ram="3KiB"), tmp_path, with_=["arduino"])
    stub = """struct { void begin(int) {} int available() { return 1; }
float parseFloat() { return 0; } void println(double) {} } Serial;
#include <stddef.h>
"""
    (tmp_path / "sketch.cpp").write_text(
        stub + (tmp_path / "examples/learner/learner.ino").read_text()
    )
    run(compiler, "-Wall", "-Wextra", "-Werror", f"-I{tmp_path}", "-c", tmp_path / "sketch.cpp",
        "-o", tmp_path / "sketch.o")  # fmt: skip
    for source in ("edgeolk.c", "model.c", "flash.c", "main.c"):
        run("cc", "-std=gnu11", "-DARDUINO=10800", "-c", tmp_path / source, "-o", tmp_path / "s.o")


def test_what_is_not_there_in_c_is_refused(tmp_path: Path) -> None:
    for learner in (
        ek.Learner("fogd", n_features=2, D=10),
        ek.Learner("rbp", n_features=2, budget=4, kernel=ek.Sigmoid(1.0, 0.0)),
        ek.Learner("pomdr", n_features=2, budget=4),
    ):
        with pytest.raises(ValueError, match=r"cannot be exported: .*: "):
            ek.export_c(learner, tmp_path / "none")
    assert not (tmp_path / "none").exists()


def test_a_wheel_has_the_loops_that_are_exported_and_no_others(tmp_path: Path) -> None:
    source = Path(__file__).parents[3]
    excluded = (source / "pyproject.toml").read_text().split("exclude-package-data]")[1]
    left_out = set(re.findall(r'"(\w+\.h)"', excluded.split("[", 2)[1]))
    exported = {
        path.name
        for form in FORMS
        for path in (folder_of(form, tmp_path / form) / "loops").glob("*.h")
    }
    loops = {path.name for path in (source / "edgeolk/core/loops").glob("*.h")}
    assert exported == loops - left_out


def test_files_of_others_are_not_written_over(tmp_path: Path) -> None:
    learner = ek.Learner(n_features=3, budget=64)
    (tmp_path / "README.md").write_text("mine")
    with pytest.raises(FileExistsError, match=r"holds README.md, and no earlier export"):
        ek.export_c(learner, tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["README.md"]
    (tmp_path / "README.md").unlink()
    assert ek.export_c(learner, tmp_path) == ek.export_c(learner, tmp_path)
