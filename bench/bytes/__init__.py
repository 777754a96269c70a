"""Accuracy against bytes: what a learner of so many bytes errs."""
