"""The tasks: two classes, several, real numbers, or novelty.

A task decodes the cells of the target column (`labels`), queries and trains a learner (`adapters`,
`learning`), and names the metrics by which it is evaluated; its row is in `kinds`.
"""
