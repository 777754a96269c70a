"""``python -m edgeolk``."""

import sys

from edgeolk.cli import main

sys.exit(main())
