"""``python -m firmware_sim``."""

import sys

if __name__ == "__main__":
    try:
        from firmware_sim.cli import main  # half a second, in which Ctrl-C may come
    except KeyboardInterrupt:
        sys.exit(130)
    sys.exit(main())
