"""What model files hold, frozen: a number, width or order changes only with a new version.

A line may be added at the end of its list; none may ever change. Who changes one writes a new
version with a reader of its own, and leaves this file's numbers to that of version 5.
"""

from __future__ import annotations

import struct

import pytest

from edgeolk.configuration import header as head
from edgeolk.configuration.families import FAMILIES
from edgeolk.configuration.regions import ELEMENT_BYTES, Lifetime
from edgeolk.files.live import WORDS
from edgeolk.parts.numbers import AXES, Family
from edgeolk.scaling import block, record
from edgeolk.scaling import record as scaling
from edgeolk.sorf import options as lists

#: Of each family, in the order of their numbers.
VALUES = {
    Family.RING: "C eta lam rate eps U alpha beta c ridge rescale allow_skip growth shift sparsity"
    " singular decay horizon G boost delta clip_coefficients eta2 rank iters hint_rows coe b0 ald"
    " epsilon nu radius coherence last_rows dependence forgetting noise jitter lags delay",
    Family.SORF: "r unit sharp delta cmin cmax shrink linear last_label relevance groups nu window"
    " scratch history horizon season drift leak memory lapse clock memory_narrow constant"
    " linear_group delay kept_answers gaussian_process",
}
KERNEL_VALUES = {"kernel.gamma": 128, "kernel.scale": 129, "kernel.offset": 130}
#: Options of any learner.
OPTION_VALUES = {
    "scale.method": 144, "scale.clip": 145, "scale.window": 146, "scale.freeze_after": 147,
    "clip_rows": 148, "gamma_rows": 149, "width_follows": 150, "skip_bad_rows": 152,
    "checksums": 153, "lookahead": 154,
}  # fmt: skip
#: Lists of sorf: the number of the first of eight.
LISTS = {
    "blends": 184, "interval": 168, "widths0": 192, "widths1": 200, "widths2": 208, "widths3": 216,
}  # fmt: skip
#: What a value is where it is not written.
OMITTED = {
    Family.RING: {"nu": 0.05},
    Family.SORF: {
        "r": 0.03, "unit": 3.0, "sharp": 1.0, "delta": 0.999, "cmin": 30.0, "cmax": 4096.0,
        "shrink": 0.9, "linear": 0.0, "last_label": 0.0, "relevance": 0.0, "groups": 1.0,
        "nu": 0.05, "window": 4096.0, "scratch": 0.0, "history": 0.0, "horizon": 1.0, "season": 0.0,
        "drift": 0.0, "leak": 0.0, "memory": 0.0, "lapse": 0.0, "clock": 0.0, "memory_narrow": 0.0,
        "constant": 0.0, "linear_group": 0.0, "delay": 0.0, "kept_answers": 0.0,
        "gaussian_process": 0.0,
    },
}  # fmt: skip
OMITTED_SCALER = {"scale.clip": 5.0, "scale.window": 10_000.0}
#: What a list is where none of its numbers is written; widths by the number of groups.
OMITTED_BLENDS = (0.0, 0.1, 0.3, 1.0)
OMITTED_LEVELS = (0.9,)
OMITTED_WIDTHS = {
    1: ((0.3, 1.0, 3.0),),
    2: ((0.3, 1.0, 3.0), (3.0, 5.5, 10.0)),
    3: ((0.3, 0.3, 1.0), (1.0, 3.0, 3.0), (3.0, 10.0, 10.0)),
}
#: Numbers of the ways to scale, the value `scale.method`.
METHODS = {"standard": 1, "minmax": 2}
#: Those inside a learner.
INSIDE = {"standard": 1, "minmax": 2, "common": 3}
#: The first in records of this many bytes an input.
COMPACT, RECORD_BYTES = 9, 9
#: In the order of their numbers; "-" is one that nothing has.
REGIONS = (
    "function support_vectors coefficients levels - diagonal arrivals norms"
    " averaging mean_start mean_sum nearest nearest_distance nearest_kernel factor inverse scores"
    " feature_map window window_labels errors - forgetron halving hints nystrom"
    " - weights mean_weights blend target last_label linear relevance gradient_steps novelty"
    " per_update shared_relevance drift row_memory memory_state memory_narrow"
    " posterior evidence whitening covariance coordinates"
)
#: Those of options, with their numbers.
OPTION_REGIONS = {
    "scaler": 64, "scaler_counts": 65, "scaler_range": 66, "clipped_rows": 67, "width": 68,
    "width_mean": 69, "width_follows": 70, "common": 71, "skipped": 72, "checksums": 73,
    "statistics": 80, "channels": 48, "channel_counts": 49, "watch_scores": 50, "watch": 51,
    "channel_bytes": 52, "clock": 53, "clock_bytes": 54, "memory_mistakes": 55,
    "history": 56, "forecaster": 57, "head": 58, "ml_poly": 59, "pending": 60, "season": 61,
    "kernel_rows": 62, "tracking": 84, "origin": 85, "input_scales": 86,
    "posterior_factor": 87, "lagging": 88, "recent_targets": 89, "pending_rows": 90,
    "moments": 81, "units": 82, "frozen": 83, "label_counts": 100, "linear_weights": 101,
    "linear_mean": 102, "late_counts": 110, "late_losses": 111, "late_answers": 112,
    "late_scores": 113, "process_words": 114, "process_origin": 115, "process_inputs": 116,
    "process_vectors": 117, "process_coefficients": 118, "process_whitening": 119,
    "process_factor": 120, "process_mean": 121, "mixture": 122,
}  # fmt: skip
PARTS = (
    "dtype coefficients rows update loss sampling policy projection schedule averaging basis"
    " kernel degree algorithm"
)
#: Element type: number, bytes.
ELEMENTS = {"f": (1, 4), "d": (2, 8), "e": (3, 2), "b": (4, 1), "i": (5, 4), "q": (6, 8),
            "w": (7, 8)}  # fmt: skip
