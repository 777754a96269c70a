"""Files of tool chains: what each asks of a library's folder, and whether it takes it."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

import edgeolk as ek
from edgeolk.export.kits import KITS

#: Where each tool chain's CMake begins, and stand-ins for what it brings itself.
STUBS = {
    "cmake": """
add_subdirectory(${BOARD} board)
add_executable(tried ${BOARD}/main.c)
target_link_libraries(tried %NAME%)
""",
    "pico-sdk": """
add_subdirectory(${BOARD}/pico-sdk board)
add_executable(tried ${BOARD}/main.c)
target_link_libraries(tried %NAME%)
""",
    "esp-idf": """
function(idf_component_register)
  cmake_parse_arguments(given "" "" "SRCS;INCLUDE_DIRS" ${ARGN})
  if(given_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "${given_UNPARSED_ARGUMENTS}")
  endif()
  add_library(%NAME% STATIC ${given_SRCS})
  target_include_directories(%NAME% PUBLIC ${given_INCLUDE_DIRS})
endfunction()
add_subdirectory(${BOARD}/esp-idf/%NAME% board)
add_executable(tried ${BOARD}/main.c)
target_link_libraries(tried %NAME%)
""",
    "zephyr": """
macro(zephyr_library)
  add_library(zephyr_of_board STATIC)
endmacro()
macro(zephyr_library_sources)
  target_sources(zephyr_of_board PRIVATE ${ARGN})
endmacro()
macro(zephyr_include_directories)
  target_include_directories(zephyr_of_board PUBLIC ${ARGN})
endmacro()
set(CONFIG_%OPTION% y)
add_subdirectory(${BOARD}/zephyr board)
add_executable(tried ${BOARD}/main.c)
target_link_libraries(tried zephyr_of_board)
""",
    "micropython": """
add_library(usermod INTERFACE)
include(${BOARD}/usermod/micropython.cmake)
get_target_property(sources usermod_%NAME% INTERFACE_SOURCES)
list(FILTER sources EXCLUDE REGEX "mod%NAME%.c$") # that one needs MicroPython itself
get_target_property(include usermod_%NAME% INTERFACE_INCLUDE_DIRECTORIES)
add_executable(tried ${BOARD}/main.c ${sources})
target_include_directories(tried PRIVATE ${include})
""",
}


def board(folder: Path, prefix: str = "ek", **options: Any) -> Path:
    ek.export_c(ek.Learner(n_features=4, ram="3KiB", **options), folder, with_=list(KITS),
                prefix=prefix)  # fmt: skip
    return folder


@pytest.mark.parametrize(
    ("kit", "prefix"),
    [
        pytest.param(kit, prefix, marks=pytest.mark.slow if (at + of) % 2 else ())
        for at, kit in enumerate(STUBS)
        for of, prefix in enumerate(("ek", "pump"))
    ],
)
@pytest.mark.spread(3)
@pytest.mark.spread(2)
def test_cmake_takes_it(kit: str, prefix: str, tmp_path: Path) -> None:
    """Configured, built and run with stand-ins for what a tool chain's own CMake brings."""
    if shutil.which("cmake") is None:
        pytest.skip("no cmake")
    name = "edgeolk" if prefix == "ek" else prefix
    made = board(tmp_path / "board", prefix)
    (tmp_path / "try").mkdir()
    text = STUBS[kit].replace("%NAME%", name).replace("%OPTION%", name.upper())
    head = "cmake_minimum_required(VERSION 3.13)\nproject(tried C)\nset(CMAKE_C_STANDARD 99)\n"
    (tmp_path / "try/CMakeLists.txt").write_text(f"{head}set(BOARD {made})\n{text}")
    for command in (
        # Without the programs that it tries a compiler with: the library is one.
        ["cmake", "-S", tmp_path / "try", "-B", tmp_path / "made",
         "-DCMAKE_C_COMPILER_WORKS=1", "-DCMAKE_C_ABI_COMPILED=1"],
        ["cmake", "--build", tmp_path / "made"],
        [tmp_path / "made/tried"],
    ):  # fmt: skip
        ran = subprocess.run([*map(str, command)], capture_output=True, text=True, check=False)
        assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "500 rows learned" in ran.stdout


