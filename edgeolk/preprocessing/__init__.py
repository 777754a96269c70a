"""Input preprocessing: scaling, clipping, the kernel's width."""
