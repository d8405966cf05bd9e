"""Opening a SQLite database without touching it: from a private copy, or in place in two ways that leave no trace.

Nothing in the folder changes: no byte, no mtime, no new file, also when opening fails and beside a live writer.
"""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Final, NamedTuple

from msgspec.structs import replace

from ..errors import WorkspaceError
from ..storage.beside import NOT_KNOWN, Owner
from ..storage.files import ReadFailed, is_link
from ..storage.findings import Finding
from .copy import Copied, CopyFailed, NoRoom, ReadStopped, check_room, copy_database, has_log, settle
from .damage import Evidence, inspect_log, inspect_main, judge
from .database import Database, Way, begin, connect, error_code, raise_if_stopped
from .files import DatabaseFiles, Stamp, beside, look
from .in_place import (
    OPENING,
    WITH_LOG,
    WITHOUT_LOG,
    database_uri,
    hold,
    in_place_options,
    is_held,
    log_is_left_alone,
    release,
)
from .limits import COPY_LIMIT, never
from .owner import find_owner
from .private import PrivateFolder, remove_left_overs, scratch_parents
from .schema import Schema, read_schema, schema_findings
from .shm import read_shm

_COMPANIONS: Final = {"-wal": "the log", "-shm": "the index of the log", "-journal": "the rollback journal"}
_PATIENCE: Final = 2.0
_ROUNDS: Final = 3
_PAUSE: Final = 0.05


def open_database(
    path: Path,
    *,
    copy_limit: int = COPY_LIMIT,
    parents: Sequence[Path] | None = None,
    stop: Callable[[], bool] = never,
) -> Database:
    """Open the database at `path` and take one snapshot of it.

    Damage is no error: it gives findings, and perhaps a database of which nothing can be read. `parents` are the
    folders that may hold a private copy, the best first. `stop` is asked often, by every later query as well.
    Raises WorkspaceMissing, WorkspaceForbidden, NotAWorkspace, NoRoom, ReadStopped or another WorkspaceError.
    """
    with OPENING:
        database = _open_files(path, copy_limit, parents, stop)
    database.findings = (*_links(path, Path(database.path)), *database.findings)
    return database


def _links(path: Path, main: Path) -> Iterator[Finding]:
    """Say which of the files that were read lie elsewhere: a link in the place of one leads there."""
    places = (path, *(beside(main, suffix) for suffix in _COMPANIONS))
    for place, what in zip(places, ("the database", *_COMPANIONS.values()), strict=True):
        if is_link(place):
            said = f"{what} is a link, and was followed: it lies elsewhere"
            yield Finding("link_followed", said, detail=os.path.realpath(place), path=str(place))


def _open_files(path: Path, copy_limit: int, parents: Sequence[Path] | None, stop: Callable[[], bool]) -> Database:
    files = look(path)
    if files.main_stamp is not None and is_held(files.main_stamp.identity):
        # Looking into files that are open in place would drop their locks.
        joined = _open_in_place(Evidence(files, None, owner_alive=True), NOT_KNOWN, WITH_LOG, stop)
        if joined is not None:
            return joined
        raise WorkspaceError("the database is open in place and cannot be opened again", path=str(files.main))
    if parents is None:
        parents = scratch_parents({path.parent, files.main.parent}, os.environ, _home())
    for parent in parents:
        remove_left_overs(parent)
    for attempt in range(_ROUNDS):
        if attempt:
            time.sleep(_PAUSE)
            files = look(path)
        # The index is read before the log is, so that it never knows more than a log that is still being written.
        shm = read_shm(files.shm) if files.shm_stamp else None
        owner = find_owner(files)
        database = _open(Evidence(files, shm, owner.alive), owner, parents, copy_limit, stop)
        if database is not None:
            return database
    said = "a writer changed the database each time that it was read: nothing can be said of it now"
    changing = Finding("still_changing", said, path=str(files.main))
    return Database(files, Way.NONE, None, Schema(), (changing,), owner, ())


def _home() -> Path:
    try:
        return Path.home()
    except RuntimeError:
        return Path()


