"""Terminals: the real command in a pseudo terminal, poor ones too, with keys and noise, left by a key or a signal."""

from __future__ import annotations

import re
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Final

from tests.support.hostile import HIDDEN, RAW
from tests.support.pty import Terminal, modes_left
from tests.support.workspaces import fingerprint
from tests.torture.commands import REPO
from tests.torture.outcome import Outcome
from tests.torture.places import Maker, places

POOR: Final = {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}
TERMINALS: Final[dict[str, dict[str, str]]] = {
    "usual": {},
    "locale C": POOR,
    "ASCII": {"PYTHONIOENCODING": "ascii"},
    "Latin-1": {"PYTHONIOENCODING": "latin-1"},
    "16 colours": {"TERM": "xterm", "COLORTERM": ""},
    "console": {"TERM": "linux", "COLORTERM": ""},
    "no colour": {"NO_COLOR": "1"},
    "dumb": {"TERM": "dumb", **POOR},
}
"""Variables of each."""
SAYINGS: Final = (
    *(key.encode() for key in "eEoO123450xzwtfnNiyscF=S?/[]{}jkgGhl \r\t"),
    *(b"\x1b", b"\x1b[A", b"\x1b[B", b"\x1b[5~", b"\x1b[6~", b"\x1b[H", b"\x1b[F", b"\x10", b"\x13", b"\x07", b"\x04"),
    *(b"\x1b[<0;9;9M\x1b[<0;9;9m", b"\x1b[<64;20;20M", b"\x1b[<65;20;20M", b"\x1b[<0;1;1M", b"\x1b[<35;60;12M"),
    *(b"/PWNED\r", b"\x10evil\r", b"fkind:call\r", b"\x1b[200~\x1b[31m\xff\x1b[201~", b"\xe9", b"\xff\xfe", b"\x1b["),
    *(b"\x1b[<0;999999;99999999999999999999M", b"\x1b[48;3;3;3;3t", b"\x1b[I\x1b[O", b"\x1b_G\x1b\\", b"\x1c\x1d\x1f"),
)
"""Keys, mouse, pastes, and noise as a bad line or another keyboard sends it."""
ENDS: Final = (b"\x11", b"\x11", b"\x11", signal.SIGTERM, signal.SIGHUP, signal.SIGINT)
CONTROLS: Final = re.compile(
    "[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\ud800-\udfff]"
)
"""What nobody may see on a screen, and nothing that is saved for people may hold."""
_LEAVING_SECONDS: Final = 1.0
_PATIENCE: Final = 60.0
_FULL: Final = 100


def run(cases: int, seed: int, progress: Callable[[int], None] = lambda done: None) -> Outcome:
    """Start the command so many times, in each terminal on each workspace in turn."""
    outcome = Outcome("terminals")
    work = Path(tempfile.mkdtemp(prefix="torture-terminals-"))
    leaving: list[float] = []
    try:
        found = list(places(work / "stock").items())
        for number in range(cases):
            kind = list(TERMINALS)[number % len(TERMINALS)]
            # Every other time it is the workspace whose every string attacks the terminal; each terminal has its turn.
            evil = (number + number // len(TERMINALS)) % 2
            name, make = found[1] if evil else found[number // 2 % len(found)]
            for law in one(work / f"w{number}", make, kind, Random(f"{seed}:{number}"), leaving):
                outcome.fail(f"terminals {seed}:{number} {kind}, {name}", law)
            outcome.cases += 1
            progress(number + 1)
        if cases >= _FULL and max(leaving) > _LEAVING_SECONDS:
            outcome.fail(f"terminals {seed}", f"leaving took {max(leaving):.2f} s")
    finally:
        shutil.rmtree(work, ignore_errors=True)
    outcome.notes.append(f"from ctrl+q to the end of the process {max(leaving, default=0):.2f} s at most")
    return outcome


def one(root: Path, make: Maker, kind: str, rng: Random, leaving: list[float]) -> Iterator[str]:
    """Start it once, send what comes to mind, leave, and say which laws did not hold."""
    home = root.with_name(f"{root.name}-home")
    home.mkdir(parents=True)
    make(root)
    before = fingerprint(root)
    environ = {**TERMINALS[kind], "PYTHONPATH": str(REPO), "HOME": str(home), "XDG_STATE_HOME": str(home)}
    command = [sys.executable, "-m", "viewer", str(root)]
    size = rng.choice(((120, 36), (80, 24), (30, 8), (200, 60)))
    with Terminal(command, size=size, environ=environ, cwd=str(home)) as terminal:
        try:
            if kind != "dumb":
                terminal.read_until(b"\x1b[?1049h", seconds=_PATIENCE)
                for _ in range(rng.randrange(1, 40)):
                    terminal.read_for(rng.choice((0.0, 0.02, 0.2)))
                    terminal.send(rng.choice(SAYINGS))
                    if rng.random() < 0.1:
                        terminal.resize((rng.randint(1, 200), rng.randint(1, 60)))
                terminal.read_for(0.05)
            end = rng.choice(ENDS)
            asked = time.monotonic()
            if kind == "dumb" or terminal.process.poll() is not None:
                end = b""
            elif isinstance(end, bytes):
                terminal.send(end)
            else:
                terminal.process.send_signal(end)
            ended = terminal.wait(seconds=_PATIENCE)
        except (AssertionError, OSError) as error:
            yield f"{type(error).__name__}: {error}"
            return
        if end == b"\x11":
            leaving.append(time.monotonic() - asked)
        expected = 0 if isinstance(end, bytes) else 128 + end
        # It may have been on its way out by a key, beyond what hears signals.
        if ended.code not in (expected, 0, *(() if isinstance(end, bytes) else (-end,))):
            yield f"the exit code is {ended.code}, not {expected}: {ended.output[-600:]!r}"
        if modes_left(ended.output):
            yield f"the terminal is left with {modes_left(ended.output)}"
        if not terminal.is_as_before():
            yield "the terminal is left with other settings"
        yield from (f"{law}: {ended.output[-300:]!r}" for law in raw_laws(ended.output, kind))
    if fingerprint(root) != before:
        yield "the workspace was touched"
    shutil.rmtree(root)


def raw_laws(output: bytes, kind: str = "usual") -> Iterator[str]:
    """Say what of the data reached a terminal as it is, and what the terminal cannot hold."""
    # Textual itself ends a wish for the mouse pointer's shape with BEL, clears once, and copies when asked to.
    own = re.sub(rb"\x1b\]22;[a-z-]*\x07|\x1b\]52;c;[A-Za-z0-9+/=]*\x07", b"", output).replace(b"\x1b[2J", b"", 1)
    yield from (f"{raw!r} was sent" for raw in RAW if raw in own and raw != b"\x1b]52")
    if b"\x1b]52;c;UFdORUQ=" in output:
        yield "the clipboard was given what the data wants"
    yield from (f"{character!a} was sent" for character in HIDDEN if character.encode() in output)
    if output.count(b"\x1b[?1049h") != output.count(b"\x1b[?1049l"):
        yield "the data left the alternate screen"
    if kind in ("ASCII", "locale C", "dumb") and not output.isascii():
        yield "what is no ASCII was sent"
    if kind in ("ASCII", "locale C", "Latin-1") and re.search(rb"\\u(2[45]..|2026|203a|2192)", output):
        # Signs of ours; raw JSON may have numbers of others.
        yield "a character became six"
