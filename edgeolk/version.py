"""The version of the library, which exported projects name too."""

__version__ = "0.1.0"
