"""State of a scaler in a block: construction, properties, files."""

from libc.stdint cimport int8_t, int64_t
from libc.string cimport memcpy

import numpy as np

from edgeolk.core.arena cimport Arena
from edgeolk.core.scaler cimport Head, METHOD_COMPACT, Scaler, point_to_statistics, scaler_holds
from edgeolk.core.c cimport olk_load_statistics
from edgeolk.scaling.rows cimport keeps_mean, mean_of, scale_of

from edgeolk.scaling.record import CLIP, NAMES, clip_number, form_number, window_number
from edgeolk.checks import check_int
from edgeolk.scaling import block as blocks
from edgeolk.scaling.block import HEAD_BYTES, plan_of

if sizeof(Head) != HEAD_BYTES:
    raise ImportError("edgeolk.scaling: the struct of the header does not match the file format")


cdef class ScalerState:
    """State, properties and files of a RunningScaler."""

    def __cinit__(
        self, n_features, *, method="standard", clip=CLIP, window=None, freeze_after=None,
        compact=False, buffer=None,
    ):
        cdef Head* head
        cdef char* base
        cdef Py_ssize_t d = check_int("n_features", n_features, 1)
        cdef double clip_deviations = clip_number(clip)
        cdef int64_t rows = window_number(window, clip_deviations)
        cdef int number = form_number(method, compact, clip_deviations, rows)
        cdef int64_t last_row = 0
        if freeze_after is not None:
            last_row = check_int("freeze_after", freeze_after, 1, 2**62)
        plan = plan_of(d, number, clip_deviations > 0.0)
        self.arena = Arena(plan.nbytes, buffer)
        base = self.arena.base
        head = <Head*>base
        memcpy(head.magic, <const char*><bytes>blocks.MAGIC, 8)
        head.format_version = blocks.FORMAT_VERSION
        head.nbytes = self.arena.length
        head.n_features = d
        head.freeze_after = last_row
        head.method = number
        head.clip = clip_deviations
        head.window = rows
        self.bind(base, {region.name: region.offset for region in plan.regions})

    cdef int bind(self, char* base, dict at) except -1:
        """Set the pointers to the regions."""
        self.scaler.head = <Head*>base
        if "features" in at:
            point_to_statistics(&self.scaler, base + <Py_ssize_t>at["features"])
        if "statistics" in at:
            point_to_statistics(&self.scaler, base + <Py_ssize_t>at["statistics"])
        if "mean" in at:
            self.scaler.moments.mean = <double*>(base + <Py_ssize_t>at["mean"])
            self.scaler.moments.low = <double*>(base + <Py_ssize_t>at["mean_low"])
            self.scaler.moments.m2 = <double*>(base + <Py_ssize_t>at["m2"])
            self.scaler.moments.level = <int8_t*>(base + <Py_ssize_t>at["level"])
        if "min" in at:
            self.scaler.kept.minimum = <double*>(base + <Py_ssize_t>at["min"])
            self.scaler.kept.maximum = <double*>(base + <Py_ssize_t>at["max"])
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
        # Checked last, so that no Python code runs between the check and the work.
        if self.busy:
            raise RuntimeError("the scaler is in use by another thread")
        return 0

    def freeze(self):
        """Freeze the statistics: from now on learning only checks its rows."""
        self.idle()
        self.scaler.head.frozen = 1

    # ---- configuration and state ----------------------------------------------------------------

    @property
    def n_features(self):
        """Numbers in a row."""
        return self.scaler.head.n_features

    @property
    def method(self):
        """"standard" or "minmax"."""
        return NAMES[self.scaler.head.method]

    @property
    def compact(self):
        """Whether the statistics are single precision, 9 bytes a feature."""
        return self.scaler.head.method == METHOD_COMPACT

    @property
    def freeze_after(self):
        """Examples after which the statistics are frozen, or None."""
        return self.scaler.head.freeze_after or None

    @property
    def n_seen(self):
        """Examples in the statistics, not counting those after freezing."""
        return self.scaler.head.n_seen

    @property
    def frozen(self):
        """Whether the statistics are frozen."""
        return self.scaler.head.frozen != 0

    @property
    def nbytes(self):
        """Bytes taken, exactly those of the plan."""
        return self.arena.nbytes

    @property
    def clip(self):
        """Deviations from the mean to which readings are clipped, or None."""
        return self.scaler.head.clip or None

    @property
    def window(self):
        """Rows remembered, or None if all rows have equal weight."""
        return self.scaler.head.window or None

    @property
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
            [olk_load_statistics(&s.kept, j).feature.clipped for j in range(s.head.n_features)],
            np.int64)

    @property
    def mean_(self):
        """Mean of each feature, a copy; 0 before the first example, None if not kept.

        It is not kept by ``method="minmax", clip=None``.
        """
        cdef const Scaler* s = &self.scaler
        if not keeps_mean(s):
            return None
        return np.array([mean_of(s, j) for j in range(s.head.n_features)])

    @property
    def scale_(self):
        """Divisor of each feature, a copy: sd, or max - min.

        0 for a feature that counts as constant, and for all before the first example; infinite if
        it exceeds float64, which does not affect scaling: it divides by halves.
        """
        cdef const Scaler* s = &self.scaler
        return np.array([scale_of(s, j) for j in range(s.head.n_features)])

    @property
    def min_(self):
        """Minimum of each feature, a copy; 0 before the first example, None for "standard".

        With ``clip`` it may be outside the range scaled to 0 .. 1.
        """
        return self.copy_array(self.scaler.kept.minimum)

    @property
    def max_(self):
        """Maximum of each feature, a copy; 0 before the first example, None for "standard".

        With ``clip`` it may be outside the range scaled to 0 .. 1.
        """
        return self.copy_array(self.scaler.kept.maximum)

    cdef object copy_array(self, const double* values):
        cdef Py_ssize_t j
        if values == NULL:
            return None
        return np.array([values[j] for j in range(self.scaler.head.n_features)])

    # ---- files ----------------------------------------------------------------------------------

    def __reduce__(self):
        self.idle()
        return type(self)._from_block, (blocks.sealed(self.arena),)

    @classmethod
    def _from_block(cls, block):
        cdef ScalerState scaler
        cdef bytes data
        head, data = blocks.checked(block)
        scaler = cls.__new__(
            cls, head.n_features, method=NAMES[head.method], clip=head.clip or None,
            window=head.window or None, compact=head.method == METHOD_COMPACT)
        memcpy(scaler.arena.base, <const char*>data, head.nbytes)
        if not scaler_holds(&scaler.scaler):
            raise ValueError("the scaler is inconsistent: no examples give these statistics")
        return scaler

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
        self.idle()
        blocks.write(path, self.arena)

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
