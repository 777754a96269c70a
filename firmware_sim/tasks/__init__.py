"""The tasks: two classes, several, real numbers, or novelty.

A task decodes the cells of the target column (`labels`), asks and teaches a learner (`adapters`),
and names the figures by which it is judged; its row is in `kinds`.
"""
