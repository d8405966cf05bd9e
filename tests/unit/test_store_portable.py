"""The writing half on systems that lack what POSIX has."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path
from typing import Any

import pytest

from core.errors import AppendRefused
from core.store.append import append_jsonl
from core.store.headers import AgentRunStore
from core.store.store import AppendOutcome, RuntimeEventStore
from tests.support.runs import RUN, SESSION, call, delta, header, response, terminal, text


@pytest.fixture
def bare_system(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take away forks, kills, positioned reads, links, locks, and the opening of folders."""
    for module, names in (
        (os, ("fork", "pread", "pwrite", "link", "O_DIRECTORY", "O_NONBLOCK", "O_CLOEXEC")),
        (signal, ("SIGKILL",)),
    ):
        for name in names:
            monkeypatch.delattr(module, name, raising=False)
    monkeypatch.setitem(sys.modules, "fcntl", None)
    opened = os.open

    def open_no_folder(path: Any, flags: int, *rest: Any, **keys: Any) -> int:
        if Path(path).is_dir():
            raise PermissionError(13, "Permission denied")
        return opened(path, flags, *rest, **keys)

    monkeypatch.setattr(os, "open", open_no_folder)


@pytest.mark.usefixtures("bare_system")
def test_the_store_works_on_a_bare_system(tmp_path: Path) -> None:
    """Headers, rows, streams, repairs and durable writes need nothing that only POSIX has."""
    headers, store = AgentRunStore(tmp_path), RuntimeEventStore(tmp_path)
    headers.create(header(), durable=True)
    store.append(SESSION, RUN, text("a"), durable=True)
    store.append(SESSION, RUN, call("b"))
    ledger = tmp_path / "sessions" / SESSION / "runs" / RUN / "runtime-events.jsonl"
    ledger.write_bytes(ledger.read_bytes() + b'{"id":"tor')
    store.append(SESSION, RUN, response("c"))
    store.append(SESSION, RUN, delta("d", "x"))
    store.append(SESSION, RUN, delta("e", "xy", partial=False))
    headers.update(SESSION, RUN, {"status": "completed"}, durable=True)

    assert store.ensure_terminal_durable(SESSION, RUN, terminal("z")) is AppendOutcome.WRITTEN
    assert [item.id for item in store.read(SESSION, RUN)] == ["a", "b", "c", "e", "z"]
    assert [item.status for item in headers.list_runs(SESSION)] == ["completed"]


@pytest.mark.usefixtures("bare_system")
def test_append_works_on_a_bare_system(tmp_path: Path) -> None:
    """Rows are added, repaired, refused and made durable without POSIX."""
    path = tmp_path / "a"
    append_jsonl(path, b"{}\n", durable=True, durability_root=tmp_path)
    path.write_bytes(b"{}\n[1")
    append_jsonl(path, b"{}\n")
    path.write_bytes(path.read_bytes() + b"]")
    with pytest.raises(AppendRefused):
        append_jsonl(path, b"{}\n")

    assert path.read_bytes() == b"{}\n{}\n]"