#: Structs of state: name and type of each word.
STRUCTS = {
    "function": "scale:d norm2:d cursor:q removals:q capacity_hits:q labels_asked:q clipped:q",
    "averaging": "mean_weight:d",
    "errors": "squared_error:d absolute_error:d",
    "forgetron": "forgetron_q:d",
    "halving": "halvings:q anchored:q",
    "hints": "hint_error:d seen:q",
    "nystrom": "rank:q",
    "tracking": "scale_sum:d scale_weight:d noise_in_use:d log_noise:d log_noise_in_use:d"
    " noise_rows:d noise_share:d noise_information:d inputs_seen:d drift_turn:d target_offset:d"
    " first_targets:d first_target_0:d first_target_1:d first_target_2:d",
    "lagging": "known_targets:d rows_pending:d oldest_pending:d",
    "process_words": "process_scale_sum:d process_scale_weight:d process_noise_in_use:d"
    " process_log_noise:d process_log_noise_in_use:d process_noise_rows:d process_noise_share:d"
    " process_noise_information:d process_inputs_seen:d process_drift_turn:d"
    " process_target_offset:d process_first_targets:d process_first_target_0:d"
    " process_first_target_1:d process_first_target_2:d",
    "mixture": "features_regret:d process_regret:d features_regret_squares:d"
    " process_regret_squares:d mean_error:d features_mean_square:d mixed_rows:d",
    "evidence": "evidence_error:d evidence_weight:d posterior_scale:d",
    "memory_state": "memory_held:q",
    "watch": "idle_rows:q alarms:q watch_counts:q verdict:q",
    "skipped": "n_skipped:q",
    "clipped_rows": "clipped_rows:q",
    "width": "gamma:d spread:d measured:q steps_before:q mistakes_before:q updates_before:q"
    " hits_before:q",
}
#: Type of each region of state that is no struct, as files have it: "storage" is that of support
#: vectors, "computing" float64 for float64 and else float32, "real" that of coefficients.
TYPES = {
    "support_vectors": "storage", "coefficients": "real", "levels": "f",
    "diagonal": "d", "arrivals": "q", "norms": "computing",
    "mean_start": "d", "mean_sum": "d", "nearest": "q", "nearest_distance": "real",
    "nearest_kernel": "d", "factor": "d", "inverse": "d", "scores": "d", "feature_map": "d",
    "window": "storage", "window_labels": "d", "weights": "storage", "mean_weights": "storage",
    "width_follows": "d", "common": "d",
    "blend": "computing", "target": "d", "last_label": "computing", "linear": "computing",
    "relevance": "computing", "gradient_steps": "q", "novelty": "d", "per_update": "d",
    "checksums": "i", "scaler": "d", "scaler_counts": "i", "scaler_range": "d",
    "width_mean": "computing", "history": "computing", "forecaster": "computing",
    "head": "computing", "ml_poly": "computing", "pending": "computing", "season": "computing",
    "kernel_rows": "q", "channels": "computing", "channel_counts": "i",
    "watch_scores": "computing", "statistics": "b", "channel_bytes": "b",
    "clock": "computing", "clock_bytes": "b",
    "shared_relevance": "computing", "drift": "computing", "row_memory": "b",
    "memory_mistakes": "computing", "memory_narrow": "computing", "posterior": "d",
    "whitening": "real", "covariance": "real",
    "coordinates": "real", "origin": "d", "input_scales": "real",
    "recent_targets": "d", "pending_rows": "d",
    "posterior_factor": "real", "moments": "d", "units": "b", "frozen": "w",
    "label_counts": "f", "linear_weights": "storage", "linear_mean": "storage",
    "late_counts": "i", "late_losses": "computing", "late_answers": "b", "late_scores": "f",
    "process_origin": "d", "process_inputs": "computing", "process_vectors": "computing",
    "process_coefficients": "computing", "process_whitening": "computing",
    "process_factor": "computing", "process_mean": "computing",
}  # fmt: skip


