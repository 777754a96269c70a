"""Errors beyond ValueError and TypeError."""


class BudgetError(RuntimeError):
    """The ring is full and the policy is to refuse; the example changed nothing."""
