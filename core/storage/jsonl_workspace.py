"""A workspace of folders and JSONL files: its sessions and runs, and how each run is read (format: layout)."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Hashable, Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from ..errors import HeaderDecodeError
from ..records.codec import decode_run_header
from ..records.headers import RunHeader
from ..records.json_text import JsonError, parse
from .beside import NOT_KNOWN, JournalRecord, Owner, PendingInteraction
from .files import ReadFailed, describe, file_state, is_link, is_there, listing, read_first_line, read_whole
from .findings import Finding
from .follow import LedgerFollower
from .jsonl import read_jsonl_ledger
from .ledger import Ledger, RunIdentity
from .lineage import NO_RELATIVES, Lineage
from .run import Progress, Run, Surroundings

if TYPE_CHECKING:
    from .partials import PartialSnapshot
    from .trace import TraceRecord

LEDGER_FILE: Final = "runtime-events.jsonl"
HEADER_FILE: Final = "run.json"
DATABASE_FILE: Final = "runtime.sqlite"
TRACE_FILE: Final = "events.jsonl"
PARTIALS_FOLDER: Final = "runtime-partials"
SESSION_FILE: Final = "session.jsonl"
_HEADER_LIMIT: Final = 16 << 20
_TITLE_LIMIT: Final = 16 << 20
_JUNCTIONS: Final = os.name == "nt"
"""Whether there are links that a listing does not tell from folders."""
_SAFE_ID: Final = re.compile(r"[A-Za-z0-9_-]{1,128}")


class RunFolder(Struct, frozen=True):
    """Where a run lies. The ids are those that its place demands; None where the folder stands outside a workspace."""

    path: Path
    session_id: str | None
    run_id: str | None
    ledger: Path


def is_safe_id(name: str) -> bool:
    """Tell whether a name may be the id of a session or run in a path (format: ids)."""
    return _SAFE_ID.fullmatch(name) is not None


def subfolders(folder: Path) -> tuple[list[str], list[Finding]]:
    """Return the names of the folders in a folder, sorted, and findings on what is no session or run.

    Links are not followed, neither in the folder nor in its place: what they lead to may lie outside of the workspace.
    """
    names: list[str] = []
    findings: list[Finding] = []
    if is_link(folder):
        return [], [link_finding(folder)]
    try:
        with listing(folder) as entries:
            for entry in entries:
                if entry.is_symlink() or (_JUNCTIONS and is_link(folder / entry.name)):
                    findings.append(link_finding(folder / entry.name))
                elif not is_safe_id(entry.name):
                    findings.append(_nameless(entry, folder / entry.name))
                elif entry.is_dir(follow_symlinks=False):
                    names.append(entry.name)
                else:
                    said = "a file where only folders belong"
                    findings.append(Finding("foreign_entry", said, path=str(folder / entry.name)))
    except FileNotFoundError:
        return [], []
    except OSError as error:
        findings.append(
            Finding("folder_unreadable", f"the folder cannot be listed: {describe(error)}", path=str(folder))
        )
    return sorted(names), findings


def _nameless(entry: os.DirEntry[str], path: Path) -> Finding:
    """Say of an entry whose name is no id whether anything in it was left unread."""
    try:
        holds = entry.is_dir(follow_symlinks=False) and _holds_any(path)
    except OSError:
        holds = True
    if holds:
        return Finding("folder_not_read", "a folder whose name is no id was not read", path=str(path))
    return Finding("foreign_entry", "not an id: neither session nor run", path=str(path))


def _holds_any(folder: Path) -> bool:
    with listing(folder) as entries:
        return any(True for _ in entries)


def link_finding(path: Path) -> Finding:
    """Say of a link that nobody looked where it leads; one to its own neighbour hides nothing."""
    try:
        where = path.readlink()
    except OSError:
        where = Path("/")
    if is_safe_id(str(where)):
        return Finding("foreign_entry", "a link to its neighbour", detail=f"it leads to {where}", path=str(path))
    return Finding("link_not_followed", "a link is not followed", detail=f"it leads to {where}", path=str(path))


def session_title(folder: Path) -> str | None:
    """Return the session's name as the first line of its conversation file gives it, or None."""
    try:
        line = read_first_line(folder / SESSION_FILE, _TITLE_LIMIT, follow=False)
        value = parse(line.decode("utf-8", "replace"))
    except (ReadFailed, JsonError):
        return None
    name = value.get("name") if isinstance(value, dict) else None
    return name if isinstance(name, str) else None


def jsonl_run(
    folder: RunFolder,
    findings: tuple[Finding, ...] = (),
    lineage: Callable[[str, str], Lineage] = lambda session_id, run_id: NO_RELATIVES,
    surroundings: Surroundings | None = None,
) -> Run:
    """Make the run that lies in a folder."""
    storage = JsonlRunStorage(folder)
    session_id, run_id = folder.session_id, folder.run_id
    if session_id is None or run_id is None:
        header, _ = storage.read_header()
        session_id = session_id or (header.session_id if header else "")
        run_id = run_id or (header.run_id if header else folder.path.name)
    return Run(session_id, run_id, storage, findings, lineage, surroundings)


