"""Classes, novelty and regression in one pass, beside peers: accuracy, bytes, time a row."""
