"""Kernel adaptive filters compared with `sorf`: steady error against bytes and time."""
