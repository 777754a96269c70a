"""How the pages of the documentation are built: ``make docs``."""

import re
from typing import Any

import edgeolk

project = "edgeolk"
author = "the edgeolk authors"
release = version = edgeolk.__version__

extensions = ["myst_parser", "numpydoc", "sphinx.ext.autodoc"]
source_suffix = {".md": "markdown"}
exclude_patterns = ["examples/**"]
html_theme = "alabaster"
html_theme_options = {"page_width": "64rem", "description": "online kernels in fixed memory"}
html_show_copyright = False

autodoc_default_options = {"members": True, "inherited-members": True, "member-order": "bysource"}
autodoc_typehints = "none"
numpydoc_show_class_members = False
myst_heading_anchors = 3
suppress_warnings = ["misc.highlighting_failure"]

_OUTSIDE = re.compile(r"\[([^\]]*)\]\(\.\./([^)]*)\)")


def _name_files_outside(app: Any, page: str, source: list[str]) -> None:
    """Links to files beside the documentation become their names."""
    source[0] = _OUTSIDE.sub(r"\1 (`\2`)", source[0])


def setup(app: Any) -> None:
    """Called by Sphinx."""
    app.connect("source-read", _name_files_outside)
