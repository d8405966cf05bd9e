"""The redacted repro: a run folder that gets the same decision as the source and says nothing of what it said."""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from msgspec import Struct

from ..decision.resume import ResumePlan, plan_at
from ..errors import CoreError, RequestError
from ..inspection.explain import absolute_time
from ..inspection.inspect import Inspection, inspect
from ..records.events import FunctionCall, FunctionResponse, RuntimeEvent
from ..records.json_write import plain_json
from ..records.wire import header_document
from ..storage.jsonl_workspace import HEADER_FILE, LEDGER_FILE
from ..storage.ledger import Ledger
from ..storage.scratch import temporary_folder_at
from ..workspace import Workspace, open_workspace
from .documents import encode_document
from .new_files import lies_around, write_new_folder
from .redaction import Redactor
from .redaction_damage import damage_document, damaged_header, damaged_rows, torn_document
from .redaction_events import EventRedactor, redact_header
from .redaction_slice import Slice, numbers, smallest_slice

MANIFEST_FILE: Final = "manifest.json"


class ReproFailed(CoreError):
    """What is left without the source's words does not get the decision of the source; nothing was written."""

    code = "repro_failed"


class Repro(Struct, frozen=True):
    """A run folder, file by file, that was tried: opened anew it gets the decision of its source."""

    manifest: Mapping[str, Any]
    """Schema `maka-ledger/repro@1`: what was kept, what was withheld, where the slice comes from."""
    files: Mapping[str, bytes]
    """`run.json` where the source has one, `runtime-events.jsonl` and `manifest.json`."""
    last_write_ms: float | None
    """When the source was written last; its copy says the same, so that nobody takes it for a run at work."""

    def write(self, folder: Path, source: Workspace) -> None:
        """Write the folder, which must not exist yet, outside of the workspace that it comes from.

        Raises OutputRefused.
        """
        write_new_folder(folder, self.files, source, modified_ms=self.last_write_ms)


def make_repro(ledger: Ledger, made_by: str, *, whole: bool = False, now_ms: float | None = None) -> Repro:
    """Redact the smallest slice of a run that gets its decision, or with `whole` every committed event.

    `made_by` names the tool and its version, `now_ms` is the caller's clock in milliseconds since 1970. Raises
    RequestError where there is nothing to reproduce, ReproFailed where the slice gets another decision, LedgerChanged
    where the source is no longer what was read.
    """
    inspection = inspect(ledger, now_ms=now_ms)
    if ledger.stale:
        raise RequestError(
            "these JSONL files are stale: Maka reads only the database beside them",
            path=ledger.path,
            hint="export from the state root",
        )
    if not (inspection.plan.blocked or whole):
        raise RequestError(
            "this run is replayable: there is no blocked decision to reproduce",
            path=ledger.path,
            hint="--whole exports all of its events without what they say",
        )
    plan = plan_at(ledger.tool_ledger, len(ledger), source=ledger)
    part = Slice(tuple(range(len(ledger))), minimal=False) if whole else smallest_slice(ledger, plan)
    return _Maker(inspection, part, made_by, whole).repro()


