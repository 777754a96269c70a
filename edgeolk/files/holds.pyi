from collections.abc import Iterable
from typing import Any

from edgeolk.configuration.regions import Region
from edgeolk.configuration.settings import Settings

def setup_of(config: Settings, regions: Iterable[Region]) -> dict[str, Any]: ...
def problem_of(config: Settings, regions: Iterable[Region], block: memoryview) -> str: ...
