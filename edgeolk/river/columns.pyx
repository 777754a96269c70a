"""Maps the keys of dicts to the columns of a learner's row."""

cimport cython
cimport numpy as cnp
from cpython.bool cimport PyBool_Check
from cpython.dict cimport PyDict_CheckExact
from cpython.float cimport PyFloat_AS_DOUBLE, PyFloat_CheckExact
from cpython.long cimport PyLong_AsLongLongAndOverflow, PyLong_CheckExact
from libc.math cimport NAN, isfinite, isnan
from libc.stdint cimport uint64_t
from libc.string cimport memcpy, memset

import warnings

import numpy as np

from edgeolk.checks import check_int
from edgeolk.errors import suggest

cnp.import_array()

UNSEEN = ("warn", "ignore", "raise")
MISSING = ("mean", "last", "zero", "refuse", "gap")


def in_order(keys):
    """Keys sorted by their text; keys with equal text, such as 1 and "1", by type name."""
    return sorted(keys, key=lambda key: (str(key), type(key).__name__, repr(key)))


def remedy_for(value):
    """Advice for a value that is no number; empty if there is none."""
    if isinstance(value, (str, bytes, bytearray)):
        return "; river's OneHotEncoder encodes text as numbers"
    if hasattr(value, "isoformat") or hasattr(value, "total_seconds"):
        return "; take numbers from a time, such as its hour and its weekday"
    return ""


cdef double slow_number(object value, object key, bint gaps) except? -1.0:
    """The number of a value of any type, or the exception that says what is wrong."""
    cdef double number
    try:
        if isinstance(value, (str, bytes, bytearray)):
            raise TypeError
        number = float(value)
    except (TypeError, ValueError):
        raise TypeError(
            f"feature {key!r} must be a number, got {type(value).__name__}{remedy_for(value)}"
        ) from None
    except OverflowError:  # the value may have too many digits to print
        raise ValueError(
            f"feature {key!r} must be finite, got {type(value).__name__} beyond the range"
            " of a float"
        ) from None
    if not (gaps or isfinite(number) or isnan(number)):
        raise ValueError(f"feature {key!r} must be finite, got {value!r}")
    return number


cdef inline double number_of(object value, object key, bint gaps) except? -1.0:
    """A value as a finite number, or NaN; with ``gaps``, any number."""
    cdef int overflow = 0
    cdef double number
    if PyFloat_CheckExact(value):
        number = PyFloat_AS_DOUBLE(value)
        if gaps or isfinite(number) or isnan(number):
            return number
    elif PyLong_CheckExact(value):
        number = <double>PyLong_AsLongLongAndOverflow(value, &overflow)
        if not overflow:
            return number
    elif PyBool_Check(value):
        return 1.0 if value is True else 0.0
    return slow_number(value, key, gaps)


