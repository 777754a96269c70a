from collections.abc import Iterable
from typing import Any

from edgeolk.configuration.regions import Region
from edgeolk.configuration.settings import Settings
from edgeolk.scaling.record import Preprocessing

def setup_of(config: Settings, regions: Iterable[Region]) -> dict[str, Any]: ...
def problem_of(config: Settings, regions: Iterable[Region], block: memoryview) -> str: ...
def scaler_problem_of(
    n_features: int, options: Preprocessing, regions: Iterable[Region], block: bytes
) -> str: ...
