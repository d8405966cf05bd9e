"""Adding rows to a JSONL file: the one writing step that everything else stands on (format: JSONL append)."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from ..errors import AppendRefused, DurabilityError, StoreError
from .append_file import ATTEMPTS, AppendFile, TailKind, TailMoved
from .durability import sync_folders


def append_jsonl(
    path: str | os.PathLike[str],
    payload: bytes | str,
    *,
    durable: bool = False,
    durability_root: str | os.PathLike[str] | None = None,
    require_existing_record: bool = False,
) -> None:
    """Add `payload`, one or more whole lines, to the end of the file at `path`; the file is created if need be.

    What stands behind the last line feed is looked at first: a complete document gets its line feed, the beginning of
    one is cut off, anything else refuses the append and leaves the file as it is. Nothing further up is read.

    Args:
        path: the file; its folder must exist.
        payload: bytes, or text to be written as UTF-8, that end in a line feed.
        durable: return only when the file, and every folder from its own up to `durability_root`, is on stable storage.
        durability_root: the folder, usually the state root, up to which folders are synced. Without it a durable
            append writes and then fails.
        require_existing_record: never create the file, and refuse one whose first row is missing or incomplete.

    Raises:
        AppendRefused: nothing was written.
        DurabilityError: a durable append failed; its cause says whether anything was written.
        StoreError: the system refused to write.

    """
    place = Path(path)
    data = _checked(payload, place)
    if not durable:
        _append(place, data, require_existing_record, durable=False)
        return
    try:
        _append(place, data, require_existing_record, durable=True)
        sync_folders(place.parent, None if durability_root is None else Path(durability_root))
    except (OSError, StoreError) as error:
        raise not_durable(error, place) from error


def not_durable(error: OSError | StoreError, path: Path) -> DurabilityError:
    """Say that a durable write failed, and why."""
    reason = error.message if isinstance(error, StoreError) else error.strerror or type(error).__name__
    return DurabilityError(f"the append is not known to be on stable storage: {reason}", path=str(path))


def _append(path: Path, payload: bytes, require_existing_record: bool, *, durable: bool) -> None:
    with AppendFile(path, create=not require_existing_record) as file:
        for _ in range(ATTEMPTS):
            tail = file.tail()
            if require_existing_record and tail.offset == 0 and tail.kind is not TailKind.COMPLETE:
                raise AppendRefused("the file has no complete first row", code="no_first_row", path=str(path))
            with suppress(TailMoved):
                file.commit(tail, payload)
                break
        else:
            raise AppendRefused("other writers leave no moment to write in", code="ledger_changed", path=str(path))
        if durable:
            file.sync()


def _checked(payload: bytes | str, path: Path) -> bytes:
    try:
        data = payload.encode() if isinstance(payload, str) else bytes(payload)
    except UnicodeEncodeError as error:
        raise AppendRefused("the text holds half a surrogate pair, which UTF-8 cannot carry", path=str(path)) from error
    if not data.endswith(b"\n"):
        raise AppendRefused("rows to be added must end with a line feed", code="payload_unterminated", path=str(path))
    return data
