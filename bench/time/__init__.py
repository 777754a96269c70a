"""Rows in order: forecasts and novelty beside trivial answers and peers."""
