"""The exported folder: what is in it, and what any compiler makes of it."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import pytest
from exported import STRICT
from helpers import few_first

import edgeolk as ek
from bench.compiled import compiled
from edgeolk.cli import main
from edgeolk.export.costs import factors_of
from edgeolk.export.kits import KITS
from edgeolk.export.text import IN_DECIMAL
from edgeolk.named import NamedLearner
from edgeolk.names import Names

COMPILERS = ("gcc", "clang")
#: What each warns of beside STRICT: float that becomes double unasked is slow on most boards.
MORE = {
    "gcc": ("-Wdouble-promotion", "-Wmaybe-uninitialized"),
    "clang": ("-Wdouble-promotion", "-Wconditional-uninitialized", "-Wused-but-marked-unused"),
}
#: Every form the source has.
FORMS: dict[str, dict[str, Any]] = {
    "recommended": {"ram": "3KiB"},
    "float32": {"algorithm": "sorf", "D": 64, "dtype": "float32", "scale": "minmax"},
    "float64": {"algorithm": "sorf", "D": 64, "dtype": "float64", "on_bad_row": "skip"},
    "classes": {"algorithm": "sorf", "D": 64, "n_classes": 3},
    "regression": {"algorithm": "sorf", "D": 64, "loss": "square", "linear": True},
    "process beside": {"ram": "4KiB", "loss": "square"},
    "novelty": {"algorithm": "sorf", "D": 64, "loss": "novelty", "gamma": "auto"},
    "in time": {"D": 64, "loss": "novelty", "history": True},
    "forecaster": {"D": 64, "loss": "square", "history": True},
    "ring": {"algorithm": "rbp", "budget": 9, "scale": "standard"},
    "ring, bounded": {"algorithm": "rbp", "budget": 9, "clip_rows": 2.0},
    "ring, float64": {"algorithm": "rbp", "budget": 9, "dtype": "float64"},
    "ring, float16": {"algorithm": "rbp", "budget": 9, "dtype": "float16", "n_classes": 3},
    "ring, int8": {"algorithm": "rbp", "budget": 9, "dtype": "int8", "kernel": ek.Linear()},
    "process": {"algorithm": "krls_t", "budget": 9, "scale": "standard", "gamma": "auto"},
    "untuned": {"algorithm": "krls_auto", "budget": 9},
    "process, whitened": {"algorithm": "sogp", "budget": 9, "coefficients": "float32",
                          "dtype": "float32"},
    "ring, probability": {"algorithm": "ogd", "budget": 9, "loss": "logistic", "scale": "minmax"},
}


#: Those that are compiled in each arithmetic, and by the optimiser.
MODES = ("recommended", "forecaster", "in time")
MODES_OF_C = (("-DEK_FIXED", "-fsyntax-only"),)


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


def objects(sources: Iterable[Path], compiler: str = "cc", flags: Sequence[str] = ()) -> list[Path]:
    """Each compiled under strict flags; the same source is in the folders of several tests."""
    if shutil.which(compiler) is None:
        pytest.skip(f"no {compiler}")
    return [compiled([compiler, *STRICT, *flags, "-c"], [source], ".o") for source in sources]


def optimised(compiler: str, folder: Path) -> Path:
    """Its edgeolk.c; some warnings only come of what the optimiser sees."""
    return objects([folder / "edgeolk.c"], compiler, ("-O2", *MORE[compiler]))[0]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.spread(12)
def test_clean_under_strict_flags(compiler: str, form: str, tmp_path: Path) -> None:
    folder = folder_of(form, tmp_path)
    for flags in (("-fsyntax-only",), *(MODES_OF_C if form in MODES else ())):
        run(compiler, *STRICT, *MORE[compiler], *flags, *folder.glob("*.c"))
    if form in MODES:
        optimised(compiler, folder)


@pytest.mark.parametrize("form", few_first(FORMS, ("recommended", "forecaster", "in time", "ring")))
@pytest.mark.spread(2)
def test_what_the_readme_shows_compiles(form: str, tmp_path: Path) -> None:
    """Its variables, then its calls in a function: as they stand there, and they are enough."""
    folder = folder_of(form, tmp_path)
    shown = (folder / "README.md").read_text().split("```c\n")[1].split("```")[0]
    declared, calls = shown.rsplit("\n\n", 1)
    program = folder / "shown.c"
    program.write_text(f"{declared}\nint main(void)\n{{\n{calls}return 0;\n}}\n")
    sources = [program, folder / "edgeolk.c", folder / "model.c"]
    run("cc", "-o", folder / "shown", *objects(sources))
    run(folder / "shown")


def test_the_readme_tells_before_it_asks(tmp_path: Path) -> None:
    """After the first periods: the other order learns another horizon."""
    *_, waits, tell, ask, _ = shown_calls(folder_of("forecaster", tmp_path))
    assert "period++ >= EK_HORIZON" in waits
    assert tell.strip().startswith("ek_tell(")
    assert ask.startswith("ek_ask(")


def shown_calls(folder: Path) -> list[str]:
    """The lines of C in its README."""
    return (folder / "README.md").read_text().split("```c\n")[1].split("```")[0].splitlines()


def test_the_readme_names_the_inputs(tmp_path: Path) -> None:
    """And says which places have none; a learner without names has no table."""
    learner = ek.Learner(n_features=4, ram="3KiB")
    ek.export_c(NamedLearner(learner, Names(features=("humidity", "light"))), tmp_path / "named")
    told = (tmp_path / "named" / "README.md").read_text()
    assert "| `row[0]` | humidity |\n| `row[1]` | light |\n" in told
    assert "| `row[2]` and all others | no input yet: 0 |" in told
    ek.export_c(NamedLearner(learner, Names(features=tuple("abcd"))), tmp_path / "all")
    told = (tmp_path / "all" / "README.md").read_text()
    assert "| `row[3]` | d |\n\n" in told
    assert "no input yet" not in told
    ek.export_c(learner, tmp_path / "plain")
    assert "| `row[" not in (tmp_path / "plain" / "README.md").read_text()


@pytest.mark.parametrize("form", few_first(FORMS, ("recommended", "ring, probability")))
def test_nothing_of_the_c_library_but_memory(form: str, tmp_path: Path) -> None:
    """No mathematics, no allocation; and no variable of its own."""
    folder = folder_of(form, tmp_path)
    made = optimised("gcc", folder)
    symbols = [line.split()[-2:] for line in run("nm", made).splitlines()]
    taken = {"_GLOBAL_OFFSET_TABLE_", "__stack_chk_fail", "memcpy", "memset", "memcmp", "memmove"}
    undefined = {name for kind, name in symbols if kind == "U" and not name.startswith("ek_")}
    assert undefined <= taken
    assert not [name for kind, name in symbols if kind in "bBdDcC"]


@pytest.mark.parametrize("form", ["recommended", "forecaster", "ring, float64"])
@pytest.mark.spread(4)
def test_every_constant_of_a_model_is_read(form: str, tmp_path: Path) -> None:
    """Where regions are is in EK_SETUP; a macro for each would be read by no source."""
    folder = folder_of(form, tmp_path)
    sources = "\n".join(path.read_text() for path in folder.rglob("*.[ch]"))
    names = re.findall(r"^#define (EK_\w+)", (folder / "model.h").read_text(), re.MULTILINE)
    unread = [name for name in names if len(re.findall(rf"\b{name}\b", sources)) == 1]
    assert set(unread) <= set(IN_DECIMAL)  # for programs of users


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
    learner = ek.Learner(n_features=3, ram="3KiB")
    learner.save(tmp_path / "model.olk")
    out = tmp_path / "out"
    words = ["export", str(tmp_path / "model.olk"), "--out", str(out), "--classes", "off,on"]
    assert main(words) == 0
    listed = capsys.readouterr().out.split()
    assert sorted(p.relative_to(out).as_posix() for p in out.rglob("*") if p.is_file()) == listed
    assert f"{learner.nbytes} bytes" in (out / "README.md").read_text()
    sources = [out / name for name in ("main.c", "edgeolk.c", "model.c")]
    run("cc", "-o", out / "example", *objects(sources))
    said = run(out / "example")
    assert "500 rows learned" in said
    assert said.splitlines()[-1] in ("class off", "class on")


NAMES = ["kalt", 'a "b"\\', "größer??/", "x\ty"]


@pytest.mark.parametrize("n_classes", [2, 3, 4])
@pytest.mark.spread(2)
def test_a_board_knows_the_names_of_its_classes(n_classes: int, tmp_path: Path) -> None:
    """Whatever letters they have; the example prints that of its last answer."""
    names = NAMES[-n_classes:]
    options = {} if n_classes == 2 else {"n_classes": n_classes}
    learner = ek.Learner(n_features=3, ram="4KiB", **options)
    ek.export_c(learner, tmp_path, classes=names)
    program = tmp_path / "names.c"
    program.write_text(
        '#include <stdio.h>\n#include "edgeolk.h"\nint main(void)\n{\n'
        "    for (int k = 0; k < EK_CLASSES; k++)\n        puts(ek_class_names[k]);\n"
        "    return 0;\n}\n"
    )
    sources = [program, tmp_path / "edgeolk.c", tmp_path / "model.c"]
    run("cc", "-o", tmp_path / "names", *objects(sources))
    assert run(tmp_path / "names").splitlines() == names
    sources[0] = tmp_path / "main.c"
    run("cc", "-o", tmp_path / "example", *objects(sources))
    answer, said = run(tmp_path / "example").splitlines()[-2:]
    label = float(answer.rpartition(" ")[2])
    assert said == f"class {names[int(label > 0) if n_classes == 2 else int(label)]}"
    ek.export_c(learner, tmp_path / "pump", classes=names, prefix="pump")
    assert "pump_class_names[PUMP_CLASSES]" in (tmp_path / "pump" / "pump_model.h").read_text()
    ek.export_c(learner, tmp_path)
    assert "CLASSES" not in (tmp_path / "model.h").read_text()


@pytest.mark.parametrize(
    ("options", "classes", "message"),
    [
        ({"n_classes": 3}, ["a", "b"], r"classes must have 3 names, got 2"),
        ({}, ["a", "b", "c"], r"classes must have 2 names, got 3"),
        ({"n_classes": 3}, ["a", "b", "a"], r"classes must differ"),
        ({}, "ab", r"classes must be a sequence of str, got 'ab'"),
        ({}, [0, 1], r"classes must be a sequence of str, got \[0, 1\]"),
        ({"loss": "square"}, ["a", "b"], r"for learners of classes; the labels here are numbers"),
        ({"loss": "novelty"}, ["a", "b"], r"the labels here are not needed"),
    ],
)
def test_names_of_other_classes_are_refused(
    options: dict[str, Any], classes: Any, message: str, tmp_path: Path
) -> None:
    learner = ek.Learner(n_features=3, ram="4KiB", **options)
    with pytest.raises((TypeError, ValueError), match=message):
        ek.export_c(learner, tmp_path / "out", classes=classes)
    assert not (tmp_path / "out").exists()


def test_tool_chains(tmp_path: Path) -> None:
    """On request; every source that they name is there, and a name that is none writes nothing."""
    learner = ek.Learner(n_features=4, ram="3KiB")
    plain = set(ek.export_c(learner, tmp_path / "plain"))
    listed = ek.export_c(learner, tmp_path / "all", with_=list(KITS))
    more = {"arduino/edgeolk/library.properties", "library.json", "CMakeLists.txt",
            "zephyr/module.yml", "esp-idf/edgeolk/CMakeLists.txt", "pico-sdk/CMakeLists.txt",
            "usermod/micropython.mk", "usermod/micropython.cmake"}  # fmt: skip
    assert more <= set(listed) - plain
    library = json.loads((tmp_path / "all/library.json").read_text())
    for source in library["build"]["srcFilter"]:
        name = source.removeprefix("+<").removesuffix(">")
        assert (tmp_path / "all" / name).exists()
        for file in ("CMakeLists.txt", *(name for name in more if name.count("/"))):
            if file.endswith((".yml", ".properties")):
                continue
            assert name in (tmp_path / "all" / file).read_text()
    with pytest.raises(ValueError, match="arduino, platformio, cmake, zephyr, esp-idf"):
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
        stub + (tmp_path / "arduino/edgeolk/examples/learner/learner.ino").read_text()
    )
    source = tmp_path / "arduino/edgeolk/src"
    run(compiler, "-Wall", "-Wextra", "-Werror", f"-I{source}", "-c", tmp_path / "sketch.cpp",
        "-o", tmp_path / "sketch.o")  # fmt: skip
    compiled = sorted(path.name for path in source.glob("*.c"))
    assert compiled == ["edgeolk.c", "flash.c", "model.c"]
    for name in compiled:
        run("cc", "-std=gnu11", "-DARDUINO=10800", f"-I{source}", "-c", source / name,
            "-o", tmp_path / "s.o")  # fmt: skip


def test_a_module_of_micropython_compiles(tmp_path: Path) -> None:
    """With stand-ins for what it takes of MicroPython; built and run in the unix port by hand."""
    ek.export_c(ek.Learner(n_features=4, ram="3KiB"), tmp_path, with_=["micropython"])
    headers = tmp_path / "py"
    headers.mkdir()
    (headers / "objstr.h").write_text("")
    (headers / "runtime.h").write_text(MICROPYTHON)
    told = ("-std=gnu99", "-Wall", "-Wextra", "-Werror", "-Wdouble-promotion", "-Wfloat-conversion")
    for flags in ((), ("-O2",)):
        run("cc", *told, *flags, f"-I{tmp_path}", "-c", tmp_path / "usermod/modedgeolk.c",
            "-o", tmp_path / "module.o")  # fmt: skip


#: What the module takes of py/runtime.h.
MICROPYTHON = """
#include <stddef.h>
#include <stdint.h>
typedef void *mp_obj_t;
typedef double mp_float_t;
typedef unsigned char byte;
extern const int mp_type_module;
typedef struct { const int *type; } mp_obj_base_t;
typedef struct { mp_obj_base_t base; } mp_obj_dict_t;
typedef struct { mp_obj_base_t base; mp_obj_dict_t *globals; } mp_obj_module_t;
typedef struct { const void *name, *value; } mp_rom_map_elem_t;
typedef struct { void *buf; size_t len; } mp_buffer_info_t;

