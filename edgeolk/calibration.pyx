"""Probabilities from scores that are not log odds, learned online.

Design: the model of Platt (1999) with its offset replaced by a floor, so that the most probable
class is the one with the highest score, for two classes or more. Both numbers maximise the
likelihood by online Newton steps (Hazan, Agarwal & Kale 2007) with exponential forgetting; memory
does not grow. An offset was rejected: with it, the most probable class may have a lower score.
"""

cimport cython
cimport numpy as cnp
from libc.math cimport exp, fabs, fmax, fmin, isnan, log
from libc.stdint cimport int64_t

import numpy as np

cnp.import_array()

#: Rows after which the weight of a row in the information matrix has decayed to 1/e.
cdef double _MEMORY = 2000.0
#: Information of the initial values, relative to that of the rows.
cdef double _TRUST = 2.0
cdef double _MAX_STEP = 0.5
cdef double _FLOOR = log(0.05 / 0.95)
# Bounds on the logarithms of the slope, and of the odds of the floor.
cdef double _MIN_SLOPE = -9.0
cdef double _MAX_SLOPE = 9.0
cdef double _MIN_FLOOR = -9.0
cdef double _MAX_FLOOR = -0.5

cdef object as_scores(object scores):
    """Scores of shape (n, K) as contiguous float64."""
    cdef object array = np.ascontiguousarray(scores, dtype=np.float64)
    if array.ndim != 2 or array.shape[1] < 1:
        raise ValueError(f"scores must be of shape (n, K), got {array.shape}")
    return array


cdef int check_labels(const int64_t* labels, Py_ssize_t n, Py_ssize_t classes) except -1:
    """Raise ValueError for a label that is no class."""
    cdef Py_ssize_t i
    for i in range(n):
        if not 0 <= labels[i] < classes:
            raise ValueError(f"labels must be from 0 to {classes - 1}")
    return 0


cdef Py_ssize_t largest(const double* scores, Py_ssize_t n) noexcept nogil:
    """The first place of the largest number, or of one that is not a number, as numpy has it."""
    cdef Py_ssize_t best = 0
    cdef Py_ssize_t k
    for k in range(1, n):
        if isnan(scores[best]):
            break
        if not scores[k] <= scores[best]:
            best = k
    return best


cdef double fill_probabilities(const double* scores, Py_ssize_t classes, double slope,
                               double* shares) noexcept nogil:
    """softmax(slope s) of one row."""
    cdef Py_ssize_t k
    cdef double total = 0.0
    cdef double top = slope * scores[0]
    for k in range(1, classes):
        top = fmax(top, slope * scores[k])
    for k in range(classes):
        shares[k] = exp(slope * scores[k] - top)
        total += shares[k]
    for k in range(classes):
        shares[k] /= total
    return total


def softmax(scores):
    """exp(s_k) / sum_j exp(s_j) of each row, for scores of shape (n, K)."""
    cdef object array = as_scores(scores)
    cdef object shares = np.empty_like(array)
    cdef const double* score = <const double*>cnp.PyArray_DATA(array)
    cdef double* share = <double*>cnp.PyArray_DATA(shares)
    cdef Py_ssize_t classes = cnp.PyArray_DIM(array, 1)
    cdef Py_ssize_t i
    for i in range(cnp.PyArray_DIM(array, 0)):
        fill_probabilities(score + i * classes, classes, 1.0, share + i * classes)
    return shares


def two_columns(scores):
    """Scores of two classes, of shape (n, 2), from the one score f of each row: 0 and f."""
    cdef object f = np.asarray(scores, dtype=np.float64)
    return np.column_stack((np.zeros_like(f), f))


