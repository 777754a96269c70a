"""Project files for tool chains, written with the C code on request."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from pathlib import Path

from edgeolk.export.prefix import USUAL
from edgeolk.version import __version__

#: What exported learners have besides the library's C.
BOARD = Path(__file__).parents[1] / "c" / "board"
_ABOUT = "A learner that was exported by edgeolk"

_SKETCH = """\
// Learns rows from the serial port: one line of numbers each, the label last.
#include <edgeolk.h>

static uint8_t arena[EK_ARENA_BYTES];

void setup() {
  Serial.begin(115200);
  ek_start(arena);
}

void loop() {
  ek_number row[EK_FEATURES];
  double label = 0, answer = 0;
  if (!Serial.available()) return;
  for (int i = 0; i < EK_FEATURES; i++) row[i] = Serial.parseFloat();
  label = Serial.parseFloat();
  if (ek_predict(arena, row, &answer) == EK_OK) Serial.println(answer);
#if EK_LEARNS
  ek_learn(arena, row, label, NULL);
#endif
}
"""

_CMAKE = """\
cmake_minimum_required(VERSION 3.10)
project({library}_model C)

add_library({library} STATIC {sources})
target_include_directories({library} PUBLIC ${{CMAKE_CURRENT_SOURCE_DIR}})
set_target_properties({library} PROPERTIES C_STANDARD 99 C_EXTENSIONS OFF)

add_executable({library}_example EXCLUDE_FROM_ALL main.c)
target_link_libraries({library}_example {library})
"""

_ZEPHYR = """\
if(CONFIG_{option})
  zephyr_library()
  zephyr_library_sources({sources})
  zephyr_include_directories(..)
