"""Finds what a path is, and opens it: a state root, a session, a run folder, a ledger file or a database."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Hashable
from functools import cached_property, partial
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

from .errors import NotAWorkspace, RunNotFound, WorkspaceForbidden, WorkspaceMissing
from .sqlite.limits import COPY_LIMIT, never
from .storage.files import describe, file_state, is_link, listing
from .storage.findings import Finding
from .storage.jsonl_workspace import (
    DATABASE_FILE,
    HEADER_FILE,
    LEDGER_FILE,
    RunFolder,
    is_safe_id,
    jsonl_run,
    session_title,
    subfolders,
)
from .storage.lineage import Family
from .storage.run import Run, Surroundings
from .storage.session import Session

if TYPE_CHECKING:
    from .sqlite.workspace import SqliteWorkspace

_OF_A_DATABASE = (DATABASE_FILE, f"{DATABASE_FILE}-wal")
"""Files that tell that a folder has a database: what was committed may stand in its log alone."""

_STALE = "Maka reads only the database beside it; what these files say may be out of date"


class Workspace:
    """An opened workspace; a context manager. Damaged storage still opens: it has findings and perhaps no runs."""

    def __init__(
        self,
        root: Path,
        storage: str,
        sessions: tuple[Session, ...],
        findings: Callable[[], tuple[Finding, ...]],
        close: Callable[[], None] | None = None,
        again: Callable[[], Workspace | None] = lambda: None,
    ) -> None:
        self.root = root
        """The path that was opened."""
        self.storage = storage
        """`jsonl` or `sqlite`."""
        self.sessions = sessions
        self._read_findings = findings
        self._close = close
        self._again = again

    def __repr__(self) -> str:
        return f"Workspace({str(self.root)!r}, {len(self.sessions)} sessions)"

    def __enter__(self) -> Workspace:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Give back what is held open and remove private copies; closing twice is harmless."""
        close, self._close = self._close, None
        if close is not None:
            close()

    def again(self) -> Workspace | None:
        """Return the workspace as it is now; None where it is certain that nothing was written to it.

        A database that is open stays open and is shared, so that closing one closes it for both. Raises as
        `open_workspace` does.
        """
        return self._again()

    @cached_property
    def findings(self) -> tuple[Finding, ...]:
        """Remarks on the storage as a whole. Of a database they are found when somebody first asks."""
        return self._read_findings()

    @property
    def stale(self) -> bool:
        """Whether these are JSONL files that Maka no longer reads."""
        return self.storage == "jsonl" and any(finding.code == "stale_jsonl" for finding in self.findings)

    def reopened_by(self, again: Callable[[], Workspace | None]) -> Workspace:
        """Return this workspace with another way to open it again."""
        return Workspace(self.root, self.storage, self.sessions, self._read_findings, self._close, again)

    def runs(self) -> tuple[Run, ...]:
        """Return every run, by session and then by id."""
        return tuple(run for session in self.sessions for run in session.runs)

    def run(self, run_id: str, session_id: str | None = None) -> Run:
        """Return the run of that id. Raises RunNotFound, naming the nearest; also where several sessions have it."""
        hits = [run for run in self.runs() if run.run_id == run_id and session_id in (None, run.session_id)]
        if len(hits) == 1:
            return hits[0]
        if hits:
            sessions = ", ".join(run.session_id for run in hits[:4])
            raise RunNotFound(f"{len(hits)} sessions have a run {run_id}: {sessions}", hint="name the session as well")
        elsewhere = [run.session_id for run in self.runs() if run.run_id == run_id]
        if elsewhere:
            sessions = ", ".join(elsewhere[:4])
            said = f"session {session_id} has no run {run_id}"
            raise RunNotFound(said, path=str(self.root), hint=f"it is in session {sessions}")
        import difflib

        near = difflib.get_close_matches(run_id, [run.run_id for run in self.runs()], n=1, cutoff=0.4)
        hint = f"did you mean {near[0]}?" if near else "maka-ledger runs PATH lists them"
        raise RunNotFound(f"no run {run_id} in this workspace", path=str(self.root), hint=hint)


