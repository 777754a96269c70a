"""What is learned: two classes, several, real numbers, or what is usual.

A task decodes the cells of the target column (`labels`), asks and teaches a learner (`adapters`),
and names the figures by which it is judged; its row is in `kinds`.
"""
