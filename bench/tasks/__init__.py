"""Classes, novelty and regression in one pass, compared with peers: accuracy, bytes, time a row."""
