"""Model files: one reader per format version, kept for ever, and one writer."""
