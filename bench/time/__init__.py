"""Rows in order: forecasts and novelty, compared with trivial answers and peers."""
