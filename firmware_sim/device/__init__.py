"""The simulated device: its memory plan under the cap, and its parts.

Row buffer, scaler, repair of missing readings, queue of pending labels and learner, in one block
(`device`) or with the learner in a separate process (`split`); and power cuts.
"""
