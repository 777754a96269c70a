"""From the arguments of a caller to a block, in four steps; each knows only those before it.

1. ``arguments``, ``composition``: what a caller writes becomes parts, parameters and sizes.
2. ``config``: one record, ``Settings`` in ``settings``, checked as a whole; ``Config`` shows users
   a part of it. ``usual`` fills in defaults that spend memory on speed, ``fit`` finds the largest
   budget, ``spelling`` turns the record into arguments again.
3. ``regions``: what the block holds; ``header``: the record in the numbers of files, with the table
   of regions; ``layout``: where they lie, to the byte. ``plan`` shows it.
4. ``edgeolk.block`` writes the header into memory, and the core reads the record once, into its
   ``State``.
"""
