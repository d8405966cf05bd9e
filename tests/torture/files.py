"""Files: what lies in the place of another, reads that fail, rights that go, things that change while they are read."""

from __future__ import annotations

import errno
import os
import shutil
import socket
import tempfile
import threading
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random

from core import CoreError, inspect, open_workspace, summarize_run
from tests.support.runs import RUN, SESSION, call, header, response, terminal, text
from tests.support.workspaces import make_run
from tests.torture import faults
from tests.torture.commands import Answer, ask, ask_child, json_laws
from tests.torture.databases import handed_databases
from tests.torture.outcome import Hang, Outcome
from tests.torture.writers import change_for_ever, forged_halves

RUN_AT = f"sessions/{SESSION}/runs/{RUN}"
PLACES = (
    "sessions", f"sessions/{SESSION}", f"sessions/{SESSION}/runs", f"sessions/{SESSION}/session.jsonl", RUN_AT,
    f"{RUN_AT}/run.json", f"{RUN_AT}/runtime-events.jsonl", f"{RUN_AT}/events.jsonl", f"{RUN_AT}/runtime-partials",
    f"{RUN_AT}/runtime-partials/a.partial", "runtime.sqlite", "runtime.sqlite-wal",
)  # fmt: skip
DECIDING = (f"{RUN_AT}/run.json", f"{RUN_AT}/runtime-events.jsonl")
ROWS = [text("e1"), call("e2", "t"), response("e3", "t"), terminal("e4")]

Step = Callable[[Path, Random, bool], Iterator[str]]


def run(cases: int, seed: int, progress: Callable[[int], None] = lambda done: None) -> Outcome:
    """Go through every fault that many times; children of their own are asked from a thousand cases on."""
    outcome = Outcome("files")
    work = Path(tempfile.mkdtemp(prefix="torture-files-"))
    work.chmod(0o755)
    try:
        for number in range(cases):
            step, rng = STEPS[number % len(STEPS)], Random(f"files {seed}:{number}")
            root = work / f"{number}"
            try:
                told = list(step(root, rng, cases >= 1000))
            except Hang as hang:
                told = [str(hang)]
            except Exception:
                # Any exception at all is the finding here.
                told = [traceback.format_exc(limit=-6)]
            outcome.cases += 1
            for law in told:
                outcome.fail(f"files {seed}:{number} {step.__name__}", law)
            shutil.rmtree(root, ignore_errors=True)
            progress(number + 1)
    finally:
        shutil.rmtree(work, ignore_errors=True)
    return outcome


def _workspace(root: Path) -> Path:
    folder = make_run(root, ROWS, head=header(status="completed"), written_ms=1e12)
    (folder / "events.jsonl").write_text('{"type":"tool_started","ts":1,"data":{"toolCallId":"t"}}\n')
    (folder / "runtime-partials").mkdir()
    (folder / "runtime-partials" / "a.partial").write_text('{"version":1,"event":{"partial":true}}\nx')
    (root / "sessions" / SESSION / "session.jsonl").write_text('{"name":"title"}\n')
    return folder


def _answers(root: Path, rng: Random, *, spawn: bool) -> Iterator[tuple[str, Answer]]:
    """Ask what a person asks of a workspace."""
    asked = [
        ("check", root),
        ("runs", root, "--json"),
        ("plan", root),
        ("plan", root, "--json"),
        ("report", root),
        (root,),
    ]
    for words in asked if spawn else rng.sample(asked, 3):
        yield " ".join(map(str, words)), ask_child(*words) if spawn and rng.random() < 0.25 else ask(*words)


def obstacles(root: Path, rng: Random, spawn: bool) -> Iterator[str]:
    """Something else lies where a file or a folder belongs."""
    _workspace(root)
    place = rng.choice(PLACES)
    kind = put_obstacle(root / place, rng)
    for asked, answer in _answers(root, rng, spawn=spawn):
        yield from (f"{kind} at {place}, {asked}: {law}" for law in answer.broken_laws())
        if "--json" in asked:
            yield from (f"{kind} at {place}, {asked}: {law}" for law in json_laws(answer))
        # A run may have written no row yet: without a ledger, or with an empty one, it has none.
        has_none = place.endswith("runtime-events.jsonl") and kind in ("nothing", "empty")
        if place in DECIDING and not has_none and asked.startswith("check") and answer.code != 3:
            yield f"{kind} at {place}: check ends with {answer.code}"


