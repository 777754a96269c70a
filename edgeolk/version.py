"""The version of the library, which exported projects name too."""

__version__ = "1.0.0"