def test_zephyr_asks_by_the_option_of_its_kconfig(tmp_path: Path) -> None:
    made = board(tmp_path, "pump")
    assert (made / "zephyr/Kconfig").read_text().startswith("config PUMP\n")
    assert "if(CONFIG_PUMP)" in (made / "zephyr/CMakeLists.txt").read_text()
    assert "kconfig: zephyr/Kconfig" in (made / "zephyr/module.yml").read_text()


#: Of Arduino's specification of libraries; "Uncategorized" is one that arduino-lint warns of.
CATEGORIES = ("Display", "Communication", "Signal Input/Output", "Sensors", "Device Control",
              "Timing", "Data Storage", "Data Processing", "Other")  # fmt: skip
FIELDS = {"name", "version", "author", "maintainer", "sentence", "paragraph", "category", "url",
          "architectures", "includes", "depends", "dot_a_linkage", "precompiled",
          "ldflags", "license"}  # fmt: skip


@pytest.mark.parametrize("prefix", ["ek", "pump"])
def test_what_arduino_lint_asks_of_a_library(prefix: str, tmp_path: Path) -> None:
    """Its rules by their numbers, those that need no network; it is no package that pip has."""
    made = board(tmp_path, prefix) / "arduino" / ("edgeolk" if prefix == "ek" else prefix)
    said = {}
    for line in (made / "library.properties").read_text(encoding="utf-8").splitlines():
        name, equals, value = line.partition("=")
        assert equals  # LP005
        assert value.strip()  # LP008, LP024, LP026, LP032, LP044, LP051, LP056
        said[name] = value
    assert set(said) <= FIELDS  # LP006
    wanted = {"name", "version", "author", "maintainer", "sentence", "paragraph"}
    assert wanted | {"category", "url", "architectures"} <= set(said)  # LP007, LP019 ... LP043
    assert re.fullmatch(r"[a-zA-Z][a-zA-Z0-9_.\-]{0,31}", said["name"])  # LP009 to LP011, LP015
    assert not re.search("arduino|library", said["name"], re.IGNORECASE)  # LP012, LP014, LP016
    assert re.fullmatch(r"\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?", said["version"])  # LP020, LP021
    assert "arduino" not in said["maintainer"].lower()  # LP027, LP057
    assert said["sentence"] not in said["paragraph"]  # LP036
    assert said["category"] in CATEGORIES  # LP038, LP039
    assert re.fullmatch(r"https?://\S+", said["url"])  # LP041
    assert said["architectures"] == "*"  # LP045, LP046
    assert said["includes"] == f"{said['name']}.h"  # LS008
    assert (made / "src" / said["includes"]).exists()  # LP052
    assert not list(made.glob("*.[ch]"))  # only those of src are compiled
    assert not list((made / "src").rglob("main.c"))  # a sketch has its own
    assert (made / "README.md").exists()  # LD001
    assert (made / "LICENSE").exists()  # LD002
    assert not list(made.glob("*.ino"))  # LD003
    sketches = list((made / "examples").rglob("*.ino"))
    assert sketches  # LD004
    assert all(path.stem == path.parent.name for path in sketches)  # SS001
    names = [path.name for path in made.rglob("*")]
    assert not [name for name in names if name.endswith(".exe")]  # LS007
    assert not [name for name in names if name in {".development", ".gitmodules"}]  # LS004, LS006
    assert not [path for path in made.rglob("*") if path.is_symlink()]  # LS005
    text = "\n".join(path.read_text() for path in made.rglob("*.[chi]*"))
    assert not re.search(r"#include [<\"](?!Arduino\.h)arduino\.h", text, re.IGNORECASE)  # LC001


def test_the_licence_of_the_library_comes_along(tmp_path: Path) -> None:
    own = Path(__file__).parents[3] / "LICENSE"
    assert (board(tmp_path) / "LICENSE").read_text() == own.read_text()
