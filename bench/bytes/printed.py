"""Figures that the specification of sorf prints; the algorithm itself is docs/sorf.md."""

from __future__ import annotations

#: Section 12: prequential error in %, 1 / 4 / 16 KiB, first 10,000 rows, relevance off.
TABLE: dict[str, tuple[float, float, float]] = {
    "a9a_train": (16.94, 16.55, 16.38),
    "ijcnn1_train": (6.55, 5.58, 5.43),
    "phishing": (6.56, 5.46, 5.03),
    "spambase": (8.64, 7.83, 7.53),
    "covtype10k": (25.11, 23.68, 23.50),
    "usps_train": (10.16, 6.74, 5.49),
    "phoneme": (18.07, 17.26, 17.01),
    "banana": (11.26, 10.79, 10.63),
    "ring": (3.90, 2.69, 2.49),
    "w8a": (2.36, 2.13, 2.06),
    "elec2": (4.91, 4.94, 4.95),
    "insects_gradual": (3.41, 2.72, 2.60),
    "weather_rain": (21.05, 20.63, 20.57),
    "wall_following": (6.44, 5.94, 5.93),
    "occupancy": (0.59, 0.59, 0.58),
    "eeg_eye_state": (0.27, 0.24, 0.23),
    "arem_activity": (0.22, 0.26, 0.24),
    "fan_vibration": (0.11, 0.11, 0.11),
    "skab_pump": (0.36, 0.34, 0.33),
    "mushrooms": (0.44, 0.28, 0.25),
    "twonorm": (2.97, 2.55, 2.43),
    "svmguide3": (19.59, 19.07, 19.03),
}

#: Section 6b: area under the curve of -f, D = 480, seed 1.
NOVELTY: dict[str, float] = {
    "ad_cardio": 0.947,
    "ad_mammography": 0.875,
    "ad_shuttle": 0.993,
    "ad_satimage2": 0.990,
    "ad_thyroid": 0.953,
    "nab_machine_temp": 0.913,
    "smap_telemetry": 0.747,
    "ad_satellite": 0.633,
    "ad_vowels": 0.724,
    "ad_annthyroid": 0.668,
    "ad_optdigits": 0.521,
}

#: Section 7c: error in %, whole sets at 4 KiB without and with relevance.
WHOLE: dict[str, tuple[float, float]] = {
    "elec2": (7.83, 5.64),
    "ijcnn1_train": (4.04, 3.31),
    "wall_following": (6.05, 5.44),
    "weather_rain": (20.35, 20.00),
    "insects_gradual": (2.88, 2.75),
    "eeg_eye_state": (0.25, 0.25),
    "occupancy": (0.52, 0.52),
    "gas_drift": (0.79, 0.82),
}

#: Section 7c: first 10,000 rows with relevance; KiB to error in %.
RELEVANT: dict[str, dict[int, float]] = {
    "elec2": {1: 4.35, 4: 4.26, 16: 4.30},
    "weather_rain": {1: 20.74, 4: 20.45, 16: 20.43},
    "ijcnn1_train": {4: 5.23, 16: 5.12},
    "wall_following": {4: 5.49, 16: 5.33},
    "covtype10k": {16: 22.93},
    "ring": {4: 2.78},
    "phishing": {16: 5.22},
    "german": {4: 24.73},
}

#: Section 7d: 64 KiB with relevance, one group without relevance and two groups with it.
GROUPS: dict[str, tuple[float, float]] = {
    "usps_train": (5.16, 3.95),
    "ijcnn1_train": (5.41, 4.40),
    "phoneme": (17.25, 14.91),
    "phishing": (5.06, 4.57),
    "covtype10k": (23.10, 22.12),
    "wall_following": (5.85, 5.33),
}

#: Compact models trained offline, in many passes: (model, set, bytes, accuracy in %).
OFFLINE: tuple[tuple[str, str, int, float], ...] = (
    ("Bonsai", "usps-2", 2048, 94.42),
    ("Bonsai", "usps-2", 16_384, 95.72),
    ("ProtoNN", "usps-10", 65_536, 94.92),
    ("ProtoNN", "letter-26", 64_512, 97.10),
)
