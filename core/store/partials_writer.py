"""Writing the snapshots of unfinished streams: one small file a stream, to which deltas are only added."""

from __future__ import annotations

import os
import uuid
from pathlib import Path

import msgspec

from ..records.codec import encode_event
from ..records.events import RuntimeEvent, Text, Thinking
from ..records.json_write import string_text
from .append_file import write_failed

_BINARY = getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)


class SnapshotFolder:
    """The `runtime-partials` folder of one run (format: partial snapshots); raises StoreError if the system fails."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def extend(self, key: str, delta: RuntimeEvent) -> bool:
        """Add a delta's text to its stream's snapshot; False if there is none yet."""
        path = self._path(key)
        try:
            descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | _BINARY)
        except FileNotFoundError:
            return False
        except OSError as error:
            raise write_failed(error, path) from error
        try:
            _write_all(descriptor, _streamed(delta))
        except OSError as error:
            raise write_failed(error, path) from error
        finally:
            os.close(descriptor)
        return True

    def create(self, key: str, first: RuntimeEvent, after_event_id: str | None) -> None:
        """Write the snapshot of a stream that begins with `first`, behind the ledger's row of id `after_event_id`."""
        path = self._path(key)
        temporary = path.with_name(f"{path.name}.{os.getpid()}.{first.ts:.0f}.{uuid.uuid4()}.tmp")
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _BINARY, 0o600)
            try:
                _write_all(descriptor, _head(first, after_event_id) + _streamed(first))
            finally:
                os.close(descriptor)
            temporary.replace(path)
        except OSError as error:
            _forget(temporary)
            raise write_failed(error, path) from error

    def remove(self, key: str) -> None:
        """Remove the snapshot of a finished stream; one that cannot be removed is hidden by its final row anyway."""
        _forget(self._path(key))

    def _path(self, key: str) -> Path:
        return self._folder / f"{key}.partial"


def _head(first: RuntimeEvent, after_event_id: str | None) -> bytes:
    content = first.content
    if isinstance(content, Text | Thinking):
        first = msgspec.structs.replace(first, content=msgspec.structs.replace(content, text=""))
    anchor = b',"afterEventId":' + string_text(after_event_id).encode() if after_event_id else b""
    return b'{"version":1,"event":' + encode_event(first) + anchor + b"}\n"


def _streamed(delta: RuntimeEvent) -> bytes:
    """Return a delta's text as UTF-8; half a surrogate pair becomes U+FFFD, as the runtime writes it."""
    text = delta.content.text if isinstance(delta.content, Text | Thinking) else ""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace").encode()


def _write_all(descriptor: int, payload: bytes) -> None:
    while payload:
        payload = payload[os.write(descriptor, payload) :]


def _forget(path: Path) -> None:
    try:
        path.unlink()
    except OSError:
        return
