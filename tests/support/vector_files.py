"""Reading the recorded answers under tests/data/vectors."""

from __future__ import annotations

import base64
import gzip
import json
from pathlib import Path
from typing import Any

VECTORS = Path(__file__).parent.parent / "data" / "vectors"


def read_vectors(name: str) -> list[dict[str, Any]]:
    """Return the rows of one vector file; rows are separated by line feeds alone."""
    text = gzip.decompress((VECTORS / f"{name}.jsonl.gz").read_bytes()).decode()
    return [json.loads(line) for line in text.split("\n") if line]


def unpacked(packed: dict[str, str] | None) -> bytes | None:
    """Return the bytes of a packed value; None stands for no file."""
    if packed is None:
        return None
    if "gzipBase64" in packed:
        return gzip.decompress(base64.b64decode(packed["gzipBase64"]))
    return base64.b64decode(packed["base64"])
