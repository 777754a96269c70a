"""Errors that callers may want to distinguish from plain ValueError and TypeError."""


class BadRowError(ValueError):
    """A reading that is not a number: not finite, beyond what storage or the kernel can hold.

    Page: docs/survival.md.

    Nothing of the row was learned. ``on_bad_row="skip"`` counts such rows and continues.
    """


class BudgetError(RuntimeError):
    """Nothing more can be learned: the ring is full and the policy rejects the example, or 2^62
    steps were counted; the example changed nothing.

    Page: docs/reference.md.
    """
