"""The simulated device: what is planned under its cap, and the parts that work there.

Row buffer, scaler, repair of absent readings, labels that wait and the learner, in one block
(`device`) or with the learner in a process of its own (`split`); and the power that may fail.
"""
