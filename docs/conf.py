"""How the pages of the documentation are built: ``make docs``."""

import re
from types import BuiltinMethodType
from typing import Any

import edgeolk

project = "edgeolk"
author = "the edgeolk authors"
release = version = edgeolk.__version__

extensions = ["myst_parser", "numpydoc", "sphinx.ext.autodoc", "sphinx_copybutton"]
source_suffix = {".md": "markdown"}
exclude_patterns = ["examples/**"]
html_theme = "furo"
html_title = f"edgeolk {release}"
html_static_path = ["static"]
html_css_files = ["wide.css"]
html_show_copyright = False

autodoc_default_options = {"members": True, "inherited-members": True, "member-order": "bysource"}
autodoc_typehints = "none"
numpydoc_show_class_members = False
autosummary_generate = False
myst_heading_anchors = 3
suppress_warnings = ["misc.highlighting_failure"]

_OUTSIDE = re.compile(r"\[([^\]]*)\]\(\.\./([^)]*)\)")


def _name_files_outside(app: Any, page: str, source: list[str]) -> None:
    """Links to files beside the documentation become their names."""
    source[0] = _OUTSIDE.sub(r"\1 (`\2`)", source[0])


def _is_foreign(app: Any, what: str, name: str, member: Any, skip: bool, options: Any) -> bool:
    """Whether to leave out what classes of others bring with them."""
    if isinstance(member, BuiltinMethodType):  # of int, in enums
        return True
    made = getattr(member, "fget", None) or getattr(member, "__objclass__", None) or member
    home = getattr(made, "__module__", None)
    return skip or (isinstance(home, str) and not home.startswith("edgeolk"))


def _plain_bars(app: Any, what: str, name: str, thing: Any, options: Any, lines: list[str]) -> None:
    """Bars of absolute values are bars."""
    lines[:] = [line.replace("|", r"\|") for line in lines]


def setup(app: Any) -> None:
    """Called by Sphinx."""
    app.connect("source-read", _name_files_outside)
    app.connect("autodoc-skip-member", _is_foreign)
    app.connect("autodoc-process-docstring", _plain_bars)
