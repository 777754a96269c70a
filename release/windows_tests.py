"""A plugin of pytest: what of the tests Windows, or Wine, cannot run, each with the reason."""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path
from typing import NoReturn

import pytest

import bench.compiled
from firmware_sim.errors import SimulatorError

_MODES = "Windows has no modes, owners, FIFOs or devices in the file system"
_LINKS = "Wine 8 makes no symbolic links"
_CALLS = "stands in for calls of POSIX"
_OPEN = "Windows replaces and removes no file that is open without consent"
_NAMES = "Windows' names are text, and no longer with their folders than 260 characters"
_COMPILES = "compiles C for this machine; there is no compiler under Wine"
_CODE = "reads machine code or the source tree, which a wheel has not"
_LIMITS = "Windows has none of the limits on a process"
_SIGNALS = "Windows has no such signals"
_SHELL = "written for a shell of POSIX"
_TIME = "counts processor time, which has steps of 16 ms there"

#: Beginnings of the names of tests, and why they are skipped.
LEFT_OUT: dict[str, str] = {
    **dict.fromkeys(
        (
            "tests/edgeolk/files/test_atomic.py::test_mode_is_kept",
            "tests/edgeolk/files/test_atomic.py::test_a_new_file_has_the_usual_mode",
            "tests/edgeolk/files/test_atomic.py::test_owner_is_kept",
            "tests/edgeolk/files/test_atomic.py::test_a_group_that_cannot_be_kept",
            "tests/edgeolk/files/test_atomic.py::test_what_is_no_regular_file_is_refused",
            "tests/edgeolk/files/test_atomic.py::test_a_planted_leftover",
        ),
        _MODES,
    ),
    **dict.fromkeys(
        (
            "tests/edgeolk/files/test_atomic.py::test_links_are_followed",
            "tests/edgeolk/files/test_atomic.py::test_a_circle_of_links",
            "tests/edgeolk/files/test_atomic.py::test_a_planted_link",
        ),
        _LINKS,
    ),
    **dict.fromkeys(
        (
            "tests/edgeolk/files/test_atomic.py::test_the_file_is_synced_before",
            "tests/edgeolk/files/test_atomic.py::test_a_failure_anywhere",
            "tests/edgeolk/files/test_atomic.py::test_what_went_wrong_first",
        ),
        _CALLS,
    ),
    **dict.fromkeys(
        (
            "tests/edgeolk/files/test_atomic.py::test_every_kind_of_path",
            "tests/edgeolk/files/test_atomic.py::test_long_names",
        ),
        _NAMES,
    ),
    **dict.fromkeys(
        (
            "tests/edgeolk/files/test_media.py::test_the_order_of_calls",
            "tests/edgeolk/files/test_media.py::test_what_another_process_left",
            "tests/edgeolk/files/test_media.py::test_a_file_that_was_made_and_never_written",
            "tests/edgeolk/files/test_media.py::test_a_folder_that_may_not_be_read",
            "tests/edgeolk/files/test_media.py::test_what_could_not_be_synced",
            "tests/edgeolk/files/test_media.py::test_a_failing_file_system_loses_nothing",
            "tests/edgeolk/files/test_media.py::test_a_file_is_made_whole",
            "tests/edgeolk/files/test_media.py::test_an_empty_file_is_taken",
        ),
        _CALLS,
    ),
    **dict.fromkeys(
        (
            "tests/edgeolk/files/test_media.py::test_a_folder_takes_larger_checkpoints",
            "tests/edgeolk/files/test_media_names.py::test_a_reader_follows_the_name",
            "tests/edgeolk/files/test_media_names.py::test_of_two_who_make_a_file_at_once",
            "tests/edgeolk/files/test_media_names.py::test_a_lock_counts_only_while",
            "tests/edgeolk/files/test_media_names.py::test_a_file_that_is_replaced_all",
            "tests/edgeolk/files/test_media_names.py::test_nothing_is_acknowledged",
            "tests/edgeolk/files/test_atomic.py::test_a_saver_taken_for_dead",
        ),
        _OPEN,
    ),
    "tests/edgeolk/files/test_media.py::test_a_fifo_is_refused": _MODES,
    "tests/firmware_sim/containment/test_memory.py::test_without_mprotect": _CALLS,
    **dict.fromkeys(
        (
            "tests/edgeolk/export/test_folder.py::test_whole_numbers_are_for_int8",
            "tests/edgeolk/export/test_folder.py::test_command_line_and_example",
        ),
        _COMPILES,
    ),
    "tests/edgeolk/export/test_folder.py::test_a_wheel_has_the_loops": _CODE,
    "tests/edgeolk/test_memory_contract.py::test_only_the_arena_allocates": _CODE,
    **dict.fromkeys(
        (
            "tests/firmware_sim/cli/test_cli.py::test_standard_error_that_takes_nothing",
            "tests/firmware_sim/cli/test_cli.py::test_standard_input_that_is_closed",
        ),
        _SHELL,
    ),
    **dict.fromkeys(
        (
            "tests/edgeolk/files/test_hostile_checkpoints.py::test_a_slot_that_cannot_be_one",
            "tests/edgeolk/files/test_hostile_checkpoints.py::test_a_slot_that_takes_more",
        ),
        _TIME,
    ),
    **dict.fromkeys(
        (
            "tests/firmware_sim/comparison/test_comparison.py::test_processes_are_started_with",
            "tests/firmware_sim/deployment/test_board_script.py::test_stopped_and_started_again_it"
            "_goes_on_where_it_was[15]",
            "tests/firmware_sim/deployment/test_board_script.py::test_stopped_and_started_again_it"
            "_goes_on_where_it_was[2]",
        ),
        _SIGNALS,
    ),
    "tests/firmware_sim/streams/test_text.py::test_pipe_is_refused": _MODES,
    **dict.fromkeys(
        (
            "tests/firmware_sim/streams/test_faults.py::test_refused_rows_are_counted[process]",
            "tests/firmware_sim/containment/test_enforce.py::test_process_leak_from_the_command",
            "tests/firmware_sim/test_maker.py::test_model_is_taken_out_of_its_process",
            "tests/firmware_sim/test_maker.py::test_no_model_is_written_of_a_process",
        ),
        _LIMITS,
    ),
    "tests/edgeolk/test_torn.py::test_processes_killed": (
        "forks; test_checkpointer_killed.py kills without"
    ),
}
#: Files and folders of tests that are left out whole, and why: each is one that is skipped.
FILES: dict[str, str] = {
    **dict.fromkeys(
        (
            "edgeolk/core/test_c.py",
            "edgeolk/core/test_structured.py",
            "edgeolk/core/test_moments.py",
            "edgeolk/core/test_winsor.py",
            "edgeolk/export/test_flash.py",
            "edgeolk/export/test_forecast.py",
            "edgeolk/export/test_watching.py",
            "edgeolk/export/test_restart.py",
            "edgeolk/export/test_ring.py",
            "edgeolk/export/test_sorf.py",
            "edgeolk/export/test_forged.py",
            "edgeolk/test_allocations.py",
            "edgeolk/test_out_of_memory.py",
            "firmware_sim/mcu",
        ),
        _COMPILES,
    ),
    **dict.fromkeys(
        (
            "edgeolk/core/test_vector_code.py",
            "edgeolk/core/test_symbols.py",
            "edgeolk/core/test_generate.py",
            "edgeolk/core/test_structs.py",
            "edgeolk/test_source_tree.py",
        ),
        _CODE,
    ),
    "edgeolk/river": "river's own compiled modules do not load under Wine 8",
    "firmware_sim/containment/test_process.py": _LIMITS,
}


