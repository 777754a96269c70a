"""The firmware's main loop: rows from a stream to a device, and what became of each."""