def test_numbers_of_values() -> None:
    listed = {f"{name}.{i}": first + i for name, first in LISTS.items() for i in range(8)}
    for family, row in FAMILIES.items():
        names = VALUES[family].split()
        assert list(row.settings.table) == names
        assert dict(row.lists) == (LISTS if family == Family.SORF else {})
        assert head.value_numbers(row) == {
            **{name: number for number, name in enumerate(names, 1)},
            **KERNEL_VALUES,
            **OPTION_VALUES,
            **(listed if family == Family.SORF else {}),
        }
        numbers = head.value_numbers(row).values()
        assert len(set(numbers)) == len(numbers)
        assert all(0 < number < 256 for number in numbers)


def test_values_that_are_not_written() -> None:
    for family, row in FAMILIES.items():
        assert head.omitted_values(row) == {**OMITTED[family], **OMITTED_SCALER}
    assert [FAMILIES[family].omitted_gamma for family in Family] == [0.0, 0.5]
    assert lists.LIST_DEFAULTS == {"blends": OMITTED_BLENDS, "interval": OMITTED_LEVELS}
    assert lists.WIDTHS == OMITTED_WIDTHS


def test_numbers_of_the_ways_to_scale() -> None:
    assert scaling.METHODS == METHODS
    assert scaling.INSIDE == INSIDE
    assert (scaling.COMPACT, scaling.RECORD_BYTES) == (COMPACT, RECORD_BYTES)


