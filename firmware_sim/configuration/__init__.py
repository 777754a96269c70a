"""The valid values of the fields of a `ReplayConfig`."""
