"""The firmware's main loop: rows from a stream to a device, and the outcome of each."""
