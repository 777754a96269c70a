"""Model files: one reader a format version, kept for ever, and one writer."""
