"""Damaged storage without what it says: where it is and what is wrong with it, and stand-ins that are damaged alike."""

from __future__ import annotations

import re
from collections.abc import Iterator
from types import ModuleType
from typing import Any, Final

from msgspec import Struct

from ..inspection.inspect import storage_faults
from ..inspection.witnesses import torn_fragment
from ..records import budget as events_budget
from ..records import content as events_content
from ..records import events, headers, inline_references, permission_profile
from ..records import permission as events_permission
from ..records import recovery_facts as events_recovery
from ..records import usage as events_usage
from ..storage.findings import Finding
from ..storage.ledger import Ledger

_SHAPES: Final = (
    *(events, events_budget, events_content, events_permission, events_recovery),
    *(events_usage, headers, inline_references, permission_profile),
)
_STEP: Final = re.compile(r"\.[^.\[]*|\[[^\]]*\]?")
_HIDDEN: Final = ".*"

NO_JSON: Final = b"withheld: a row that cannot be read stands here in the source"
NO_EVENT: Final = b'{"withheld":"a row that is no RuntimeEvent stands here in the source"}'
NO_HEADER: Final = b'{"withheld":"a header that cannot be read stands here in the source"}\n'


def shown_field(path: str | None) -> str | None:
    """Return a JSON path with every key hidden that no record of a ledger has: it may be somebody's data."""
    if path is None:
        return None
    steps = (step if step[0] == "[" or step[1:] in _known_keys() else _HIDDEN for step in _STEP.findall(path))
    return "$" + "".join("[…]" if step[0] == "[" and not step[1:-1].isdecimal() else step for step in steps)


def damage_document(ledger: Ledger) -> list[dict[str, Any]]:
    """Say where and how the storage is damaged, so far as that forbids a replay; nothing of what it says."""
    found = []
    for fault in storage_faults(ledger):
        facts = {
            "code": fault.code,
            "finding": (fault.detail or {}).get("finding"),
            "line": fault.line,
            "offset": fault.offset,
            "length": fault.length,
            "field": shown_field(fault.field),
        }
        found.append({key: value for key, value in facts.items() if value is not None})
    return found


def torn_document(ledger: Ledger) -> dict[str, Any] | None:
    """Say where the torn last row is, and which kind of row it starts like; None where there is none."""
    torn = ledger.torn_tail
    if torn is None:
        return None
    fragment = torn_fragment(ledger)
    facts = {
        "line": torn.line,
        "offset": torn.offset,
        "length": torn.length,
        "startsLike": fragment.kind if fragment else None,
    }
    return {key: value for key, value in facts.items() if value is not None}


def damaged_header(findings: tuple[Finding, ...]) -> bytes | None:
    """Return what to write for a header that cannot be trusted: None for none at all."""
    unreadable = any(finding.code == "header_unreadable" for finding in findings)
    return NO_HEADER if unreadable else None


def damaged_rows(ledger: Ledger, stranger: bytes) -> Iterator[bytes]:
    """Yield a stand-in for every damaged row that forbids a replay; `stranger` is an event of another run."""
    for fault in storage_faults(ledger):
        if fault.code != "runtime_ledger_unreadable":
            continue
        finding = (fault.detail or {}).get("finding")
        if finding == "row_foreign_identity" and ledger.header is not None:
            yield stranger
        else:
            yield NO_EVENT if finding == "row_invalid_event" else NO_JSON


def _known_keys() -> frozenset[str]:
    return frozenset(key for shape in _SHAPES for key in _keys_of(shape))


def _keys_of(module: ModuleType) -> Iterator[str]:
    for kind in vars(module).values():
        if isinstance(kind, type) and issubclass(kind, Struct):
            yield "kind"
            yield from kind.__struct_encode_fields__