cdef class Columns:
    """Keys of dicts in an order that is fixed once they are known; rows share one array.

    Parameters
    ----------
    features : sequence of keys, int or None
        The keys in order; or the maximum number of keys, which get columns as they appear; or None
        for the keys of the first row learned, ordered by their text, and by type names if two have
        the same text. Equal keys are one.
    unseen : {"warn", "ignore", "raise"}
        How a key without a column is handled: ignored, with a warning the first time unless
        ``features`` lists the keys; ignored silently; or the row is refused.
    missing : {"mean", "last", "zero", "refuse", "gap"}
        Substitute for a key that is missing from a row, None or NaN: the mean of its values in the
        rows learned or its value in the last of them (initially 0), 0, or an error. "gap": NaN, for
        learners that support missing readings; infinite numbers are then missing readings too.

    Attributes
    ----------
    place : dict
        The column of each known key.
    values : ndarray
        The last row.
    is_same : bool
        Whether the last row has the same numbers as the one before it.
    n_missing : int
        Readings that were missing in the rows learned.
    """

    cdef readonly str unseen
    cdef readonly str missing
    cdef readonly dict place
    cdef readonly bint is_same
    cdef readonly object values
    cdef dict coming          # ``place`` once the last row is learned
    # The row, the last row learned, means and counts of values learned, flags of values present.
    cdef object numbers
    cdef Py_ssize_t n         # columns, -1 if not yet known
    cdef bint complete        # whether the row was completed
    cdef bint quiet           # whether a key without a column gives no warning
    cdef double* row_
    cdef double* last
    cdef double* mean
    cdef double* count_
    cdef char* found
    cdef Py_ssize_t absent    # missing readings of the row
    cdef readonly object n_missing

    def __init__(self, features, unseen, missing):
        for name, value, known in (("unseen", unseen, UNSEEN), ("missing", missing, MISSING)):
            if value not in known:
                allowed = ", ".join(map(repr, known))
                raise ValueError(f"{name} must be one of {allowed}, got {value!r}")
        self.unseen, self.missing = unseen, missing
        self.place = {}
        self.n = -1
        self.n_missing = 0
        if isinstance(features, int):
            self.reserve(check_int("features", features, 1))
        elif features is not None:
            if isinstance(features, str) or len(set(features)) < len(list(features)):
                raise ValueError(f"features must be distinct keys, got {features!r}")
            self.place = {key: place for place, key in enumerate(features)}
            self.reserve(check_int("the number of features", len(self.place), 1))
            if unseen == "warn":  # other keys are ignored on purpose
                self.unseen = "ignore"

    cdef int reserve(self, Py_ssize_t n) except -1:
        self.n = n
        self.coming = self.place
        # The flags are rounded up to whole doubles.
        self.numbers = np.zeros(4 * n + (n + 7) // 8)
        self.values = self.numbers[:n]
        self.row_ = <double*>cnp.PyArray_DATA(self.numbers)
        self.last = self.row_ + n
        self.mean = self.last + n
        self.count_ = self.mean + n
        self.found = <char*>(self.count_ + n)
        self.complete = False
        return 0

    @cython.critical_section
    def __reduce__(self):
        saved = None if self.n < 0 else bytes(self.numbers.data)
        features = None if self.n < 0 else int(self.n)
        state = self.place, self.n_missing, saved
        return _restored, (features, self.unseen, self.missing, state)

    @cython.critical_section
    def __setstate__(self, state):
        self.place, self.n_missing, saved = state
        self.coming = self.place
        if saved is not None:
            memcpy(self.row_, <const char*><bytes>saved, self.numbers.nbytes)

    @property
    @cython.critical_section
    def known(self):
        """Whether the number of columns is fixed."""
        return self.n >= 0

    @property
    @cython.critical_section
    def count(self):
        """Number of columns; None if not yet known."""
        return None if self.n < 0 else self.n

    @cython.critical_section
    def begin(self, x):
        """Fix the columns: one per key of the first row."""
        if not x:
            raise ValueError("the first row learned must have features")
        # The order of keys in a dict is arbitrary: the same keys must give the same model.
        self.place = {key: place for place, key in enumerate(in_order(x))}
        self.reserve(len(self.place))

    @cython.critical_section
    def with_room_for(self, x):
        """Columns with room for the keys of a row and as many again, or None if it has no new keys.

        The new columns hold what was kept of the old ones.
        """
        cdef Py_ssize_t at
        cdef Py_ssize_t added = 0
        cdef Columns more
        for key in x:
            if key not in self.place and x[key] is not None:
                added += 1
        if len(self.place) + added <= self.n:
            return None
        more = Columns(2 * (len(self.place) + added), self.unseen, self.missing)
        more.place = more.coming = self.place
        more.n_missing = self.n_missing
        for at in range(self.n):
            more.last[at], more.mean[at], more.count_[at] = (
                self.last[at], self.mean[at], self.count_[at])
        return more

    @cython.critical_section
    def row(self, x, bint quiet=False):
        """The numbers of a dict, in an array that the next call overwrites.

        New keys get free columns, and values are kept as substitutes in later rows, only if
        ``learned`` is called next. ``quiet``: without a warning for a key without a column.

        Raises
        ------
        TypeError, ValueError
            A value is not a finite number (text never is), or a key is unseen or missing and this
            is not allowed.
        """
        cdef bint is_same = self.complete
        cdef bint grows
        cdef bint gaps = self.missing == "gap"
        cdef Py_ssize_t found = 0
        cdef Py_ssize_t at
        cdef double number
        cdef double* instead
        self.complete = self.is_same = False
        self.quiet = quiet
        self.coming = self.place
        grows = self.grows(x)
        if grows:
            self.coming = dict(self.place)
        memset(self.found, 0, self.n)
        if PyDict_CheckExact(x) and not grows:
            for key, value in (<dict>x).items():
                found += self.take(key, value, gaps, &is_same)
        else:
            for key in in_order(x) if grows else x:
                found += self.take(key, x[key], gaps, &is_same)
        self.absent = len(self.coming) - found
        if found < self.n:
            if self.missing == "refuse" and self.absent:
                missing = [key for key, at in self.coming.items() if not self.found[at]]
                raise ValueError(f"feature {missing[0]!r} is missing")
            instead = self.last if self.missing == "last" else self.mean
            for at in range(self.n):
                if not self.found[at]:
                    number = NAN if gaps else 0.0 if self.missing == "zero" else instead[at]
                    is_same &= self.row_[at] == number
                    self.row_[at] = number
        self.complete = True
        self.is_same = is_same
        return self.values

    cdef Py_ssize_t take(self, object key, object value, bint gaps, bint* is_same) except -1:
        """Store a value in the column of its key; returns 1, or 0 without a value or column."""
        cdef Py_ssize_t at
        cdef double number
        if value is None:
            return 0
        at = self.column(key)
        if at < 0:
            return 0
        number = number_of(value, key, gaps)
        if isnan(number):
            return 0
        is_same[0] &= self.row_[at] == number
        self.row_[at] = number
        self.found[at] = 1
        return 1

    @cython.critical_section
    def fingerprint(self):
        """A number other than 0 that rows share if they have the same readings, and lack the same.

        It does not depend on what stands for missing readings.
        """
        cdef uint64_t bits, mixed = 0xcbf29ce484222325ULL
        cdef double number
        cdef Py_ssize_t at
        for at in range(self.n):
            if self.found[at]:
                number = self.row_[at] + 0.0  # -0.0 is 0.0
                memcpy(&bits, &number, sizeof(bits))
                mixed = (mixed ^ <uint64_t>at ^ bits) * 0x9e3779b97f4a7c15ULL
                mixed ^= mixed >> 32
        return mixed | 1

    cdef Py_ssize_t column(self, object key) except -2:
        """The column of a key, which may be a new one; -1 if it has none."""
        at = self.coming.get(key)
        if at is not None:
            return at
        if len(self.coming) < self.n:
            at = self.coming[key] = len(self.coming)
            return at
        if self.unseen == "raise":
            known = ", ".join(map(repr, self.coming))
            raise ValueError(
                f"feature {key!r} has no column{suggest(key, map(str, self.coming))}; there are"
                f" {known}"
            )
        if self.unseen == "warn" and not self.quiet:
            self.unseen = "ignore"  # once is enough
            warnings.warn(
                f"feature {key!r} has no column, nor has any other new key: "
                f"there are {self.n} columns, for the keys of the first rows. If keys appear "
                f"later, as from a OneHotEncoder, give their maximum number, such as "
                f'features={max(16, 4 * self.n)}; unseen="ignore" ignores them silently',
                UserWarning,
                stacklevel=2,
            )
        return -1

    cdef bint grows(self, object x) except -1:
        """Whether a row has new keys, and columns are free."""
        if len(self.place) >= self.n:
            return False
        for key in x:
            if key not in self.place:
                return True
        return False

    @cython.critical_section
    def learned(self):
        """Record that the last row was learned."""
        cdef Py_ssize_t at
        self.place = self.coming
        if self.absent:
            self.n_missing += self.absent
        for at in range(self.n):
            if self.found[at]:
                self.last[at] = self.row_[at]
                self.count_[at] += 1.0
                self.mean[at] += (self.row_[at] - self.mean[at]) / self.count_[at]


def _restored(features, unseen, missing, state):
    """Restore pickled columns."""
    columns = Columns(features, unseen, missing)
    columns.__setstate__(state)
    return columns
