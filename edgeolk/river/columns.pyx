"""The place of each key of a dict in a learner's row."""

cimport numpy as cnp
from cpython.bool cimport PyBool_Check
from cpython.dict cimport PyDict_CheckExact
from cpython.float cimport PyFloat_AS_DOUBLE, PyFloat_CheckExact
from cpython.long cimport PyLong_AsLongLongAndOverflow, PyLong_CheckExact
from libc.math cimport NAN, isfinite
from libc.string cimport memcpy, memset

import warnings

import numpy as np

from edgeolk.checks import check_int
from edgeolk.near import near

cnp.import_array()

UNSEEN = ("warn", "ignore", "raise")
MISSING = ("last", "zero", "raise", "gap")


def in_order(keys):
    """Keys by their text; those of one text, such as 1 and "1", by their type's name."""
    return sorted(keys, key=lambda key: (str(key), type(key).__name__, repr(key)))


cdef double slow_number(object value, object key, bint gaps) except? -1.0:
    """A value of any type that is a number; says what is wrong where it is none."""
    cdef double number
    try:
        if isinstance(value, (str, bytes, bytearray)):
            raise TypeError
        number = float(value)
    except (TypeError, ValueError):
        raise TypeError(
            f"feature {key!r} must be a number, got {type(value).__name__}; river's"
            " OneHotEncoder makes numbers of words"
        ) from None
    except OverflowError:  # the value itself may have more digits than can be shown
        raise ValueError(
            f"feature {key!r} must be finite, got {type(value).__name__} beyond the range"
            " of a float"
        ) from None
    if not (gaps or isfinite(number)):
        raise ValueError(f"feature {key!r} must be finite, got {value!r}")
    return number


cdef inline double number_of(object value, object key, bint gaps) except? -1.0:
    """A value as a number; what is finite, or anything where there may be ``gaps``."""
    cdef int overflow = 0
    cdef double number
    if PyFloat_CheckExact(value):
        number = PyFloat_AS_DOUBLE(value)
        if gaps or isfinite(number):
            return number
    elif PyLong_CheckExact(value):
        number = <double>PyLong_AsLongLongAndOverflow(value, &overflow)
        if not overflow:
            return number
    elif PyBool_Check(value):
        return 1.0 if value is True else 0.0
    return slow_number(value, key, gaps)


