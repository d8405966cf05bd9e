"""Run headers, written whole or not at all: created exclusively, updated by replacement (format: run header)."""

from __future__ import annotations

import os
import threading
import uuid
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from ..errors import DurabilityError, HeaderConflict, HeaderDecodeError, RunNotFound
from ..records.codec import decode_run_header, encode_run_header
from ..records.collation import collation_key
from ..records.events import RunHeader
from ..records.wire import header_document
from ..storage.files import ReadFailed, read_whole
from ..storage.layout import HEADER, RUNS, is_path_id, run_folder, session_folder
from .append_file import write_failed
from .durability import sync_folders

HEADER_LIMIT: Final = 16 << 20
"""Bytes. No header is anywhere near as long."""


class AgentRunStore:
    """The headers of the runs of one state root. Threads may share it; the last of two processes that update wins."""

    def __init__(self, workspace_root: str | os.PathLike[str]) -> None:
        self._root = Path(workspace_root)
        self._lock = threading.Lock()

    def create(self, header: RunHeader | Mapping[str, Any], *, durable: bool = False) -> RunHeader:
        """Write the header of a new run, with the folders it needs, and return it as it is stored.

        Raises HeaderConflict if the run has a header already, HeaderDecodeError if this is none, RequestError if its
        ids cannot name a run, DurabilityError if `durable` was asked and cannot be given, StoreError otherwise.
        """
        checked, text = _checked(header)
        folder = run_folder(self._root, checked.session_id, checked.run_id)
        with self._lock:
            make_folder(folder)
            try:
                _create(folder / HEADER, text)
            except FileExistsError as error:
                raise HeaderConflict("the run exists already", code="run_exists", path=str(folder / HEADER)) from error
            except OSError as error:
                raise write_failed(error, folder / HEADER) from error
            self._sync(folder, durable)
        return checked

    def read(self, session_id: str, run_id: str) -> RunHeader:
        """Return a run's header. Raises RunNotFound where there is none, HeaderDecodeError where it is damaged."""
        return read_header(run_folder(self._root, session_id, run_id), session_id, run_id)

    def update(
        self,
        session_id: str,
        run_id: str,
        changes: Mapping[str, Any],
        *,
        expected: RunHeader | None = None,
        durable: bool = False,
    ) -> RunHeader:
        """Replace some keys of a header, in the wire's spelling, and return the new one; None removes a key.

        Raises HeaderConflict if the stored header is not the `expected` one, or if `changes` would make it another
        run's; otherwise as `create` and `read` do.
        """
        folder = run_folder(self._root, session_id, run_id)
        with self._lock:
            current = read_header(folder, session_id, run_id)
            if expected is not None and current != expected:
                raise HeaderConflict(
                    "the header is not the expected one", code="header_changed", path=str(folder / HEADER)
                )
            document = {**header_document(current), **changes}
            checked, text = _checked({key: value for key, value in document.items() if value is not None})
            if (checked.session_id, checked.run_id) != (session_id, run_id):
                raise HeaderConflict("a header cannot move to another run", code="run_moved", path=str(folder / HEADER))
            try:
                _replace(folder / HEADER, text, checked.updated_at)
            except OSError as error:
                raise write_failed(error, folder / HEADER) from error
            self._sync(folder, durable)
        return checked

    def list_runs(self, session_id: str) -> tuple[RunHeader, ...]:
        """Return the headers of a session's runs, oldest first; runs whose header cannot be read are left out."""
        folder = session_folder(self._root, session_id) / RUNS
        headers = []
        for name in run_names(folder):
            try:
                headers.append(read_header(folder / name, session_id, name))
            except (RunNotFound, HeaderDecodeError):
                continue
        return tuple(sorted(headers, key=lambda header: (header.created_at, collation_key(header.run_id))))

    def _sync(self, folder: Path, durable: bool) -> None:
        if not durable:
            return
        try:
            sync_folders(folder, self._root)
        except OSError as error:
            reason = error.strerror or type(error).__name__
            raise DurabilityError(
                f"the header is not known to be on stable storage: {reason}", path=str(folder)
            ) from error


def read_header(folder: Path, session_id: str, run_id: str) -> RunHeader:
    """Read the header in a run's folder; it must name that run. Raises RunNotFound or HeaderDecodeError."""
    path = folder / HEADER
    try:
        header = decode_run_header(read_whole(path, HEADER_LIMIT))
    except ReadFailed as error:
        if error.code == "file_missing":
            raise RunNotFound("there is no such run: it has no header", path=str(path)) from error
        raise HeaderDecodeError(f"the header cannot be read: {error.message}", path=str(path)) from error
    except HeaderDecodeError as error:
        error.path = str(path)
        raise
    if (header.session_id, header.run_id) != (session_id, run_id):
        raise HeaderDecodeError("the header names another run than its folder", path=str(path))
    return header


def make_folder(folder: Path) -> None:
    """Make a folder and those above it. Raises StoreError, also where something else lies in the place of one."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise write_failed(error, folder) from error


def run_names(folder: Path) -> tuple[str, ...]:
    """Return the names of the folders in a `runs` folder that may be run ids, in byte order."""
    try:
        return tuple(sorted(path.name for path in folder.iterdir() if is_path_id(path.name) and path.is_dir()))
    except OSError:
        return ()


def _checked(header: RunHeader | Mapping[str, Any]) -> tuple[RunHeader, bytes]:
    """Return a header as it will be read back, and its text."""
    text = encode_run_header(decode_run_header(header) if isinstance(header, Mapping) else header)
    return decode_run_header(text), text + b"\n"


def _create(path: Path, text: bytes) -> None:
    """Write a file that did not exist before, whole or not at all where the system can link files."""
    if not hasattr(os, "link"):
        _write_new(path, text)
        return
    temporary = path.with_name(f"{path.name}.{os.getpid()}.{uuid.uuid4()}.tmp")
    _write_new(temporary, text)
    try:
        os.link(temporary, path)
    except FileExistsError:
        raise
    except OSError:
        # This file system has no links. A writer killed in the next step leaves half a header, which readers report.
        _write_new(path, text)
    finally:
        temporary.unlink(missing_ok=True)


def _replace(path: Path, text: bytes, updated_at: float) -> None:
    temporary = path.with_name(f"{path.name}.{os.getpid()}.{updated_at:.0f}.{uuid.uuid4()}.tmp")
    try:
        _write_new(temporary, text)
        temporary.replace(path)
    except OSError:
        temporary.unlink(missing_ok=True)
        raise


def _write_new(path: Path, text: bytes) -> None:
    """Write and sync a file that must not exist; nothing is left of it if that fails."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)
    descriptor = os.open(path, flags, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
    except OSError:
        path.unlink(missing_ok=True)
        raise
