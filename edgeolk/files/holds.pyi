from collections.abc import Iterable

from edgeolk.configuration.regions import Region
from edgeolk.configuration.settings import Settings

def problem_of(config: Settings, regions: Iterable[Region], block: memoryview) -> str: ...
