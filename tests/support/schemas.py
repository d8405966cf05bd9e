"""JSON Schemas made strict, so that a key which nobody described is found."""

from __future__ import annotations

import json
from typing import Any

from jsonschema import Draft202012Validator

from core import SCHEMAS, schema_text


def strict(schema: Any) -> Any:
    """Return a schema that allows the keys that it names and no others."""
    if isinstance(schema, list):
        return [strict(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    tight = {key: strict(value) for key, value in schema.items()}
    if schema.get("type") == "object" and isinstance(schema.get("properties"), dict):
        tight["additionalProperties"] = False
    return tight


VALIDATORS = {f"maka-ledger/{name}@1": Draft202012Validator(strict(json.loads(schema_text(name)))) for name in SCHEMAS}


def complaints(document: Any) -> list[str]:
    """Return what of a document is not as its schema says, or is not said by it."""
    errors = VALIDATORS[document["schema"]].iter_errors(document)
    return [f"{error.json_path}: {error.message[:200]}" for error in errors]
