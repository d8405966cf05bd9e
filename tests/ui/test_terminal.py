"""What really reaches a terminal, on a real pseudo terminal."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

if sys.platform == "win32":
    pytest.skip("there are no pseudo terminals", allow_module_level=True)

from tests.support.pty import Terminal

ROOT = Path(__file__).parents[2]
EVIL = (
    "start \x1b]0;PWNED-TITLE\x1b\\ \x1b]52;c;UFdORUQ=\x07 \x1b[?1049l \x9b31m \x90 \x07 \x08 \x0e "
    "\u202edesrever\u2066 \u200b\ufeff \x7f \ud800 end"
)
PROGRAM = f"""
from tests.support.apps import Numbered, viewer_app
from viewer.widgets.bars import Fact, HeaderBar
from viewer.widgets.rules import RuleHeading
from viewer.widgets.virtual_list import VirtualList
evil = {EVIL!a}
bar = HeaderBar()
bar.crumbs = (evil,)
bar.facts = (Fact(evil),)
raise SystemExit(viewer_app(bar, RuleHeading(evil, evil, right=evil), VirtualList(Numbered(30, evil))).show())
"""


def test_no_byte_of_hostile_text_is_raw() -> None:
    """Of a row full of escape, clipboard, C1 and bidi sequences nothing arrives but pictures; `q` ends with 0."""
    with Terminal([sys.executable, "-c", PROGRAM], size=(160, 24), cwd=str(ROOT)) as terminal:
        terminal.read_until(b"desrever")
        terminal.read_until(b"row 20")
        terminal.send(b"jjG")
        terminal.read_until(b"row 29")
        terminal.send(b"q")
        ended = terminal.wait()

    assert ended.code == 0
    # Textual itself ends a wish for the mouse pointer's shape with BEL.
    output = re.sub(rb"\x1b\]22;[a-z-]*\x07", b"", ended.output)
    for raw in (b"\x1b]0;PWNED", b"\x1b]52", b"\x07", b"\x08", b"\x0e", b"\x7f"):
        assert raw not in output
    for character in "\x9b\x90\u202e\u2066\u200b\ufeff":
        assert character.encode() not in output
    assert "␛]0;PWNED-TITLE".encode() in ended.output
    # The app itself leaves the alternate screen once, at its end.
    assert ended.output.count(b"\x1b[?1049l") == 1


def test_a_resize_of_the_terminal_is_followed() -> None:
    """The program draws for the new size when the terminal changes its own."""
    with Terminal([sys.executable, "-c", PROGRAM], size=(80, 24), cwd=str(ROOT)) as terminal:
        terminal.read_until(b"row 20")
        terminal.resize((30, 8))
        terminal.read_until(b"here are 30 and")
        terminal.send(b"\x11")
        assert terminal.wait().code == 0
