"""The sessions of the demonstration and their titles."""

from __future__ import annotations

import json
from typing import Final

from ..crash.writer import Step, add_rows
from ..storage.layout import SESSIONS
from .pen import HARBOR

PORT: Final = "5d0c7e14-08f1-4c55-9a3e-61b2f0c49d01"
CLEAN: Final = "1b7f92c8-5a0e-4f7d-8a56-0d94c3e1b702"
CONFIG: Final = "8e34a6d1-b2c9-4b0a-9f1d-7c2be8f05a03"
SCHEDULER: Final = "c2a91f5e-7d48-4e63-b8c0-3f6a1d927e04"
SCHEMA: Final = "47f0d3b9-e1a6-4d2c-a5b7-98c0e4f31b05"
RELEASE: Final = "a9c5e820-3f7b-49d8-8e12-b40d6f7c9106"
FLAKY: Final = "ec722b15-4afe-4c7f-9f1b-1f11df737f07"

TITLES: Final = {
    PORT: "Fix the port clash",
    CLEAN: "Clean the history",
    CONFIG: "Port config",
    SCHEDULER: "Berth scheduler",
    SCHEMA: "Schema move",
    RELEASE: "Release 0.4",
    FLAKY: "Fix the flaky test",
}


def conversation(session_id: str, created_ms: int) -> Step:
    """Write the first line of a session's conversation file, which has its title."""
    head = {
        "id": session_id,
        "cwd": HARBOR,
        "createdAt": created_ms,
        "lastUsedAt": created_ms,
        "name": TITLES[session_id],
        "status": "active",
        "backend": "ai-sdk",
        "model": "model-x",
        "permissionMode": "ask",
        "schemaVersion": 1,
    }
    return add_rows(f"{SESSIONS}/{session_id}/session.jsonl", json.dumps(head, separators=(",", ":")) + "\n")
