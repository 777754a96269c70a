"""The peers as data: libraries, models, sizes and the candidate values of their parameters."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

Params = dict[str, float]
ROW, BULK = "row by row", "1,000 rows a call"
SMALL, LARGE = 100, 1350


@dataclass(frozen=True)
class Library:
    """A library: what is imported, and timed while it is; ``package`` is its name on PyPI."""

    name: str
    package: str
    imports: tuple[str, ...]
    adapter: str = ""


LIBRARIES = {
    library.name: library
    for library in (
        Library("edgeolk", "edgeolk", ("edgeolk.learner",), "with_edgeolk"),
        Library("numpy", "numpy", ("numpy",), "numpy_rbp"),
        Library(
            *("scikit-learn", "scikit-learn"),
            ("sklearn.linear_model", "sklearn.kernel_approximation"),
            "with_sklearn",
        ),
        Library(
            *("river", "river"),
            ("river.linear_model", "river.feature_extraction", "river.optim"),
            "with_river",
        ),
        Library("vowpal wabbit", "vowpalwabbit", ("vowpalwabbit",), "with_vw"),
        # No adapter: a C++ program takes the place of the process with one.
        Library("dlib", "dlib", ()),
    )
}


@dataclass(frozen=True)
class Model:
    """A model of a library, at some sizes, in some modes.

    ``kind``: linear, additive, fourier, nystrom, expansion (budgeted), recursive (least squares
    over an expansion) or unbounded; the reasons in the conclusions depend on it.
    ``ours`` is our model to compare with, at the same size, or at the small one if it has none.
    """

    library: str
    name: str
    kind: str
    ours: str = ""
    sizes: tuple[int | None, ...] = (SMALL, LARGE)
    modes: tuple[str, ...] = (ROW, BULK)
    grid: tuple[Params, ...] = ({},)
    sparse: bool = False

    @property
    def title(self) -> str:
        """Library and model, for a table."""
        words = f"{self.library}: {self.name}"
        return f"{words}, sparse rows" if self.sparse else words


@dataclass(frozen=True)
class Case:
    """One model at one size in one mode on one data set."""

    data: str
    model: Model
    size: int | None
    mode: str

    @property
    def key(self) -> str:
        """Names the case in files."""
        return f"{self.data} | {self.model.title} | {self.size or '-'} | {self.mode}"

    @property
    def settings_key(self) -> str:
        """Names what its parameters are stored under: modes and storage of rows share them."""
        return f"{self.data} | {self.model.library}: {self.model.name} | {self.size or '-'}"

    @property
    def counterpart(self) -> str:
        """Key of our case to compare with."""
        size = self.size or SMALL
        sparse = ", sparse rows" if self.model.sparse else ""
        return f"{self.data} | edgeolk: {self.model.ours}{sparse} | {size} | {self.mode}"


def over(name: str, *values: float) -> tuple[Params, ...]:
    """A grid over one parameter."""
    return tuple({name: value} for value in values)


STEPS = over("C", 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0)
RATES = over("eta", 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0)
LAMBDAS = over("lam", 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2)
SGD = (
    *over("alpha", 1e-5, 1e-4, 1e-3, 0.01, 0.1),
    *over("eta0", 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0),
)
LR = over("lr", 3e-5, 1e-4, 1e-3, 3e-3, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0)

OURS = (
    Model("edgeolk", "rbp", "expansion"),
    Model("edgeolk", "pa1", "expansion", grid=STEPS),
    Model("edgeolk", "bpa_s", "expansion", grid=STEPS),
    Model("edgeolk", "ahpatron", "expansion", grid=over("lam", 0.1, 0.25, 0.5, 1.0)),
    Model("edgeolk", "projectron++", "expansion", sizes=(SMALL,)),
    Model("edgeolk", "bsgd", "expansion", sizes=(SMALL,), grid=LAMBDAS),
    Model("edgeolk", "fogd", "fourier", grid=RATES),
    Model("edgeolk", "nogd", "nystrom", grid=RATES),
    Model("edgeolk", "rbp", "expansion", sparse=True),
    Model("edgeolk", "bpa_s", "expansion", sparse=True),
    Model("edgeolk", "ahpatron", "expansion", sparse=True),
    Model("edgeolk", "bsgd", "expansion", sizes=(SMALL,), sparse=True),
)

PEERS = (
    Model("numpy", "rbp", "expansion", "rbp", modes=(BULK,)),
    Model("scikit-learn", "SGD", "linear", "bpa_s", sizes=(None,), grid=SGD),
    Model("scikit-learn", "RBFSampler + SGD", "fourier", "fogd", grid=SGD),
    Model("scikit-learn", "Nystroem + SGD", "nystrom", "nogd", grid=SGD),
    Model("river", "LogisticRegression", "linear", "bpa_s", (None,), (ROW,), LR),
    Model(
        *("river", "PAClassifier", "linear", "bpa_s", (None,), (ROW,)),
        over("C", 0.001, 0.003, 0.01, 0.1, 1.0, 10.0),
    ),
    Model("river", "Perceptron", "linear", "bpa_s", (None,), (ROW,)),
    Model("river", "ALMAClassifier", "linear", "bpa_s", (None,), (ROW,)),
    Model("river", "RBFSampler + LogisticRegression", "additive", "fogd", modes=(ROW,), grid=LR),
    Model(
        *("vowpal wabbit", "logistic", "linear", "bpa_s", (None,), (ROW,)),
        over("rate", 0.1, 0.5, 2.0, 10.0, 30.0),
    ),
    Model(
        *("vowpal wabbit", "ksvm", "unbounded", "bpa_s", (None,), (ROW,)),
        over("l2", 1e-4, 1e-3, 0.01, 0.1, 0.3, 1.0, 3.0, 10.0),
    ),
    Model("dlib", "svm_pegasos", "expansion", "bsgd", (SMALL,), (ROW,), LAMBDAS),
    Model("dlib", "svm_pegasos", "expansion", "bsgd", (SMALL,), (ROW,), sparse=True),
    Model(
        *("dlib", "krls", "recursive", "projectron++", (SMALL,), (ROW,)),
        over("tolerance", 1e-4, 0.001, 0.01, 0.1, 0.3, 0.5),
    ),
)


def cases(data: str, with_sparse: bool) -> Iterator[Case]:
    """Every case on a data set, ours first."""
    for model in (*OURS, *PEERS):
        if with_sparse or not model.sparse:
            for size in model.sizes:
                for mode in model.modes:
                    yield Case(data, model, size, mode)
