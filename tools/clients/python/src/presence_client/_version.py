"""Version of this package. A test compares it with the metadata."""

__version__ = "0.1.0"
