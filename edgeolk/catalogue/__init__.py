"""The published algorithms: as data, with descriptions."""

from edgeolk.catalogue.methods import METHODS, Method, algorithms, find

__all__ = ["METHODS", "Method", "algorithms", "find"]