cdef class Columns:
    """Keys of dicts in an order that is fixed once they are known; a row is one array, reused.

    Parameters
    ----------
    features : sequence of keys, int or None
        The keys in order; how many there may be, columns going to keys as they come; None for those
        of the first row that is learned, in the order of their text, and of their types' names
        where two have one text. Keys that are equal are one.
    unseen : {"warn", "ignore", "raise"}
        What is done with a key that has no column: it is left out, with a warning the first time
        unless the keys were named one by one; left out without a word; or the row is refused.
    missing : {"last", "zero", "raise", "gap"}
        What stands for a key that a row lacks, or that is None: what it was in the last row learned
        that had it (0 before), 0, or nothing. "gap": NaN, for learners that know missing readings;
        numbers that are not finite are such readings too.

    Attributes
    ----------
    place : dict
        The column of each key that has one.
    made : ndarray
        The last row.
    same : bool
        Whether the last row has the numbers of the one before it.
    """

    cdef readonly str unseen
    cdef readonly str missing
    cdef readonly dict place
    cdef readonly bint same
    cdef readonly object made
    cdef dict coming          # the places once the last row is learned
    cdef object numbers       # the row, then what was learned last, then where the row had a value
    cdef Py_ssize_t n         # columns, -1 where they are not known
    cdef bint whole           # whether the row is one that was made to its end
    cdef double* row_
    cdef double* last
    cdef char* found

    def __init__(self, features, unseen, missing):
        for name, value, known in (("unseen", unseen, UNSEEN), ("missing", missing, MISSING)):
            if value not in known:
                allowed = ", ".join(map(repr, known))
                raise ValueError(f"{name} must be one of {allowed}, got {value!r}")
        self.unseen, self.missing = unseen, missing
        self.place = {}
        self.n = -1
        if isinstance(features, int):
            self.reserve(check_int("features", features, 1))
        elif features is not None:
            if isinstance(features, str) or len(set(features)) < len(list(features)):
                raise ValueError(f"features must be keys that differ, got {features!r}")
            self.place = {key: place for place, key in enumerate(features)}
            self.reserve(check_int("the number of features", len(self.place), 1))
            if unseen == "warn":  # others are left out on purpose
                self.unseen = "ignore"

    cdef int reserve(self, Py_ssize_t n) except -1:
        self.n = n
        self.coming = self.place
        # Bytes of the marks are rounded up to numbers.
        self.numbers = np.zeros(2 * n + (n + 7) // 8)
        self.made = self.numbers[:n]
        self.row_ = <double*>cnp.PyArray_DATA(self.numbers)
        self.last = self.row_ + n
        self.found = <char*>(self.last + n)
        self.whole = False
        return 0

    def __reduce__(self):
        held = None if self.n < 0 else bytes(self.numbers.data)
        features = None if self.n < 0 else int(self.n)
        return _restored, (features, self.unseen, self.missing, self.place, held)

    def __setstate__(self, state):
        self.place, held = state
        self.coming = self.place
        if held is not None:
            memcpy(self.row_, <const char*><bytes>held, self.numbers.nbytes)

    @property
    def known(self):
        """Whether the number of columns is fixed."""
        return self.n >= 0

    @property
    def count(self):
        """Number of columns; None where it is not known."""
        return None if self.n < 0 else self.n

    def begin(self, x):
        """Fix the columns: one for each key of the first row."""
        if not x:
            raise ValueError("the first row that is learned must have features")
        # Keys of a dict have no order that means anything: the same keys make the same model.
        self.place = {key: place for place, key in enumerate(in_order(x))}
        self.reserve(len(self.place))

    def row(self, x):
        """The numbers of a dict, in an array that the next call overwrites.

        Keys that are new take free columns, and values are remembered for rows that lack them, only
        if ``learned`` is called next.

        Raises
        ------
        TypeError, ValueError
            A value is no finite number (text is none, whatever it says), or a key is unseen or
            missing and may not be.
        """
        cdef bint same = self.whole
        cdef bint grows
        cdef bint gaps = self.missing == "gap"
        cdef Py_ssize_t found = 0
        cdef Py_ssize_t at
        cdef double number
        self.whole = self.same = False
        self.coming = self.place
        grows = self.grows(x)
        if grows:
            self.coming = dict(self.place)
        memset(self.found, 0, self.n)
        if PyDict_CheckExact(x) and not grows:
            for key, value in (<dict>x).items():
                found += self.take(key, value, gaps, &same)
        else:
            for key in in_order(x) if grows else x:
                found += self.take(key, x[key], gaps, &same)
        if found < self.n:
            if self.missing == "raise" and found < len(self.coming):
                lacking = [key for key in self.coming if x.get(key) is None]
                raise ValueError(f"feature {lacking[0]!r} is missing")
            for at in range(self.n):
                if not self.found[at]:
                    number = NAN if gaps else (self.last[at] if self.missing == "last" else 0.0)
                    same &= self.row_[at] == number
                    self.row_[at] = number
        self.whole = True
        self.same = same
        return self.made

    cdef Py_ssize_t take(self, object key, object value, bint gaps, bint* same) except -1:
        """A value into the column of its key: 1, or 0 where there is none of either."""
        cdef Py_ssize_t at
        cdef double number
        if value is None:
            return 0
        at = self.column(key)
        if at < 0:
            return 0
        number = number_of(value, key, gaps)
        same[0] &= self.row_[at] == number
        self.row_[at] = number
        self.found[at] = 1
        return 1

    cdef Py_ssize_t column(self, object key) except -2:
        """The column of a key, which may be a new one; -1 for none."""
        at = self.coming.get(key)
        if at is not None:
            return at
        if len(self.coming) < self.n:
            at = self.coming[key] = len(self.coming)
            return at
        if self.unseen == "raise":
            known = ", ".join(map(repr, self.coming))
            raise ValueError(
                f"feature {key!r} has no column{near(key, map(str, self.coming))}; there are"
                f" {known}"
            )
        if self.unseen == "warn":
            self.unseen = "ignore"  # once is enough
            warnings.warn(
                f"feature {key!r} has no column, and neither has any other key that comes now: "
                f"there are {self.n} columns, for the first keys. Say how many there may be, "
                f"such as features={max(16, 4 * self.n)}, where keys come later, as of a "
                'OneHotEncoder; unseen="ignore" leaves them out without a word',
                UserWarning,
                stacklevel=2,
            )
        return -1

    cdef bint grows(self, object x) except -1:
        """Whether a row brings keys for columns that are free."""
        if len(self.place) >= self.n:
            return False
        for key in x:
            if key not in self.place:
                return True
        return False

    def learned(self):
        """Remember the last row made: it was learned."""
        self.place = self.coming
        memcpy(self.last, self.row_, self.n * sizeof(double))


def _restored(features, unseen, missing, place, held):
    """Columns as they were."""
    made = Columns(features, unseen, missing)
    made.__setstate__((place, held))
    return made
