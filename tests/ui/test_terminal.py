"""What really reaches a terminal, on a real pseudo terminal."""

from __future__ import annotations

import re
import signal
import sys
from pathlib import Path

import pytest

from tests.support.command import COMMAND, SOURCE
from tests.support.hostile import hostile_workspace

if sys.platform == "win32":
    pytest.skip("there are no pseudo terminals", allow_module_level=True)

from tests.support.pty import Terminal, modes_left
from tests.torture.terminals import CONTROLS, TERMINALS, raw_laws

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
    with Terminal([sys.executable, "-c", PROGRAM], size=(160, 24), cwd=str(SOURCE)) as terminal:
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
    with Terminal([sys.executable, "-c", PROGRAM], size=(80, 24), cwd=str(SOURCE)) as terminal:
        terminal.read_until(b"row 20")
        terminal.resize((30, 8))
        terminal.read_until(b"here are 30 and")
        terminal.send(b"\x11")
        assert terminal.wait().code == 0


FAULTY = """
from tests.support.apps import Numbered, viewer_app
from viewer.widgets.virtual_list import VirtualList
class Faulty(Numbered):
    def row(self, index, width):
        if index > 25:
            raise ValueError("a row that cannot be drawn")
        return super().row(index, width)
raise SystemExit(viewer_app(VirtualList(Faulty(30))).show())
"""


@pytest.mark.parametrize(
    ("end", "code"),
    [(b"\x11", 0), (b"G", 1), (signal.SIGTERM, 143), (signal.SIGHUP, 129), (signal.SIGINT, 130)],
    ids=str,
)
def test_the_terminal_is_given_back(tmp_path: Path, end: bytes | signal.Signals, code: int) -> None:
    """However the viewer ends, by a key, a fault or a signal amid work: modes and settings are those from before."""
    command = [sys.executable, "-c", FAULTY] if code == 1 else [*COMMAND, str(hostile_workspace(tmp_path))]
    with Terminal(command, size=(100, 24), cwd=str(SOURCE)) as terminal:
        terminal.read_until(b"row 20" if code == 1 else b"runs read")
        if isinstance(end, bytes):
            terminal.send(end)
        else:
            terminal.send(b"\r2jjj?")
            terminal.resize((80, 20))
            terminal.process.send_signal(end)
        ended = terminal.wait()
        assert terminal.is_as_before()

    assert ended.code == code
    assert modes_left(ended.output) == set()
    assert b"Traceback" not in ended.output


@pytest.mark.parametrize("busy", [False, True])
def test_the_viewer_ends_with_its_terminal(tmp_path: Path, busy: bool) -> None:
    """Where the terminal is taken away, no viewer stays behind that reads or draws for nobody."""
    with Terminal([*COMMAND, str(hostile_workspace(tmp_path))], size=(100, 24), cwd=str(SOURCE)) as terminal:
        terminal.read_until(b"runs read")
        if busy:
            terminal.send(b"\r" + b"j2k1" * 40)
        terminal.hang_up()
        assert terminal.process.wait(60) == 129


def test_noise_on_the_line_is_passed_over() -> None:
    """Bytes that are no text, or no key, do not end the viewer: the next keys are heard."""
    with Terminal([sys.executable, "-c", PROGRAM], size=(80, 24), cwd=str(SOURCE)) as terminal:
        terminal.read_until(b"row 20")
        for noise in (b"\xff\xfe", b"\xe9j", b"\x1b[<0;99999;" + b"9" * 300 + b"M", b"\x1b[99999999999u"):
            terminal.send(noise)
            terminal.read_for(0.3)
        terminal.send(b"G")
        terminal.read_until(b"row 29")
        terminal.send(b"q")
        assert terminal.wait().code == 0


WALK = (
    *(b"\x10", b"PWNED", b"\x1b", b"y", b"\x1b", b"/PWNED\r", b"n", b"i", b"\x1b", b"\r"),
    *(b"S\x1b[200~\x1b[31m\x07\x1b[201~\r", b"\x1b", b"x1\r", b"x\r", b"c", b"[", b"c", b"\r", b"0", b"4", b"5"),
    *(b"\x1b[<35;60;1M", b"\x1b[<0;90;30M\x1b[<0;90;30m", b"F", b"?", b"/PWNED\r", b"\x1b", b"\x1b", b"y", b"\r"),
)
"""Palette, copies, search, remarks, a run, places, an expected length, marks, pages, tooltips, clicks, follow, help."""


@pytest.mark.parametrize("kind", TERMINALS)
def test_hostile_words_in_every_terminal(tmp_path: Path, kind: str) -> None:
    """In dialogs, palette, toasts, pager and what is saved, nothing is obeyed; a poor terminal gets what it holds."""
    home, root = tmp_path / "home", hostile_workspace(tmp_path / "root")
    home.mkdir()
    environ = {**TERMINALS[kind], "PYTHONPATH": str(SOURCE), "HOME": str(home), "XDG_STATE_HOME": str(home)}
    with Terminal([*COMMAND, str(root)], size=(120, 36), environ=environ, cwd=str(home)) as terminal:
        if kind != "dumb":
            terminal.read_until(b"runs read")
            for suffix, choose in ((".md", b""), (".svg", b"\x1b[F")):
                for keys in (b"\x13", choose, b"\r"):
                    terminal.send(keys)
                    terminal.read_for(0.3)
                terminal.read_while(lambda suffix=suffix: not list(home.glob(f"*{suffix}")))
            for keys in WALK:
                terminal.send(keys)
                terminal.read_for(0.05)
            terminal.send(b"\x11")
        ended = terminal.wait()

    assert ended.code == 0
    assert list(raw_laws(ended.output, kind)) == []
    assert b"PWNED" in ended.output
    for path in filter(Path.is_file, home.iterdir()):
        assert not CONTROLS.search(path.read_text("utf-8"))
