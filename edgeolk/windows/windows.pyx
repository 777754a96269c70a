"""The class of windows: samples in, rows of features out."""

cimport cython
cimport numpy as cnp
from libc.stdint cimport int64_t, uint8_t, uint16_t, uint32_t
from libc.string cimport memcpy

from edgeolk.core.arena cimport Arena
from edgeolk.core.memory_checks cimport check_idle, check_no_overlap

import numpy as np

from edgeolk.windows import file as files
from edgeolk.windows.plan import windows_plan
from edgeolk.windows.samples import check_samples

cnp.import_array()


cdef extern from "sample_windows.h" nogil:
    ctypedef struct olk_windows:
        uint32_t features
        uint16_t channels, log_size, hop, is_float, envelope, bands
        float rate
        uint16_t edges[34]

    ctypedef struct olk_window_state:
        uint32_t head, filled, due

    ctypedef struct olk_window_block:
        olk_window_state* state
        float* row
        void* ring
        uint32_t bytes

    void olk_windows_attach(olk_window_block* at, const olk_windows* w, uint8_t* block)
    void olk_windows_restart(const olk_windows* w, olk_window_block* at)
    int olk_windows_accepts(const olk_windows* w, const void* sample)
    int olk_windows_take(const olk_windows* w, olk_window_block* at, const void* sample)


