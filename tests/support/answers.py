"""Compares plan documents with recorded answers: every recorded key exactly, lists in order; more keys are welcome."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

OPERATION = (
    "toolCallId",
    "toolName",
    "status",
    "callRuntimeEventId",
    "responseRuntimeEventId",
    "responseIsError",
)
DIAGNOSTIC = ("code", "eventId", "toolCallId", "toolName", "detail")


def plan_differences(document: Mapping[str, Any], expect: Mapping[str, Any]) -> list[str]:
    """Return what of a recorded plan a plan document does not say."""
    wrong = []
    for key, want in expect.items():
        got = document[key]
        if key in ("operations", "diagnostics"):
            names = OPERATION if key == "operations" else DIAGNOSTIC
            got, want = _only(got, names), _only(want, names)
        if got != want:
            wrong.append(f"{key}: {got!r} instead of {want!r}")
    return wrong


def _only(records: list[dict[str, Any]], names: tuple[str, ...]) -> list[dict[str, Any]]:
    return [{name: record[name] for name in names if record.get(name) is not None} for record in records]
