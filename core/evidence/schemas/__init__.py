"""The JSON Schemas of every document, by the name that stands in its `schema` key before the version.

They allow keys that they do not name: under one version keys are only ever added.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

SCHEMAS: Final = ("plan", "runs", "check", "failpoints", "error", "report", "repro", "diff", "crash-test")
"""Names of all documents."""


def schema_text(name: str) -> str:
    """Return the JSON Schema of a document. Raises KeyError where there is none of that name."""
    if name not in SCHEMAS:
        raise KeyError(name)
    return Path(__file__).with_name(f"{name}.json").read_text("utf-8")