cdef class Calibration:
    """p_k = (1 - floor) softmax(slope s)_k + floor / K, slope > 0 and floor in (0, 1).

    Its state is five numbers in the object, supported by ``pickle`` and ``copy``; a row allocates
    no arrays.

    Attributes
    ----------
    slope : float
        The factor of scores; initially 1.
    floor : float
        The probability spread evenly over all classes; initially 0.05.
    """

    def __cinit__(self):
        self.log_slope = 0.0
        self.floor_odds = _FLOOR
        self.information[0] = self.information[2] = _TRUST
        self.information[1] = 0.0

    @cython.critical_section
    def __getstate__(self):
        return (self.log_slope, self.floor_odds, self.information[0], self.information[1],
                self.information[2])

    @cython.critical_section
    def __setstate__(self, state):
        (self.log_slope, self.floor_odds, self.information[0], self.information[1],
         self.information[2]) = state

    @cython.critical_section
    def __reduce__(self):
        return Calibration, (), self.__getstate__()

    @property
    @cython.critical_section
    def slope(self):
        """The factor of scores."""
        return exp(self.log_slope)

    @property
    @cython.critical_section
    def floor(self):
        """The probability spread evenly over all classes."""
        return 1.0 / (1.0 + exp(-self.floor_odds))

    @cython.critical_section
    def learn(self, scores, labels, weight=None):
        """Update slope and floor towards a higher likelihood of these labels.

        Parameters
        ----------
        scores : float64 ndarray of shape (n, K)
            Scores of rows before they were learned.
        labels : integers of shape (n,)
            Columns of their classes.
        weight : float64 ndarray of shape (n,), optional
            Weight of each row.

        Raises
        ------
        ValueError
            The arrays differ in length, or a label is not a column.
        """
        cdef object array = as_scores(scores)
        cdef Py_ssize_t classes = cnp.PyArray_DIM(array, 1)
        self.learn_rows(array, classes, labels, weight)

    @cython.critical_section
    def learn_two(self, scores, labels, weight=None):
        """As ``learn`` for two classes, with a single score f per row, of shape (n,)."""
        self.learn_rows(np.ascontiguousarray(scores, dtype=np.float64), 1, labels, weight)

    cdef int learn_rows(self, object scores, Py_ssize_t columns, object labels,
                        object weight) except -1:
        """Learn rows with a single score, the other being 0, or with one score per class."""
        cdef object label = np.ascontiguousarray(labels, dtype=np.int64)
        cdef object counts = None
        cdef Py_ssize_t n = len(scores)
        cdef Py_ssize_t first, i
        cdef const double* score = <const double*>cnp.PyArray_DATA(scores)
        cdef const int64_t* column = <const int64_t*>cnp.PyArray_DATA(label)
        cdef const double* count = NULL
        cdef Slopes sums
        if weight is not None:
            counts = np.ascontiguousarray(weight, dtype=np.float64)
            count = <const double*>cnp.PyArray_DATA(counts)
        if label.shape != (n,) or not (counts is None or counts.shape == (n,)):
            raise ValueError(f"labels and weight must be of shape {(n,)}, as scores are")
        check_labels(column, n, max(2, columns))
        for first in range(0, n, ROWS_PER_STEP):
            sums = Slopes(0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
            for i in range(first, min(first + ROWS_PER_STEP, n)):
                self.add(score + i * columns, columns, column[i],
                         1.0 if count == NULL else count[i], &sums)
            self.step(&sums)
        return 0

    @cython.critical_section
    def learn_one(self, double f, bint second):
        """As ``learn`` for a row of two classes with score f; ``second``: whether it is class 1."""
        self.learn_row(&f, 1, second)

    cdef void learn_row(self, const double* scores, Py_ssize_t columns, int64_t label) noexcept:
        """As ``learn`` for a row with a single score, or with one per class."""
        cdef Slopes sums = Slopes(0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
        self.add(scores, columns, label, 1.0, &sums)
        self.step(&sums)

    cdef void add(self, const double* row, Py_ssize_t columns, int64_t label, double weight,
                  Slopes* sums) noexcept:
        """Add the contribution of a row to a step."""
        cdef double[2] two
        cdef const double* scores = row
        cdef Py_ssize_t classes = columns
        cdef double slope = exp(self.log_slope)
        cdef double floor = 1.0 / (1.0 + exp(-self.floor_odds))
        cdef double top, total, share, mean, odds, likely, of_slope, of_floor
        cdef Py_ssize_t k
        if columns == 1:
            two[0] = 0.0
            two[1] = row[0]
            scores = two
            classes = 2
        top = slope * scores[0]
        for k in range(1, classes):
            top = fmax(top, slope * scores[k])
        total = mean = 0.0
        for k in range(classes):
            odds = exp(slope * scores[k] - top)
            total += odds
            mean += odds * scores[k]
        mean /= total
        share = exp(slope * scores[label] - top) / total
        likely = (1.0 - floor) * share + floor / classes
        of_slope = (1.0 - floor) * share * slope * (scores[label] - mean) / likely
        of_floor = floor * (1.0 - floor) * (1.0 / classes - share) / likely
        sums.slope += weight * of_slope * of_slope
        sums.both += weight * of_slope * of_floor
        sums.floor += weight * of_floor * of_floor
        sums.towards_slope += weight * of_slope
        sums.towards_floor += weight * of_floor
        sums.weight += weight

    cdef void step(self, const Slopes* sums) noexcept:
        """Take a Newton step."""
        cdef double* info = self.information
        cdef double fade = exp(-sums.weight / _MEMORY)
        cdef double prior = _TRUST * fmin(1.0, sums.weight / _MEMORY)
        cdef double ratio, pivot, slope, floor
        info[0] = info[0] * fade + sums.slope + prior
        info[1] = info[1] * fade + sums.both
        info[2] = info[2] * fade + sums.floor + prior
        # Solve two equations by elimination with the larger pivot.
        if fabs(info[0]) >= fabs(info[1]):
            ratio = info[1] / info[0]
            pivot = info[2] - ratio * info[1]
            floor = (sums.towards_floor - ratio * sums.towards_slope) / pivot
            slope = (sums.towards_slope - info[1] * floor) / info[0]
        else:
            ratio = info[0] / info[1]
            pivot = info[1] - ratio * info[2]
            floor = (sums.towards_slope - ratio * sums.towards_floor) / pivot
            slope = (sums.towards_floor - info[2] * floor) / info[1]
        slope = fmin(fmax(slope, -_MAX_STEP), _MAX_STEP)
        floor = fmin(fmax(floor, -_MAX_STEP), _MAX_STEP)
        self.log_slope = fmin(fmax(self.log_slope + slope, _MIN_SLOPE), _MAX_SLOPE)
        self.floor_odds = fmin(fmax(self.floor_odds + floor, _MIN_FLOOR), _MAX_FLOOR)

    @cython.critical_section
    def probabilities(self, scores):
        """Probabilities of the classes.

        Parameters
        ----------
        scores : float64 ndarray of shape (n, K)

        Returns
        -------
        float64 ndarray of shape (n, K)
            Each row sums to 1; the class with the highest score is the most probable.
        """
        cdef object array = as_scores(scores)
        cdef object probabilities = np.empty_like(array)
        cdef const double* score = <const double*>cnp.PyArray_DATA(array)
        cdef double* share = <double*>cnp.PyArray_DATA(probabilities)
        cdef Py_ssize_t classes = cnp.PyArray_DIM(array, 1)
        cdef Py_ssize_t i
        for i in range(cnp.PyArray_DIM(array, 0)):
            self.fill(score + i * classes, classes, share + i * classes)
        return probabilities

    @cython.critical_section
    def probabilities_of_two(self, double f):
        """Probabilities of two classes with score f, as two floats."""
        cdef double[2] scores
        cdef double[2] shares
        scores[0] = 0.0
        scores[1] = f
        self.fill(scores, 2, shares)
        return shares[0], shares[1]

    cdef void fill(self, const double* scores, Py_ssize_t classes, double* shares) noexcept:
        cdef double floor = 1.0 / (1.0 + exp(-self.floor_odds))
        cdef Py_ssize_t k
        fill_probabilities(scores, classes, exp(self.log_slope), shares)
        for k in range(classes):
            shares[k] = (1.0 - floor) * shares[k] + floor / classes
