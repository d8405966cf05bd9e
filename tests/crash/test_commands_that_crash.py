"""`crash-test` and `demo` as a person runs them."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """Return the folder in which the commands make their temporary folders."""
    place = tmp_path / "temporary"
    place.mkdir()
    return place


def run(place: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run a command of maka-ledger without a terminal."""
    return subprocess.run(
        [sys.executable, "-m", "viewer", *words],
        cwd=ROOT,
        env=environ(place),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )


def environ(place: Path) -> dict[str, str]:
    """Return the environment of a command whose temporary folders are to lie in a place."""
    return {**os.environ, "TMPDIR": str(place), "TEMP": str(place), "TMP": str(place), "PYTHONIOENCODING": "utf-8"}


def test_crash_test_has_a_line_a_failpoint(place: Path) -> None:
    """Each chosen failpoint has its line with boundary, prefix, expectation and PASS; all is well, so the code is 0."""
    done = run(place, "crash-test", "--failpoint", "P3", "P6", "--torn", "1")
    first, second, torn, total, caution = done.stdout.splitlines()

    assert first.split()[0] == "P3"
    assert "while the implementation runs" in first
    assert "after_function_call" in first
    assert "blocked, 1 indeterminate" in first
    assert first.endswith("seen the same  PASS")
    assert second.startswith("P6 ")
    assert torn.startswith("torn 0 ")
    assert total.startswith("2 of 2 failpoints passed, 1 of 1 kills")
    assert "nothing is claimed about what reached the disk" in caution
    assert (done.returncode, done.stderr, list(place.iterdir())) == (0, "", [])


def test_crash_test_speaks_json(place: Path) -> None:
    """With --json there is one document and nothing else."""
    done = run(place, "crash-test", "--failpoint", "P0", "--json")
    document = json.loads(done.stdout)

    assert document["schema"] == "maka-ledger/crash-test@1"
    assert [found["id"] for found in document["failpoints"]] == ["P0"]
    assert done.returncode == 0


def test_crash_test_keeps_its_workspace(place: Path, tmp_path: Path) -> None:
    """With --keep the crashed workspace stays and can be read; a folder with anything in it is refused, untouched."""
    kept = tmp_path / "kept"
    assert run(place, "crash-test", "--failpoint", "P3", "--keep", str(kept)).returncode == 0
    listed = run(place, "runs", str(kept))
    again = run(place, "crash-test", "--failpoint", "P3", "--keep", str(kept))

    assert "run-P3" in listed.stdout
    assert again.returncode == 2
    assert "not empty" in again.stderr
    assert len(list((kept / "sessions").iterdir())) == 1


def test_unknown_failpoint_is_wrong_usage(place: Path) -> None:
    """A failpoint that does not exist is one line on standard error and code 2."""
    done = run(place, "crash-test", "--failpoint", "P99")

    assert done.returncode == 2
    assert "P99" in done.stderr
    assert done.stderr.count("\n") == 1


def test_demo_without_a_terminal_prints_the_report(place: Path) -> None:
    """Nothing to look at, so the report is printed; the code is 0 and the folder is gone."""
    done = run(place, "demo")

    assert "MAY HAVE RUN" in done.stdout
    assert "npm run deploy -- --prod" in done.stdout
    assert "MAY BE RUNNING" not in done.stdout
    assert (done.returncode, list(place.iterdir())) == (0, [])


def test_demo_is_kept_where_asked(place: Path, tmp_path: Path) -> None:
    """With --keep the workspace stays; a folder with anything in it is refused, untouched."""
    kept, taken = tmp_path / "kept", tmp_path / "taken"
    taken.mkdir()
    (taken / "mine").write_text("keep")

    assert run(place, "demo", "--keep", str(kept)).returncode == 0
    assert "MAY HAVE RUN" in run(place, "runs", str(kept)).stdout
    refused = run(place, "demo", "--keep", str(taken))
    assert refused.returncode == 2
    assert "not empty" in refused.stderr
    assert [path.name for path in taken.iterdir()] == ["mine"]


if sys.platform != "win32":
    from tests.support.pty import Terminal

    @pytest.mark.parametrize(("end", "code"), [(b"q", 0), (b"\x03", 0), (signal.SIGTERM, 143), (signal.SIGHUP, 129)])
    def test_demo_is_removed_however_it_is_left(place: Path, end: bytes | signal.Signals, code: int) -> None:
        """By a key or by a signal, the terminal is given back and the folder is removed."""
        command = [sys.executable, "-m", "viewer", "demo"]
        with Terminal(command, size=(120, 36), environ=environ(place), cwd=str(ROOT)) as terminal:
            terminal.read_until(b"MAY HAVE RUN", seconds=60)
            assert [path.name.startswith("maka-ledger-demo-") for path in place.iterdir()] == [True]
            if isinstance(end, bytes):
                terminal.send(end)
            else:
                terminal.process.send_signal(end)
            ended = terminal.wait(seconds=60)

        assert ended.code == code
        assert list(place.iterdir()) == []
        assert ended.output.count(b"\x1b[?1049h") == ended.output.count(b"\x1b[?1049l")

    @pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
    def test_interrupted_crash_test_leaves_nothing(place: Path, number: signal.Signals, code: int) -> None:
        """A crash test that is ended between two failpoints ends its children and removes their folder."""
        with subprocess.Popen(
            # So many that none is fast enough to be done before the signal comes.
            [sys.executable, "-m", "viewer", "crash-test", "--torn", "1000"],
            cwd=ROOT,
            env=environ(place),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        ) as process:
            assert process.stdout is not None
            process.stdout.readline()
            process.send_signal(number)
            process.communicate(timeout=60)

        assert process.returncode == code
        assert list(place.iterdir()) == []
