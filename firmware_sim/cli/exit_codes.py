"""What the command line ends with; an interrupted command gives 128 and the signal's number."""

OK = 0
#: The command reached its end, and a file could not be written or a run of a fleet failed.
FAILED = 1
#: Bad arguments, a bad stream, parts that do not fit the cap, or a stop at a row.
USAGE = 2
#: Memory was taken beyond the cap, and the process that took it was killed.
BEYOND_CAP = 3
#: The learner's process ended for another reason.
DIED = 4
#: Ctrl-C before anything began.
INTERRUPTED = 130
