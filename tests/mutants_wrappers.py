"""Mutations of estimators, models, arrays and arguments, for `mutants.py`.

Each is what is wrong, the file, a text that occurs once there, and what it becomes.
"""

from __future__ import annotations

CLASSIFIER, REGRESSOR = "edgeolk/sklearn/classifier.py", "edgeolk/sklearn/regressor.py"
VISITS, WIDTHS = "edgeolk/sklearn/visits.py", "edgeolk/sklearn/widths.py"
ESTIMATOR, WRAPPED = "edgeolk/sklearn/base.py", "edgeolk/wrapped.py"
DICTS = "edgeolk/river/base.py"
LABELS, ARRAYS = "edgeolk/river/classifier.py", "edgeolk/arrays.py"
INTAKE = "edgeolk/preprocessing/arguments.py"
ARGUMENTS, SHOWN = "edgeolk/configuration/arguments.py", "edgeolk/preprocessing/record.py"

_ESTIMATORS = [
    "tests/edgeolk/sklearn/test_calibrating.py",
    *("tests/edgeolk/sklearn/test_refusals.py", "tests/edgeolk/sklearn/test_classifier.py"),
    *("-k", "not search and not joblib and not probabilities"),
]
_MODELS = [
    *("tests/edgeolk/river/test_rules.py", "tests/edgeolk/river/test_models.py"),
    "tests/edgeolk/river/test_scored_once.py",
    *("-k", "not progressive and not novel_rows"),
]
_ARGUMENTS = [
    "tests/edgeolk/preprocessing/test_preprocessing.py",
    *("-k", "arguments or named or names or width or parts"),
]
#: The tests that must notice a mutation of a file.
TESTS = {
    CLASSIFIER: _ESTIMATORS,
    REGRESSOR: ["tests/edgeolk/sklearn/test_regressor.py"],
    VISITS: _ESTIMATORS,
    WIDTHS: _ESTIMATORS,
    ESTIMATOR: _ESTIMATORS,
    WRAPPED: ["tests/edgeolk/sklearn/test_refusals.py", "tests/edgeolk/river/test_rules.py"],
    DICTS: _MODELS,
    LABELS: _MODELS,
    ARRAYS: ["tests/edgeolk/test_arrays.py"],
    INTAKE: _ARGUMENTS,
    ARGUMENTS: _ARGUMENTS,
    SHOWN: _ARGUMENTS,
}