#define mp_const_none ((mp_obj_t)0)
enum { MP_BUFFER_READ = 1, MP_QSTR___name__, MP_QSTR_edgeolk, MP_QSTR_reset, MP_QSTR_predict,
       MP_QSTR_scores, MP_QSTR_learn, MP_QSTR_save, MP_QSTR_load };
#define MP_ERROR_TEXT(text) text
#define MP_ROM_QSTR(name) ((const void *)(name))
#define MP_ROM_PTR(at) ((const void *)(at))
#define MP_DEFINE_CONST_FUN_OBJ_0(name, f) mp_obj_t (*const name)(void) = f
#define MP_DEFINE_CONST_FUN_OBJ_1(name, f) mp_obj_t (*const name)(mp_obj_t) = f
#define MP_DEFINE_CONST_FUN_OBJ_VAR_BETWEEN(name, least, most, f) \\
    mp_obj_t (*const name)(size_t, const mp_obj_t *) = f
#define MP_DEFINE_CONST_DICT(name, table) \\
    const struct { mp_obj_base_t base; const mp_rom_map_elem_t *at; } name = {{0}, table}
#define MP_REGISTER_MODULE(name, module) extern const mp_obj_module_t module
void mp_raise_ValueError(const char *text);
void mp_obj_get_array(mp_obj_t given, size_t *count, mp_obj_t **items);
mp_float_t mp_obj_get_float(mp_obj_t given);
mp_obj_t mp_obj_new_float(mp_float_t number);
mp_obj_t mp_obj_new_tuple(size_t count, const mp_obj_t *items);
mp_obj_t mp_obj_new_bytes(const byte *from, size_t count);
void mp_get_buffer_raise(mp_obj_t given, mp_buffer_info_t *to, unsigned int how);
"""


TWO_MODELS = """
#include <stdio.h>
#include "pump/pump.h"
#include "pump/pump_flash.h"
#include "fan/fan.h"
static double of_pump[(PUMP_ARENA_BYTES + 7) / 8], of_fan[(FAN_ARENA_BYTES + 7) / 8];
int main(void)
{
    const pump_number x[PUMP_FEATURES] = {1, -1, 2};
    const fan_number z[FAN_FEATURES] = {.5, 1};
    double score = 0, label = 0;
    pump_counts counts;
    pump_start(of_pump);
    fan_start(of_fan);
    for (int t = 0; t < 20; t++)
        if (pump_learn(of_pump, x, 1, &score) != PUMP_OK)
            return 1;
    pump_count(of_pump, &counts);
    if (pump_scores(of_pump, x, &score) || fan_predict(of_fan, z, &label))
        return 1;
    printf("%lu %.17g %g\\n", (unsigned long)counts.steps, score, label);
    return 0;
}
"""


@pytest.mark.parametrize("form", ["recommended", "ring"])
@pytest.mark.spread(2)
def test_two_models_in_one_program(form: str, tmp_path: Path) -> None:
    """Each under names of its own, in the same words as alone; the header of one knows no other."""
    pump = ek.Learner(n_features=3, ram="3KiB")
    fan = ek.Learner(n_features=2, budget=64) if form == "recommended" else None
    fan = fan or ek.Learner("rbp", n_features=2, budget=9, scale="standard")
    for learner, name in ((pump, "pump"), (fan, "fan")):
        listed = ek.export_c(learner, tmp_path / name, prefix=name)
        assert {f"{name}.c", f"{name}.h", f"{name}_model.c"} <= set(listed)
        own = [(tmp_path / name / file).read_text() for file in listed if "edgeolk/" not in file]
        # Flags of the compiler are for all models.
        assert not re.search(r"\bek_|\bEK_(?!FIXED|FLASH_UNIT)", "\n".join(own))
    (tmp_path / "main.c").write_text(TWO_MODELS)
    sources = [path for name in ("pump", "fan") for path in (tmp_path / name).glob("*.c")]
    sources = [path for path in sources if path.name != "main.c"]
    target = tmp_path / "both"
    run("cc", "-o", target, *objects([tmp_path / "main.c", *sources], flags=["-Wno-conversion"]))
    for _ in range(20):
        pump.learn_one([1.0, -1.0, 2.0], 1)
    steps, score, label = run(target).split()
    assert int(steps) == pump.steps
    assert float(score) == pytest.approx(pump.decision_one([1.0, -1.0, 2.0]), rel=1e-6)
    assert float(label) == fan.predict_one([0.5, 1.0])


def test_an_export_under_a_prefix_is_replaced_and_others_are_not(tmp_path: Path) -> None:
    learner = ek.Learner(n_features=3, ram="3KiB")
    listed = ek.export_c(learner, tmp_path, prefix="pump", with_=list(KITS))
    assert ek.export_c(learner, tmp_path, prefix="pump", with_=list(KITS)) == listed
    assert json.loads((tmp_path / "library.json").read_text())["name"] == "pump"
    made = (tmp_path / "CMakeLists.txt").read_text()
    assert "add_library(pump STATIC pump.c pump_flash.c" in made
    with pytest.raises(FileExistsError, match="no earlier export"):
        ek.export_c(learner, tmp_path)


@pytest.mark.parametrize("bad", ["", "Pump", "a-b", "1st", "a_b", "x" * 17])
def test_what_no_name_begins_with(bad: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="prefix must be"):
        ek.export_c(ek.Learner(n_features=3, ram="3KiB"), tmp_path / "none", prefix=bad)
    assert not (tmp_path / "none").exists()


def test_what_is_not_there_in_c_is_refused(tmp_path: Path) -> None:
    for learner in (
        ek.Learner("fogd", n_features=2, D=10),
        ek.Learner("rbp", n_features=2, budget=4, kernel=ek.Sigmoid(1.0, 0.0)),
        ek.Learner("pomdr", n_features=2, budget=4),
    ):
        with pytest.raises(ValueError, match=r"cannot be exported: .*: "):
            ek.export_c(learner, tmp_path / "none")
    assert not (tmp_path / "none").exists()


def test_a_wheel_has_the_headers_that_are_exported_and_no_others(tmp_path: Path) -> None:
    source = Path(__file__).parents[3]
    excluded = (source / "pyproject.toml").read_text().split("exclude-package-data]")[1]
    left_out = set(re.findall(r'"(\w+\.h)"', excluded.split("[", 2)[1]))
    exported = {
        path.name
        for form in FORMS
        for path in (folder_of(form, tmp_path / form) / "edgeolk").glob("*.h")
    }
    ek.export_c(
        ek.Learner(n_features=2, D=64, loss="square", history=True), tmp_path / "forecaster"
    )
    windows = ek.Windows(1, features="level")
    learner = ek.Learner(n_features=windows.n_features, D=64)
    ek.export_c(learner, tmp_path / "windows", windows=windows)
    for folder in ("forecaster", "windows"):
        exported |= {path.name for path in (tmp_path / folder / "edgeolk").glob("*.h")}
    headers = {path.name for path in (source / "edgeolk/c").glob("*.h")}
    assert exported == headers - left_out


def test_files_of_others_are_not_written_over(tmp_path: Path) -> None:
    learner = ek.Learner(n_features=3, budget=64)
    (tmp_path / "README.md").write_text("mine")
    with pytest.raises(FileExistsError, match=r"holds README.md, and no earlier export"):
        ek.export_c(learner, tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["README.md"]
    (tmp_path / "README.md").unlink()
    assert ek.export_c(learner, tmp_path) == ek.export_c(learner, tmp_path)


def test_a_prefix_that_is_no_text_is_refused_before_a_folder_is_written(tmp_path: Path) -> None:
    learner = ek.Learner("rbp", n_features=2, budget=4)
    with pytest.raises(TypeError, match="prefix must be a string, got 3"):
        ek.export_c(learner, tmp_path / "model", prefix=3)
    assert not (tmp_path / "model").exists()


def test_costs_of_a_core_that_was_never_counted_are_refused() -> None:
    with pytest.raises(ValueError, match="core is 'z80': no learner of int8 was counted on it"):
        factors_of("z80")
