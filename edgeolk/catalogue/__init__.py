"""The published algorithms: as data, in words, as a page."""

from edgeolk.catalogue.methods import METHODS, Method, algorithms, find

__all__ = ["METHODS", "Method", "algorithms", "find"]
