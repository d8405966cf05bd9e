"""The writing half of the ledger: events are validated, appended once, and read back (format: writing).

    AgentRunStore       headers             store_headers.py
    RuntimeEventStore   ledgers             this file, one open run in store_run.py
    append_jsonl        bytes               append.py

Nothing here resumes a run, performs a tool or settles a side effect.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..errors import EventDecodeError
from ..records.collation import collation_key
from ..records.events import RuntimeEvent
from ..storage.findings import ROW_UNREADABLE
from ..storage.jsonl import read_jsonl_ledger
from ..storage.layout import LEDGER, PARTIALS, RUNS, run_folder, session_folder
from ..storage.partials import PartialSnapshot, merge_partials, read_partials
from .headers import AgentRunStore, read_header, run_names
from .run import AppendOutcome, OpenRun, run_identity

__all__ = ["AgentRunStore", "AppendOutcome", "RuntimeEventStore"]


class RuntimeEventStore:
    """The ledgers of one state root. Threads may share it; writes to one run are one after the other.

    Another process may write to the same run: rows are whole, and where the system has advisory locks each writer sees
    the other's rows before it adds its own.
    """

    def __init__(self, workspace_root: str | os.PathLike[str]) -> None:
        self._root = Path(workspace_root)
        self._lock = threading.Lock()
        self._runs: dict[tuple[str, str], OpenRun] = {}

    def append(
        self,
        session_id: str,
        run_id: str,
        event: RuntimeEvent | Mapping[str, Any] | bytes,
        *,
        durable: bool = False,
        allow_durable_tool_facts: bool = False,
    ) -> AppendOutcome:
        """Add one event to a run's ledger, or to the snapshot of its stream if it is a streaming delta.

        The event must have the shape of a RuntimeEvent and the run's ids, and must not break the tool ledger. An event
        that is there already, with the same content, is not written again. A torn last row is cut off first.

        Args:
            session_id: the session.
            run_id: the run, whose header must exist.
            event: the event, or plain JSON types or JSON text that decode as one.
            durable: return only when the row, and every folder up to the state root, is on stable storage. Snapshots of
                streams are never durable.
            allow_durable_tool_facts: take dispatch facts, recovery facts and responses of dispatched operations too.
                They belong to a later phase's atomic writer; only harnesses and demonstrations write them here.

        Raises:
            EventDecodeError: the event has no valid shape.
            AppendRefused: the event does not belong to the run, breaks the tool ledger, or the ledger is damaged.
            IdentityConflict: the id is taken by another content.
            RunNotFound, HeaderDecodeError: the run has no readable header.
            DurabilityError: `durable` was asked and cannot be given.
            StoreError: the system refused to write.

        """
        with self._open(session_id, run_id) as run:
            return run.append(event, durable=durable, allow_durable_tool_facts=allow_durable_tool_facts)

    def ensure_terminal_durable(
        self, session_id: str, run_id: str, event: RuntimeEvent | Mapping[str, Any] | bytes
    ) -> AppendOutcome:
        """Make sure that the run's one terminal event is in the ledger and on stable storage.

        An equal row that is there already is only synced. Raises AppendRefused if the event is not terminal or if
        another terminal row is there; otherwise as `append` does (format: terminal durability).
        """
        with self._open(session_id, run_id) as run:
            return run.append(event, durable=True, terminal=True)

    def read_immutable(self, session_id: str, run_id: str) -> tuple[RuntimeEvent, ...]:
        """Return the committed events of a run in order; a torn tail is left out (format: reading a ledger).

        Raises EventDecodeError with the place of the first unreadable row, RunNotFound or HeaderDecodeError.
        """
        folder = run_folder(self._root, session_id, run_id)
        header = read_header(folder, session_id, run_id)
        ledger = read_jsonl_ledger(folder / LEDGER, run_identity(header), header)
        try:
            for finding in ledger.findings:
                if finding.code in ROW_UNREADABLE:
                    raise EventDecodeError(
                        finding.message,
                        code=finding.code,
                        path=str(folder / LEDGER),
                        line=finding.line,
                        offset=finding.offset,
                        length=finding.length,
                        field=finding.field,
                    )
            return tuple(ledger)
        finally:
            ledger.close()

    def read(self, session_id: str, run_id: str) -> tuple[RuntimeEvent | PartialSnapshot, ...]:
        """Return the committed events with unfinished streams between them, in display order.

        Raises as `read_immutable` does; damaged snapshots are skipped (format: partial snapshots).
        """
        events = self.read_immutable(session_id, run_id)
        return merge_partials(events, read_partials(run_folder(self._root, session_id, run_id) / PARTIALS))

    def read_session(self, session_id: str) -> tuple[RuntimeEvent | PartialSnapshot, ...]:
        """Return what all runs of a session hold, by time, then run, then position (format: session order).

        One run that cannot be read makes the whole reading fail, as it does for the runtime; errors as `read`.
        """
        items = []
        for run_id in run_names(session_folder(self._root, session_id) / RUNS):
            for position, item in enumerate(self.read(session_id, run_id)):
                order = (item.ts or 0.0, collation_key(run_id), position)
                items.append((order, item))
        return tuple(item for _, item in sorted(items, key=lambda pair: pair[0]))

    def _open(self, session_id: str, run_id: str) -> OpenRun:
        with self._lock:
            run = self._runs.get((session_id, run_id))
            if run is None:
                folder = run_folder(self._root, session_id, run_id)
                run = self._runs[session_id, run_id] = OpenRun(self._root, folder, session_id, run_id)
            return run
