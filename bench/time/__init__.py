"""Rows in order: forecasts beside trivial answers and peers."""
