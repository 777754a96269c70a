"""``python -m firmware_sim``."""

import os
import signal
import sys

if __name__ == "__main__":
    handler = signal.getsignal(signal.SIGINT)
    if handler is signal.default_int_handler:
        # numpy would turn a KeyboardInterrupt into an ImportError that blames its installation.
        signal.signal(signal.SIGINT, lambda *_: os._exit(130))
    from firmware_sim.cli import main  # takes half a second, during which Ctrl-C may come

    signal.signal(signal.SIGINT, handler)
    sys.exit(main())
