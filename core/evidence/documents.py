"""The JSON documents: versioned, additive, and true to the ledger's own values.

Each document has `schema` first, such as `maka-ledger/plan@1`. Keys are only ever added under one version.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final

import orjson
from msgspec import Struct

from ..decision.operations import ToolOperation
from ..errors import CoreError
from ..inspection.explain import call_facts, directive, explain_operation, header_line, headline
from ..inspection.inspect import Inspection
from ..inspection.triage import RunSummary
from ..records.events import FunctionCall
from ..records.json_write import Ready, write_json
from ..storage.findings import Finding
from ..storage.ledger import Ledger, LedgerChanged
from ..workspace import Workspace

_OPTIONS: Final = orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE
_OBEYED: Final = (
    "[\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]"
)
"""What JSON may hold as it is, and a terminal obeys or hides: DEL, C1 and bidi controls, characters without a width."""


class RawJson(Struct, frozen=True):
    """JSON text that goes into a document as it stands in the ledger."""

    text: bytes


def encode_document(document: Mapping[str, object]) -> bytes:
    """Write a document as JSON bytes, indented, with a line feed at the end.

    Values that orjson refuses (lone surrogates, integers beyond 64 bits) are written by hand; nothing is rounded,
    dropped or replaced. What a terminal would obey is escaped: a document may be looked at in one, and its value is the
    same. Numbers must be finite.
    """
    try:
        return _unobeyed(orjson.dumps(document, default=_fragment, option=_OPTIONS))
    except (TypeError, orjson.JSONEncodeError):
        return _unobeyed((write_json(_readied(document), _number_text, Mapping.items) + "\n").encode("utf-8"))


def run_document(inspection: Inspection, path: str, title: str | None = None) -> dict[str, object]:
    """Say everything about one prefix of one run: schema `maka-ledger/plan@1`."""
    ledger = inspection.ledger
    document: dict[str, object] = {
        "schema": "maka-ledger/plan@1",
        "path": path,
        "sessionId": ledger.session_id,
        "runId": ledger.run_id,
        "title": title,
        "verdict": str(inspection.verdict),
        "whatIf": inspection.what_if,
        "stale": ledger.stale,
        "headline": headline(inspection),
        "directive": directive(inspection),
        "plan": plan_document(inspection),
        "committedEvents": len(ledger),
        "rows": len(ledger.rows),
        "committedPrefix": str(inspection.committed_prefix),
        "failpoints": [failpoint.id for failpoint in inspection.failpoints],
        "header": _header(inspection),
        "explanations": [_explanation(operation) for operation in inspection.doubts],
        "witnesses": [witness.as_document() for witness in inspection.witnesses],
        "findings": [finding.as_document() for finding in inspection.findings],
        "lastWriteMs": inspection.last_write_ms,
        "storage": "sqlite" if ledger.keyed else "jsonl",
        "ownerPid": ledger.beside.owner().pid,
        "lineage": ledger.beside.lineage().as_document() or None,
        "pendingInteractions": [waiting.as_document() for waiting in ledger.beside.interactions()] or None,
    }
    return {key: value for key, value in document.items() if value is not None}


def plan_document(inspection: Inspection) -> dict[str, object]:
    """Return the plan's own document, each operation with the arguments as they stand in the ledger."""
    document = inspection.plan.as_document()
    for key, operations in (("operations", inspection.operations), ("nestedOperations", inspection.nested_operations)):
        entries = document.get(key)
        if isinstance(entries, list):
            for entry, operation in zip(entries, operations, strict=True):
                entry |= _call(inspection.ledger, operation)
    return document


def runs_document(workspace: Workspace, path: str, summaries: Sequence[RunSummary]) -> dict[str, object]:
    """List every run: schema `maka-ledger/runs@1`."""
    return {
        "schema": "maka-ledger/runs@1",
        "path": path,
        "storage": workspace.storage,
        "stale": workspace.stale,
        "findings": [finding.as_document() for finding in workspace.findings],
        "runs": [summary.as_document() for summary in summaries],
    }


class Checked(Struct, frozen=True):
    """What `check` found at one path: its runs, or why there are none."""

    path: str
    summaries: tuple[RunSummary, ...] = ()
    findings: tuple[Finding, ...] = ()
    error: CoreError | None = None


