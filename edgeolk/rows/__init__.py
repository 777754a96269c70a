"""Between numpy and the engine: rows and labels are checked here, and nowhere else.

Design. A plain ndarray (C-contiguous, aligned, native float32 or float64) is used in place: no
allocation, about 25 ns. A typed-memoryview argument would cost three allocations and 130 ns a call.
Other containers of numbers are converted first. Everything is checked before the first write, rows
last: converting another argument may run code of the caller, which may change them.
"""