class JsonlRunStorage:
    """How a run in a folder is read."""

    def __init__(self, folder: RunFolder) -> None:
        self.folder = folder
        self._beginning = os.path.join(folder.path, "")  # noqa: PTH118  of many runs a Path takes too long to make

    def read_header(self) -> tuple[RunHeader | None, tuple[Finding, ...]]:
        """Read `run.json`; it must name the folder it lies in (format: run header)."""
        path = self._place(HEADER_FILE)
        try:
            header = decode_run_header(read_whole(path, _HEADER_LIMIT, follow=False))
        except ReadFailed as error:
            missing = error.code == "file_missing"
            said = "the run has no header" if missing else f"the header cannot be read: {error.message}"
            finding = Finding("header_missing" if missing else "header_unreadable", said, path=path)
            return None, (finding, *self._links())
        except HeaderDecodeError as error:
            finding = Finding("header_unreadable", error.message, field=error.field, offset=error.offset, path=path)
            return None, (finding, *self._links())
        wrong = self._wrong_id(header)
        if wrong is not None:
            said = "the header names another run than its place"
            return None, (Finding("header_unreadable", said, field=wrong, path=path), *self._links())
        return header, tuple(self._links())

    def read_ledger(self, header: RunHeader | None, findings: tuple[Finding, ...], progress: Progress | None) -> Ledger:
        """Read the ledger file."""
        return read_jsonl_ledger(self.folder.ledger, self.identity(header), header, findings, progress)

    def follow_ledger(self) -> LedgerFollower:
        """Follow the ledger file."""
        from .jsonl_follow import JsonlFollower  # whoever looks once does without

        return JsonlFollower(self)

    @property
    def ledger_path(self) -> Path:
        """The ledger."""
        return self.folder.ledger

    def identity(self, header: RunHeader | None) -> RunIdentity:
        """Return the ids that every row must carry."""
        return RunIdentity(
            session_id=self.folder.session_id or (header.session_id if header else None),
            run_id=self.folder.run_id or (header.run_id if header else None),
            turn_id=header.turn_id if header else None,
            invocation_id=header.invocation_id if header and isinstance(header.invocation_id, str) else None,
        )

    def state(self) -> Hashable:
        """Return what changes whenever a file of the run does; opens none."""
        return file_state(self.folder.ledger, follow=False), self.beside_state()

    def beside_state(self) -> Hashable:
        """Return what changes whenever a file beside the ledger does; opens none."""
        beside = sorted(islice(self._files(), 1, None))
        return tuple((path, file_state(path, follow=False)) for path in beside), tuple(self._links())

    def read_partials(self) -> tuple[PartialSnapshot, ...]:
        """Read the snapshots of unfinished streams."""
        if not is_there(self._place(PARTIALS_FOLDER)):
            return ()
        from .partials import read_partials

        return read_partials(self.folder.path / PARTIALS_FOLDER)

    def read_trace(self) -> tuple[TraceRecord, ...]:
        """Read the operational trace."""
        if not is_there(self._place(TRACE_FILE)):
            return ()
        from .trace import read_trace

        return read_trace(self.folder.path / TRACE_FILE)

    def read_journal(self) -> tuple[JournalRecord, ...]:
        """Return nothing: files hold no journal."""
        return ()

    def read_interactions(self) -> tuple[PendingInteraction, ...]:
        """Return nothing: files hold no such rows."""
        return ()

    def owner(self) -> Owner:
        """Answer that it is not known: files do not tell who has them open."""
        return NOT_KNOWN

    def last_write_ms(self) -> float | None:
        """Return the newest mtime among ledger, header, trace and snapshots."""
        states = (file_state(path, follow=False) for path in self._files())
        return max((state.mtime_ms for state in states if state is not None), default=None)

    def _files(self) -> Iterator[str]:
        """Yield where the files of the run may lie, the ledger first."""
        yield str(self.folder.ledger)
        yield self._place(HEADER_FILE)
        if is_there(trace := self._place(TRACE_FILE)):
            yield trace
        partials = self._place(PARTIALS_FOLDER)
        if not is_there(partials) or is_link(partials):
            return
        try:
            with listing(partials) as entries:
                names = [entry.name for entry in entries if entry.name.endswith(".partial")]
        except OSError:
            return
        yield from (os.path.join(partials, name) for name in names)  # noqa: PTH118  as above

    def _links(self) -> Iterator[Finding]:
        """Say which of the evidence beside the ledger is not looked at, since it may lie anywhere."""
        for name in (TRACE_FILE, PARTIALS_FOLDER):
            if is_there(place := self._place(name)) and is_link(place):
                yield link_finding(self.folder.path / name)

    def _place(self, name: str) -> str:
        """Return where a file of the run may lie."""
        return self._beginning + name

    def _wrong_id(self, header: RunHeader) -> str | None:
        if self.folder.session_id is not None and header.session_id != self.folder.session_id:
            return "$.sessionId"
        if self.folder.run_id is not None and header.run_id != self.folder.run_id:
            return "$.runId"
        return None
