"""A plugin of pytest: what of the tests Windows, or Wine, cannot run, each with the reason."""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path
from typing import NoReturn

import pytest

from firmware_sim.errors import SimulatorError
from release.no_compiler import REASON as _COMPILES

_MODES = "Windows has no modes, owners, FIFOs or devices in the file system"
_LINKS = "Wine 8 makes no symbolic links"
_CALLS = "stands in for calls of POSIX"
_OPEN = "Windows replaces and removes no file that is open without consent"
_NAMES = "Windows' names are text, and no longer with their folders than 260 characters"
_CODE = "reads machine code or the source tree, which a wheel has not"
_LIMITS = "Windows has none of the limits on a process"
_SIGNALS = "Windows has no such signals"
_FOLDERS = "Windows opens no folder as a file"
_SHELL = "written for a shell of POSIX"
_TIME = "counts processor time, which has steps of 16 ms there"

#: Beginnings of the names of tests that are skipped, without "test_", by reason and file.
TESTS: dict[str, dict[str, str]] = {
    _MODES: {
        "edgeolk/files/test_atomic.py": """
            mode_is_kept a_new_file_has_the_usual_mode owner_is_kept a_group_that_cannot_be_kept
            what_is_no_regular_file_is_refused a_planted_leftover
        """,
        "edgeolk/files/test_media.py": "a_fifo_is_refused",
        "firmware_sim/streams/test_text.py": "pipe_is_refused",
    },
    _LINKS: {
        "edgeolk/files/test_atomic.py": "links_are_followed a_circle_of_links a_planted_link",
    },
    _CALLS: {
        "edgeolk/files/test_atomic.py": """
            the_file_is_synced_before a_failure_anywhere what_went_wrong_first
        """,
        "edgeolk/files/test_media.py": """
            the_order_of_calls what_another_process_left a_file_that_was_made_and_never_written
            a_folder_that_may_not_be_read what_could_not_be_synced
            a_failing_file_system_loses_nothing a_file_is_made_whole an_empty_file_is_taken
        """,
        "firmware_sim/containment/test_memory.py": "without_mprotect",
    },
    _NAMES: {
        "edgeolk/files/test_atomic.py": "every_kind_of_path long_names",
    },
    _OPEN: {
        "edgeolk/files/test_atomic.py": "a_saver_taken_for_dead",
        "edgeolk/files/test_media.py": "a_folder_takes_larger_checkpoints",
        "edgeolk/files/test_media_names.py": """
            a_reader_follows_the_name of_two_who_make_a_file_at_once a_lock_counts_only_while
            a_file_that_is_replaced_all nothing_is_acknowledged
        """,
    },
    _COMPILES: {
        "edgeolk/export/test_folder.py": "whole_numbers_are_for_int8 command_line_and_example",
    },
    _CODE: {
        "edgeolk/export/test_folder.py": "a_wheel_has_the_headers",
        "edgeolk/test_memory_contract.py": "only_the_arena_allocates",
    },
    _SHELL: {
        "firmware_sim/cli/test_cli.py": """
            standard_error_that_takes_nothing standard_input_that_is_closed
        """,
    },
    _TIME: {
        "edgeolk/files/test_hostile_checkpoints.py": """
            a_slot_that_cannot_be_one a_slot_that_takes_more
        """,
    },
    _SIGNALS: {
        "firmware_sim/comparison/test_comparison.py": "processes_are_started_with",
        "firmware_sim/deployment/test_board_script.py": """
            stopped_and_started_again_it_goes_on_where_it_was[15]
            stopped_and_started_again_it_goes_on_where_it_was[2]
        """,
    },
    _FOLDERS: {
        "firmware_sim/streams/test_stdin.py": "a_folder_is_no_pipe without_poll_a_folder",
    },
    _LIMITS: {
        "firmware_sim/streams/test_faults.py": "refused_rows_are_counted[process]",
        "firmware_sim/containment/test_enforce.py": "process_leak_from_the_command",
        "firmware_sim/test_maker.py": """
            model_is_taken_out_of_its_process no_model_is_written_of_a_process
        """,
    },
    "forks; test_checkpointer_killed.py kills without": {
        "edgeolk/test_torn.py": "processes_killed",
    },
}
#: Files and folders of tests that are left out whole: each is one that is skipped.
FILES: dict[str, str] = {
    _COMPILES: """
        edgeolk/core/test_c.py edgeolk/sorf/test_tables.py
        edgeolk/core/test_moments.py edgeolk/core/test_winsor.py
        edgeolk/export/test_flash.py edgeolk/export/test_forecast.py edgeolk/export/test_late.py
        edgeolk/export/test_watching.py edgeolk/export/test_restart.py
        edgeolk/export/test_ring.py edgeolk/export/test_sorf.py edgeolk/export/test_forged.py
        edgeolk/test_allocations.py edgeolk/test_out_of_memory.py firmware_sim/mcu
    """,
    _CODE: """
        edgeolk/core/test_vector_code.py edgeolk/core/test_symbols.py
        edgeolk/core/test_generate.py edgeolk/core/test_c_declarations.py
        edgeolk/configuration/test_generate_options.py edgeolk/files/test_rules_once.py
        edgeolk/test_source_tree.py
    """,
    "river's own compiled modules do not load under Wine 8": """
        edgeolk/river firmware_sim/comparison/test_models.py
    """,
    _LIMITS: "firmware_sim/containment/test_process.py",
}


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
    for reason, files in FILES.items():
        if any(name.endswith(f"/tests/{f}") or f"/tests/{f}/" in name for f in files.split()):
            module = LeftOut.from_parent(parent, path=module_path)
            module.reason = reason
            return module
    return None


def reason_of(test: str) -> str | None:
    """Why a test is skipped; None: it is run."""
    for reason, files in TESTS.items():
        for file, names in files.items():
            beginnings = tuple(f"tests/{file}::test_{name}" for name in names.split())
            if test.startswith(beginnings):
                return reason
    return None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip what cannot be run."""
    for item in items:
        if reason := reason_of(item.nodeid.replace("\\", "/")):
            item.add_marker(pytest.mark.skip(reason=reason))
