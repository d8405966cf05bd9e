"""Processes that write a run as badly as they can, are killed and come back, while somebody follows it.

`python -m tests.support.unruly ROOT SEED` writes until it is killed: rows through the real store, rows in pieces, cuts
at rows and inside them, other files in the place of the ledger, new headers. With a third argument, a database.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from core import CoreError, Ledger, RunNews, RuntimeEventStore, inspect, open_workspace
from tests.support.live_database import LiveDatabase
from tests.support.runs import LEDGER_PATH, RUN, RUN_PATH, SESSION, call, header, response, text

HERE: Final = Path(__file__).resolve().parents[2]
_AT_MOST: Final = 400_000
"""Bytes. A longer ledger is cut, so that comparing stays quick."""


class _Files:
    """Writes the files of one run."""

    def __init__(self, root: Path, dice: random.Random) -> None:
        self.root, self.dice = root, dice
        self.ledger = root / LEDGER_PATH
        self.store = RuntimeEventStore(root)
        self.name = f"{os.getpid()}-{dice.random()}"
        self.count = 0

    def row(self) -> dict[str, Any]:
        self.count += 1
        name = f"{self.name}-{self.count}"
        kind = self.dice.random()
        if kind < 0.4:
            return call(name, f"t-{name}", {"command": "x" * self.dice.randrange(300)})
        return text(name, "naïve ☃ " * self.dice.randrange(200))

    def step(self) -> None:
        """Do one thing: mostly append, sometimes through the store."""
        what = self.dice.random()
        if self.ledger.exists() and self.ledger.stat().st_size > _AT_MOST:
            self._cut(self.dice.randrange(5000))
        elif what < 0.45:
            self._store(self.row())
        elif what < 0.8:
            self._raw(b"".join(_line(self.row()) for _ in range(self.dice.randrange(1, 20))))
        elif what < 0.92:
            self._in_pieces(_line(self.row()))
        elif what < 0.96:
            self._cut(max(0, self._size() - self.dice.randrange(3000)))
        elif what < 0.97:
            self._replace()
        else:
            self._head()

    def _store(self, row: dict[str, Any]) -> None:
        try:
            self.store.append(SESSION, RUN, row)
            if row["role"] == "model":
                self.store.append(SESSION, RUN, response(f"{row['id']}-r", row["content"]["id"]))
        except CoreError:
            # Damaged beyond what the store repairs: a new start, as a person would make one.
            self._cut(0 if self.dice.random() < 0.3 else self.ledger.read_bytes().rfind(b"\n") + 1)
            self.store = RuntimeEventStore(self.root)

    def _raw(self, payload: bytes) -> None:
        with self.ledger.open("ab") as file:
            file.write(payload)

    def _in_pieces(self, payload: bytes) -> None:
        place = 0
        while place < len(payload):
            size = self.dice.randrange(1, 200)
            self._raw(payload[place : place + size])
            place += size
            time.sleep(0.001)

    def _size(self) -> int:
        return self.ledger.stat().st_size if self.ledger.exists() else 0

    def _cut(self, size: int) -> None:
        if self.ledger.exists():
            os.truncate(self.ledger, size)

    def _replace(self) -> None:
        other = self.ledger.with_suffix(".new")
        other.write_bytes(b"".join(_line(self.row()) for _ in range(5)))
        other.replace(self.ledger)

    def _head(self) -> None:
        other = self.root / RUN_PATH / "run.new"
        other.write_text(json.dumps(header(status=self.dice.choice(["running", "failed", "completed"]))))
        other.replace(self.root / RUN_PATH / "run.json")


class _Tables:
    """Writes one run of a database."""

    def __init__(self, root: Path, dice: random.Random) -> None:
        self.dice = dice
        self.database = LiveDatabase(root)
        self.name = f"{os.getpid()}-{dice.random()}"
        self.count = 0

    def step(self) -> None:
        """Commit a call and its response, half of that, or another header; sometimes take rows back."""
        what = self.dice.random()
        self.count += 1
        name = f"{self.name}-{self.count}"
        if what < 0.85:
            asked = call(name, f"t-{name}", {"command": "x" * self.dice.randrange(300)})
            self.database.add(*((asked, response(f"{name}-r", f"t-{name}")) if what < 0.7 else (asked,)))
        elif what < 0.9 or self.database.rows_of(RUN) > 600:
            self.database.take_back(RUN, self.dice.randrange(200))
        elif what < 0.95:
            self.database.head(status=self.dice.choice(["running", "failed"]))
        else:
            self.database.close()
        time.sleep(self.dice.random() / 100)


def _line(row: dict[str, Any]) -> bytes:
    return json.dumps(row, ensure_ascii=False).encode() + b"\n"


def _write(root: Path, seed: int, *, database: bool) -> None:
    dice = random.Random(seed)
    writer = _Tables(root, dice) if database else _Files(root, dice)
    sys.stdout.write("begun\n")
    sys.stdout.flush()
    while True:
        writer.step()
        if dice.random() < 0.05:
            time.sleep(dice.random() / 20)


@dataclass
class Following:
    """What following such writers showed."""

    looks: Counter[str] = field(default_factory=Counter)
    lives: int = 0
    wrong: list[str] = field(default_factory=list)
    descriptors: list[int] = field(default_factory=list)
    resident: list[int] = field(default_factory=list)
    """Bytes of memory after each life."""


def follow(root: Path, seed: int, lives: Callable[[int], bool], *, database: bool = False) -> Following:
    """Follow a run through the lives of its writers, as many as `lives` lets begin; compare after each death."""
    dice, found = random.Random(seed), Following()
    if database:
        first = LiveDatabase(root)
        first.head()
        first.close()
    else:
        (root / RUN_PATH).mkdir(parents=True)
        (root / RUN_PATH / "run.json").write_text(json.dumps(header()))
    with open_workspace(root) as workspace:
        follower = workspace.run(RUN).follow()
        news: RunNews | None = None
        while lives(found.lives):
            command = [sys.executable, "-m", "tests.support.unruly", str(root), str(dice.randrange(1 << 30))]
            child = subprocess.Popen([*command, "database"] if database else command, stdout=subprocess.PIPE, cwd=HERE)
            assert child.stdout is not None
            child.stdout.readline()
            for _ in range(dice.randrange(20, 200)):
                news = _look(follower, found) or news
                time.sleep(dice.random() / 50)
            child.kill()
            child.communicate()
            found.lives += 1
            # Twice: what was written in the tick of the clock before the last look shows with the next.
            for _ in range(2):
                news = _look(follower, found) or news
                time.sleep(0.06)
            news = _look(follower, found) or news
            if news is None:
                found.wrong.append(f"life {found.lives}: nothing was read")
                break
            with open_workspace(root) as fresh:
                ledger = fresh.run(RUN).ledger()
                difference = _difference(news.ledger, ledger)
                ledger.close()
            if difference:
                found.wrong.append(f"life {found.lives}: {difference}")
            found.descriptors.append(_descriptors())
            found.resident.append(_resident())
        follower.close()
    return found


def _look(follower: Any, found: Following) -> RunNews | None:
    try:
        news: RunNews | None = follower.poll(time.time() * 1000)
    except CoreError as error:
        found.looks[error.code] += 1
        return None
    said = "" if news is None else news.said.partition(" by ")[0].partition(":")[0].rstrip(".")
    found.looks["nothing new" if news is None else said or ("read anew" if news.anew else "read on")] += 1
    return news


def _difference(followed: Ledger, fresh: Ledger) -> str:
    """Say in what two readings differ; empty where they agree."""
    for name in ("kinds", "offsets", "lengths", "times", "committed"):
        if repr(getattr(followed.rows, name)) != repr(getattr(fresh.rows, name)):
            return f"rows differ in their {name}: {len(followed.rows)} and {len(fresh.rows)} rows"
    if followed.findings != fresh.findings or followed.header != fresh.header:
        return f"findings or header differ: {followed.findings} and {fresh.findings}"
    one, other = inspect(followed), inspect(fresh)
    if (one.verdict, one.plan.as_document()) != (other.verdict, other.plan.as_document()):
        return f"verdict or plan differ: {one.verdict} and {other.verdict}"
    return "" if followed.tool_ledger.blocked_after == fresh.tool_ledger.blocked_after else "the strips differ"


def _descriptors() -> int:
    place = Path("/proc/self/fd")
    return sum(1 for _ in place.iterdir()) if place.is_dir() else 0


def _resident() -> int:
    place = Path("/proc/self/statm")
    return int(place.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") if place.exists() else 0


if __name__ == "__main__":
    _write(Path(sys.argv[1]), int(sys.argv[2]), database=len(sys.argv) > 3)
