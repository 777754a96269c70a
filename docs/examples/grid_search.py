"""scikit-learn chooses the width and the memory; the best model goes onto a board."""

from pathlib import Path

from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import GridSearchCV, train_test_split

import edgeolk as ek
from edgeolk.sklearn import OnlineKernelClassifier

X, y = load_breast_cancer(return_X_y=True, as_frame=False)
X, X_test, y, y_test = train_test_split(X, y, random_state=0)

search = GridSearchCV(
    OnlineKernelClassifier(random_state=0, class_weight="balanced"),
    {"gamma": ["auto", 0.003], "ram": ["2KiB", "8KiB"]},
    cv=3,
).fit(X, y)
best = search.best_estimator_
accuracy = best.score(X_test, y_test)
print(search.best_params_, f"accuracy {accuracy:.3f} on held-out rows")
print("first row:", best.predict_proba(X_test[:1]).round(3))

best.save("cancer.zip")
board = ek.load("cancer.zip")
assert (board.predict(X_test) == best.predict(X_test)).all()
assert (board.decision_function(X_test) == best.learner_.decision_function(X_test)).all()
print(f"on the board: {Path('cancer.zip').stat().st_size} bytes, the same scores bit for bit")