def test_what_is_not_written_is_read_as_what_is_frozen(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another default of clip= or scale_window= changes no file that was written."""
    frozen = record.Preprocessing(1, clip=5.0, window=10_000)
    assert frozen.stored() == {"scale.method": 1}
    monkeypatch.setattr(record, "CLIP", 7.0)
    monkeypatch.setattr(record, "WINDOW", 20_000)
    assert record.preprocessing_from(frozen.stored()) == frozen
    common = record.Preprocessing(3, clip=8.0, follows=True)
    assert common.stored() == {"scale.method": 3, "width_follows": 1}
    assert record.preprocessing_from(common.stored()) == common
    other = record.Preprocessing(1, clip=7.0, window=20_000)
    assert other.stored() == {"scale.method": 1, "scale.clip": 7.0, "scale.window": 20_000}
    assert record.preprocessing_from(other.stored()) == other


def test_numbers_of_regions() -> None:
    told = {name: number for number, name in enumerate(REGIONS.split(), 1) if name != "-"}
    assert {**told, **OPTION_REGIONS} == head.REGIONS
    for family in FAMILIES.values():
        for name, kind in family.kinds.items():
            assert (kind.lifetime is Lifetime.STATE) == (name in head.REGIONS)
            assert kind.number == head.REGIONS.get(name, 0)


def test_types_of_regions() -> None:
    assert {n: (number, ELEMENT_BYTES[n]) for n, number in head.ELEMENTS.items()} == ELEMENTS
    assert set(ELEMENT_BYTES) == set(ELEMENTS)
    for number, family in FAMILIES.items():
        for name in {*family.kinds} & {*head.REGIONS}:
            element = "w" if name in STRUCTS else TYPES[name]
            if (number, name) == (Family.SORF, "novelty"):
                element = "computing"  # of the ring family in double
            assert family.kinds[name].element == element, name
    for method in METHODS.values():
        for clipped in (False, True):
            for region in block.plan_of(3, method, clipped).regions:
                if region.element:
                    assert region.element == TYPES[region.name], region.name
    assert set(TYPES) | set(STRUCTS) == set(head.REGIONS)


def test_words_of_the_structs() -> None:
    told = {name: " ".join(f"{w}:{t}" for w, t in words) for name, words in WORDS.items()}
    assert told == STRUCTS


def test_order_of_the_parts() -> None:
    assert list(head.PARTS) == PARTS.split()
    assert set(AXES) == set(head.PARTS) - {"kernel", "degree", "algorithm"}


def test_short_entries_byte_by_byte() -> None:
    """Behind each other, with 16 bytes between; too long, too far and before what came are long."""
    table = {
        "weights": ("b", 144, 13), "blend": ("d", 176, 3), "drift": ("f", 200, 0x10000),
        "gradient_steps": ("q", 200 + 0x40000 + 2048, 1), "target": ("d", 160, 2),
    }  # fmt: skip
    parts = dict.fromkeys(PARTS.split(), 0)
    made = head.Head(Family.SORF, 8 * 0x100000, 1, 2, 3, parts, {}, table)
    for order, bytes_of in (("<", "little"), (">", "big")):

        def number(value: int, width: int, order: str = bytes_of) -> bytes:
            return value.to_bytes(width, order)  # type: ignore[arg-type]

        by_hand = b"".join([
            b"\x1c\x84", number(13, 2), bytes([18]), b"\x1e\x82", number(3, 2), bytes([2]),
            b"\x27\x01", number(25, 4), number(0x10000, 4),
            b"\x23\x06", number(25 + 0x8000 + 256, 4), number(1, 4),
            b"\x1f\x02", number(20, 4), number(2, 4),
        ])  # fmt: skip
        packed = made.pack(order)
        assert packed[88:] == by_hand.ljust(40, b"\0")
        assert int.from_bytes(packed[6:8], bytes_of) == 128  # type: ignore[arg-type]
        assert head.unpack(packed.ljust(8 * 0x20, b"\0"), order) == made


def test_values_that_a_region_says() -> None:
    shared = {
        "width_follows": ("width_follows", 1.0), "common": ("scale.method", 3.0),
        "statistics": ("scale.method", 9.0), "skipped": ("skip_bad_rows", 1.0),
        "checksums": ("checksums", 1.0),
    }  # fmt: skip
    own = {
        "relevance": ("relevance", 1.0), "shared_relevance": ("relevance", 2.0),
        "drift": ("drift", 1.0), "memory_narrow": ("memory_narrow", 1.0), "clock": ("clock", 1.0),
        "label_counts": ("constant", 1.0), "linear_mean": ("linear_group", 1.0),
    }  # fmt: skip
    assert head.implied_values(FAMILIES[Family.RING]) == shared
    assert head.implied_values(FAMILIES[Family.SORF]) == {**own, **shared}


def test_the_header_byte_by_byte() -> None:
    """A header written by hand here is the one that is packed, in either byte order."""
    made = head.Head(
        family=Family.RING,
        nbytes=8 * 0x01020304,
        n_features=0x11121314,
        budget=0x21222324,
        seed=0x3132333435363738,
        parts=dict(zip(PARTS.split(), range(0x41, 0x4F), strict=True)),
        values={"ald": 0.5, "kernel.offset": -2.0},
        table={"nystrom": ("w", 8 * 0x51525354, 0x61626364), "function": ("e", 0, 1)},
        columns=0x7172,
        flags=head.SEALED,
        n_support=-0x01020304,
        rng=0x9192939495969798,
        steps=0x0102030405060708,
        mistakes=0x1112131415161718,
        updates=-1,
        crc=0xA1A2A3A4,
    )
    for order, bytes_of in (("<", "little"), (">", "big")):

        def number(value: int, width: int, order: str = bytes_of) -> bytes:
            return (value % 256**width).to_bytes(width, order)  # type: ignore[arg-type]

        by_hand = b"".join([
            b"eolk", b"\5\1", number(128, 2), number(0xA1A2A3A4, 4), number(0x01020304, 4),
            number(0x11121314, 4), number(0x21222324, 4), number(0x3132333435363738, 8),
            bytes(range(0x41, 0x4F)), number(0x7172, 2), b"\2", b"\2", number(2, 2),
            number(-0x01020304, 4), number(0x9192939495969798, 8),
            number(0x0102030405060708, 8), number(0x1112131415161718, 8), number(-1, 8),
            struct.pack(f"{order}dd", 0.5, -2.0), b"\x1d\x82",
            b"\x1a\x07", number(0x51525354, 4), number(0x61626364, 4),
            b"\x01\x03", number(0, 4), number(1, 4), bytes(2),
        ])  # fmt: skip
        assert len(by_hand) == 128
        assert made.pack(order) == by_hand
        # Lengths are plain in what follows, or the header would be refused.
        assert head.unpack(by_hand, order) == made
    assert (head.MARK, head.VERSION, head.CRC_OFFSET, head.FIXED_BYTES) == (b"eolk", 5, 8, 88)
