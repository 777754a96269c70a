"""From a caller's arguments to a memory block, in four steps; each step imports only earlier ones.

1. ``arguments`` is what both families take from the arguments; ``ring/arguments.py`` and
   ``sorf/arguments.py`` turn the rest into parts and options.
2. They build one record, a subclass of ``Settings`` in ``settings``, and check it; ``Config`` in
   ``config`` is its public view. ``families`` has what differs between the families, a row each.
   ``plan.fit`` finds the largest budget, ``repr`` turns the record back into arguments.
3. ``ring/regions.py`` and ``sorf/regions.py``: what the block contains; ``header``: the record as
   the numbers stored in files, with the table of regions; ``layout``: the position of every region.
   ``plan`` reports it.
4. ``edgeolk.block`` writes the header into memory; the core reads the record once, by name, into
   its ``State`` (``ring/fill.pxd``, ``sorf/fill.pxd``).
"""
