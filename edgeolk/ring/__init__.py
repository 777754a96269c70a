"""Models of support vectors in a ring, and of stored features: updates, policies, bases."""
