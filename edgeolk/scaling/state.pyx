"""State of a scaler in a block: construction, properties, files."""

cimport cython
from cpython.bytearray cimport PyByteArray_FromStringAndSize
from libc.stdint cimport INT64_MAX, int32_t, int64_t, int8_t, uint8_t
from libc.string cimport memcpy

import numpy as np

from edgeolk.core.arena cimport Arena
from edgeolk.core.c cimport olk_compact_rule_of, olk_load_statistics
from edgeolk.core.memory_checks cimport check_idle
from edgeolk.core.scaler cimport METHOD_COMPACT, Scaler
from edgeolk.scaling.rows cimport keeps_mean, mean_of, scale_of

from edgeolk.scaling.record import (
    CLIP, MAX_FREEZE, NAMES, Preprocessing, clip_number, form_number, window_number,
)
from edgeolk.checks import check_int
from edgeolk.configuration.header import PLACES
from edgeolk.files import live
from edgeolk.scaling import block as blocks
from edgeolk.scaling.block import plan_of


cdef class ScalerState:
    """State, properties and files of a RunningScaler."""

    def __cinit__(
        self, n_features, *, method="standard", clip=CLIP, window=None, freeze_after=None,
        compact=False, buffer=None,
    ):
        cdef Py_ssize_t d = check_int("n_features", n_features, 1)
        clip_deviations = clip_number(clip)
        rows = window_number(window, clip_deviations)
        number = form_number(method, compact, clip_deviations, rows)
        last_row = 0
        if freeze_after is not None:
            last_row = check_int("freeze_after", freeze_after, 1, MAX_FREEZE)
        options = Preprocessing(number, clip_deviations, rows, last_row)
        plan = plan_of(d, number, clip_deviations > 0.0)
        self.arena = Arena(plan.nbytes, buffer, None, blocks.ALIGNMENT)
        with memoryview(self.arena) as block:
            live.write_head(block, blocks.head_of(d, options))
        self.scaler.n_features = d
        self.bind(options, {region.name: region.offset for region in plan.regions})

    cdef int bind(self, options, dict at) except -1:
        """Set the options, and the pointers to the regions."""
        cdef Scaler* s = &self.scaler
        cdef char* base = self.arena.base
        s.method = options.method
        s.clip = options.clip
        s.window = options.window
        s.freeze_after = options.freeze_after
        s.n_seen = <int64_t*>(base + <Py_ssize_t>PLACES["steps"][0])
        s.frozen = <int64_t*>(base + <Py_ssize_t>at["frozen"])
        s.kept.method = options.method
        s.kept.clip = options.clip
        s.kept.window = options.window
        s.kept.freeze_after = INT64_MAX  # ``frozen`` decides
        if "statistics" in at:
            s.kept.records = <uint8_t*>(base + <Py_ssize_t>at["statistics"])
            s.kept.rule = olk_compact_rule_of(options.clip, options.window)
        if "scaler" in at:
            s.kept.numbers = <double*>(base + <Py_ssize_t>at["scaler"])
            s.kept.counts = <int32_t*>(base + <Py_ssize_t>at["scaler_counts"])
        if "moments" in at:
            s.moments.mean = <double*>(base + <Py_ssize_t>at["moments"])
            s.moments.low = s.moments.mean + s.n_features
            s.moments.m2 = s.moments.low + s.n_features
            s.moments.level = <int8_t*>(base + <Py_ssize_t>at["units"])
        if "scaler_range" in at:
            s.kept.minimum = <double*>(base + <Py_ssize_t>at["scaler_range"])
            s.kept.maximum = s.kept.minimum + s.n_features
        return 0

    @staticmethod
    def plan(n_features, method="standard", clip=CLIP, compact=False):
        """Every region of a scaler with its bytes, without building it.

        Parameters
        ----------
        n_features : int
            Numbers in a row.
        method : {"standard", "minmax"}
            As for the scaler.
        clip : float or None
            As for the scaler.
        compact : bool
            As for the scaler.

        Returns
        -------
        ScalerPlan
            ``plan.nbytes`` is exactly ``RunningScaler(...).nbytes``.

        Raises
        ------
        TypeError, ValueError
            As ``RunningScaler`` would.
        """
        clip_deviations = clip_number(clip)
        rows = window_number(None, clip_deviations)
        return plan_of(
            check_int("n_features", n_features, 1),
            form_number(method, compact, clip_deviations, rows), clip_deviations > 0.0)

    cdef int idle(self) except -1:
        return check_idle(self.busy, "the scaler is")

    @cython.critical_section
    def freeze(self):
        """Freeze the statistics: from now on learning only checks its rows."""
        self.idle()
        self.scaler.frozen[0] = 1

    # ---- configuration and state ----------------------------------------------------------------

    @property
    @cython.critical_section
    def n_features(self):
        """Numbers in a row."""
        return self.scaler.n_features

    @property
    @cython.critical_section
    def method(self):
        """"standard" or "minmax"."""
        return NAMES[self.scaler.method]

    @property
    @cython.critical_section
    def compact(self):
        """Whether the statistics are single precision, 9 bytes a feature."""
        return self.scaler.method == METHOD_COMPACT

    @property
    @cython.critical_section
    def freeze_after(self):
        """Examples after which the statistics are frozen, or None."""
        return self.scaler.freeze_after or None

    @property
    @cython.critical_section
    def n_seen(self):
        """Examples in the statistics, not counting those after freezing."""
        return self.scaler.n_seen[0]

    @property
    @cython.critical_section
    def frozen(self):
        """Whether the statistics are frozen."""
        return self.scaler.frozen[0] != 0

    @property
    @cython.critical_section
    def nbytes(self):
        """Bytes taken, exactly those of the plan."""
        return self.arena.nbytes

    @property
    @cython.critical_section
    def clip(self):
        """Deviations from the mean to which readings are clipped, or None."""
        return self.scaler.clip or None

    @property
    @cython.critical_section
    def window(self):
        """Rows remembered, or None if all rows have equal weight."""
        return self.scaler.window or None

    @property
    @cython.critical_section
    def n_clipped(self):
        """Readings of each feature beyond ``clip`` deviations, a copy; None without ``clip``
        and where the scaler is ``compact``, which does not count them.

        Counted by ``learn_one``, ``learn_many`` and ``learn_transform_one``, also once frozen;
        scaling alone counts nothing. A count stops at 4,294,967,295.
        """
        cdef Py_ssize_t j
        cdef const Scaler* s = &self.scaler
        if s.kept.numbers == NULL:
            return None
        return np.array(
            [olk_load_statistics(&s.kept, j).feature.clipped for j in range(s.n_features)],
            np.int64)

    @property
    @cython.critical_section
    def mean_(self):
        """Mean of each feature, a copy; 0 before the first example, None if not kept.

        It is not kept by ``method="minmax", clip=None``.
        """
        cdef const Scaler* s = &self.scaler
        if not keeps_mean(s):
            return None
        return np.array([mean_of(s, j) for j in range(s.n_features)])

    @property
    @cython.critical_section
    def scale_(self):
        """Divisor of each feature, a copy: sd, or max - min.

        0 for a feature that counts as constant, and for all before the first example; infinite if
        it exceeds float64, which does not affect scaling: it divides by halves.
        """
        cdef const Scaler* s = &self.scaler
        return np.array([scale_of(s, j) for j in range(s.n_features)])

    @property
    @cython.critical_section
    def min_(self):
        """Minimum of each feature, a copy; 0 before the first example, None for "standard".

        With ``clip`` it may be outside the range scaled to 0 .. 1.
        """
        return self.copy_array(self.scaler.kept.minimum)

    @property
    @cython.critical_section
    def max_(self):
        """Maximum of each feature, a copy; 0 before the first example, None for "standard".

        With ``clip`` it may be outside the range scaled to 0 .. 1.
        """
        return self.copy_array(self.scaler.kept.maximum)

    cdef object copied(self):
        """A copy of the block."""
        self.idle()
        return PyByteArray_FromStringAndSize(self.arena.base, self.arena.length)

    cdef object copy_array(self, const double* values):
        cdef Py_ssize_t j
        if values == NULL:
            return None
        return np.array([values[j] for j in range(self.scaler.n_features)])

    # ---- files ----------------------------------------------------------------------------------

    @cython.critical_section
    def __reduce__(self):
        return type(self)._from_block, (blocks.sealed(self.copied()),)

    @classmethod
    def _made(cls, n_features, options):
        """A new scaler with these options."""
        return cls.__new__(
            cls, n_features, method=NAMES[options.method], clip=options.clip or None,
            window=options.window or None, freeze_after=options.freeze_after or None,
            compact=options.method == METHOD_COMPACT)

    @classmethod
    def _from_block(cls, data):
        """The scaler in the bytes of a file, checked."""
        cdef bytes block
        n_features, options, block = blocks.checked(data)
        cdef ScalerState scaler = cls._made(n_features, options)
        memcpy(scaler.arena.base, <const char*>block, len(block))
        return scaler

    @classmethod
    def _of(cls, n_features, options, steps, views):
        """A scaler with the statistics of a learner after ``steps`` rows, by region."""
        cdef ScalerState scaler = cls._made(n_features, options)
        cdef int64_t seen = steps
        cdef int64_t last = scaler.scaler.freeze_after
        plan = plan_of(n_features, options.method, True)
        with memoryview(scaler.arena) as block:
            for region in plan.regions:
                if region.name in views:
                    numbers = views[region.name].cast("B")
                    block[region.offset:region.offset + len(numbers)] = numbers
        scaler.scaler.frozen[0] = 0 < last <= seen
        scaler.scaler.n_seen[0] = min(seen, last) if last else seen
        return scaler

    @cython.critical_section
    def save(self, path):
        """Write the scaler to a file: its block with a CRC-32, replaced atomically.

        Continuing after loading gives bit for bit the same as continuing without saving.

        Parameters
        ----------
        path : str or path-like
            The new file is written in the same folder and renamed.

        Raises
        ------
        OSError
            The file cannot be written.
        """
        blocks.write(path, self.copied())

    @classmethod
    def load(cls, path):
        """The scaler saved in a file. Nothing in the file is executed.

        Parameters
        ----------
        path : str or path-like
            Written by ``save``.

        Returns
        -------
        RunningScaler

        Raises
        ------
        ValueError
            Not a complete, consistent scaler.
        OSError
            The file cannot be read.
        """
        return cls._from_block(blocks.read(path))