endif()
"""

_ESP_IDF = """\
idf_component_register(SRCS {sources} INCLUDE_DIRS ../..)
"""

_PICO_SDK = """\
add_library({library} INTERFACE)
target_sources({library} INTERFACE
{sources})
target_include_directories({library} INTERFACE ${{CMAKE_CURRENT_LIST_DIR}}/..)
"""

_MICROPYTHON_MAKE = """\
SRC_USERMOD_C += $(USERMOD_DIR)/{module}
SRC_USERMOD_LIB_C += {sources}
CFLAGS_USERMOD += -I$(USERMOD_DIR)/..
"""

_MICROPYTHON_CMAKE = """\
add_library(usermod_{library} INTERFACE)
target_sources(usermod_{library} INTERFACE
{sources})
target_include_directories(usermod_{library} INTERFACE ${{CMAKE_CURRENT_LIST_DIR}}/..)
target_link_libraries(usermod INTERFACE usermod_{library})
"""


def arduino_folder(prefix: str) -> str:
    """The folder of the Arduino library in an export."""
    return f"arduino/{_library(prefix)}"


def arduino_sources(prefix: str, files: dict[str, str]) -> dict[str, str]:
    """Copies of an export's files, prefixed already, where Arduino's tools look for them.

    In ``src`` and its folders they compile every source and find every header.
    """
    folder = arduino_folder(prefix)
    copied = {f"{folder}/{name}": files[name] for name in ("LICENSE", "README.md")}
    for name, text in files.items():
        if name.startswith("edgeolk/") or ("/" not in name and name[-2:] in (".c", ".h")):
            copied[f"{folder}/src/{name}"] = text
    del copied[f"{folder}/src/main.c"]  # a sketch has its own
    return copied


def _arduino(sources: list[str], library: str) -> dict[str, str]:
    properties = {
        "name": library,
        "version": __version__,
        "author": "edgeolk",
        "maintainer": "edgeolk",
        "sentence": _ABOUT,
        "paragraph": "It needs no allocation and nothing but the memory it is given.",
        "category": "Data Processing",
        "url": "https://pypi.org/project/edgeolk/",
        "architectures": "*",
        "includes": "edgeolk.h",
    }
    return {
        f"arduino/{library}/library.properties": "".join(
            f"{name}={text}\n" for name, text in properties.items()
        ),
        f"arduino/{library}/examples/learner/learner.ino": _SKETCH,
    }


def _platformio(sources: list[str], library: str) -> dict[str, str]:
    properties = {
        "name": library,
        "version": __version__,
        "description": _ABOUT,
        "frameworks": "*",
        "platforms": "*",
        "headers": "edgeolk.h",
        "build": {
            "srcDir": ".",
            "includeDir": ".",
            "srcFilter": [f"+<{name}>" for name in sources],
        },
    }
    return {"library.json": json.dumps(properties, indent=2) + "\n"}


def _cmake(sources: list[str], library: str) -> dict[str, str]:
    return {"CMakeLists.txt": _CMAKE.format(library=library, sources=" ".join(sources))}


def _zephyr(sources: list[str], library: str) -> dict[str, str]:
    option = library.upper()
    built = "build:\n  cmake: zephyr\n  kconfig: zephyr/Kconfig\n"
    return {
        "zephyr/module.yml": f"name: {library}\n{built}",
        "zephyr/Kconfig": f'config {option}\n\tbool "{_ABOUT}"\n',
        "zephyr/CMakeLists.txt": _ZEPHYR.format(
            option=option, sources=" ".join(f"../{name}" for name in sources)
        ),
    }


def _listed(names: Iterable[str]) -> str:
    """Sources as a CMake list, relative to the folder of the CMake file."""
    return "".join(f"    ${{CMAKE_CURRENT_LIST_DIR}}/{name}\n" for name in names)


def _esp_idf(sources: list[str], library: str) -> dict[str, str]:
    properties = _ESP_IDF.format(sources=" ".join(f"../../{name}" for name in sources))
    return {f"esp-idf/{library}/CMakeLists.txt": properties}


def _pico_sdk(sources: list[str], library: str) -> dict[str, str]:
    listed = _listed(f"../{name}" for name in sources)
    return {"pico-sdk/CMakeLists.txt": _PICO_SDK.format(library=library, sources=listed)}


def _micropython(sources: list[str], library: str) -> dict[str, str]:
    module = f"mod{library}.c"
    text = (BOARD / "micropython.c").read_text(encoding="utf-8")
    paths = " ".join(f"$(USERMOD_DIR)/../{name}" for name in sources)
    listed = _listed([module, *(f"../{name}" for name in sources)])
    return {
        f"usermod/{module}": text.replace("@module@", library),
        "usermod/micropython.mk": _MICROPYTHON_MAKE.format(module=module, sources=paths),
        "usermod/micropython.cmake": _MICROPYTHON_CMAKE.format(library=library, sources=listed),
    }


#: Name -> function of the C sources and the library's name that returns the files by name.
KITS: dict[str, Callable[[list[str], str], dict[str, str]]] = {
    "arduino": _arduino,
    "platformio": _platformio,
    "cmake": _cmake,
    "zephyr": _zephyr,
    "esp-idf": _esp_idf,
    "pico-sdk": _pico_sdk,
    "micropython": _micropython,
}


def kits(names: Iterable[str], sources: list[str], prefix: str) -> dict[str, str]:
    """The files of several tool chains, for a library named after a prefix.

    The names in their texts do not have the prefix yet. Raises TypeError: ``names`` is a string.
    Raises ValueError: an unknown name.
    """
    if isinstance(names, str):
        raise TypeError(f"with_ must be a sequence of names, got {names!r}")
    files: dict[str, str] = {}
    for name in names:
        if name not in KITS:
            raise ValueError(f"unknown tool chain {name!r}; choose from {', '.join(KITS)}")
        files.update(KITS[name](sources, _library(prefix)))
    return files


def _library(prefix: str) -> str:
    """The name of the library."""
    return "edgeolk" if prefix == USUAL else prefix
