"""The memory cap and its enforcement: a block between guard pages, or a process that cannot grow.

Independent of tasks, streams and configurations; the modules of the learner's process (`child`,
`seccomp`) do not import numpy.
"""
