"""Input preprocessing: scaling, clipping, the kernel width."""