def _compiles_nothing(*words: object, **named: object) -> NoReturn:
    """Stand in for `bench.compiled.compiled`: a test that asks for it while it runs is skipped."""
    pytest.skip(_COMPILES)


def pytest_configure() -> None:
    """Take the compiler away, so that every test that calls it says why it is skipped."""
    bench.compiled.compiled = _compiles_nothing


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call() -> Generator[None, object, object]:
    """Skip the rest of a test where the simulator refuses, by its reason, to limit a process."""
    try:
        return (yield)
    except SimulatorError as error:
        if "processes cannot be limited here" in str(error):
            pytest.skip(_LIMITS)
        raise


class LeftOut(pytest.Module):
    """A file that is not even imported."""

    reason = ""

    def collect(self) -> NoReturn:
        """Say why."""
        pytest.skip(self.reason, allow_module_level=True)


def pytest_pycollect_makemodule(module_path: Path, parent: pytest.Collector) -> LeftOut | None:
    """Leave out whole files."""
    name = module_path.as_posix()
    for left_out, reason in FILES.items():
        if name.endswith(f"/tests/{left_out}") or f"/tests/{left_out}/" in name:
            module = LeftOut.from_parent(parent, path=module_path)
            module.reason = reason
            return module
    return None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip what cannot be run."""
    for item in items:
        name = item.nodeid.replace("\\", "/")
        for beginning, reason in LEFT_OUT.items():
            if name.startswith(beginning):
                item.add_marker(pytest.mark.skip(reason=reason))
