"""JSON text exactly as a ledger's writer read it."""

from __future__ import annotations

import json
from typing import Any

from msgspec import Raw


def decode_value(raw: Raw) -> Any:
    """Return the value of a piece of JSON text."""
    return json.loads(bytes(raw))