def open_workspace(
    path: str | os.PathLike[str], *, copy_limit: int = COPY_LIMIT, stop: Callable[[], bool] = never
) -> Workspace:
    """Open what lies at a path, without touching it.

    The path may be a state root, a session folder, a run folder, a ledger file or a database. Where a state root has a
    database, that is the workspace. A database of up to `copy_limit` bytes is read from a private copy, which goes when
    the workspace is closed, or with the last of its runs; `stop` is asked often while a database is read.
    Raises WorkspaceMissing, WorkspaceForbidden, NotAWorkspace or, of a database, another WorkspaceError.
    """
    if not os.fspath(path):
        raise WorkspaceMissing("an empty path", hint="name a folder, or . for this one")
    place = Path(path)
    if not place.is_absolute() and not _current_folder_is_there():
        raise WorkspaceMissing("the current folder is gone", path=str(place), hint="name the place from the root on")
    try:
        mode = place.stat().st_mode
        names = _names_in(place) if stat.S_ISDIR(mode) else set[str]()
    except (FileNotFoundError, NotADirectoryError, ValueError) as error:
        raise WorkspaceMissing("no such file or folder", path=str(place), hint="check the path") from error
    except PermissionError as error:
        raise WorkspaceForbidden("permission to read is denied", path=str(place)) from error
    except OSError as error:
        raise NotAWorkspace(f"it cannot be opened: {describe(error)}", path=str(place)) from error
    again = partial(open_workspace, path, copy_limit=copy_limit, stop=stop)
    if names.intersection(_OF_A_DATABASE):
        return _database(place, place / DATABASE_FILE, copy_limit, stop)
    if stat.S_ISDIR(mode):
        return _open_folder(place, names).reopened_by(again)
    if stat.S_ISREG(mode) and place.suffix == ".jsonl":
        ledger = _real(place)
        return _single_run(place, _folder_of_run(place.parent, ledger.parent), ledger=ledger).reopened_by(again)
    if stat.S_ISREG(mode) and (place.suffix == ".sqlite" or _begins_like_a_database(place)):
        return _database(place, place, copy_limit, stop)
    raise _not_a_workspace(place, "a file that is no ledger and no database")


def _current_folder_is_there() -> bool:
    try:
        Path.cwd()
    except OSError:
        return False
    return True


def _names_in(folder: Path) -> set[str]:
    with listing(folder) as entries:
        return {entry.name for entry in entries}


def _begins_like_a_database(place: Path) -> bool:
    from .sqlite.damage import read_head
    from .sqlite.files import MAGIC

    return read_head(place, len(MAGIC)) == MAGIC


def _database(opened: Path, main: Path, copy_limit: int, stop: Callable[[], bool]) -> Workspace:
    from .sqlite.workspace import SqliteWorkspace  # loads what reads databases, which few who read files need

    return _shown(opened, SqliteWorkspace(main, copy_limit, stop))


def _shown(opened: Path, found: SqliteWorkspace) -> Workspace:
    seen = found.opened

    def again() -> Workspace | None:
        return None if found.state() == seen else _shown(opened, found.again())

    return Workspace(opened, "sqlite", found.sessions, found.findings, found.close, again)


def _open_folder(place: Path, names: set[str]) -> Workspace:
    if "sessions" in names:
        return _state_root(place)
    folder = _folder_of_run(place, _real(place))
    if HEADER_FILE in names or LEDGER_FILE in names or (folder.parent.name == "runs" and is_safe_id(folder.name)):
        return _single_run(place, folder, ledger=folder / LEDGER_FILE)
    if "runs" in names:
        return _single_session(place)
    raise _not_a_workspace(place, "no database, sessions, runs or ledger in this folder")


def _state_root(root: Path) -> Workspace:
    stale = _stale(root)
    names, findings = subfolders(root / "sessions")
    sessions = []
    for name in names:
        session, more = _session(root / "sessions" / name, name, partial(_stale, root))
        sessions.append(session)
        findings += more
    return Workspace(root, "jsonl", tuple(sessions), lambda: (*stale, *findings))


