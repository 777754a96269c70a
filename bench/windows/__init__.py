"""Windows of samples: exactness, cost on boards, classes and novelty of windows."""
