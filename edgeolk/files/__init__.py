"""What is written to files and read back: checks of a state, whole files, checkpoints."""
