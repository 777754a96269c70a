"""Models on structured features (SORF): the compiled step, and what it reports."""
