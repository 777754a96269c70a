"""Feature scaling in fixed memory: statistics in a block, and the class a user knows them by."""

cimport numpy as cnp
from libc.math cimport isfinite
from libc.stdint cimport int8_t, int64_t, uintptr_t
from libc.string cimport memcpy

from dataclasses import dataclass

import numpy as np

from edgeolk.core.arena cimport Arena
from edgeolk.core.moments cimport (
    Head, Lines, METHOD_MINMAX, METHOD_STANDARD, Moments, learn_rows, lines, moments_hold,
    transform_rows, unit,
)
from edgeolk.core.finite cimport all_finite
from edgeolk.ndarray cimport as_numbers, is_plain

from edgeolk.files import seal
from edgeolk.files.atomic import write_whole
from edgeolk.parts.whole import whole
from edgeolk.core.arena import ALIGNMENT
from edgeolk.planning import Region, region_table

cnp.import_array()

FORMAT_VERSION = 1
cdef bytes MAGIC = b"edgescal"
cdef dict METHODS = {"standard": METHOD_STANDARD, "minmax": METHOD_MINMAX}
cdef dict NAMES = {number: name for name, number in METHODS.items()}

# Regions of each method: name, bytes per feature, purpose.
cdef dict REGIONS = {
    METHOD_STANDARD: (
        ("mean", 8, "mean of each feature"),
        ("mean_low", 8, "what rounding leaves out of it"),
        ("m2", 8, "sum of squared distances from the mean"),
        ("level", 1, "unit the feature is counted in"),
    ),
    METHOD_MINMAX: (
        ("min", 8, "least of each feature"),
        ("max", 8, "most of each feature"),
    ),
}


@dataclass(frozen=True)
class ScalerPlan:
    """Memory of a scaler that need not exist yet.

    Attributes
    ----------
    method : str
        "standard" or "minmax".
    n_features : int
        Numbers in a row.
    regions : tuple of Region
        ``(name, offset, nbytes, purpose)``, offsets from the start of the block.
    nbytes : int
        Total, exactly what a scaler takes.
    """

    method: str
    n_features: int
    regions: tuple
    nbytes: int

    def __str__(self):
        title = f"{self.method} scaler: d = {self.n_features}"
        return region_table(title, self.regions, self.nbytes)


cdef int method_number(object method) except -1:
    if not isinstance(method, str):
        raise TypeError(f"method must be a string, got {type(method).__name__}")
    if method not in METHODS:
        known = ", ".join(repr(name) for name in METHODS)
        raise ValueError(f"method must be one of {known}, got {method!r}")
    return METHODS[method]


