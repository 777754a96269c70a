"""The public class of scalers: learning and scaling rows."""

cimport cython
cimport numpy as cnp
from libc.stdint cimport int64_t

from edgeolk.core.memory_checks cimport check_no_overlap
from edgeolk.scaling.rows cimport (
    check_out, check_rows, is_wide, keeps_mean, learn_any, mean_of, scale_of, transform_any,
)
from edgeolk.scaling.state cimport ScalerState

cnp.import_array()


cdef class RunningScaler(ScalerState):
    """Scale features by running statistics, in memory fixed at construction.

    Page: docs/rows.md.

    Parameters
    ----------
    n_features : int
        Numbers in a row.
    method : {"standard", "minmax"}
        ``"standard"``: (x - mean) / sd, with the population standard deviation (ddof 0).
        ``"minmax"``: (x - min) / (max - min), 0 to 1 for the rows seen. Readings outside the range
        of a frozen scaler give less than 0 or more than 1.
    clip : float or None, from 2 to 1e6
        A reading more than this many standard deviations from the mean of its feature is clipped
        to that distance: in the statistics, in the scaled row, and as the ends of the range.
        None: readings are not clipped, all rows have equal weight for ever, and one glitch of a
        sensor makes all other readings nearly equal.
    window : int, optional, from 10 to 2^31 - 1
        With ``clip``: rows after which the weight of earlier rows has decayed to 1/e.
        Default 10,000.
    freeze_after : int, optional
        Examples after which the statistics are frozen. By default only ``freeze`` does this.
    compact : bool, default False
        Statistics in single precision, 9 bytes per feature instead of 40, as in a learner that
        scales inside. For ``method="standard"`` with a clip of at most 1000 and a window of at most
        21,844. Readings count as float32; ``n_clipped`` is not kept.
    buffer : writable contiguous buffer, optional
        Memory for the scaler, at least ``plan(...).nbytes`` long; zeroed, kept alive and not
        resizable while the scaler exists. No other memory is used.

    Raises
    ------
    TypeError, ValueError
        Names the argument, what was got and what is allowed.
    MemoryError
        No memory for the block.

    Notes
    -----
    With ``clip`` = k the statistics are winsorised exponential moments. The first rows have less
    weight than later ones, so that readings of a sensor that warms up are forgotten. The start is
    the median of the first three rows; until then every feature gives 0.

    - Glitches in fewer than one of k^2 readings (4 % for k = 5) have a bounded effect: a share p of
      them makes the deviation at most sqrt((1 - p) / (1 - p k^2)) times too large.
    - A level shift of 100 deviations is no longer clipped after 0.3 windows, within one deviation
      of the mean after 1, and the deviation is again that of the readings after 9 (for 1e6
      deviations: 1.1, 2 and 28 windows). Before the window is full, read "rows so far" for it.
    - A constant feature stays constant after one glitch; it begins to vary with a second one.

    ``n_clipped`` counts clipped readings by feature. On five sensor streams not used to choose the
    defaults, learners err in 3.9 % of rows with the defaults and 6.3 % with ``clip=None`` if 1 % of
    readings are glitches, 3.1 and 2.9 % without glitches. A smaller ``clip`` is better with many
    glitches, a larger one keeps more of rare events; windows from 3,000 on perform equally.

    A constant feature gives exactly 0. So does one whose spread (sd, or max - min) is at most 2^-46
    of its size (its mean, or the larger end of its range), because 64 units in the last place of a
    float64 are rounding, not signal; or whose spread is subnormal. Before the first example every
    feature gives 0.

    Finite rows give finite rows, however large. With ``clip=None`` a scaled number may not fit the
    type of ``out``, which raises a ValueError; this happens only for a row far from all rows
    learned.

    Statistics are float64, with a mean of two float64, so that noise on a large offset keeps its
    digits; with ``clip=None`` by Welford's recurrence. The memory is the block of ``plan``, per
    feature 40 bytes ("standard") or 56 ("minmax"), with ``clip=None`` 25 or 16, each region
    rounded up to 8; with ``compact=True`` 9, and a deviation below 2^-22 of the mean counts as 0.
    After construction only returned Python objects are allocated. One thread at a time may use a
    scaler; a second one gets a RuntimeError.

    References
    ----------
    B. P. Welford, "Note on a method for calculating corrected sums of squares and products",
    Technometrics 4(3), 1962. P. J. Huber, "Robust estimation of a location parameter", Annals of
    Mathematical Statistics 35(1), 1964.

    Examples
    --------
    >>> import edgeolk as ek
    >>> scaler = ek.RunningScaler(2, method="minmax")
    >>> scaler.learn_many([[990.0, 20.0], [1000.0, 20.0], [1010.0, 20.0]])
    >>> scaler.transform_one([1005.0, 20.0])
    array([0.75, 0.  ])
    """

    def __repr__(self):
        state = "frozen" if self.frozen else "learning"
        return (
            f"<RunningScaler {self.method}: d={self.n_features}, {self.n_seen} seen, {state},"
            f" {self.nbytes} bytes>"
        )

    cdef object row_of(self, object x):
        return check_rows(x, "x", 1, self.scaler.n_features)

    cdef object rows_of(self, object X):
        return check_rows(X, "X", 2, self.scaler.n_features)

    cdef object out_for(self, object out, object x):
        out = check_out(out, x)
        check_no_overlap(out, self.arena.base, self.arena.length, "the buffer of the scaler")
        return out

    cdef object transform_checked(self, object x, object out):
        """Scale a row; x and out have been checked."""
        if transform_any(&self.scaler, cnp.PyArray_DATA(x), is_wide(x),
                         cnp.PyArray_DATA(out), is_wide(out), 1) >= 0:
            raise ValueError(f"x is too far from what was learned: scaled, it exceeds {out.dtype}")
        return out

    @cython.critical_section
    def learn_one(self, x):
        """Learn one row, unless the scaler is frozen.

        Parameters
        ----------
        x : ndarray of shape (n_features,)
            Finite. A contiguous float32 or float64 array is read in place; other array-likes of
            real numbers are converted.

        Raises
        ------
        TypeError, ValueError
            Wrong kind, length or dimension, or a number that is not finite; nothing has changed.
        """
        x = self.row_of(x)
        self.idle()
        learn_any(&self.scaler, cnp.PyArray_DATA(x), is_wide(x), 1)

    @cython.critical_section
    def transform_one(self, x, out=None):
        """Scale one row; nothing is learned.

        Parameters
        ----------
        x : ndarray of shape (n_features,)
            As for ``learn_one``.
        out : float64 or float32 ndarray of shape (n_features,), optional
            Contiguous and writable; receives the scaled row. May be ``x`` itself. By default a
            new float64 array.

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
        x = self.row_of(x)
        out = self.out_for(out, x)
        self.idle()
        return self.transform_checked(x, out)

    @cython.critical_section
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
        x = self.row_of(x)
        out = self.out_for(out, x)
        self.idle()
        learn_any(&self.scaler, cnp.PyArray_DATA(x), is_wide(x), 1)
        # Fails only if frozen, when nothing was learned: |x - mean| <= sqrt(n - 1) sd for a row
        # that is in the statistics.
        return self.transform_checked(x, out)

    @cython.critical_section
    def _learn_transform_many(self, X, out, before=None):
        """Learn and scale rows in order, as ``learn_transform_one`` does one by one.

        Parameters
        ----------
        X, out
            As for ``transform``.
        before : float64 ndarray of shape (n, 2), optional
            Receives mean and scale of the first feature before each row.

        Returns
        -------
        int
            Rows done: all, or those before the first that is too far from the rows learned; only
            a frozen scaler, which learns nothing, stops early.

        Raises
        ------
        TypeError, ValueError
            As ``transform``; all rows are checked before the first is learned.
        """
        cdef object rows = self.rows_of(X)
        cdef object scaled = self.out_for(out, rows)
        cdef object recorded = None if before is None else check_rows(before, "before", 2, 2)
        cdef int64_t n = cnp.PyArray_DIM(rows, 0)
        if recorded is not None and (
                recorded is not before or len(recorded) != n or not is_wide(recorded)
                or not keeps_mean(&self.scaler)):
            raise ValueError(f"before must be a float64 array of shape ({n}, 2)")
        cdef const char* x = <const char*>cnp.PyArray_DATA(rows)
        cdef char* z = <char*>cnp.PyArray_DATA(scaled)
        cdef double* statistics = NULL if recorded is None else <double*>cnp.PyArray_DATA(recorded)
        cdef bint wide = is_wide(rows)
        cdef bint wide_out = is_wide(scaled)
        cdef int64_t d = self.scaler.n_features
        cdef int64_t i = 0
        self.idle()
        self.busy = True
        with nogil:
            while i < n:
                if statistics != NULL:
                    statistics[2 * i] = mean_of(&self.scaler, 0)
                    statistics[2 * i + 1] = scale_of(&self.scaler, 0)
                learn_any(&self.scaler, x, wide, 1)
                if transform_any(&self.scaler, x, wide, z, wide_out, 1) >= 0:
                    break
                x += d * (8 if wide else 4)
                z += d * (8 if wide_out else 4)
                i += 1
        self.busy = False
        return i

    @cython.critical_section
    def learn_many(self, X):
        """Learn rows in order, without the interpreter lock; the same as one by one.

        Parameters
        ----------
        X : ndarray of shape (n, n_features)
            Finite. A C-contiguous float32 or float64 array is read in place.

        Raises
        ------
        TypeError, ValueError
            As ``learn_one``; all rows are checked before the first is learned.
        """
        cdef object rows = self.rows_of(X)
        cdef const void* x = cnp.PyArray_DATA(rows)
        cdef bint wide = is_wide(rows)
        cdef int64_t n = cnp.PyArray_DIM(rows, 0)
        self.idle()
        self.busy = True
        with nogil:
            learn_any(&self.scaler, x, wide, n)
        self.busy = False

    @cython.critical_section
    def transform(self, X, out=None):
        """Scale rows, without the interpreter lock; nothing is learned.

        Parameters
        ----------
        X : ndarray of shape (n, n_features)
            As for ``learn_many``.
        out : float64 or float32 ndarray of shape (n, n_features), optional
            Contiguous and writable; receives the scaled rows. May be ``X`` itself. By default a
            new float64 array.

        Returns
        -------
        ndarray of shape (n, n_features)
            ``out``, or the new array.

        Raises
        ------
        TypeError, ValueError
            As ``transform_one``; nothing has been written.
        """
        cdef object rows = self.rows_of(X)
        cdef object scaled = self.out_for(out, rows)
        cdef const void* x = cnp.PyArray_DATA(rows)
        cdef void* z = cnp.PyArray_DATA(scaled)
        cdef bint wide = is_wide(rows)
        cdef bint wide_out = is_wide(scaled)
        cdef int64_t n = cnp.PyArray_DIM(rows, 0)
        cdef int64_t bad
        self.idle()
        self.busy = True
        with nogil:
            bad = transform_any(&self.scaler, x, wide, z, wide_out, n)
        self.busy = False
        if bad >= 0:
            raise ValueError(
                f"X[{bad}] is too far from what was learned: scaled, it exceeds {scaled.dtype}")
        return scaled
