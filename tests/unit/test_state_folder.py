"""Where the viewer keeps what is its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from viewer.state_folder import state_folder

HOME = Path("home")


@pytest.mark.parametrize("platform", ["linux", "darwin", "win32"])
def test_the_variable_counts_everywhere(tmp_path: Path, platform: str) -> None:
    """An absolute XDG_STATE_HOME decides on every system."""
    assert state_folder(platform, {"XDG_STATE_HOME": str(tmp_path)}, HOME) == tmp_path / "maka-ledger"


@pytest.mark.parametrize(
    ("platform", "environ", "folder"),
    [
        ("linux", {}, HOME / ".local" / "state" / "maka-ledger"),
        ("linux", {"XDG_STATE_HOME": "relative"}, HOME / ".local" / "state" / "maka-ledger"),
        ("darwin", {}, HOME / "Library" / "Application Support" / "maka-ledger"),
        ("win32", {}, HOME / "AppData" / "Local" / "maka-ledger"),
        ("win32", {"LOCALAPPDATA": "there"}, Path("there", "maka-ledger")),
    ],
)
def test_each_system_has_its_place(platform: str, environ: dict[str, str], folder: Path) -> None:
    """Without it, or where it is relative, the place is the one that the system's users know."""
    assert state_folder(platform, environ, HOME) == folder
