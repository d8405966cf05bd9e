"""The pictures of the README."""

from __future__ import annotations

import importlib
import sys
from importlib.metadata import version
from pathlib import Path

import pytest

from tests.support.command import SOURCE
from tests.ui.conftest import RECORDED_WITH

PICTURES = ("run-120x36-dark.svg", "run-120x36-light.svg", "run-80x24.svg", "workspace-120x30.svg")


@pytest.mark.parametrize("name", PICTURES)
def test_pictures_load_nothing(name: str) -> None:
    """A picture refers to no font, style or image anywhere, and to no place of the machine that drew it."""
    text = (SOURCE / "screenshots" / name).read_text(encoding="utf-8")

    assert "@font-face" not in text
    assert "url(http" not in text
    assert "<image" not in text
    assert "/tmp" not in text
    assert "npm&#160;run&#160;deploy" in text


@pytest.mark.skipif(sys.platform == "win32", reason="paths are written in another way there")
@pytest.mark.skipif(
    any(version(name) != wanted for name, wanted in RECORDED_WITH.items()), reason="other versions draw other pictures"
)
def test_pictures_are_those_of_the_screens(tmp_path: Path) -> None:
    """`python screenshots/make.py` draws the pictures that are committed: none is older than its screen."""
    importlib.import_module("screenshots.pictures").draw(tmp_path)

    for name in PICTURES:
        drawn, committed = tmp_path / name, SOURCE / "screenshots" / name
        assert drawn.read_text(encoding="utf-8") == committed.read_text(encoding="utf-8"), name