def put_obstacle(path: Path, rng: Random) -> str:
    """Put something in the place of what lies there and say what it is."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
    kind = rng.choice(("fifo", "folder", "socket", "loop", "nowhere", "device", "memory", "nothing", "empty", "deep"))
    if kind == "fifo":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    elif kind == "socket":
        short = Path(tempfile.mkdtemp(dir="/tmp"))
        (short / "d").symlink_to(path.parent)
        with socket.socket(socket.AF_UNIX) as made:
            made.bind(str(short / "d" / path.name))
        shutil.rmtree(short)
    elif kind == "empty":
        path.touch()
    elif kind == "deep":
        path.mkdir()
        (path / ("x" * 200)).mkdir()
    elif kind != "nothing":
        targets = {"loop": path.name, "nowhere": "/nowhere/at/all", "device": "/dev/zero", "memory": "/proc/self/mem"}
        path.symlink_to(targets[kind])
    return kind


def reads_that_are_short(root: Path, rng: Random, spawn: bool) -> Iterator[str]:
    """However the bytes come, and however often a signal comes between, the answer is the same."""
    _workspace(root)
    whole = ask("plan", root, "--json")
    with faults.short_reads(rng):
        if ask("plan", root, "--json") != whole:
            yield "short reads change the answer"
    with faults.interruptions():
        if ask("plan", root, "--json") != whole:
            yield "signals change the answer"


def reads_that_fail(root: Path, rng: Random, spawn: bool) -> Iterator[str]:
    """Let reads fail: that is a finding, and the run is not replayed."""
    folder = make_run(root, [text("e0", "x" * 3000) for _ in range(300)] + [call("e1")], head=header(status="running"))
    code = rng.choice((errno.EIO, errno.EACCES, errno.ESTALE, errno.ENOMEM, errno.EBADF))
    with faults.failing_reads(rng.randrange(12), code):
        yield from ask("plan", root, "--json").broken_laws((1, 3))
        ledger = open_workspace(folder).runs()[0].ledger()
    if not inspect(ledger).plan.blocked:
        yield "what could not be read is replayed"


def calls_that_fail(root: Path, rng: Random, spawn: bool) -> Iterator[str]:
    """Let listing, opening or asking after a file fail at any point."""
    _workspace(root)
    name = rng.choice(("open", "stat", "lstat", "fstat", "scandir", "listdir", "readlink"))
    code = rng.choice(
        (errno.EIO, errno.EACCES, errno.EMFILE, errno.ENOENT, errno.ENOTDIR, errno.ELOOP, errno.ENAMETOOLONG)
    )
    first = rng.randrange(14)
    with faults.failing_calls(name, first, code):
        answer = ask(rng.choice(("check", "plan", "runs", "report")), root)
    yield from (f"os.{name} from call {first} on, {errno.errorcode[code]}: {law}" for law in answer.broken_laws())


def rights_that_are_missing(root: Path, rng: Random, spawn: bool) -> Iterator[str]:
    """Take rights away: what may not be read is said, and its run is not replayed."""
    _workspace(root)
    for path in [root, *root.rglob("*")]:
        path.chmod(0o755 if path.is_dir() else 0o644)
    place = rng.choice([path for path in (".", *PLACES) if (root / path).exists()])
    (root / place).chmod(rng.choice((0, 0o200, 0o100) if (root / place).is_dir() else (0, 0o200)))
    try:
        with faults.as_nobody():
            answer = ask("check", root)
    finally:
        (root / place).chmod(0o700)
    yield from (f"no right to read {place}: {law}" for law in answer.broken_laws())
    hidden = place not in (f"sessions/{SESSION}/session.jsonl",) and "events.jsonl" not in Path(place).name
    if (place in DECIDING or (hidden and "partial" not in place)) and answer.code == 0:
        yield f"no right to read {place}: check ends with 0"


def changes_from_a_thread(root: Path, rng: Random, spawn: bool) -> Iterator[str]:
    """Whatever another does to the ledger meanwhile, no mix of its states is replayed and nothing is raised."""
    folder = make_run(root, [], head=header(status="running"))
    path = folder / "runtime-events.jsonl"
    halves = forged_halves(rng.choice((40, 1200)))
    path.write_bytes(halves[0])
    stop = threading.Event()
    writer = threading.Thread(target=change_for_ever, args=(path, halves, Random(rng.random()), stop))
    writer.start()
    try:
        for _ in range(12):
            yield from _look(root)
    finally:
        stop.set()
        writer.join()


def _look(root: Path) -> Iterator[str]:
    try:
        (run_,) = open_workspace(root).runs()
    except CoreError:
        return
    summary = summarize_run(run_)
    if not summary.blocked and summary.events:
        yield f"a mix of two ledgers is replayed: {summary.events} events, {summary.findings}"


def names(root: Path, rng: Random, spawn: bool) -> Iterator[str]:
    """Names that are not UTF-8, hold control characters, or are very long."""
    _workspace(root)
    base = os.fsencode(root / rng.choice(("", "sessions", f"sessions/{SESSION}/runs", f"{RUN_AT}/runtime-partials")))
    for name in (b"\xff\xfe", b"a\nb", b"\x1b[31m", "\u202e".encode(), b"x" * 255, b"-", b"%s", b"a b", b"'"):
        Path(os.fsdecode(base + b"/" + name + (b".partial" if rng.random() < 0.3 and len(name) < 200 else b""))).mkdir()
    for asked, answer in _answers(root, rng, spawn=spawn):
        yield from (f"{asked}: {law}" for law in answer.broken_laws())
        if b"\x1b[31m" in answer.out:
            yield f"{asked}: a control sequence is printed"
    odd = os.fsdecode(os.fsencode(root) + b"-\xff")
    Path(root).rename(odd)
    try:
        yield from ask("check", odd).broken_laws((0, 3))
        yield from json_laws(ask("runs", odd, "--json"))
    finally:
        shutil.rmtree(odd, ignore_errors=True)


def deep_folders(root: Path, rng: Random, spawn: bool) -> Iterator[str]:
    """Go as deep as a path may be long, and deeper."""
    root.mkdir()
    before = os.open(".", os.O_RDONLY)
    try:
        os.chdir(root)
        for _ in range(rng.choice((5, 14, 16))):
            Path("d" * 240).mkdir()
            os.chdir("d" * 240)
        _workspace(Path("w"))
        deep = f"{root}{('/' + 'd' * 240) * 15}/w"
        for path in ("w", deep[: rng.choice((4000, 4095, 4200))]):
            yield from ask("check", path).broken_laws()
    finally:
        os.fchdir(before)
        os.close(before)


def copies_that_do_not_fit(root: Path, rng: Random, spawn: bool) -> Iterator[str]:
    """Open a database where its private copy does not fit on the disk: it is said, and no part of the copy stays."""
    root.mkdir()
    handed = rng.choice(handed_databases())
    for end, payload in handed.files.items():
        (root / f"runtime.sqlite{end}").write_bytes(payload)
    scratch = root.with_name(f"{root.name}-scratch")
    scratch.mkdir()
    before = tempfile.tempdir
    tempfile.tempdir = str(scratch)
    try:
        with faults.no_file_longer_than(rng.choice((0, 100, 4096, 30_000, 100_000))):
            answer = ask(rng.choice(("check", "runs")), root)
        left = [path.name for path in scratch.iterdir()]
    finally:
        tempfile.tempdir = before
        shutil.rmtree(scratch, ignore_errors=True)
    yield from (f"{handed.name}: {law}" for law in answer.broken_laws())
    if left:
        yield f"{handed.name}: left in the temporary folder: {left}"


STEPS: tuple[Step, ...] = (
    copies_that_do_not_fit,
    obstacles, obstacles, obstacles, obstacles, reads_that_are_short, reads_that_fail, reads_that_fail, calls_that_fail,
    calls_that_fail, rights_that_are_missing, changes_from_a_thread, names, deep_folders,
)  # fmt: skip