def _open(
    evidence: Evidence, owner: Owner, parents: Sequence[Path], copy_limit: int, stop: Callable[[], bool]
) -> Database | None:
    """Try in order: a consistent copy, in place, a copy beyond the limit; None if the database changed under each."""
    small = evidence.files.size <= copy_limit
    failure: CopyFailed | None = None
    try:
        with ExitStack() as undo:
            taken = None
            try:
                taken = _take_copy(evidence.files, parents, stop, clone_only=not small)
            except CopyFailed as error:
                failure = error
            if taken is not None:
                undo.callback(taken.folder.close)
            if taken is None or (not taken.copied.stable and has_log(evidence.files)):
                database = _in_place(evidence, owner, parents, stop)
                if database is not None:
                    return database
                if taken is None and not small:
                    taken = _take_copy(evidence.files, parents, stop, clone_only=False)
                if taken is None:
                    raise failure or NoRoom("no folder can hold a private copy", hint="set TMPDIR to a folder that can")
            if not taken.copied.stable:
                taken.folder.close()
                return None
            database = _open_copy(evidence, owner, taken, stop)
            undo.pop_all()
            return database
    finally:
        # An error that is kept keeps the frames that it came through, these the database, and all of it stays open.
        del failure


class _Taken(NamedTuple):
    folder: PrivateFolder
    copied: Copied
    way: Way


def _take_copy(
    files: DatabaseFiles, parents: Sequence[Path], stop: Callable[[], bool], clone_only: bool
) -> _Taken | None:
    """Copy into the first folder that can hold it; None where none can. Raises NoRoom where room was the reason."""
    shortage: NoRoom | None = None
    try:
        for parent in parents:
            folder = None
            try:
                if not clone_only:
                    check_room(files.size, parent)
                folder = PrivateFolder(parent)
                copied = copy_database(files, folder.path, stop, clone_only)
            except NoRoom as error:
                shortage = error
                copied = None
            except OSError:
                copied = None
            except BaseException:
                if folder is not None:
                    folder.close()
                raise
            if copied is not None and folder is not None:
                return _Taken(folder, copied, Way.CLONE if clone_only else Way.COPY)
            if folder is not None:
                folder.close()
        if shortage is not None:
            raise shortage
        return None
    finally:
        del shortage  # as above


def _open_copy(evidence: Evidence, owner: Owner, taken: _Taken, stop: Callable[[], bool]) -> Database:
    main = taken.copied.main
    now = look(evidence.files.main)
    changed = _stamps(now) != _stamps(evidence.files)
    evidence = replace(evidence, files=taken.copied.files, owner_alive=owner.alive or changed)
    committed: int | None = None
    schema = Schema()
    with ExitStack() as undo:
        connection = None
        try:
            evidence = inspect_main(evidence, main)
            connection = connect(database_uri(main, "mode=rw"), stop, _PATIENCE)
            undo.callback(connection.close)
            committed = _committed_frames(connection)
            schema = _begin(connection)
            evidence = replace(evidence, empty=not schema.tables)
        except sqlite3.Error as error:
            evidence = _blame(evidence, error)
        # While the connection is still open: closing it removes the log of the copy.
        evidence = inspect_log(evidence, main, committed)
        undo.pop_all()
    findings = [*judge(evidence), *schema_findings(schema, str(evidence.files.main))]
    database = _database(evidence, owner, taken.way, connection, schema, findings, [taken.folder.close])
    database.copy = main if database.readable else None
    return database


def open_copy_again(copy: Path, files: DatabaseFiles) -> Database:
    """Open a private copy that another process made and holds open. Raises sqlite3.Error.

    `files` are the originals as they stood then. It says nothing of the storage as a whole.
    """
    connection = connect(database_uri(copy, "mode=ro"), never, _PATIENCE)
    try:
        return Database(files, Way.COPY, connection, _begin(connection), (), NOT_KNOWN, ())
    except BaseException:
        connection.close()
        raise


