"""What the fields of a `ReplayConfig` may be, and what their words mean."""
