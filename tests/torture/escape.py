"""Escaping: no id, path or link of a workspace makes us open or change what lies outside, or write over anything."""

from __future__ import annotations

import json
import os
import shutil
import stat
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

from tests.support.runs import SESSION, call, event, header, response, text
from tests.support.workspaces import fingerprint, make_run
from tests.torture.commands import REPO, ask
from tests.torture.outcome import Hang, Outcome

Step = Callable[[Path, Random], Iterator[str]]
SECRET = "a-secret-that-lies-outside"
PATHS = (
    "../secret", "../../secret", "../../../secret", "../../../../secret", "{out}/secret", "{out}", "..", ".",
    "/etc/passwd",
    "file://{out}/secret", "~/secret", "secret\x00", "a/../../../../secret", "%2e%2e/secret", "..\\secret", "$HOME",
    "{out}/new",
)  # fmt: skip


def run(cases: int, seed: int, progress: Callable[[int], None] = lambda done: None) -> Outcome:
    """Set that many traps and see whether one of them is walked into."""
    outcome = Outcome("escape")
    work = Path(tempfile.mkdtemp(prefix="torture-escape-"))
    try:
        for number in range(cases):
            step, rng = STEPS[number % len(STEPS)], Random(f"escape {seed}:{number}")
            place = work / f"{number}"
            (place / "out").mkdir(parents=True)
            (place / "out" / "secret").write_text(SECRET)
            try:
                told = list(step(place, rng))
            except Hang as hang:
                told = [str(hang)]
            except Exception:
                # Any exception at all is the finding here.
                told = [traceback.format_exc(limit=-5)]
            outcome.cases += 1
            for law in told:
                outcome.fail(f"escape {seed}:{number} {step.__name__}", law)
            shutil.rmtree(place, ignore_errors=True)
            progress(number + 1)
    finally:
        shutil.rmtree(work, ignore_errors=True)
    return outcome


def _path(rng: Random, place: Path) -> str:
    return rng.choice(PATHS).replace("{out}", str(place / "out"))


def _hostile(place: Path, rng: Random) -> Path:
    """Make a workspace whose every id and path leads outside."""

    def path() -> str:
        return _path(rng, place)

    source = {
        "sourceInvocationId": path(), "sourceRunId": path(), "sourceTurnId": path(), "sourceRuntimeEventHighWater": 1,
    }  # fmt: skip
    changes: dict[str, Any] = {
        "cwd": path(), "continuationSource": source, "parentRunId": path(), "parentSessionId": path(),
        "workspaceIdentity": path(), "resumedFromRunId": path(), "modelId": path(),
    }  # fmt: skip
    chosen = {key: changes[key] for key in rng.sample(list(changes), rng.randrange(len(changes) + 1))}
    attachment = {
        "kind": "other", "name": path(), "mimeType": "x", "bytes": 1,
        "ref": {"kind": "external_file", "absolutePath": path()},
    }  # fmt: skip
    rows = [
        event(path(), content={"kind": "text", "text": path(), "attachments": [attachment]}),
        call(path(), path(), {"path": path(), "file_path": path(), "command": f"cat {path()}"}),
        response("r0", path(), {"path": path()}),
        event(
            "e9",
            role="system",
            author="system",
            refs={"sourceRunId": path(), "artifactId": path(), "traceEventId": path()},
        ),
    ]
    folder = make_run(place / "w", rng.sample(rows, rng.randint(1, 4)), head=header(**chosen))
    (folder / "events.jsonl").write_text(json.dumps({"type": path(), "ts": 1, "data": {"toolCallId": path()}}) + "\n")
    (folder / "runtime-partials").mkdir()
    snapshot = {
        "version": 1,
        "event": {"partial": True, "id": path(), "refs": {"toolCallId": path()}},
        "afterEventId": path(),
    }
    (folder / "runtime-partials" / "..partial").write_text(json.dumps(snapshot) + "\n")
    (place / "w" / "sessions" / SESSION / "session.jsonl").write_text(json.dumps({"name": path()}) + "\n")
    return place / "w"


def _links(root: Path, place: Path, rng: Random) -> None:
    """Put a link that leads outside in the place of something."""
    inside = [path for path in root.rglob("*") if not path.is_symlink()]
    if not inside:
        return
    path = rng.choice(inside)
    outside = place / "out" / rng.choice(("moved", "secret"))
    if outside.name == "moved":
        shutil.move(path, outside)
        for found in [outside, *outside.rglob("*")]:
            if found.is_file():
                found.write_bytes(found.read_bytes() + SECRET.encode())
    elif path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink()
    path.symlink_to(outside)


def _watched(place: Path, words: list[str]) -> tuple[list[tuple[str, str, bool]], bytes]:
    report = place / "watched.json"
    known = {**os.environ, "PYTHONPATH": str(REPO), "TMPDIR": str(place / "tmp"), "HOME": str(place / "home")}
    known.pop("XDG_CONFIG_HOME", None)
    (place / "tmp").mkdir(exist_ok=True)
    command = [sys.executable, "-P", "-m", "tests.torture.watch", str(report), *words]
    done = subprocess.run(command, env=known, cwd=place, capture_output=True, timeout=90, check=False)
    if not report.exists():
        raise RuntimeError(f"nothing was watched: {done.stderr[-800:]!r}")
    return [tuple(one) for one in json.loads(report.read_text())], done.stdout + done.stderr


