"""Probabilities from all scores of a row, and decisions by them.

Two classes of ``sorf`` have three more scores behind their score. A logistic regression on all four
sees more than the two numbers of the calibration can, but is worse where a stream turns: both are
mixed by their recent log losses, and so is the share of the class among recent labels
(docs/rare-classes.md).
"""

cimport cython
cimport numpy as cnp
from libc.math cimport exp, fmax, fmin, isfinite, log, log1p, sqrt
from libc.stdint cimport int64_t

from edgeolk.calibration cimport (
    ROWS_PER_STEP, Calibration, Slopes, as_scores, check_labels, fill_probabilities, largest)

import numpy as np

from edgeolk.calibration import softmax

cnp.import_array()

#: Rows after which the weight of a row in the information of the regression has decayed to 1/e.
cdef double _HEAD_MEMORY = 10000.0
#: Discount of recent log losses; bounds of the probabilities in them, of scores and of a step; the
#: least information of a row; that of the initial coefficients.
cdef double _RECENT = 0.999
cdef double _MIN_SHARE = 1e-6
cdef double _MAX_SCORE = 3.0
cdef double _MAX_HEAD_STEP = 1.0
cdef double _MIN_INFORMATION = 1e-4
cdef double _RIDGE = 0.5
#: The largest logarithm of odds between two members of a mixture.
cdef double _MAX_LEAD = 700.0
#: The number of labels whose classes are counted: older ones fade.
cdef double _COUNTED = 4096.0
#: Bound of probabilities whose odds are wanted.
cdef double _MIN_ODDS = 1e-15

cdef enum:
    SCORES = 4                # f, the average's, the last weights' and the row memory's
    INPUTS = 5                # 1 and these
    INFORMATION = 15          # the lower triangle of a symmetric matrix


cdef object row_of(object scores, Py_ssize_t known):
    """The scores of a row of several classes, at least ``known``, as contiguous float64."""
    cdef object row = scores
    if not (cnp.PyArray_CheckExact(row) and cnp.PyArray_TYPE(row) == cnp.NPY_FLOAT64
            and cnp.PyArray_NDIM(row) == 1 and cnp.PyArray_ISCARRAY_RO(row)):
        row = np.ascontiguousarray(scores, dtype=np.float64).ravel()
    if not 0 < known <= cnp.PyArray_DIM(row, 0):
        raise ValueError(f"there are {cnp.PyArray_DIM(row, 0)} scores for {known} classes")
    return row


cdef inline double sigmoid_of(double x) noexcept nogil:
    return 1.0 / (1.0 + exp(-fmin(fmax(x, -_MAX_LEAD), _MAX_LEAD)))


cdef inline double log_of(double p, bint second) noexcept nogil:
    """The logarithm of what p, the probability of the second class, gave the true class."""
    cdef double held = fmin(fmax(p, _MIN_SHARE), 1.0 - _MIN_SHARE)
    return log(held if second else 1.0 - held)


cdef inline double log_odds(double p) noexcept nogil:
    cdef double held = fmin(fmax(p, _MIN_ODDS), 1.0 - _MIN_ODDS)
    return log(held) - log1p(-held)


