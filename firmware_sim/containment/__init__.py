"""The memory cap and its enforcement: a block between guard pages, or a process that cannot grow.

Knows nothing of learners' tasks, streams or configurations; what the learner's process imports
(`child`, `seccomp`) is free of numpy.
"""
