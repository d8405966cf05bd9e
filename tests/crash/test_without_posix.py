"""The harness on a system that lacks what only POSIX has."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest

from core import build_demo, run_crash_harness, run_torn_harness
from core.storage import files
from tests.support.children import child_without_posix

KILL = int(getattr(signal, "SIGKILL", 9))


@pytest.fixture
def bare_system(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Take away forks, signals, positioned reads, locks and the opening of folders, here; the children do it too."""
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    if os.name == "posix":
        # Both have another way where POSIX is not; here that way must be opened for them.
        monkeypatch.setattr(subprocess.Popen, "kill", lambda process: process.send_signal(KILL))
        monkeypatch.setattr(shutil, "_use_fd_functions", False)
    for module, names in (
        (os, ("fork", "pread", "pwrite", "link", "O_DIRECTORY", "O_NONBLOCK", "O_CLOEXEC", "O_NOATIME")),
        (signal, ("SIGKILL", "SIGTERM")),
    ):
        for name in names:
            monkeypatch.delattr(module, name, raising=False)
    monkeypatch.setitem(sys.modules, "fcntl", None)
    monkeypatch.setattr(files, "_UNTOUCHED", 0)  # what it would have found when it was loaded
    opened = os.open

    def open_no_folder(path: Any, flags: int, *rest: Any, **keys: Any) -> int:
        if Path(path).is_dir():
            raise PermissionError(13, "Permission denied")
        return opened(path, flags, *rest, **keys)

    monkeypatch.setattr(os, "open", open_no_folder)


@pytest.mark.usefixtures("bare_system")
def test_failpoints_pass(tmp_path: Path) -> None:
    """One failpoint of each committed prefix holds, and the temporary folder is removed."""
    reports = run_crash_harness(["P0", "P3", "P6", "P10"], child=child_without_posix(tmp_path))

    assert [(report.seen, report.passed) for report in reports] == [(report.expected, True) for report in reports]
    assert list((tmp_path / "temporary").iterdir()) == []


@pytest.mark.usefixtures("bare_system")
def test_torn_rows_pass(tmp_path: Path) -> None:
    """Kills in the middle of appends hold as well."""
    assert all(report.passed for report in run_torn_harness(range(3), child=child_without_posix(tmp_path)))


@pytest.mark.usefixtures("bare_system")
def test_demo_can_be_made(tmp_path: Path) -> None:
    """The demonstration's workspace needs nothing of it either."""
    build_demo(tmp_path / "demo", 1_795_953_624_200, child=child_without_posix(tmp_path))

    assert len(list((tmp_path / "demo/sessions").iterdir())) == 7