class _Maker:
    def __init__(self, inspection: Inspection, part: Slice, made_by: str, whole: bool) -> None:
        self._inspection = inspection
        self._ledger = inspection.ledger
        self._part = part
        self._made_by = made_by
        self._whole = whole
        self._raw = [self._ledger.raw(index) for index in part.indexes]
        self._events = [self._ledger[index] for index in part.indexes]
        self._redactor = Redactor((*self._raw, *_header_bytes(self._ledger)))

    def repro(self) -> Repro:
        """Make the files, try them, and describe them."""
        ledger, left_out = self._ledger, list[str]()
        header = damaged_header(ledger.findings)
        if ledger.header is not None:
            document, left_out = redact_header(ledger.header, self._redactor)
            header = plain_json(document).encode() + b"\n"
        redactor = EventRedactor(self._redactor, self._events)
        rows = [redactor.row(event) for event in self._events]
        rows += damaged_rows(ledger, self._stranger())
        files = {} if header is None else {HEADER_FILE: header}
        files[LEDGER_FILE] = b"".join(row + b"\n" for row in rows)
        decided, decision = _tried(files, Path(ledger.path or "."))
        if decision != _decision(self._inspection.plan):
            raise ReproFailed("without what they say, these events get another decision", path=ledger.path)
        manifest = self._manifest(decided, left_out)
        files[MANIFEST_FILE] = encode_document(manifest)
        return Repro(manifest, files, self._inspection.last_write_ms)

    def _stranger(self) -> bytes:
        """Return an event of a run that is none of the source's."""
        ids = dict.fromkeys(_IDS, "stranger")
        return plain_json({**ids, "ts": 0, "partial": False, "role": "system", "author": "system"}).encode()

    def _manifest(self, decided: Mapping[str, Any], left_out: list[str]) -> dict[str, Any]:
        ledger, redactor, now = self._ledger, self._redactor, self._inspection.now_ms
        names = sorted({name for event in self._events for name in _tool_names(event)})
        manifest = {
            "schema": "maka-ledger/repro@1",
            "madeBy": self._made_by,
            "madeAt": now,
            "madeAtText": None if now is None else absolute_time(now),
            "decision": dict(decided),
            "sameDecisionAsSource": True,
            "whole": self._whole,
            "minimal": self._part.minimal,
            "source": {
                "eventNumbers": numbers(self._part.indexes),
                "committedEvents": len(ledger),
                "rows": len(ledger.rows),
                "committedBytes": ledger.committed_bytes,
                "committedRowsSha256": _sha256(ledger.raw(index) for index in range(len(ledger))),
                "sliceRowsSha256": _sha256(self._raw),
                "findingCodes": list(dict.fromkeys(finding.code for finding in ledger.findings)),
            },
            "withheld": [
                {"kind": kind, "count": count, "bytes": size}
                for kind, (count, size) in sorted(redactor.withheld.items())
            ],
            "renamed": redactor.renamed,
            "keptToolNames": [name for name in names if name and redactor.tool_name(name) == name],
            "headerKeysLeftOut": left_out,
            "damage": damage_document(ledger),
            "tornTail": torn_document(ledger),
        }
        return {key: value for key, value in manifest.items() if value is not None}


_IDS: Final = ("id", "invocationId", "runId", "sessionId", "turnId")


def _tried(files: Mapping[str, bytes], source: Path) -> tuple[dict[str, Any], tuple[Any, ...]]:
    """Write the files where nobody looks, open them as anybody would, and return the plan and what is decided.

    Nobody looks outside of the workspace of `source`.
    """
    place = temporary_folder_at(lambda folder: not lies_around(folder / "new", source))
    if place is None:
        raise ReproFailed("no temporary folder outside of the workspace can be written to", hint="set TMPDIR to one")
    with tempfile.TemporaryDirectory(prefix="maka-ledger-", dir=place) as folder:
        for name, payload in files.items():
            Path(folder, name).write_bytes(payload)
        with open_workspace(folder) as workspace:
            ledger = workspace.runs()[0].ledger()
            try:
                plan = inspect(ledger).plan
                return plan.as_document(), _decision(plan)
            finally:
                ledger.close()


def _decision(plan: ResumePlan) -> tuple[Any, ...]:
    """Return what source and repro must have in common; ids and positions differ by design."""
    return (
        plan.disposition,
        plan.rejection_reasons,
        plan.requires_verification,
        [(found.code, (found.detail or {}).get("issueCode")) for found in plan.diagnostics],
        [(one.status, one.reason, one.hidden) for one in plan.unsettled],
    )


def _header_bytes(ledger: Ledger) -> Iterator[bytes]:
    if ledger.header is not None:
        yield plain_json(header_document(ledger.header)).encode()


def _tool_names(event: RuntimeEvent) -> Iterator[str]:
    if isinstance(event.content, FunctionCall | FunctionResponse):
        yield event.content.name
    if event.actions and event.actions.tool_dispatch:
        yield event.actions.tool_dispatch.tool_name


def _sha256(rows: Iterable[bytes]) -> str:
    """Return the digest of some rows, each with its line feed."""
    digest = hashlib.sha256()
    for row in rows:
        digest.update(row + b"\n")
    return digest.hexdigest()
