"""From a caller's arguments to a memory block, in four steps; each step imports only earlier ones.

1. ``arguments`` turns arguments into parts, parameters and sizes.
2. ``config``: builds one record, ``Settings`` in ``settings``, and checks it; ``Config`` is its
   public view. ``defaults`` fills in what follows the bytes, ``plan.fit`` finds the largest budget,
   ``repr`` turns the record back into arguments.
3. ``regions``: what the block contains; ``header``: the record as the numbers stored in files, with
   the table of regions; ``layout``: the position of every region. ``plan`` reports it.
4. ``edgeolk.block`` writes the header into memory; the core reads the record once, into its
   ``State``.
"""