cdef class Windows:
    """Windows of samples, and a row of features of each, in memory fixed at construction.

    Page: docs/windows.md.

    Parameters
    ----------
    channels : int, from 1 to 64
        Numbers in a sample.
    size : int, default 256
        Samples in a window: a power of two from 32 to 1,024.
    hop : int, from 1 to ``size``, optional
        Samples from one row to the next; default half of ``size``.
    features : str or sequence of str
        ``"vibration"`` (rms, crest, kurtosis, 8 bands), ``"motion"`` (moments, changes,
        correlations, 4 bands), ``"level"`` (mean, deviation, slope); or names of features, in
        any order: a row has them in the order of ``edgeolk.windows.FEATURES``.
    rate : float
        Samples a second, for slopes and frequencies.
    dtype : {"int16", "float32"}
        Of samples. Integers have exact sums, and a spectrum in 16-bit integers.
    bands : int or sequence of float, optional
        Number of equal bands up to half the rate, or their edges in Hz.
    envelope : bool
        Whether the spectrum is that of the envelope (rectified, smoothed), for bearings.
    buffer : writable contiguous buffer, optional
        Memory for the windows, at least ``windows_plan(...).nbytes`` long; zeroed, kept alive and
        not resizable while they exist. No other memory is used.

    Raises
    ------
    TypeError, ValueError
        Names the argument, what was got and what is allowed.
    MemoryError
        No memory for the block.

    Notes
    -----
    Formulas and their order are in docs/windows.md. Boards run the same C: their rows are equal
    to the bit. After construction only returned Python objects are allocated. One thread at a
    time may use windows; a second one gets a RuntimeError.

    Examples
    --------
    >>> import edgeolk as ek
    >>> windows = ek.Windows(2, size=32, hop=16, features="level", rate=100)
    >>> rows = windows.feed_many([[t, -t] for t in range(64)])
    >>> rows.shape, float(rows[0, 0])
    ((3, 6), 15.5)
    """

    cdef Arena arena
    cdef olk_windows options
    cdef olk_window_block at
    cdef object made
    cdef int typenum
    cdef Py_ssize_t columns
    cdef bint busy

    def __cinit__(self, channels, size=256, hop=None, features="vibration", rate=400.0,
                  dtype="int16", *, bands=None, envelope=False, buffer=None):
        cdef Py_ssize_t i
        plan = windows_plan(
            channels, size, hop, features, rate, dtype, bands=bands, envelope=envelope)
        self.made = plan
        self.columns = plan.n_features
        self.typenum = cnp.NPY_INT16 if plan.dtype == "int16" else cnp.NPY_FLOAT32
        self.options.features = plan.bits
        self.options.channels = plan.channels
        self.options.log_size = plan.size.bit_length() - 1
        self.options.hop = plan.hop
        self.options.is_float = plan.dtype == "float32"
        self.options.envelope = plan.envelope
        self.options.bands = max(len(plan.edges) - 1, 0)
        self.options.rate = plan.rate
        for i, edge in enumerate(plan.edges):
            self.options.edges[i] = edge
        self.arena = Arena(plan.nbytes, buffer, boundary=plan.boundary)
        olk_windows_attach(&self.at, &self.options, <uint8_t*>self.arena.base)
        if self.at.bytes != self.arena.length:
            raise AssertionError(f"the plan has {self.arena.length} bytes, C {self.at.bytes}")
        olk_windows_restart(&self.options, &self.at)

    def __repr__(self):
        plan = self.made
        return (
            f"<Windows of {plan.size} samples: channels={plan.channels}, a row of"
            f" {plan.n_features} every {plan.hop}, {plan.dtype}, {self.nbytes} bytes>"
        )

    cdef bint is_plain(self, object samples, int ndim):
        """Whether samples can be read in place."""
        cdef Py_ssize_t d = self.options.channels
        return (
            type(samples) is cnp.ndarray
            and cnp.PyArray_TYPE(samples) == self.typenum
            and cnp.PyArray_NDIM(samples) == ndim
            and cnp.PyArray_DIM(samples, ndim - 1) == d
            and cnp.PyArray_IS_C_CONTIGUOUS(samples)
            and cnp.PyArray_ISNOTSWAPPED(samples)
        )

    cdef object checked(self, object samples, str name, int ndim):
        """Samples that can be read in place, and are allowed."""
        cdef Py_ssize_t i, n
        cdef const char* x
        if self.is_plain(samples, ndim):
            if not self.options.is_float:
                return samples
            x = <const char*>cnp.PyArray_DATA(samples)
            n = cnp.PyArray_SIZE(samples) // self.options.channels
            for i in range(n):
                if not olk_windows_accepts(&self.options, x + 4 * i * self.options.channels):
                    break
            else:
                return samples
        return check_samples(name, samples, ndim, self.options.channels, self.made.dtype)

    cdef object out_for(self, object out, Py_ssize_t rows, object samples):
        """The array that receives rows: ``out``, or a new one; rows < 0: one row."""
        cdef int ndim = 1 if rows < 0 else 2
        if out is None:
            if rows < 0:
                return np.empty(self.columns, np.float32)
            return np.empty((rows, self.columns), np.float32)
        if not (
            type(out) is cnp.ndarray
            and cnp.PyArray_TYPE(out) == cnp.NPY_FLOAT32
            and cnp.PyArray_NDIM(out) == ndim
            and cnp.PyArray_DIM(out, ndim - 1) == self.columns
            and (rows < 0 or cnp.PyArray_DIM(out, 0) == rows)
            and cnp.PyArray_ISCARRAY(out)
        ):
            got = f"{out.dtype} {out.shape}" if isinstance(out, np.ndarray) else type(out).__name__
            shape = f"({self.columns},)" if rows < 0 else f"({rows}, {self.columns})"
            raise ValueError(
                f"out must be a writable C-contiguous float32 array of shape {shape}, got {got}")
        check_no_overlap(out, self.arena.base, self.arena.length, "the buffer of the windows")
        check_no_overlap(
            out, cnp.PyArray_DATA(samples), cnp.PyArray_NBYTES(samples), "the samples")
        return out

    cdef int idle(self) except -1:
        return check_idle(self.busy, "the windows are")

    @cython.critical_section
    def feed_one(self, sample, out=None):
        """Take one sample; return a row if it completes one.

        Parameters
        ----------
        sample : ndarray of shape (channels,)
            Of ``dtype`` it is read in place; other arrays of allowed numbers are converted. A
            single channel may be a number.
        out : float32 ndarray of shape (n_features,), optional
            Contiguous and writable; receives the row. By default a new array.

        Returns
        -------
        ndarray of shape (n_features,) or None
            ``out``, or the new array; None if the sample completes no row.

        Raises
        ------
        TypeError, ValueError
            Wrong kind, shape, or a number that is not allowed; nothing has changed.
        """
        cdef object given = self.checked(sample, "sample", 1)
        cdef object row = None
        self.idle()
        if self.at.state.due == 1 or out is not None:
            row = self.out_for(out, -1, given)
            self.idle()
        if not olk_windows_take(&self.options, &self.at, cnp.PyArray_DATA(given)):
            return None
        memcpy(cnp.PyArray_DATA(row), self.at.row, self.columns * sizeof(float))
        return row

    @cython.critical_section
    def feed_many(self, samples, out=None):
        """Take samples in order, without the interpreter lock; return the rows they complete.

        Parameters
        ----------
        samples : ndarray of shape (n, channels)
            As for ``feed_one``; a single channel may have shape (n,).
        out : float32 ndarray of shape (n_rows(n), n_features), optional
            Contiguous and writable; receives the rows. By default a new array.

        Returns
        -------
        ndarray of shape (n_rows(n), n_features)
            ``out``, or the new array. The first row is that of sample ``due - 1`` (from before
            this call), the next ones follow every ``hop`` samples.

        Raises
        ------
        TypeError, ValueError
            As ``feed_one``; all samples are checked before the first is taken.
        """
        cdef object given = self.checked(samples, "samples", 2)
        cdef int64_t n = cnp.PyArray_DIM(given, 0)
        cdef const char* x = <const char*>cnp.PyArray_DATA(given)
        cdef Py_ssize_t step = self.options.channels * (4 if self.options.is_float else 2)
        cdef object rows
        cdef float* to
        cdef int64_t _i
        self.idle()
        rows = self.out_for(out, self.rows_in(n), given)
        to = <float*>cnp.PyArray_DATA(rows)
        self.idle()
        self.busy = True
        with nogil:
            for _i in range(n):
                if olk_windows_take(&self.options, &self.at, x):
                    memcpy(to, self.at.row, self.columns * sizeof(float))
                    to += self.columns
                x += step
        self.busy = False
        return rows

    cdef Py_ssize_t rows_in(self, int64_t n) noexcept:
        cdef int64_t due = self.at.state.due
        return 0 if n < due else 1 + (n - due) // self.options.hop

    @cython.critical_section
    def n_rows(self, n):
        """Rows that the next ``n`` samples complete.

        Parameters
        ----------
        n : int
            Samples.

        Returns
        -------
        int
        """
        return self.rows_in(n)

    @cython.critical_section
    def restart(self):
        """Begin a new window with the next sample: after a gap, or for another device."""
        self.idle()
        olk_windows_restart(&self.options, &self.at)

    # ---- configuration and state ----------------------------------------------------------------

    @property
    @cython.critical_section
    def plan(self):
        """The plan: options, names of features, regions."""
        return self.made

    @property
    @cython.critical_section
    def n_features(self):
        """Numbers in a row."""
        return self.columns

    @property
    @cython.critical_section
    def names(self):
        """Names of the numbers in a row."""
        return self.made.names

    @property
    @cython.critical_section
    def due(self):
        """Samples until the next row."""
        return self.at.state.due

    @property
    @cython.critical_section
    def nbytes(self):
        """Bytes taken, exactly those of the plan."""
        return self.arena.nbytes

    # ---- files ----------------------------------------------------------------------------------

    cdef object samples(self):
        """Samples until the next row, and the samples in the ring, the oldest first."""
        cdef cnp.npy_intp shape[2]
        cdef Py_ssize_t due, head, filled
        shape[0] = 1 << self.options.log_size
        shape[1] = self.options.channels
        ring = cnp.PyArray_SimpleNew(2, shape, self.typenum)
        self.idle()
        due, head, filled = self.at.state.due, self.at.state.head, self.at.state.filled
        memcpy(cnp.PyArray_DATA(ring), self.at.ring, cnp.PyArray_NBYTES(ring))
        return due, np.roll(ring, -head, axis=0)[:filled].copy()

    @cython.critical_section
    def __reduce__(self):
        return type(self)._from_bytes, (self._to_bytes(),)

    @cython.critical_section
    def _to_bytes(self):
        """The windows as bytes: options, the samples in the ring, when the next row is due."""
        due, samples = self.samples()
        return files.packed(self.made, due, samples)

    @classmethod
    def _from_bytes(cls, data):
        """The windows in such bytes, checked."""
        options, due, samples = files.unpacked(data)
        cdef Windows windows = cls(**options)
        windows.feed_many(samples)
        windows.at.state.due = due
        return windows

    @cython.critical_section
    def save(self, path, learner=None):
        """Write the windows to a file, replaced atomically: continuing after loading gives the
        same rows, to the bit.

        Parameters
        ----------
        path : str or path-like
            The new file is written in the same folder and renamed.
        learner : Learner, optional
            Of the rows, for the same file, which ``edgeolk.load`` opens too.

        Raises
        ------
        TypeError
            ``learner`` is not a learner; nothing was written.
        OSError
            The file cannot be written.
        """
        files.write(path, self._to_bytes(), learner)

    @classmethod
    def load(cls, path):
        """The windows saved in a file. Nothing in the file is executed.

        Parameters
        ----------
        path : str or path-like
            Written by ``save``.

        Returns
        -------
        Windows

        Raises
        ------
        ValueError
            Not a complete, consistent file of windows.
        OSError
            The file cannot be read.
        """
        return cls._from_bytes(files.read(path))
