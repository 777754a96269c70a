"""Deployment after a replay: the trained model, and the Python program that runs it."""