MUTATIONS = (
    # ---- estimators of scikit-learn
    ("calibration in every epoch", CLASSIFIER, "new=epoch == 0", "new=True"),
    ("calibration without weights", CLASSIFIER, "learn_two(f, columns[some], counts)",
     "learn_two(f, columns[some], None)"),
    ("calibration by scores after learning", CLASSIFIER,
     "labels[some], weight=counts)\n",
     "labels[some], weight=counts)\n            f = self.learner_.decision_function(X[some])\n"),
    ("a classifier of another task", CLASSIFIER,
     'check_task(self._begin(rows, random, more=more, **own), "classes")',
     "self._begin(rows, random, more=more, **own)"),
    ("weights of classes alone", CLASSIFIER,
     "each[columns] * (1.0 if weight is None else weight)", "each[columns]"),
    ("weights of rows are not added up", CLASSIFIER,
     "        refuse_too_many(weight, ", "        len((weight, ), *() and "),
    ("a class that was not named is taken", CLASSIFIER, "if len(new):",
     "if False:"),
    ("other classes in a later call are taken", CLASSIFIER,
     "not np.array_equal(known, np.unique(classes))", "False"),
    ("the other of two classes", CLASSIFIER, "(scores > 0.0)", "(scores < 0.0)"),
    ("balanced weights of some rows", CLASSIFIER,
     "isinstance(self.class_weight, str) and not batch", "False"),
    ("targets that are all alike", REGRESSOR, "float(targets.std()) or 1.0",
     "float(targets.std())"),
    ("targets lose their mean", REGRESSOR, "f * self.target_scale_ + self.target_mean_",
     "f * self.target_scale_"),
    ("weights of 0 make the scale", REGRESSOR,
     "        weight, X, targets = counted(weight, X, targets)\n", ""),
    ("weights do not repeat", VISITS, "(epoch + 1) * weight + start", "epoch + 1 + start"),
    ("small weights are no visits", VISITS, "weight[order] / min(1.0, weight.max())",
     "weight[order]"),
    ("any number of visits", VISITS, "if asked > max(MOST_VISITS, len(weight)):", "if False:"),
    ("negative weights", VISITS, " or (made < 0.0).any()", ""),
    ("weights of any shape", VISITS, "if made.shape != (n,):", "if False:"),
    ("a width from a few rows of a stream", WIDTHS, "and more and X.shape[0] < GAMMA_ROWS",
     "and False"),
    ("a width of rows that are not scaled", WIDTHS, "    rows = _as_learned(X, scale)",
     "    rows = _as_learned(X, None)"),
    ("masked rows in an estimator", ESTIMATOR, '        refuse_masked(X, "X")\n', ""),
    ("masked labels in an estimator", ESTIMATOR, '        refuse_masked(y, "y")\n', ""),
    ("a refused call leaves attributes", ESTIMATOR, "            vars(self).clear()\n", ""),
    ("params of any name", WRAPPED, "    for name in _ITS_OWN:\n        if name in params:",
     "    for name in _ITS_OWN:\n        if False:"),
    ("any task", WRAPPED, "    if made != wanted:", "    if False:"),
    # ---- models of river
    ("a class of a row that is refused", LABELS, "        place = classes[y]\n",
     "        place = classes[y]\n        self._classes = classes\n"),
    ("a column of a row that is refused", DICTS,
     "        learner.learn_one(row, y,",
     "        columns.learned()\n        learner.learn_one(row, y,"),
    ("columns of a first row that is refused", DICTS,
     "            columns = Columns(self.features, self.unseen,"
     " self._stands_in(self.missing))\n", ""),
    ("a score is kept whatever is learned", DICTS,
     "self._columns.same and learned == self._scored_at", "self._columns.same"),
    ("a score is kept whatever the row", DICTS,
     "self._columns.same and learned == self._scored_at", "learned == self._scored_at"),
    ("NaN is a label", LABELS, " or y != y:", ":"),
    ("None is a label", LABELS, "if y is None or", "if"),
    ("the calibration of a class that is new", LABELS, "place < seen > 1", "seen > 1"),
    # ---- arrays of other libraries
    ("a method is a mask", ARRAYS, "if isinstance(mask, (np.ndarray, np.bool_)) and mask.any():",
     "if np.any(mask):"),
    ("masked numbers are taken", ARRAYS, " and mask.any():", " and False:"),
    ("rows masked one by one are taken", ARRAYS, "x if isinstance(x, (list, tuple)) else (x,)",
     "(x,)"),
    ("columns of several types are objects", ARRAYS,
     'array.dtype.kind == "O" and _is_numeric_table(x)', "False"),
    ("words in a table are numbers", ARRAYS, 'getattr(one, "kind", "O") in REAL', "True"),
    ("pointers beyond the entries", ARRAYS, "and starts[-1] <= entries", ""),
    ("indices beyond the columns", ARRAYS, " and np.max(indices) < end", ""),
    ("indices below 0", ARRAYS, "np.min(indices) >= 0 and ", ""),
    ("columns of a CSC matrix are its rows", ARRAYS, '(columns, rows) if form == "csc" else ', ""),
    # ---- what is done with rows where nothing is said
    ("a width beside a kernel", ARGUMENTS, "        if kernel is not None:\n            raise",
     "        if False:\n            raise"),
    ("a width that is given is not used", ARGUMENTS, "return Gaussian(gamma)",
     "return Gaussian(1.0 / n_features)"),
    ("a width from rows beside a kernel", INTAKE, 'None if kernel else usual.get("gamma")',
     'usual.get("gamma")'),
    ("no width from rows", INTAKE, 'None if kernel else usual.get("gamma")', "None"),
    ("no scaler where nothing is said", INTAKE, 'usual.get("scale")', "None"),
    ("a word is a width", INTAKE, "if isinstance(gamma, str):\n        raise",
     "if False:\n        raise"),
    ("no scaler is not said", SHOWN, '        elif "scale" in usual:', "        elif False:"),
)  # fmt: skip
