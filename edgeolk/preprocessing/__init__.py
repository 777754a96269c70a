"""What is done with a row before the learner sees it: scaling, bounding, the kernel's width."""
