"""These tests need the extra: where it is not installed, as beside a wheel, they are left out."""

from importlib.util import find_spec

NEEDED = ("river",)
collect_ignore_glob = [] if all(map(find_spec, NEEDED)) else ["test_*.py"]