def _in_place(evidence: Evidence, owner: Owner, parents: Sequence[Path], stop: Callable[[], bool]) -> Database | None:
    options = in_place_options(evidence.files, evidence.owner_alive)
    if options == WITHOUT_LOG and not evidence.files.settled(time.time_ns()):
        # Too fresh to notice a write to it: looked at once more, a little later.
        evidence = replace(evidence, files=settle(evidence.files))
        options = in_place_options(evidence.files, evidence.owner_alive)
        if options == WITHOUT_LOG and not evidence.files.settled(time.time_ns()):
            return None
    if options is None or (options == WITH_LOG and not any(log_is_left_alone(parent) for parent in parents)):
        return None
    if not evidence.owner_alive:
        evidence = _inspect_originals(evidence)
    return _open_in_place(evidence, owner, options, stop)


def _inspect_originals(evidence: Evidence) -> Evidence:
    """Look inside the files themselves; what was seen is worth nothing if a writer was at work meanwhile."""
    main = evidence.files.main
    try:
        seen = inspect_log(inspect_main(evidence, main), main, None)
    except ReadFailed:
        return evidence
    return seen if _stamps(look(main)) == _stamps(evidence.files) else replace(evidence, owner_alive=True)


def _open_in_place(evidence: Evidence, owner: Owner, options: str, stop: Callable[[], bool]) -> Database | None:
    """Open the original itself; None where that is refused for another reason than damage."""
    files = evidence.files
    identity = files.main_stamp.identity if files.main_stamp else (0, 0)
    give_back: list[Callable[[], None]] = []
    if options == WITH_LOG:
        hold(identity)
        give_back.append(partial(release, identity))
    connection: sqlite3.Connection | None = None
    schema = Schema()
    try:
        connection = connect(database_uri(files.main, options), stop, _PATIENCE)
        schema = _begin(connection)
        evidence = replace(evidence, empty=not schema.tables)
    except sqlite3.Error as error:
        try:
            evidence = _blame(evidence, error)
        except WorkspaceError as refused:
            _give_back(connection, give_back)
            if isinstance(refused, ReadStopped):
                raise
            return None
    findings = [*judge(evidence), *schema_findings(schema, str(files.main))]
    way = Way.IN_PLACE if options == WITH_LOG else Way.IMMUTABLE
    return _database(evidence, owner, way, connection, schema, findings, give_back)


def _database(
    evidence: Evidence,
    owner: Owner,
    way: Way,
    connection: sqlite3.Connection | None,
    schema: Schema,
    findings: list[Finding],
    give_back: list[Callable[[], None]],
) -> Database:
    if evidence.refused or evidence.unreadable is not None:
        _give_back(connection, give_back)
        return Database(evidence.files, Way.NONE, None, Schema(), findings, owner, ())
    return Database(evidence.files, way, connection, schema, findings, owner, give_back)


def _give_back(connection: sqlite3.Connection | None, give_back: list[Callable[[], None]]) -> None:
    if connection is not None:
        connection.close()
    for step in give_back:
        step()


def _begin(connection: sqlite3.Connection) -> Schema:
    begin(connection)
    return read_schema(connection)


def _committed_frames(connection: sqlite3.Connection) -> int | None:
    """Let SQLite play the log of a copy into its main file, and ask how many frames it accepted."""
    connection.execute("PRAGMA synchronous=OFF")
    _, frames, _ = connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()
    return frames if isinstance(frames, int) and frames >= 0 else None


def _blame(evidence: Evidence, error: sqlite3.Error) -> Evidence:
    """Tell damage from everything else that SQLite may complain of; raises a WorkspaceError for the latter."""
    code = error_code(error)
    if code == sqlite3.SQLITE_NOTADB:
        return replace(evidence, refused=True, unreadable=str(error))
    if code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_ERROR, sqlite3.SQLITE_FORMAT):
        return replace(evidence, unreadable=str(error))
    raise_if_stopped(error)
    said = f"the database cannot be read: {error}"
    raise WorkspaceError(said, code="database_unreadable", path=str(evidence.files.main)) from error


def _stamps(files: DatabaseFiles) -> tuple[Stamp | None, ...]:
    return files.main_stamp, files.wal_stamp, files.journal_stamp
