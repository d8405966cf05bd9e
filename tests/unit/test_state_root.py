"""Where Maka keeps its state."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.storage.state_root import default_state_root, find_state_roots, is_state_root, profile_folders


@pytest.mark.parametrize(
    ("platform", "environ", "home", "root"),
    [
        ("linux", {}, "/home/dev", "/home/dev/.config/Maka/workspaces/default"),
        ("linux", {"XDG_CONFIG_HOME": "/conf"}, "/home/dev", "/conf/Maka/workspaces/default"),
        ("linux", {"XDG_CONFIG_HOME": "conf"}, "/home/dev", "/home/dev/.config/Maka/workspaces/default"),
        ("linux", {"XDG_CONFIG_HOME": ""}, "/home/dev", "/home/dev/.config/Maka/workspaces/default"),
        ("freebsd14", {}, "/home/dev", "/home/dev/.config/Maka/workspaces/default"),
        ("darwin", {}, "/Users/dev", "/Users/dev/Library/Application Support/Maka/workspaces/default"),
        ("win32", {"APPDATA": "D:\\Roaming"}, "C:\\Users\\dev", "D:\\Roaming\\Maka\\workspaces\\default"),
        (
            "win32",
            {"USERPROFILE": "C:\\Users\\other"},
            "C:\\Users\\dev",
            "C:\\Users\\other\\AppData\\Roaming\\Maka\\workspaces\\default",
        ),
        ("win32", {}, "C:\\Users\\dev", "C:\\Users\\dev\\AppData\\Roaming\\Maka\\workspaces\\default"),
    ],
)
def test_default_place_follows_from_the_environment(
    platform: str, environ: dict[str, str], home: str, root: str
) -> None:
    """Each system has its own place; a relative XDG_CONFIG_HOME does not count."""
    assert str(default_state_root(platform, environ, home)) == root


def test_the_profile_of_a_source_build_lies_beside(tmp_path: Path) -> None:
    """The released application's profile comes first."""
    assert [folder.name for folder in profile_folders("linux", {}, str(tmp_path))] == ["Maka", "Maka Dev"]


def test_every_state_root_that_is_there_is_found(tmp_path: Path) -> None:
    """All workspaces of all profiles, the default ones first; folders without a ledger are none."""
    for place in ("Maka/workspaces/b", "Maka/workspaces/default", "Maka Dev/workspaces/fixture"):
        folder = tmp_path / place
        folder.mkdir(parents=True)
        (folder / "runtime.sqlite").touch()
    (tmp_path / "Maka/workspaces/a/sessions").mkdir(parents=True)
    (tmp_path / "Maka/workspaces/empty").mkdir()
    found = find_state_roots("linux", {"XDG_CONFIG_HOME": str(tmp_path)}, "/nowhere")

    assert [str(root.relative_to(tmp_path)).replace("\\", "/") for root in found] == [
        "Maka/workspaces/default",
        "Maka/workspaces/a",
        "Maka/workspaces/b",
        "Maka Dev/workspaces/fixture",
    ]


def test_nothing_there_is_no_error(tmp_path: Path) -> None:
    """A user who never started Maka has no state roots."""
    assert find_state_roots("linux", {"XDG_CONFIG_HOME": str(tmp_path)}, "/nowhere") == ()
    assert not is_state_root(tmp_path / "none")