cdef object plan_of(Py_ssize_t n_features, int method):
    """Regions on 64-byte boundaries, alignment slack last."""
    cdef list regions = []
    cdef Py_ssize_t offset = 0
    head = ("header", sizeof(Head), "configuration and counters")
    rest = [(name, size * n_features, purpose) for name, size, purpose in REGIONS[method]]
    for name, size, purpose in (head, *rest):
        size = -(-size // ALIGNMENT) * ALIGNMENT
        regions.append(Region(name, offset, size, purpose))
        offset += size
    slack = "slack: any buffer serves, wherever it starts"
    regions.append(Region("alignment", offset, ALIGNMENT, slack))
    return ScalerPlan(NAMES[method], n_features, tuple(regions), offset + ALIGNMENT)


cdef void learn_any(Moments* s, const void* x, bint wide, int64_t n) noexcept nogil:
    if wide:
        learn_rows(s, <const double*>x, n)
    else:
        learn_rows(s, <const float*>x, n)


cdef int64_t transform_any(
    const Moments* s, const void* x, bint wide, void* z, bint wide_out, int64_t n
) noexcept nogil:
    if wide and wide_out:
        return transform_rows(s, <const double*>x, <double*>z, n)
    if wide:
        return transform_rows(s, <const double*>x, <float*>z, n)
    if wide_out:
        return transform_rows(s, <const float*>x, <double*>z, n)
    return transform_rows(s, <const float*>x, <float*>z, n)


cdef inline bint is_wide(object array) noexcept:
    return cnp.PyArray_TYPE(array) == cnp.NPY_FLOAT64


cdef bint rows_finite(const void* x, bint wide, int64_t n) noexcept nogil:
    return all_finite(<const double*>x, n) if wide else all_finite(<const float*>x, n)


cdef object checked_out(object out, object x):
    """out if x can be scaled into it; a new float64 array for None."""
    cdef int ndim = cnp.PyArray_NDIM(x)
    cdef uintptr_t start, start_out
    if out is None:
        return cnp.PyArray_EMPTY(ndim, cnp.PyArray_DIMS(x), cnp.NPY_FLOAT64, 0)
    if not cnp.PyArray_Check(out):
        raise TypeError(f"out must be an ndarray, got {type(out).__name__}")
    if cnp.PyArray_TYPE(out) != cnp.NPY_FLOAT64 and cnp.PyArray_TYPE(out) != cnp.NPY_FLOAT32:
        raise TypeError(f"out must be float64 or float32, got {out.dtype}")
    if not (
        cnp.PyArray_NDIM(out) == ndim
        and cnp.PyArray_DIM(out, 0) == cnp.PyArray_DIM(x, 0)
        and cnp.PyArray_DIM(out, ndim - 1) == cnp.PyArray_DIM(x, ndim - 1)
    ):
        raise ValueError(f"out must have shape {x.shape}, got {out.shape}")
    if not cnp.PyArray_ISCARRAY(out):
        raise ValueError("out must be writable, contiguous, aligned and in native byte order")
    start = <uintptr_t>cnp.PyArray_DATA(x)
    start_out = <uintptr_t>cnp.PyArray_DATA(out)
    if (
        start < start_out + <uintptr_t>cnp.PyArray_NBYTES(out)
        and start_out < start + <uintptr_t>cnp.PyArray_NBYTES(x)
        and not (start == start_out and is_wide(x) == is_wide(out))
    ):
        raise ValueError("out must be x itself or share no memory with it")
    return out


cdef class RunningScaler:
    """Scale features by what has been seen of them so far, in memory fixed at construction.

    Parameters
    ----------
    n_features : int
        Numbers in a row.
    method : {"standard", "minmax"}
        ``"standard"``: (x - mean) / sd, with the population standard deviation (ddof 0).
        ``"minmax"``: (x - min) / (max - min), 0 to 1 for what has been seen. What lies beyond is
        not clipped: beyond the range of a frozen scaler a reading gives less than 0 or more than 1.
    freeze_after : int, optional
        Examples after which the statistics stay as they are. Without it only ``freeze`` stops them.
    buffer : writable contiguous buffer, optional
        Memory to build the scaler in, at least ``plan(...).nbytes`` long; zeroed, kept alive and
        not resizable while the scaler lives. Nothing else is taken.

    Raises
    ------
    TypeError, ValueError
        Names the argument, what was got and what is allowed.
    MemoryError
        No memory for the block.

    Notes
    -----
    A constant feature gives exactly 0. So does one whose spread (sd, or max - min) is at most 2^-46
    of its size (its mean, or the larger end of its range), because 64 units in the last place of a
    float64 are rounding, not signal; or whose spread is below the normal numbers. Before the first
    example every feature gives 0.

    Finite rows give finite rows, however large. A scaled number that does not fit the type of
    ``out`` is refused with a ValueError; only a row far from all that was learned comes to that.

    Statistics are float64: Welford's recurrence with a mean of two float64, so that noise on a
    large offset keeps its digits. The memory is the block of ``plan``, per feature 25 bytes
    ("standard") or 16 ("minmax"), each region rounded up to 64. After construction nothing is
    allocated but returned Python objects. One thread at a time may use a scaler; a second one gets
    a RuntimeError.

    References
    ----------
    B. P. Welford, "Note on a method for calculating corrected sums of squares and products",
    Technometrics 4(3), 1962.

    Examples
    --------
    >>> import edgeolk as ek
    >>> scaler = ek.RunningScaler(2, method="minmax")
    >>> scaler.learn_many([[990.0, 20.0], [1010.0, 20.0]])
    >>> scaler.transform_one([1005.0, 20.0])
    array([0.75, 0.  ])
    """

    cdef Arena arena
    cdef Moments moments
    cdef bint busy

    def __cinit__(self, n_features, *, method="standard", freeze_after=None, buffer=None):
        cdef Head* head
        cdef Py_ssize_t d = whole("n_features", n_features, 1)
        cdef int number = method_number(method)
        cdef int64_t last = 0
        if freeze_after is not None:
            last = whole("freeze_after", freeze_after, 1, 2**62)
        plan = plan_of(d, number)
        self.arena = Arena(plan.nbytes, buffer)
        head = <Head*>self.arena.base
        memcpy(head.magic, <const char*>MAGIC, 8)
        head.format_version = FORMAT_VERSION
        head.nbytes = self.arena.length
        head.n_features = d
        head.freeze_after = last
        head.method = number
        self.moments.head = head
        at = {region.name: region.offset for region in plan.regions}
        if number == METHOD_STANDARD:
            self.moments.mean = <double*>(self.arena.base + <Py_ssize_t>at["mean"])
            self.moments.low = <double*>(self.arena.base + <Py_ssize_t>at["mean_low"])
            self.moments.m2 = <double*>(self.arena.base + <Py_ssize_t>at["m2"])
            self.moments.level = <int8_t*>(self.arena.base + <Py_ssize_t>at["level"])
        else:
            self.moments.least = <double*>(self.arena.base + <Py_ssize_t>at["min"])
            self.moments.most = <double*>(self.arena.base + <Py_ssize_t>at["max"])

    @staticmethod
    def plan(n_features, method="standard"):
        """Every region of a scaler with its bytes, without building it.

        Parameters
        ----------
        n_features : int
            Numbers in a row.
        method : {"standard", "minmax"}
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
        return plan_of(whole("n_features", n_features, 1), method_number(method))

    def __repr__(self):
        state = "frozen" if self.frozen else "learning"
        return (
            f"<RunningScaler {self.method}: d={self.n_features}, {self.n_seen} seen, {state},"
            f" {self.nbytes} bytes>"
        )

    # ---- rows -----------------------------------------------------------------------------------

    cdef int idle(self) except -1:
        # Asked last, when no Python code lies between the answer and the work.
        if self.busy:
            raise RuntimeError("the scaler is in use by another thread")
        return 0

    cdef object checked(self, object x, str name, int ndim):
        """x if it is plain, else a plain copy; of the right shape and finite."""
        cdef int64_t d = self.moments.head.n_features
        if not is_plain(x, ndim):
            x = as_numbers(x, name, ndim)
        if cnp.PyArray_DIM(x, ndim - 1) != d:
            raise ValueError(
                f"{name} must have {d} features, got {cnp.PyArray_DIM(x, ndim - 1)}")
        if not rows_finite(cnp.PyArray_DATA(x), is_wide(x), cnp.PyArray_SIZE(x)):
            bad = np.argwhere(~np.isfinite(x))[0]
            where = f"row {bad[0]}, " if ndim == 2 else ""
            raise ValueError(
                f"{name} must be finite, got {x[tuple(bad)]} at {where}feature {bad[ndim - 1]}")
        return x

    cdef object transformed(self, object x, object out):
        """The scaled row; x and out have been checked."""
        if transform_any(&self.moments, cnp.PyArray_DATA(x), is_wide(x),
                         cnp.PyArray_DATA(out), is_wide(out), 1) >= 0:
            raise ValueError(f"x is too far from what was learned: scaled, it exceeds {out.dtype}")
        return out

    def learn_one(self, x):
        """Learn one row, unless the scaler is frozen.

        Parameters
        ----------
        x : ndarray of shape (n_features,)
            Finite. A contiguous float32 or float64 array is read where it lies; other array-likes
            of real numbers are converted.

        Raises
        ------
        TypeError, ValueError
            Wrong kind, length or dimension, or a number that is not finite; nothing has changed.
        """
        x = self.checked(x, "x", 1)
        self.idle()
        learn_any(&self.moments, cnp.PyArray_DATA(x), is_wide(x), 1)

    def transform_one(self, x, out=None):
        """Scale one row; nothing is learned.

        Parameters
        ----------
        x : ndarray of shape (n_features,)
            As for ``learn_one``.
        out : float64 or float32 ndarray of shape (n_features,), optional
            Contiguous and writable; receives the scaled row. May be ``x`` itself. Without it a
            float64 array is made.

        Returns
        -------
        ndarray of shape (n_features,)
            ``out``, or the new array.

        Raises
        ------
        TypeError, ValueError
            Bad ``x`` or ``out``, or a scaled number that does not fit the type of ``out``; nothing
            has been written.
        """
        x = self.checked(x, "x", 1)
        out = checked_out(out, x)
        self.idle()
        return self.transformed(x, out)

    def learn_transform_one(self, x, out=None):
        """Learn one row, then scale it by statistics that include it.

        Parameters
        ----------
        x : ndarray of shape (n_features,)
            As for ``learn_one``.
        out : float64 or float32 ndarray of shape (n_features,), optional
            As for ``transform_one``.

        Returns
        -------
        ndarray of shape (n_features,)
            ``out``, or the new array.

        Raises
        ------
        TypeError, ValueError
            As ``transform_one``; nothing has been learned or written.
        """
        x = self.checked(x, "x", 1)
        out = checked_out(out, x)
        self.idle()
        learn_any(&self.moments, cnp.PyArray_DATA(x), is_wide(x), 1)
        # Fails only if frozen, when nothing was learned: |x - mean| <= sqrt(n - 1) sd for a row
        # that is in the statistics.
        return self.transformed(x, out)

    def learn_many(self, X):
        """Learn rows in order, without the interpreter lock; the same as one by one.

        Parameters
        ----------
        X : ndarray of shape (n, n_features)
            Finite. A C-contiguous float32 or float64 array is read where it lies.

        Raises
        ------
        TypeError, ValueError
            As ``learn_one``; all rows are checked before the first is learned.
        """
        cdef object rows = self.checked(X, "X", 2)
        cdef const void* x = cnp.PyArray_DATA(rows)
        cdef bint wide = is_wide(rows)
        cdef int64_t n = cnp.PyArray_DIM(rows, 0)
        self.idle()
        self.busy = True
        with nogil:
            learn_any(&self.moments, x, wide, n)
        self.busy = False

    def transform(self, X, out=None):
        """Scale rows, without the interpreter lock; nothing is learned.

        Parameters
        ----------
        X : ndarray of shape (n, n_features)
            As for ``learn_many``.
        out : float64 or float32 ndarray of shape (n, n_features), optional
            Contiguous and writable; receives the scaled rows. May be ``X`` itself. Without it a
            float64 array is made.

        Returns
        -------
        ndarray of shape (n, n_features)
            ``out``, or the new array.

        Raises
        ------
        TypeError, ValueError
            As ``transform_one``; nothing has been written.
        """
        cdef object rows = self.checked(X, "X", 2)
        cdef object scaled = checked_out(out, rows)
        cdef const void* x = cnp.PyArray_DATA(rows)
        cdef void* z = cnp.PyArray_DATA(scaled)
        cdef bint wide = is_wide(rows)
        cdef bint wide_out = is_wide(scaled)
        cdef int64_t n = cnp.PyArray_DIM(rows, 0)
        cdef int64_t bad
        self.idle()
        self.busy = True
        with nogil:
            bad = transform_any(&self.moments, x, wide, z, wide_out, n)
        self.busy = False
        if bad >= 0:
            raise ValueError(
                f"X[{bad}] is too far from what was learned: scaled, it exceeds {scaled.dtype}")
        return scaled

    def freeze(self):
        """Keep the statistics as they are from now on: learning checks its rows, no more."""
        self.idle()
        self.moments.head.frozen = 1

    # ---- configuration and state ----------------------------------------------------------------

    @property
    def n_features(self):
        """Numbers in a row."""
        return self.moments.head.n_features

    @property
    def method(self):
        """"standard" or "minmax"."""
        return NAMES[self.moments.head.method]

    @property
    def freeze_after(self):
        """Examples after which the statistics stay as they are, or None."""
        return self.moments.head.freeze_after or None

    @property
    def n_seen(self):
        """Examples in the statistics; those that came after freezing do not count."""
        return self.moments.head.n_seen

    @property
    def frozen(self):
        """Whether the statistics stay as they are."""
        return self.moments.head.frozen != 0

    @property
    def nbytes(self):
        """Bytes taken, exactly those of the plan."""
        return self.arena.nbytes

    @property
    def mean_(self):
        """Mean of each feature, a copy; 0 before the first example, None for "minmax"."""
        cdef Py_ssize_t j
        cdef const Moments* s = &self.moments
        if s.mean == NULL:
            return None
        return np.array([s.mean[j] * unit(s.level[j]) for j in range(s.head.n_features)])

    @property
    def scale_(self):
        """What each feature is divided by, a copy: sd, or max - min.

        0 for a feature that counts as constant, and for all before the first example; infinite
        where it exceeds float64, which scaling does not mind: it divides by halves.
        """
        cdef Py_ssize_t j
        cdef const Moments* s = &self.moments
        cdef Lines f
        scale = np.zeros(s.head.n_features)
        for j in range(s.head.n_features):
            lines(s, j, 1, &f)
            if isfinite(f.half[0]):
                scale[j] = 2.0 * f.half[0]
        return scale

    @property
    def min_(self):
        """Least of each feature, a copy; 0 before the first example, None for "standard"."""
        return self.copied(self.moments.least)

    @property
    def max_(self):
        """Most of each feature, a copy; 0 before the first example, None for "standard"."""
        return self.copied(self.moments.most)

    cdef object copied(self, const double* values):
        cdef Py_ssize_t j
        if values == NULL:
            return None
        return np.array([values[j] for j in range(self.moments.head.n_features)])

    # ---- files ----------------------------------------------------------------------------------

    def __reduce__(self):
        self.idle()
        return type(self)._from_block, (seal.sealed(self.arena),)

    @classmethod
    def _from_block(cls, block):
        cdef RunningScaler scaler
        cdef Head head
        cdef bytes data = block
        if len(data) < <Py_ssize_t>sizeof(Head):
            raise ValueError(f"not a scaler: {len(data)} bytes, a header has {sizeof(Head)}")
        memcpy(&head, <const char*>data, sizeof(Head))
        if head.magic[:8] != MAGIC:
            raise ValueError("not a scaler: the first 8 bytes are not the mark of one")
        if head.format_version != FORMAT_VERSION:
            raise ValueError(
                f"scaler format {head.format_version}; this version reads {FORMAT_VERSION}")
        seal.verify(data, head.nbytes, "scaler")
        if (
            head.method not in NAMES
            or not 0 <= head.frozen <= 1
            or not 0 <= head.freeze_after <= 2**62
            or not 0 <= head.n_seen <= 2**62
            or (head.freeze_after and head.n_seen > head.freeze_after)
            or (head.freeze_after and head.n_seen == head.freeze_after and not head.frozen)
        ):
            raise ValueError("the scaler is inconsistent: its header contradicts itself")
        plan = plan_of(whole("n_features", head.n_features, 1), head.method)
        if plan.nbytes != head.nbytes + ALIGNMENT:
            raise ValueError(
                f"the scaler has {head.nbytes} bytes, its plan says {plan.nbytes - ALIGNMENT}")
        scaler = cls.__new__(cls, head.n_features, method=NAMES[head.method])
        memcpy(scaler.arena.base, <const char*>data, head.nbytes)
        if not moments_hold(&scaler.moments):
            raise ValueError("the scaler is inconsistent: no examples give these statistics")
        return scaler

    def save(self, path):
        """Write the scaler to a file: its block with a CRC-32, replaced whole.

        Loading it and going on gives bit for bit what going on without stopping does.

        Parameters
        ----------
        path : str or path-like
            The file is written beside it and renamed.

        Raises
        ------
        OSError
            The file cannot be written.
        """
        self.idle()
        write_whole(path, (seal.sealed(self.arena),))

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
            Not a whole, consistent scaler.
        OSError
            The file cannot be read.
        """
        return cls._from_block(seal.read(path, sizeof(Head), "scaler"))
