"""Where the viewer keeps what is its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from viewer.state_folder import absolute, current_folder, home_folder, state_folder

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


def test_a_home_that_nobody_knows_is_no_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    """In a container a user may have no home, or one that leads anywhere: then nothing is kept, and all goes on."""
    assert home_folder() == Path.home()

    def nobody() -> Path:
        raise RuntimeError("Could not determine home directory.")

    for home in (nobody, lambda: Path("relative")):
        monkeypatch.setattr(Path, "home", home)
        place = home_folder()
        assert place.is_absolute()
        with pytest.raises(OSError, match=r".+"):
            place.mkdir(parents=True)


def test_a_current_folder_that_is_gone_is_no_fault(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Whoever asks where we are gets a place at which nothing is."""
    monkeypatch.chdir(tmp_path)
    assert absolute(Path("x")) == current_folder() / "x" == Path.cwd() / "x"

    def gone() -> Path:
        raise FileNotFoundError

    monkeypatch.setattr(Path, "cwd", gone)

    assert not current_folder().exists()
    assert absolute(tmp_path) == tmp_path
    assert absolute(Path("x")).is_absolute()
