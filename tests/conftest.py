"""Examples of Hypothesis have no deadline: on a busy machine any takes longer than usual."""

from hypothesis import settings

settings.register_profile("without deadline", deadline=None)
settings.load_profile("without deadline")
