from typing import Any

MAGIC: bytes
FORMAT_VERSION: int
HEADER_BYTES: int
CRC_OFFSET: int

def read_header(block: Any) -> dict[str, Any]: ...