def open_session(root: Path, session_id: str) -> Session | None:
    """Return a session of a state root in files as `open_workspace` gives it, without looking at any other.

    None where there is no such session at this path.
    """
    folder = root / "sessions" / session_id
    if not is_safe_id(session_id) or is_link(folder.parent) or is_link(folder) or not folder.is_dir():
        return None
    return _session(folder, session_id, partial(_stale, root))[0]


def _session(
    folder: Path, session_id: str, look_for_stale: Callable[[], tuple[Finding, ...]]
) -> tuple[Session, list[Finding]]:
    names, findings = subfolders(folder / "runs")
    runs: list[Run] = []
    family = Family(lambda: [(run.session_id, run.run_id, run.header) for run in runs if run.header is not None])
    stale = look_for_stale()

    def state() -> Hashable:
        headers = (folder / "runs" / name / HEADER_FILE for name in subfolders(folder / "runs")[0])
        return look_for_stale(), tuple((path, file_state(path, follow=False)) for path in headers)

    def again(run_id: str) -> Run | None:
        session, _ = _session(folder, session_id, look_for_stale)
        return next((run for run in session.runs if run.run_id == run_id), None)

    place = folder / "runs"
    for name in names:
        path = place / name
        around = Surroundings(state, partial(again, name))
        runs.append(jsonl_run(RunFolder(path, session_id, name, path / LEDGER_FILE), stale, family.of, around))
    return Session(session_id, lambda: session_title(folder), tuple(runs)), findings


def _real(place: Path) -> Path:
    """Return where a place really lies, whatever links and dots led there."""
    return Path(os.path.realpath(place))


def _folder_of_run(named: Path, real: Path) -> Path:
    """Return a run's folder: where it really lies, unless only the way it was named shows it in a workspace.

    What stands around a run decides its ids, and whether its files are stale.
    """
    plain = Path(os.path.abspath(named))  # noqa: PTH100  Path.absolute would leave the dots in it
    return plain if _in_session(plain) and not _in_session(real) else real


def _in_session(folder: Path) -> bool:
    return folder.parent.name == "runs" and folder.parent.parent.parent.name == "sessions"


def _single_session(opened: Path) -> Workspace:
    folder = _real(opened)
    if folder.parent.name != "sessions":
        folder = Path(os.path.abspath(opened))  # noqa: PTH100  as above
    root = folder.parent.parent if folder.parent.name == "sessions" else None
    look_for_stale = partial(_stale, root)
    session, findings = _session(folder, folder.name, look_for_stale)
    return Workspace(opened, "jsonl", (session,), lambda: (*look_for_stale(), *findings))


def _single_run(opened: Path, folder: Path, ledger: Path) -> Workspace:
    session_id = run_id = None
    session_folder = folder.parent.parent
    look_for_stale = partial(_stale, folder)
    if _in_session(folder):
        session_id, run_id = session_folder.name, folder.name
        look_for_stale = partial(_stale, folder, session_folder.parent.parent)
        siblings, _ = _session(session_folder, session_id, look_for_stale)
        runs = tuple(run for run in siblings.runs if run.run_id == run_id)
        if runs and ledger.name == LEDGER_FILE:
            session = Session(session_id, lambda: siblings.title, runs)
            return Workspace(opened, "jsonl", (session,), look_for_stale)
    place = RunFolder(folder, session_id, run_id, ledger)
    around = Surroundings(look_for_stale, lambda: jsonl_run(place, look_for_stale(), surroundings=around))
    run = jsonl_run(place, look_for_stale(), surroundings=around)
    return Workspace(opened, "jsonl", (Session(run.session_id, lambda: None, (run,)),), look_for_stale)


def _stale(*folders: Path | None) -> tuple[Finding, ...]:
    """Say that the files below the first of these folders that has a database, or but its log, are stale."""
    for path in (folder / name for folder in folders if folder is not None for name in _OF_A_DATABASE):
        if os.path.lexists(path):
            return (Finding("stale_jsonl", f"these JSONL files are stale: {_STALE}", path=str(path)),)
    return ()


def _not_a_workspace(place: Path, what: str) -> NotAWorkspace:
    return NotAWorkspace(
        f"not a workspace: {what}",
        path=str(place),
        hint="give a state root (with runtime.sqlite or sessions/), a session, a run folder or a ledger file",
    )
