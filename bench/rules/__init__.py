"""`sorf` beside rules that a person would try first."""
