"""The viewer in a real terminal: its first frame, its keys while a large run is read and afterwards, its memory."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from tests.bench.targets import Bench, Family, Samples, Target
from tests.bench.timing import ROOT

_SIZE = (120, 36)
_STATIC = """
from textual.app import App
from textual.widgets import Static
class One(App):
    def compose(self):
        yield Static("ready")
One().run()
"""
_PRESSED = 20
"""How often each key is pressed in a round."""
_LOADING = b"Reading the ledger"
_GROWING = b"so far"
"""Stands in the headings while rows are shown and others are still to come."""
_LOADED = b"REPLAY BLOCKED"
"""The verdict, which is there once the ledger is read: its last call is not answered."""
_READ_S = 300
_MB = 1 << 20

FIRST = Target(
    "first-frame", "first frame of the viewer, large ledger", 1.4, 1.2, "first frame of an app with one Static"
)
LOADED = Target("key", "key to painted frame, loaded: median", 12, 10, unit="ms")
LOADED_95 = Target("key-p95", "key to painted frame, loaded: p95", 20, 16, unit="ms")
READING = Target("key-reading", "scrolling key to painted frame while reading: median", 20, 12, unit="ms")
READING_95 = Target("key-reading-p95", "scrolling key to painted frame while reading: p95", 40, 20, unit="ms")
MEMORY = Target("viewer-memory", "resident, all processes, loaded", 120, 100, unit="MB")
MEMORY_READING = Target("viewer-memory-reading", "resident, all processes, while reading: most", 120, 100, unit="MB")


def measure(bench: Bench, keys: frozenset[str]) -> Mapping[str, Samples]:
    """Measure what is asked for; nothing on a system without pseudo terminals."""
    if sys.platform == "win32":
        return {}
    found = {target.key: Samples(unit=target.unit) for target in FAMILY.targets}
    folder = bench.data.mixed()
    if FIRST.key in keys:
        found[FIRST.key] = Samples(unit="ms")
        _first_frames(folder, bench, found[FIRST.key])
    if keys - {FIRST.key}:
        for _ in range(bench.rounds):
            _press(folder, bench.scratch, found)
    return found


def _first_frames(folder: Path, bench: Bench, samples: Samples) -> None:
    for number in range(bench.rounds * 2 + 1):
        least = _first_frame(["-c", _STATIC], b"ready", bench.scratch)
        took = _first_frame(["-m", "viewer", str(folder)], b"Timeline", bench.scratch)
        if number:
            samples.add(took, least)


def _first_frame(words: Sequence[str], shown: bytes, state: Path) -> float:
    from tests.bench.pressing import Pressed

    began = time.perf_counter()
    with Pressed([sys.executable, *words], size=_SIZE, cwd=str(ROOT), environ=_environment(state)) as terminal:
        terminal.read_until(shown)
        return (time.perf_counter() - began) * 1000


def _press(folder: Path, state: Path, found: dict[str, Samples]) -> None:
    """Open the large ledger, press keys while it is read and when it is there."""
    from tests.bench.pressing import CURSOR, Pressed

    command = [sys.executable, "-m", "viewer", str(folder)]
    with Pressed(command, size=_SIZE, cwd=str(ROOT), environ=_environment(state)) as viewer:
        viewer.read_until(_LOADING)
        viewer.read_while(lambda: _GROWING not in viewer.output and _LOADED not in viewer.output, seconds=_READ_S)
        reading, most, end = [], 0, time.monotonic() + _READ_S
        viewer.quiet()
        while _LOADED not in viewer.output:
            assert time.monotonic() < end, "the ledger is not read"
            most = max(most, viewer.resident())
            here = str(viewer.last(CURSOR)).encode()
            page_or_row = b"j" if len(reading) % 2 else b"\x1b[6~"
            reading.append(viewer.press(page_or_row, CURSOR + rb"(?!" + here + rb"\x1b)[0-9]+\x1b"))
            viewer.quiet()
        viewer.quiet()
        viewer.press(b"Gk", CURSOR + rb"[0-9]+\x1b")
        viewer.quiet()
        loaded = []
        for _ in range(_PRESSED):
            row = viewer.last(CURSOR) - 1
            loaded.append(viewer.press(b"k", CURSOR + str(row).encode() + rb"\x1b"))
            viewer.quiet()
        for _ in range(_PRESSED):
            loaded.append(viewer.press(b"\x1b[5~", CURSOR + rb"[0-9]+\x1b"))
            viewer.quiet()
        viewer.press(b"[", rb"after event [0-9,]+")
        for _ in range(_PRESSED):
            viewer.quiet()
            asked = viewer.last(rb"after event ") - 1
            loaded.append(viewer.press(b"[", f"after event {asked:,} ".encode()))
        viewer.quiet()
        _note(found, MEMORY, viewer.resident() / _MB)
        _note(found, LOADED, *_middle_and_high(loaded)[:1])
        _note(found, LOADED_95, *_middle_and_high(loaded)[1:])
        if len(reading) > _PRESSED:
            _note(found, READING, *_middle_and_high(reading)[:1])
            _note(found, READING_95, *_middle_and_high(reading)[1:])
            _note(found, MEMORY_READING, most / _MB)


def _note(found: dict[str, Samples], target: Target, value: float) -> None:
    found[target.key].add(value)


def _middle_and_high(figures: list[float]) -> tuple[float, float]:
    """Return the median and what 95 of 100 are not above."""
    ordered = sorted(figures)
    return ordered[len(ordered) // 2], ordered[min(len(ordered) - 1, len(ordered) * 95 // 100)]


def _environment(state: Path) -> dict[str, str]:
    """Remember no place of an earlier round; modules are compiled once, as they are where the viewer is installed."""
    for place in state.glob("**/places.json"):
        place.unlink()
    return {"XDG_STATE_HOME": os.fspath(state), "PYTHONDONTWRITEBYTECODE": ""}


FAMILY = Family("screens", (FIRST, LOADED, LOADED_95, READING, READING_95, MEMORY, MEMORY_READING), measure)
