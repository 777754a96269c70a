"""Print the events of fleets as JSON lines: python events.py tcp://10.0.0.1:8786."""

from __future__ import annotations

import json
import sys
from queue import SimpleQueue
from typing import Any

from distributed import Client


def main() -> None:
    """Print what was told so far, then each event as it comes."""
    events: SimpleQueue[Any] = SimpleQueue()
    with Client(sys.argv[1]) as client:
        for event in client.get_events("firmware_sim"):
            events.put(event)
        client.subscribe_topic("firmware_sim", events.put)
        while True:
            seconds, told = events.get()
            print(json.dumps({"time": seconds, **told}), flush=True)


if __name__ == "__main__":
    main()
