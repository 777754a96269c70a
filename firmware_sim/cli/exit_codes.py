"""Exit codes of the command line; an interrupted command returns 128 plus the signal's number."""

OK = 0
#: The command finished, but a file could not be written or runs of a fleet failed.
FAILED = 1
#: Invalid arguments, an invalid stream, parts that do not fit the cap, or a stop at a row.
USAGE = 2
#: The process that exceeded the cap was killed.
BEYOND_CAP = 3
#: The learner's process ended for another reason.
DIED = 4
#: Ctrl-C before the command started its work.
INTERRUPTED = 130