cdef inline bint is_finite(const double* scores, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t k
    for k in range(n):
        if not isfinite(scores[k]):
            return False
    return True


cdef void solve(const double* information, const double* gradient, double* step) noexcept nogil:
    """information step = gradient, by Cholesky."""
    cdef double[INFORMATION] root
    cdef double total
    cdef int i, j, k
    for i in range(INPUTS):
        for j in range(i + 1):
            total = information[i * (i + 1) // 2 + j]
            for k in range(j):
                total -= root[i * (i + 1) // 2 + k] * root[j * (j + 1) // 2 + k]
            root[i * (i + 1) // 2 + j] = (
                sqrt(total) if i == j else total / root[j * (j + 1) // 2 + j])
    for i in range(INPUTS):
        total = gradient[i]
        for k in range(i):
            total -= root[i * (i + 1) // 2 + k] * step[k]
        step[i] = total / root[i * (i + 1) // 2 + i]
    for i in range(INPUTS - 1, -1, -1):
        total = step[i]
        for k in range(i + 1, INPUTS):
            total -= root[k * (k + 1) // 2 + i] * step[k]
        step[i] = total / root[i * (i + 1) // 2 + i]


cdef class AllScores:
    """A logistic regression on four scores of a row, mixed with another probability.

    Its state is 21 numbers: coefficients, the lower triangle of their information, and the
    logarithm of the odds of its share in the mixture, which is the discounted difference of the
    log losses of both.
    """

    cdef double[INPUTS] coefficients
    cdef double[INFORMATION] information
    cdef double lead

    def __cinit__(self):
        cdef int i
        self.coefficients[:] = [0.0, 1.5, 0.75, 0.4, 0.4]
        for i in range(INFORMATION):
            self.information[i] = 0.0
        for i in range(INPUTS):
            self.information[i * (i + 1) // 2 + i] = _RIDGE
        self.lead = 0.0

    @cython.critical_section
    def __getstate__(self):
        return (
            *[self.coefficients[i] for i in range(INPUTS)],
            *[self.information[i] for i in range(INFORMATION)],
            self.lead,
        )

    @cython.critical_section
    def __setstate__(self, state):
        cdef int i
        if len(state) != INPUTS + INFORMATION + 1:
            raise ValueError(f"the state must be 21 numbers, got {len(state)}")
        for i in range(INPUTS):
            self.coefficients[i] = state[i]
        for i in range(INFORMATION):
            self.information[i] = state[INPUTS + i]
        self.lead = state[INPUTS + INFORMATION]

    @cython.critical_section
    def __reduce__(self):
        return AllScores, (), self.__getstate__()

    cdef double own(self, const double* scores, double* inputs) noexcept nogil:
        """The regression's probability; ``inputs`` receives what it is computed from."""
        cdef double total = self.coefficients[0]
        cdef int i
        inputs[0] = 1.0
        for i in range(SCORES):
            inputs[i + 1] = fmin(fmax(scores[i], -_MAX_SCORE), _MAX_SCORE)
            total += self.coefficients[i + 1] * inputs[i + 1]
        return sigmoid_of(total)

    cdef double mixed(self, const double* scores, double other) noexcept nogil:
        cdef double[INPUTS] inputs
        cdef double share = sigmoid_of(self.lead)
        return (1.0 - share) * other + share * self.own(scores, inputs)

    cdef void learn(self, const double* scores, double other, bint second,
                    double weight) noexcept nogil:
        """Learn a row by its scores and the other probability, from before it was learned."""
        cdef double[INPUTS] inputs
        cdef double[INPUTS] gradient
        cdef double[INPUTS] step
        cdef double p = self.own(scores, inputs)
        cdef double fade = exp(-1.0 / _HEAD_MEMORY)
        cdef double size = weight * fmax(p * (1.0 - p), _MIN_INFORMATION)
        cdef int i, j
        self.lead = _RECENT * self.lead + weight * (log_of(p, second) - log_of(other, second))
        for i in range(INPUTS):
            gradient[i] = weight * ((1.0 if second else 0.0) - p) * inputs[i]
            for j in range(i + 1):
                self.information[i * (i + 1) // 2 + j] = (
                    fade * self.information[i * (i + 1) // 2 + j] + size * inputs[i] * inputs[j])
            self.information[i * (i + 1) // 2 + i] += _RIDGE * (1.0 - fade)
        solve(self.information, gradient, step)
        for i in range(INPUTS):
            self.coefficients[i] += fmin(fmax(step[i], -_MAX_HEAD_STEP), _MAX_HEAD_STEP)


cdef class Probabilities:
    """Probabilities of classes from the scores of a learner, and balanced decisions.

    Of two classes: ``Calibration`` of the score, mixed with ``AllScores`` if there are four scores
    a row, and that with the shares of the classes among recent labels, so that it never does much
    worse than these. Of several classes: ``Calibration``. Scores that are log odds stay as they
    are. The state does not grow; ``pickle`` and ``copy`` take it along.

    Parameters
    ----------
    n_classes : int
        Number of classes, at least 2.
    has_parts : bool
        Whether a row of two classes comes with four scores: its own, the average's, the last
        weights' and the row memory's.
    is_calibrated : bool
        Whether scores are no log odds.

    Attributes
    ----------
    calibration : Calibration or None
    columns : int
        Scores of a row.
    """

    cdef readonly Calibration calibration
    cdef readonly AllScores head
    cdef readonly Py_ssize_t columns
    cdef Py_ssize_t n_classes
    cdef object counts        # float64 ndarray (n_classes,): recent labels
    cdef double lead          # of the probability over the shares, as in AllScores

    def __cinit__(self, Py_ssize_t n_classes=2, bint has_parts=False, bint is_calibrated=True):
        if n_classes < 2 or (has_parts and not (n_classes == 2 and is_calibrated)):
            raise ValueError("has_parts is for two classes whose scores are no log odds")
        self.calibration = Calibration() if is_calibrated else None
        self.head = AllScores() if has_parts else None
        self.columns = (SCORES if has_parts else 1) if n_classes == 2 else n_classes
        self.n_classes = n_classes
        self.counts = np.zeros(n_classes)
        self.lead = 0.0

    @cython.critical_section
    def __getstate__(self):
        return {
            "calibration": None if self.calibration is None else self.calibration.__getstate__(),
            "all_scores": None if self.head is None else self.head.__getstate__(),
            "labels": tuple(self.counts.tolist()),
            "over_shares": self.lead,
        }

    @cython.critical_section
    def __setstate__(self, state):
        if self.calibration is not None:
            self.calibration.__setstate__(state["calibration"])
        if self.head is not None:
            self.head.__setstate__(state["all_scores"])
        self.counts = np.array(state["labels"], dtype=np.float64)
        self.lead = state["over_shares"]

    @cython.critical_section
    def __reduce__(self):
        given = (len(self.counts), self.head is not None, self.calibration is not None)
        return Probabilities, given, self.__getstate__()

    @property
    @cython.critical_section
    def shares(self):
        """Shares of the classes among recent labels, none of them 0: a float64 ndarray."""
        return (self.counts + 0.5) / (self.counts.sum() + 0.5 * len(self.counts))

    cdef double share(self) noexcept:
        """That of the second of two classes."""
        cdef const double* counts = <const double*>cnp.PyArray_DATA(self.counts)
        return (counts[1] + 0.5) / (counts[0] + counts[1] + 1.0)

    cdef void count(self, Py_ssize_t label, double weight) noexcept:
        cdef double* counts = <double*>cnp.PyArray_DATA(self.counts)
        cdef Py_ssize_t n = cnp.PyArray_DIM(self.counts, 0)
        cdef Py_ssize_t k
        cdef double total = 0.0
        counts[label] += weight
        for k in range(n):
            total += counts[k]
        if total > _COUNTED:
            for k in range(n):
                counts[k] *= _COUNTED / total

    cdef void fill(self, const double* scores, Py_ssize_t classes, double* shares) noexcept:
        """Probabilities by one score per class."""
        if self.calibration is None:
            fill_probabilities(scores, classes, 1.0, shares)
        else:
            self.calibration.fill(scores, classes, shares)

    cdef double calibrated(self, double f) noexcept:
        """The probability of the second of two classes, by the score alone."""
        cdef double[2] scores
        cdef double[2] shares
        scores[0] = 0.0
        scores[1] = f
        self.fill(scores, 2, shares)
        return shares[1]

    cdef double without_shares(self, const double* scores) noexcept:
        """The same by all scores."""
        cdef double p = self.calibrated(scores[0])
        return p if self.head is None else self.head.mixed(scores, p)

    cdef double of_second(self, const double* scores) noexcept:
        """The same, mixed with its share of the labels."""
        cdef double p = self.without_shares(scores)
        if self.calibration is None:
            return p
        return p + sigmoid_of(-self.lead) * (self.share() - p)

    cdef void learn_two(self, const double* scores, bint second, double weight) noexcept:
        """Learn a row of two classes, but for its calibration."""
        cdef double p = self.calibrated(scores[0])
        cdef double other
        if self.calibration is not None and is_finite(scores, self.columns):
            if self.head is not None:
                other = p
                p = self.head.mixed(scores, other)
                self.head.learn(scores, other, second, weight)
            self.lead = _RECENT * self.lead + weight * (
                log_of(p, second) - log_of(self.share(), second))
        self.count(second, weight)

    @cython.critical_section
    def learn(self, scores, labels, weight=None):
        """Learn rows by their scores from before the learner learned them, in order.

        Parameters
        ----------
        scores : float64 ndarray of shape (n, columns)
        labels : integers of shape (n,)
            The classes, from 0.
        weight : float64 ndarray of shape (n,), optional
            Weight of each row.

        Raises
        ------
        ValueError
            The arrays differ in length, or a label is no class.
        """
        cdef object array = as_scores(scores)
        cdef object label = np.ascontiguousarray(labels, dtype=np.int64)
        cdef object counts = None
        cdef Py_ssize_t n = cnp.PyArray_DIM(array, 0)
        cdef Py_ssize_t classes = self.n_classes
        cdef Py_ssize_t first, i
        cdef const double* score = <const double*>cnp.PyArray_DATA(array)
        cdef const int64_t* column
        cdef const double* count = NULL
        cdef double each
        cdef Slopes sums
        if cnp.PyArray_DIM(array, 1) != self.columns:
            raise ValueError(f"scores must be of shape (n, {self.columns}), got {array.shape}")
        if weight is not None:
            counts = np.ascontiguousarray(weight, dtype=np.float64)
            count = <const double*>cnp.PyArray_DATA(counts)
        if label.shape != (n,) or not (counts is None or counts.shape == (n,)):
            raise ValueError(f"labels and weight must be of shape {(n,)}, as scores are")
        column = <const int64_t*>cnp.PyArray_DATA(label)
        check_labels(column, n, classes)
        if classes > 2 and self.calibration is not None:
            self.calibration.learn(array, label, counts)
        for first in range(0, n, ROWS_PER_STEP):
            sums = Slopes(0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
            for i in range(first, min(first + ROWS_PER_STEP, n)):
                each = 1.0 if count == NULL else count[i]
                if classes > 2:
                    self.count(column[i], each)
                    continue
                self.learn_two(score + i * self.columns, column[i] == 1, each)
                if self.calibration is not None and is_finite(score + i * self.columns, 1):
                    self.calibration.add(score + i * self.columns, 1, column[i], each, &sums)
            if classes == 2 and self.calibration is not None:
                self.calibration.step(&sums)

    @cython.critical_section
    def learn_one(self, scores, Py_ssize_t label, Py_ssize_t known=2):
        """As ``learn`` for a row, by its scores of the first ``known`` classes; None: not scored.

        The label is one of all classes.
        """
        cdef double[SCORES] two
        cdef object row
        if not 0 <= label < self.n_classes:
            raise ValueError(f"label must be below {self.n_classes}, got {label}")
        if self.n_classes > 2:
            if self.calibration is not None and scores is not None and label < known > 1:
                row = row_of(scores, known)
                self.calibration.learn_row(<const double*>cnp.PyArray_DATA(row), known, label)
            self.count(label, 1.0)
        elif scores is None or known < 2:
            self.count(label, 1.0)
        else:
            self.take(scores, two)
            self.learn_two(two, label == 1, 1.0)
            if self.calibration is not None:
                self.calibration.learn_row(two, 1, label)

    cdef int take(self, object scores, double* two) except -1:
        """The scores of a row of two classes: a number, or a tuple of four."""
        cdef Py_ssize_t k
        if self.columns == 1:
            two[0] = scores
            return 0
        for k in range(SCORES):
            two[k] = scores[k]
        return 0

    @cython.critical_section
    def probabilities_one(self, scores, Py_ssize_t known=2):
        """Probabilities of the first ``known`` classes for the scores of a row, a list of floats;
        of both for two classes."""
        cdef double[SCORES] two
        cdef object row
        cdef object found
        cdef double p
        if self.n_classes > 2:
            row = row_of(scores, known)
            found = np.empty(known)
            self.fill(<const double*>cnp.PyArray_DATA(row), known,
                      <double*>cnp.PyArray_DATA(found))
            return found.tolist()
        self.take(scores, two)
        p = self.of_second(two)
        return [1.0 - p, p]

    @cython.critical_section
    def probabilities(self, scores):
        """Probabilities of the classes.

        Parameters
        ----------
        scores : float64 ndarray of shape (n, columns)

        Returns
        -------
        float64 ndarray of shape (n, n_classes)
            Each row sums to 1.
        """
        cdef object array = as_scores(scores)
        cdef object found
        cdef double* p
        cdef Py_ssize_t i
        if cnp.PyArray_DIM(array, 1) != self.columns:
            raise ValueError(f"scores must be of shape (n, {self.columns}), got {array.shape}")
        if self.n_classes > 2:
            return softmax(array) if self.calibration is None else (
                self.calibration.probabilities(array))
        found = np.empty((cnp.PyArray_DIM(array, 0), 2))
        p = <double*>cnp.PyArray_DATA(found)
        for i in range(cnp.PyArray_DIM(array, 0)):
            p[2 * i + 1] = self.of_second(
                <const double*>cnp.PyArray_DATA(array) + i * self.columns)
            p[2 * i] = 1.0 - p[2 * i + 1]
        return found

    @cython.critical_section
    def margins(self, scores, bint balanced=False):
        """What decides: with two classes above 0 for the second, with several the largest.

        Parameters
        ----------
        scores : float64 ndarray of shape (n, columns)
        balanced : bool
            Whether each class counts as if it were as frequent as the others: its probability is
            compared with its share of recent labels.

        Returns
        -------
        float64 ndarray of shape (n,) or (n, n_classes)
            With two classes log odds. With several the scores or, balanced, the logarithm of the
            probability over the share.
        """
        cdef object array = as_scores(scores)
        cdef object found
        cdef const double* score = <const double*>cnp.PyArray_DATA(array)
        cdef double* margin
        cdef Py_ssize_t i
        if cnp.PyArray_DIM(array, 1) != self.columns:
            raise ValueError(f"scores must be of shape (n, {self.columns}), got {array.shape}")
        if self.n_classes > 2:
            if not balanced:
                return array
            return np.log(np.maximum(self.probabilities(array), _MIN_ODDS)) - np.log(self.shares)
        found = np.empty(cnp.PyArray_DIM(array, 0))
        margin = <double*>cnp.PyArray_DATA(found)
        for i in range(cnp.PyArray_DIM(array, 0)):
            margin[i] = self.margin(score + i * self.columns, balanced)
        return found

    cdef double margin(self, const double* scores, bint balanced) noexcept:
        """What decides between two classes: above 0 for the second."""
        cdef double base = log_odds(self.share()) if balanced else 0.0
        if self.calibration is None:
            return scores[0] - base
        if balanced:
            return log_odds(self.without_shares(scores)) - base
        return log_odds(self.of_second(scores))

    @cython.critical_section
    def label_one(self, scores, bint balanced=False, Py_ssize_t known=2):
        """The class that ``margins`` decides for, one of the first ``known``."""
        cdef double[SCORES] two
        cdef object row
        if self.n_classes == 2:
            if known < 2:
                return 0
            self.take(scores, two)
            return 1 if self.margin(two, balanced) > 0.0 else 0
        if balanced:
            return int(np.argmax(self.probabilities_one(scores, known) / self.shares[:known]))
        row = row_of(scores, known)
        return largest(<const double*>cnp.PyArray_DATA(row), known)