def check_document(checked: Iterable[Checked], exit_code: int) -> dict[str, object]:
    """Say what every path holds and which code the check ends with: schema `maka-ledger/check@1`."""
    return {
        "schema": "maka-ledger/check@1",
        "exitCode": exit_code,
        "workspaces": [_checked(one) for one in checked],
    }


def failpoints_document() -> dict[str, object]:
    """List the failpoints: schema `maka-ledger/failpoints@1`."""
    from ..decision.failpoints import RUNTIME_RESUME_FAILPOINTS

    return {
        "schema": "maka-ledger/failpoints@1",
        "failpoints": [failpoint.as_document() for failpoint in RUNTIME_RESUME_FAILPOINTS],
    }


def error_document(error: CoreError) -> dict[str, object]:
    """Say what went wrong and where: schema `maka-ledger/error@1`."""
    facts: dict[str, object | None] = {
        "schema": "maka-ledger/error@1",
        "code": error.code,
        "message": error.message,
        "path": error.path,
        "line": error.line,
        "offset": error.offset,
        "length": error.length,
        "field": error.field,
        "hint": error.hint,
    }
    return {key: value for key, value in facts.items() if value is not None}


def _checked(one: Checked) -> dict[str, object]:
    document: dict[str, object] = {
        "path": one.path,
        "runs": [summary.as_document() for summary in one.summaries],
        "findings": [finding.as_document() for finding in one.findings],
    }
    if one.error is not None:
        document["error"] = error_document(one.error)
    return document


def _header(inspection: Inspection) -> dict[str, object]:
    header = inspection.ledger.header
    document: dict[str, object] = {"state": str(inspection.header_state), "says": header_line(inspection)}
    if header is not None:
        document |= {
            "status": header.status,
            "cwd": header.cwd,
            "modelId": header.model_id,
            "permissionMode": header.permission_mode,
            "createdAt": header.created_at,
            "updatedAt": header.updated_at,
        }
    return document


def _call(ledger: Ledger, operation: ToolOperation) -> dict[str, object]:
    facts = call_facts(ledger, operation)
    document: dict[str, object] = {}
    if facts.number is not None:
        document |= {"callEvent": facts.number, "calledAt": facts.ts}
    arguments = arguments_json(ledger, operation)
    if arguments is not None:
        document["args"] = arguments
    return document


def arguments_json(ledger: Ledger, operation: ToolOperation) -> RawJson | None:
    """Return the arguments of a call as they stand in the ledger; None where its row can no longer be read."""
    if operation.call_index is None:
        return None
    try:
        content = ledger[operation.call_index].content
    except LedgerChanged:
        return None
    if not isinstance(content, FunctionCall):
        return None
    # The row's bytes may hold damaged UTF-8 inside strings; a document must not.
    return RawJson(bytes(content.args_json).decode("utf-8", "replace").encode("utf-8"))


def _explanation(operation: ToolOperation) -> dict[str, object]:
    found = explain_operation(operation)
    return {
        "toolCallId": operation.tool_call_id,
        "code": found.code,
        "proves": found.proves,
        "notShown": found.not_shown,
        "toDo": list(found.to_do),
    }


def _unobeyed(payload: bytes) -> bytes:
    """Escape what a terminal would obey. It can stand in strings alone; a CR only between the tokens of raw JSON."""
    if b"\r" in payload:
        payload = payload.replace(b"\r", b" ")
    if payload.isascii() and b"\x7f" not in payload:
        return payload
    return re.sub(_OBEYED, _escape, payload.decode("utf-8")).encode("utf-8")


def _escape(found: re.Match[str]) -> str:
    units = found[0].encode("utf-16-be")
    return "".join(f"\\u{units[place : place + 2].hex()}" for place in range(0, len(units), 2))


def _fragment(value: object) -> object:
    if isinstance(value, RawJson):
        return orjson.Fragment(value.text)
    if isinstance(value, Path):
        return str(value)
    raise TypeError(type(value).__name__)


def _readied(value: object) -> object:
    """Return a value that the writer of JSON text knows: documents are flat, what they quote is text already."""
    if isinstance(value, RawJson):
        return Ready(value.text.decode("utf-8"))
    if isinstance(value, Path):
        return str(value)
    if isinstance(value, Mapping):
        return {str(key): _readied(item) for key, item in value.items()}
    return [_readied(item) for item in value] if isinstance(value, list | tuple) else value


def _number_text(value: float) -> str:
    if not math.isfinite(value):
        raise ValueError("a document holds finite numbers only")
    return repr(value)
