"""The command line in a process of its own: pipes, encodings, signals, and terminals."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.command import COMMAND, SOURCE, environment, maka
from tests.support.harbor import calm_run, harbor_workspace
from tests.support.hostile import hostile_workspace
from tests.support.runs import call, text
from tests.support.workspaces import make_run

posix = pytest.mark.skipif(sys.platform == "win32", reason="POSIX pipes, signals and devices")


@pytest.fixture(scope="module")
def harbor(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a workspace with every verdict."""
    return harbor_workspace(tmp_path_factory.mktemp("harbor"), 3)


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a workspace whose document is larger than any pipe."""
    root = tmp_path_factory.mktemp("large")
    make_run(root, [text("e1"), call("e2", args={"command": "x" * 4_000_000})])
    return root


def test_without_a_terminal_the_report_is_written(harbor: Path) -> None:
    """A pipe gets the report instead of a screen, and 0."""
    done = maka(str(harbor))

    assert done.returncode == 0
    assert b"\x1b" not in done.stdout
    assert "✗ REPLAY BLOCKED" in done.stdout.decode()
    assert done.stderr == b""


@posix
@pytest.mark.parametrize("words", ["runs .", "check sessions", "report {harbor} -o x", "export {harbor} --redact -o x"])
def test_a_current_folder_that_is_gone_is_told(harbor: Path, tmp_path: Path, words: str) -> None:
    """What is named from there on cannot be found; that is a wrong place, and no fault of ours."""
    there = tmp_path / "there"
    there.mkdir()
    run = f"{harbor}#run-7f3e"
    asked = words.format(harbor=run if words.startswith("export") else harbor).split()
    command = ["sh", "-c", 'rmdir ../there && exec "$@"', "sh", *COMMAND, *asked]
    done = subprocess.run(command, cwd=there, env=environment(), capture_output=True, check=False, timeout=60)

    assert done.returncode == 2
    assert done.stderr.count(b"\n") == 1
    assert b"fault" not in done.stderr


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "utf-16"])
def test_any_encoding_will_do(harbor: Path, tmp_path: Path, encoding: str) -> None:
    """No locale makes a command fail, and the signs stay apart: only MAY HAVE RUN is a question mark."""
    hostile_workspace(tmp_path)
    for root in (harbor, tmp_path):
        done = maka("runs", str(root), environ={"PYTHONIOENCODING": encoding})
        assert done.returncode == 0
        assert done.stderr == b""
        lines = done.stdout.decode(encoding).splitlines()
        starts = [line for line in lines if line.startswith("?")]
        assert starts
        assert all(line.startswith("? MAY HAVE RUN") for line in starts)
    assert maka("plan", str(harbor / "no"), environ={"PYTHONIOENCODING": encoding}).returncode == 2


def test_documents_are_utf_8_in_any_locale(harbor: Path) -> None:
    """JSON is UTF-8 whatever the locale says."""
    done = maka("plan", f"{harbor}#run-7f3e", "--json", environ={"PYTHONIOENCODING": "ascii"})

    assert json.loads(done.stdout.decode("utf-8"))["runId"] == "run-7f3e"


@posix
@pytest.mark.parametrize("words", [["plan", "--json"], ["check", "--json"], ["plan"]])
def test_a_reader_that_leaves_is_no_error(large: Path, words: list[str]) -> None:
    """When nobody reads on the command is quiet, and its exit code is still the answer."""
    process = subprocess.Popen(
        [*COMMAND, words[0], str(large), *words[1:]],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(),
        cwd=SOURCE,
    )
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()

    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait(60) == 1


@posix
def test_an_interrupt_is_130(large: Path) -> None:
    """ctrl+c ends a command that still writes, without a traceback."""
    with subprocess.Popen(
        [*COMMAND, "plan", str(large), "--json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(),
        cwd=SOURCE,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        # The document does not fit the pipe: after its first byte the command waits for us.
        assert process.stdout.read(1) == b"{"
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 130
        assert b"Traceback" not in process.stderr.read()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no device that is always full")
def test_a_full_disk_is_told(harbor: Path) -> None:
    """Output that cannot be written is an error of its own, in one line."""
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [*COMMAND, "runs", str(harbor)],
            stdout=full,
            stderr=subprocess.PIPE,
            env=environment(),
            cwd=SOURCE,
            timeout=60,
            check=False,
        )
    assert done.returncode == 3
    assert done.stderr.startswith(b"maka-ledger: the output cannot be written: ")
    assert done.stderr.count(b"\n") == 1


@posix
def test_closed_streams_do_not_matter(harbor: Path) -> None:
    """Without standard streams the exit code is still the answer."""
    command = " ".join([*COMMAND, "check", str(harbor), "<&-", ">&-", "2>&-"])
    done = subprocess.run(["/bin/sh", "-c", command], env=environment(), cwd=SOURCE, timeout=60, check=False)

    assert done.returncode == 3


@posix
def test_names_that_are_no_text(tmp_path: Path) -> None:
    """A path of any bytes can be opened, shown safely and written to a document."""
    root = tmp_path / os.fsdecode(b"caf\xe9\xff\x1b[2J")
    calm_run(root, "s1", "a", "2026-11-29 12:00:00", 4)

    done = maka("runs", str(root))
    assert done.returncode == 0
    assert b"\x1b" not in done.stdout
    done = maka("runs", str(root), "--json")
    assert json.loads(done.stdout)["path"] == str(root)


if sys.platform != "win32":
    from tests.support.pty import Terminal

    @pytest.mark.parametrize(
        ("variables", "words", "coloured"),
        [
            ({}, [], True),
            ({"NO_COLOR": "1"}, [], False),
            ({"NO_COLOR": ""}, [], True),
            ({"TERM": "dumb"}, [], False),
            ({}, ["--no-color"], False),
        ],
    )
    def test_colour_only_where_it_is_wanted(
        harbor: Path, variables: dict[str, str], words: list[str], coloured: bool
    ) -> None:
        """A terminal gets colour unless NO_COLOR, TERM=dumb or --no-color say otherwise."""
        command = [*COMMAND, "runs", str(harbor), *words]
        with Terminal(command, environ=environment(**variables), cwd=str(SOURCE)) as tty:
            ended = tty.wait()
        assert (b"\x1b[" in ended.output) is coloured
        assert "MAY HAVE RUN" in ended.output.decode()

    def test_a_dumb_terminal_gets_the_report(harbor: Path) -> None:
        """Where no screen can be drawn, opening writes the report."""
        with Terminal([*COMMAND, str(harbor)], environ={"TERM": "dumb"}, cwd=str(SOURCE)) as tty:
            ended = tty.wait()
        assert ended.code == 0
        assert b"\x1b" not in ended.output
        assert "✗ REPLAY BLOCKED" in ended.output.decode()

    def test_narration_that_goes_elsewhere_leaves_no_screen(harbor: Path, tmp_path: Path) -> None:
        """Where standard error is no terminal nothing could be drawn: the report is written instead."""
        command = " ".join([*COMMAND, str(harbor), "2>", str(tmp_path / "log")])
        with Terminal(["/bin/sh", "-c", command], environ=environment(), cwd=str(SOURCE)) as tty:
            ended = tty.wait()
        assert ended.code == 0
        assert "✗ REPLAY BLOCKED" in ended.output.decode()
        assert (tmp_path / "log").read_bytes() == b""

    def test_no_control_character_of_a_workspace_reaches_a_terminal(tmp_path: Path) -> None:
        """On a real terminal nothing of a hostile workspace arrives but pictures; colours are our own."""
        hostile_workspace(tmp_path)
        for words in (["runs", str(tmp_path)], ["plan", f"{tmp_path}#run-doubt"], ["check", str(tmp_path)]):
            with Terminal([*COMMAND, *words], size=(200, 24), cwd=str(SOURCE)) as tty:
                output = tty.wait().output
            for raw in (
                b"\x1b]",
                b"\x1b[2J",
                b"\x1b[?",
                b"\x07",
                b"\x08",
                b"\x0e",
                b"\x7f",
                b"\xc2\x9b",
                b"\xe2\x80\xae",
            ):
                assert raw not in output
            assert "␛]0;PWNED".encode() in output
