"""A stream of dicts through river's pipeline, metrics and evaluation."""

from river import compose, datasets, evaluate, metrics, preprocessing

from edgeolk.river import KernelClassifier

# river's scaler comes first, so ours is off; classes get columns in order of appearance.
model = compose.Pipeline(
    preprocessing.StandardScaler(),
    KernelClassifier(n_classes=7, ram="16KiB", scale=None),
)
accuracy = evaluate.progressive_val_score(
    datasets.ImageSegments().take(2000), model, metrics.Accuracy(), print_every=500
)

learner = model["KernelClassifier"].to_learner()
print(f"{learner.nbytes} bytes after {learner.steps} rows")
