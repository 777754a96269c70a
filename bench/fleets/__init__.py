"""Fleets: what reading once gains over a loop of replays, and what Dask costs."""