def reading_stays_inside(place: Path, rng: Random) -> Iterator[str]:
    """Whatever is asked, only the workspace is opened, and only for reading; what lies outside is never told."""
    root = _hostile(place, rng)
    links = rng.random() < 0.6
    if links:
        _links(root, place, rng)
    before = fingerprint(place / "out"), {path: path.lstat().st_mtime_ns for path in root.rglob("*")}
    words = rng.choice(
        (["plan", "w"], ["plan", "w", "--json"], ["check", "w"], ["report", "w"], ["runs", "w", "--json"], ["w"])
    )
    touched, said = _watched(place, words)
    for what, path, writes in touched:
        if _is_of_python(path) or path == os.devnull:
            continue
        real = os.path.normpath(path)
        if not real.startswith(f"{root}{os.sep}") and real != str(root) and not real.startswith(str(place / "tmp")):
            yield f"{words}: {what} of {path}"
        elif writes and not real.startswith(str(place / "tmp")):
            yield f"{words}: {what} changes {path}"
        elif _leads_out(real, root):
            yield f"{words}: {what} of {path}, which leads to {os.path.realpath(path)}"
    if SECRET.encode() in said:
        yield f"{words}: what lies outside was told: {said[-300:]!r}"
    if before != (fingerprint(place / "out"), {path: path.lstat().st_mtime_ns for path in root.rglob("*")}):
        yield f"{words}: something was changed"


def _leads_out(path: str, root: Path) -> bool:
    """Tell whether a path that was opened really lies outside; one that the system refused to follow is none."""
    real = os.path.realpath(path)
    if real.startswith(f"{root}{os.sep}") or real == str(root):
        return False
    # The last link is refused by the system itself, as what was told shows; a link on the way is followed by it.
    folder = Path(os.path.normpath(path)).parent
    return os.path.realpath(folder) != str(folder)


def _is_of_python(path: str) -> bool:
    places = (sys.prefix, sys.base_prefix, str(REPO), "/usr", "/proc", "/etc/localtime", "/dev/urandom", "/lib", "/opt")
    return path.startswith(places) or path.endswith((".pyc", ".py", ".so"))


def outputs_are_new_and_private(place: Path, rng: Random) -> Iterator[str]:
    """Take evidence away: nothing is overwritten, no link followed, and others cannot read it."""
    root = make_run(place / "w", [text("e1"), call("e2")]).parent.parent.parent.parent
    before = fingerprint(root)
    old = os.umask(rng.choice((0, 0o022, 0o077)))
    try:
        for words in (["report", root, "-o"], ["export", "--redact", root, "-o"]):
            yield from _output(place, rng, words)
    finally:
        os.umask(old)
    if fingerprint(root) != before:
        yield "the workspace was changed"


def _output(place: Path, rng: Random, words: list[Any]) -> Iterator[str]:
    kind = rng.choice(("new", "file", "link", "dangling", "folder", "inside", "through", "missing", "fifo"))
    target = place / f"{kind}-{words[0]}"
    if kind == "file":
        target.write_text("kept")
    elif kind == "link":
        target.symlink_to(place / "out" / "secret")
    elif kind == "dangling":
        target.symlink_to(place / "out" / "new")
    elif kind == "folder":
        target.mkdir()
    elif kind == "inside":
        target = place / "w" / "sessions" / "report.md"
    elif kind == "through":
        (place / "way").unlink(missing_ok=True)
        (place / "way").symlink_to(place / "w")
        target = place / "way" / "report.md"
    elif kind == "missing":
        target = place / "no" / "such" / "folder"
    elif kind == "fifo":
        os.mkfifo(target)
    answer = ask(*words, target)
    yield from (f"{words[0]} to {kind}: {law}" for law in answer.broken_laws())
    if (answer.code == 0) != (kind == "new"):
        yield f"{words[0]} to {kind} ends with {answer.code}: {answer.error}"
    if kind == "file" and target.read_text() != "kept":
        yield f"{words[0]} wrote over a file"
    if (place / "out" / "secret").read_text() != SECRET or (place / "out" / "new").exists():
        yield f"{words[0]} wrote through a {kind}"
    for made in [target, *target.rglob("*")] if kind == "new" else []:
        if stat.S_IMODE(made.stat().st_mode) & 0o077:
            yield f"{made.name} can be read by others: {stat.filemode(made.stat().st_mode)}"


def crash_folders_are_private(place: Path, rng: Random) -> Iterator[str]:
    """Keep a demo: its folder is new and private, whatever the mask of the process is."""
    old = os.umask(0)
    try:
        target = place / "kept"
        answer = ask("demo", "--keep", target)
        yield from answer.broken_laws((0, 2))
        if answer.code == 0 and stat.S_IMODE(target.stat().st_mode) & 0o077:
            yield f"the folder of a demo can be read by others: {stat.filemode(target.stat().st_mode)}"
        if answer.code == 0 and ask("demo", "--keep", target).code == 0:
            yield "a demo was written over another"
    finally:
        os.umask(old)


STEPS: tuple[Step, ...] = (
    crash_folders_are_private,
    reading_stays_inside,
    reading_stays_inside,
    reading_stays_inside,
    outputs_are_new_and_private,
)
