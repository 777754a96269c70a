"""What other libraries keep rows in: tables, tensors, arrays with a mask."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import edgeolk as ek
from edgeolk.arrays import refuse_broken_sparse, table_remedy

D, N = 3, 40
X = np.random.default_rng(0).normal(size=(N, D))
Y = np.where(X[:, 0] > 0.0, 1.0, -1.0)
WEIGHT = np.linspace(0.5, 2.0, N)
NAMES = ["a", "b", "c"]


def learner(**options: Any) -> ek.Learner:
    return ek.Learner("pa1", n_features=D, budget=9, **options)


def learned(rows: Any, labels: Any = Y, weight: Any = WEIGHT) -> bytes:
    """The bytes of a learner that has learned them."""
    made = learner()
    made.learn_many(rows, labels, weight=weight)
    return pickle.dumps(made)


# ---- tables and tensors -------------------------------------------------------------------------


def pandas(rows: Any) -> Any:
    pd = pytest.importorskip("pandas")
    return pd.DataFrame(rows, columns=NAMES) if rows.ndim == 2 else pd.Series(rows)


def pandas_nullable(rows: Any) -> Any:
    return pandas(rows).astype("Float64")


def pandas_with_odd_names(rows: Any) -> Any:
    """Columns called as what matrices and masked arrays have."""
    pd = pytest.importorskip("pandas")
    if rows.ndim == 1:
        return pd.Series(rows, index=[f"mask{i}" for i in range(len(rows))])
    return pd.DataFrame(rows, columns=["format", "mask", "data"])


def polars(rows: Any) -> Any:
    pl = pytest.importorskip("polars")
    return pl.DataFrame(rows, schema=NAMES) if rows.ndim == 2 else pl.Series(rows)


def pyarrow(rows: Any) -> Any:
    pa = pytest.importorskip("pyarrow")
    if rows.ndim == 1:
        return pa.array(rows)
    return pa.table({name: rows[:, i] for i, name in enumerate(NAMES)})


def pandas_of_pyarrow(rows: Any) -> Any:
    pytest.importorskip("pyarrow")
    return pandas(rows).astype("double[pyarrow]")


def xarray(rows: Any) -> Any:
    xr = pytest.importorskip("xarray")
    mask = (("dim_0",), np.ones(len(rows), bool))  # a coordinate, which is no mask
    dims = [f"dim_{i}" for i in range(rows.ndim)]
    return xr.DataArray(rows, dims=dims, coords={"mask": mask})


def torch(rows: Any) -> Any:
    return pytest.importorskip("torch").from_numpy(rows.copy())


def nothing_masked(rows: Any) -> Any:
    return np.ma.masked_array(rows, np.zeros(rows.shape, bool))


KEPT = [
    pandas, pandas_nullable, pandas_with_odd_names, polars, pyarrow, pandas_of_pyarrow, xarray,
    torch, nothing_masked,
]  # fmt: skip
kept = pytest.mark.parametrize("keep", KEPT, ids=lambda keep: keep.__name__)
Keep = Callable[[Any], Any]


@kept
def test_rows_labels_and_weights_are_learned(keep: Keep) -> None:
    expected = learned(X)
    assert learned(keep(X)) == expected
    assert learned(X, keep(Y)) == expected
    assert learned(X, Y, keep(WEIGHT)) == expected
    assert learned(keep(X), keep(Y), keep(WEIGHT)) == expected


@kept
def test_one_row_is_learned_and_scored(keep: Keep) -> None:
    made, plain = learner(), learner()
    for x, y in zip(X, Y, strict=True):
        assert made.learn_one(keep(x), y) == plain.learn_one(x, y)
        assert made.predict_one(keep(x)) == plain.predict_one(x)
    assert made.decision_function(keep(X)).tolist() == plain.decision_function(X).tolist()
    assert made.predict(keep(X)).tolist() == plain.predict(X).tolist()


@kept
def test_scalers_and_widths_take_them(keep: Keep) -> None:
    made, plain = ek.RunningScaler(D), ek.RunningScaler(D)
    made.learn_many(keep(X))
    plain.learn_many(X)
    assert pickle.dumps(made) == pickle.dumps(plain)
    assert ek.gamma_from(keep(X)) == ek.gamma_from(X)


def test_the_range_of_a_table_is_that_of_int8() -> None:
    table = pandas(X)
    made = learner(dtype="int8", feature_range=(table.min(), table.max()))
    assert made.config.feature_range == (tuple(X.min(axis=0)), tuple(X.max(axis=0)))


def test_columns_of_several_types_are_numbers() -> None:
    pd = pytest.importorskip("pandas")
    table = pd.DataFrame({"a": np.arange(N), "b": Y > 0.0, "c": X[:, 2]})
    plain = np.column_stack([np.arange(N), Y > 0.0, X[:, 2]]).astype(float)
    assert learned(table) == learned(table.convert_dtypes()) == learned(plain)


def test_what_a_table_lacks_is_a_bad_row() -> None:
    pd = pytest.importorskip("pandas")
    table = pd.DataFrame(X.copy(), columns=NAMES)  # older tables share memory with an array
    table.loc[7, "b"] = None
    for lacking in (table, table.convert_dtypes()):
        with pytest.raises(ek.BadRowError, match=r"X\[7\]"):
            learned(lacking)
        made = learner(on_bad_row="skip")
        made.learn_many(lacking, Y)
        assert made.n_skipped == 1


def test_words_in_a_table_are_refused() -> None:
    pd = pytest.importorskip("pandas")
    for words in (["1", "2"], pd.Categorical(["u", "v"]), pd.to_datetime(["2020", "2021"])):
        table = pd.DataFrame({"a": [1.0, 2.0], "b": words, "c": [0.5, 0.5]})
        with pytest.raises(TypeError, match="X must hold real numbers, got dtype"):
            learned(table, Y[:2], None)


def test_what_is_no_number_is_named_with_its_remedy() -> None:
    pd = pytest.importorskip("pandas")
    table = pd.DataFrame({"a": [1.0, 2.0], "city": ["Bern", "Wien"], "c": [1, 2]})
    with pytest.raises(TypeError, match="no numbers in 'city'; leave that out, or encode it"):
        learned(table, Y[:2], None)
    for column, advice in (
        (pd.to_datetime(["2020", "2021"]), "take numbers from times, such as the hour"),
        (pd.to_timedelta([1, 2], unit="h"), "take numbers from times"),
        (["16.09 °C", "17.0 °C"], "take the number from text such as '16.09 °C'"),
        (["5-7", "2-4"], "encode it first"),
    ):
        table["b"] = column
        part = table[["a", "b", "c"]]
        with pytest.raises(TypeError, match=f"no numbers in 'b'; leave that out, or {advice}"):
            learned(part, Y[:2], None)
        wrapper = pytest.importorskip("edgeolk.sklearn", exc_type=ImportError)
        with pytest.raises(TypeError, match=f"no numbers in 'b'; leave that out, or {advice}"):
            wrapper.OnlineKernelClassifier().fit(part, Y[:2])
    row = table.iloc[0][["a", "c", "a"]]
    made = learner()
    with pytest.raises(TypeError, match=r"convert these numbers by .astype\(float\)"):
        made.learn_one(row, 1)
    made.learn_one(row.astype(float), 1)
    words = np.where(Y > 0.0, "buys", "not")
    for labels in (words, pd.Series(words)):
        with pytest.raises(TypeError, match=r"numpy.where\(y == '(buys|not)', 1, -1\)"):
            learned(X, labels)


def test_a_tensor_that_wants_its_gradient_is_refused() -> None:
    class Tensor:
        def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
            raise RuntimeError("Can't call numpy() on Tensor that requires grad")

    with pytest.raises(TypeError, match="X must be an array of numbers: Can't call"):
        learned(Tensor())


# ---- masks --------------------------------------------------------------------------------------


def hide(numbers: Any, dtype: Any = float) -> Any:
    """One number masked."""
    mask = np.zeros(np.shape(numbers), bool)
    mask[(5,) * mask.ndim if mask.ndim == 1 else (5, 1)] = True
    return np.ma.masked_array(np.asarray(numbers, dtype), mask)


@pytest.mark.parametrize("dtype", ["float64", "float32", "int64"])
def test_masked_numbers_are_refused(dtype: str) -> None:
    made = learner()
    before = pickle.dumps(made)
    for name, call in {
        "X": lambda: made.learn_many(hide(X, dtype), Y),
        "y": lambda: made.learn_many(X, hide(Y, dtype)),
        "weight": lambda: made.learn_many(X, Y, weight=hide(np.ones(N), dtype)),
        "x": lambda: made.learn_one(np.ma.masked_array(X[0], [False, True, False]), 1),
    }.items():
        with pytest.raises(ValueError, match=f"{name} must have no masked numbers"):
            call()
    with pytest.raises(ValueError, match="X must have no masked numbers"):
        made.decision_function(hide(X, dtype))
    assert pickle.dumps(made) == before


def test_rows_that_are_masked_one_by_one_are_refused() -> None:
    rows = [np.ma.masked_array(x, [False, i == 5, False]) for i, x in enumerate(X)]
    with pytest.raises(ValueError, match="X must have no masked numbers"):
        learned(rows)


def test_masked_nonzeros_are_refused() -> None:
    made = learner()
    values = np.ma.masked_array([1.0, 2.0], [False, True])
    with pytest.raises(ValueError, match="values must have no masked numbers"):
        made.learn_one_sparse(np.array([0, 2], np.int32), values, 1)
    assert made.steps == 0


# ---- sparse matrices ----------------------------------------------------------------------------


def broken(form: str, part: str, at: int, value: int) -> Any:
    """A sparse matrix whose arrays contradict each other."""
    sparse = pytest.importorskip("scipy.sparse")
    made = sparse.csr_matrix(np.where(np.abs(X) < 0.7, 0.0, X)).asformat(form)
    numbers = getattr(made, part).copy()
    numbers[at] = value
    setattr(made, part, numbers)
    return made


@pytest.mark.parametrize(
    ("form", "part", "at", "value"),
    [
        ("csr", "indptr", 2, 10**6), ("csr", "indptr", -1, 10**6), ("csr", "indptr", 0, 1),
        ("csr", "indptr", 3, -5), ("csr", "indices", 4, 10**6), ("csr", "indices", 4, -1),
        ("csc", "indptr", 1, 10**6), ("csc", "indices", 4, 10**6), ("bsr", "indptr", 1, 10**6),
        ("bsr", "indices", 1, 10**6), ("coo", "row", 4, 10**6), ("coo", "col", 4, -1),
    ],
)  # fmt: skip
def test_broken_sparse_matrices_never_reach_scipy(
    form: str, part: str, at: int, value: int
) -> None:
    matrix = broken(form, part, at, value)
    words = "contradict each other" if part == "indptr" else "X must have indices from 0 to"
    made = learner()
    for call in (made.decision_function, lambda rows: made.learn_many(rows, Y)):
        with pytest.raises(ValueError, match=words):
            call(matrix)
    with pytest.raises(ValueError, match=words):
        refuse_broken_sparse(matrix, "X")
    assert made.steps == 0


@pytest.mark.parametrize("form", ["csr", "csc", "bsr", "coo", "lil", "dok", "dia"])
def test_whole_sparse_matrices_are_rows(form: str) -> None:
    sparse = pytest.importorskip("scipy.sparse")
    rows = np.where(np.abs(X) < 0.7, 0.0, X)
    assert learned(sparse.csr_matrix(rows).asformat(form)) == learned(rows)


def test_masked_places_of_non_zeros_are_refused() -> None:
    """As masked values are: what is hidden is not learned."""
    learner = ek.Learner("pa", n_features=3, budget=5)
    place = np.ma.array(np.array([0], np.int32), mask=[True])
    with pytest.raises(ValueError, match="indices must have no masked numbers"):
        learner.learn_one_sparse(place, [1.0], 1.0)
    assert learner.steps == 0


def test_a_table_whose_first_row_cannot_be_had_is_refused_without_its_text() -> None:
    class Table:
        columns, dtypes = ["a", "b"], [np.dtype(float), np.dtype(object)]

        def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
            return np.array([["1.5 m"]], dtype=object)

        def __getitem__(self, rows: slice) -> Any:
            raise KeyError(rows)

    assert ": no numbers in 'b'; leave that out, or encode it first" in table_remedy(Table())
    Table.dtypes = [np.dtype(float)] * 2
    assert "no numbers in" not in table_remedy(Table())
