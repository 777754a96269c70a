"""Memory, known before anything is built: regions, the budget that fits, the longest step."""

from edgeolk.planning.fit import parse_bytes
from edgeolk.planning.layout import region_table
from edgeolk.planning.regions import Region

__all__ = ["Region", "parse_bytes", "region_table"]
