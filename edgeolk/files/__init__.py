"""Readers of model files, one a format version, each frozen once the version has been released."""
