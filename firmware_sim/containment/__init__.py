"""The cap and what holds to it: one block between guard pages, or a process that may not grow.

Knows nothing of learners' tasks, streams or configurations; what the learner's process imports
(`child`, `seccomp`) is free of numpy.
"""
