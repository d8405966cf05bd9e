"""From a path to the first screen, quick or slow, and what is seen where nothing can be opened."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
from concurrent.futures import Future
from functools import partial
from pathlib import Path
from typing import Any

import orjson
import pytest
from textual.pilot import Pilot

from core import CoreError, NotAWorkspace, RequestError, RunNotFound, WorkspaceForbidden, WorkspaceMissing
from tests.support.aio import run
from tests.support.children import is_there
from tests.support.command import COMMAND, SOURCE
from tests.support.harbor import NOW_MS, calm_run, harbor_workspace
from tests.support.runs import new_run, text
from tests.support.shots import screen_lines
from tests.support.stillness import rest
from viewer.app import ViewerApp
from viewer.opening import Opened, Opening, first_screen, open_target, open_viewer
from viewer.screens.opening import OpeningScreen
from viewer.screens.opening_run import OpeningRunScreen
from viewer.screens.run import RunScreen
from viewer.screens.workspace import WorkspaceScreen
from viewer.targets import Target

SIZES = [(80, 24), (120, 36)]
DENIED = WorkspaceForbidden(
    "permission to read is denied", path="/srv/maka/workspaces/default", hint="read it as its owner, or make a copy"
)


@pytest.fixture(scope="module")
def harbor(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a workspace with several runs."""
    return harbor_workspace(tmp_path_factory.mktemp("harbor") / "default", 3)


@pytest.fixture
def single(tmp_path: Path) -> Path:
    """Give a workspace with one run."""
    calm_run(tmp_path / "one", "s1", "a", "2026-11-29 12:00:00", 6)
    return tmp_path / "one"


def waiting(future: Future[Opened]) -> ViewerApp:
    """Make the app on an opening that is not done."""
    return ViewerApp(lambda: OpeningScreen("/srv/maka/workspaces/default", future, first_screen), now_ms=lambda: NOW_MS)


def test_several_runs_are_listed_and_one_is_opened(harbor: Path, single: Path) -> None:
    """A workspace with one run is opened at it, and so is a link; else the list comes first."""
    for target, kind in (
        (Target(str(harbor)), WorkspaceScreen),
        (Target(str(harbor), "run-7f3e"), RunScreen),
        (Target(str(single)), RunScreen),
    ):
        opened = open_target(target)
        assert isinstance(first_screen(opened), kind)
        opened.workspace.close()


def test_the_only_run_is_left_at_once(single: Path) -> None:
    """There is no list behind the only run: q leaves."""

    async def body() -> None:
        opened = open_target(Target(str(single)))
        app = ViewerApp(lambda: first_screen(opened), now_ms=lambda: NOW_MS)
        async with app.run_test(size=(120, 36)) as pilot:
            await rest(pilot)
            await pilot.pause()
            assert screen_lines(app)[-1].endswith("q quit")
            await pilot.press("q")
        assert app.return_code == 0

    run(body())


@pytest.mark.parametrize(
    ("target", "kind"),
    [
        (Target("/nowhere/at/all"), WorkspaceMissing),
        (Target(__file__), NotAWorkspace),
        (Target("HARBOR", "nobody"), RunNotFound),
    ],
)
def test_what_cannot_be_opened_is_an_error_before_any_screen(
    harbor: Path, target: Target, kind: type[CoreError]
) -> None:
    """The error comes back as itself, so that the command line can say it in one line."""
    target = Target(target.path.replace("HARBOR", str(harbor)), target.run_id)
    with pytest.raises(kind):
        open_target(target)
    with pytest.raises(kind):
        open_viewer(
            f"{target.path}#{target.run_id}" if target.run_id else target.path, now_ms=lambda: NOW_MS, patience=30
        )


def test_a_fault_of_ours_comes_back_as_an_error() -> None:
    """Whatever goes wrong in the thread that opens, whoever waits hears of it."""

    def fail() -> Opened:
        raise ZeroDivisionError("boom")

    opening = Opening(fail)
    opening.begin()
    with pytest.raises(CoreError, match="ZeroDivisionError: boom"):
        opening.early(30)
    assert opening.error is not None
    opening.close()


def test_a_slow_opening_has_a_screen(harbor: Path) -> None:
    """While a workspace is opened one sees that, can ask for help, and comes to the list without a key."""
    gate = threading.Event()

    def slowly() -> Opened:
        gate.wait(30)
        return open_target(Target(str(harbor)))

    async def body() -> None:
        opening = Opening(slowly)
        opening.begin()
        assert opening.early(0) is None
        app = waiting(opening.future)
        async with app.run_test(size=(120, 30)) as pilot:
            await pilot.pause()
            assert "Opening /srv/maka/workspaces/default" in "\n".join(screen_lines(app))
            await pilot.press("question_mark", "escape")
            gate.set()
            for _ in range(1000):
                if isinstance(app.screen, WorkspaceScreen):
                    break
                await pilot.pause(0.01)
            await rest(pilot)
            await pilot.pause()
            assert "12 of 12 runs read" in screen_lines(app)[0]
            assert app.screen.is_first
            await pilot.press("q")
        assert app.return_code == 0
        opening.close()

    run(body())


def test_a_slow_opening_can_be_left() -> None:
    """Nobody has to wait for an opening."""
    future: Future[Opened] = Future()

    async def body() -> None:
        app = waiting(future)
        async with app.run_test(size=(80, 24)) as pilot:
            await pilot.pause()
            await pilot.press("q")
        assert app.return_code == 0

    run(body())


@pytest.mark.parametrize("size", SIZES, ids=str)
def test_a_late_error_is_a_panel(snap_compare: Any, size: tuple[int, int]) -> None:
    """An error that comes late says what, where and what next, on the screen that is there."""
    future: Future[Opened] = Future()
    future.set_exception(DENIED)

    async def settle(pilot: Pilot[Any]) -> None:
        await rest(pilot)
        await pilot.pause()

    assert snap_compare(waiting(future), terminal_size=size, run_before=settle)


@pytest.mark.parametrize("size", SIZES, ids=str)
def test_opening(snap_compare: Any, size: tuple[int, int]) -> None:
    """The screen while a workspace is opened."""
    assert snap_compare(waiting(Future()), terminal_size=size)


def waiting_for_a_run(future: Future[Opened], began: list[str]) -> ViewerApp:
    """Make the app on the opening of a run; what begins it is noted."""
    begin = partial(began.append, "begun")
    path = "/srv/maka/run-7f3e"
    return ViewerApp(lambda: OpeningRunScreen(path, future, first_screen, begin), now_ms=lambda: NOW_MS)


@pytest.mark.parametrize("size", [*SIZES, (60, 18)], ids=str)
def test_opening_a_run(snap_compare: Any, size: tuple[int, int]) -> None:
    """The panes of a run stand there before it is opened, and a line says that it is being opened."""
    assert snap_compare(waiting_for_a_run(Future(), []), terminal_size=size)


def test_a_run_is_opened_when_its_frame_is_there(single: Path) -> None:
    """The opening begins once, after the first frame; then the run is shown, with nothing behind it."""
    future: Future[Opened] = Future()
    began: list[str] = []

    async def body() -> None:
        app = waiting_for_a_run(future, began)
        async with app.run_test(size=(120, 36)) as pilot:
            await pilot.pause()
            assert began == ["begun"]
            future.set_result(open_target(Target(str(single))))
            await rest(pilot)
            await pilot.pause()
            assert isinstance(app.screen, RunScreen)
            assert screen_lines(app)[-1].endswith("q quit")
            await pilot.press("q")
        assert app.return_code == 0
        future.result().workspace.close()

    run(body())


def test_a_run_that_cannot_be_opened_is_a_panel() -> None:
    """Where the opening fails the panes give way to what, where and what next."""
    future: Future[Opened] = Future()
    future.set_exception(DENIED)

    async def body() -> None:
        app = waiting_for_a_run(future, [])
        async with app.run_test(size=(120, 36)) as pilot:
            await rest(pilot)
            await pilot.pause()
            lines = screen_lines(app)
            assert "permission to read is denied" in "\n".join(lines)
            assert not any("Timeline" in line or "Opening" in line for line in lines)

    run(body())


def test_hostile_errors_are_shown_safely() -> None:
    """Text in an error is neither markup nor control."""
    future: Future[Opened] = Future()
    future.set_exception(NotAWorkspace("\x1b]0;PWNED\x07 [/nope]", path="/x\x9b[b]", hint="[@click=app.quit]x[/]"))

    async def body() -> None:
        app = waiting(future)
        async with app.run_test(size=(120, 24)) as pilot:
            await rest(pilot)
            await pilot.pause()
            text = "\n".join(screen_lines(app))
            assert "␛]0;PWNED␇ [/nope]" in text
            assert "/x�[b]" in text
            assert "[@click=app.quit]x[/]" in text

    run(body())


if sys.platform != "win32":
    from tests.support.pty import Terminal

    def test_on_a_real_terminal(harbor: Path) -> None:
        """The command opens the list, enter the run, q goes back and out; the terminal is left as it was."""
        with Terminal([*COMMAND, str(harbor)], size=(120, 36), cwd=str(SOURCE)) as tty:
            tty.read_until(b"runs read")
            tty.read_until(b"run-7f3e")
            tty.send(b"\r")
            tty.read_until(b"end of the committed prefix")
            tty.send(b"q")
            tty.send(b"q")
            ended = tty.wait()
        assert ended.code == 0
        assert ended.output.count(b"\x1b[?1049h") == ended.output.count(b"\x1b[?1049l") == 1

    @pytest.mark.parametrize(("key", "code"), [(b"\x03", 0), (b"\x11", 0)])
    def test_ctrl_c_and_ctrl_q_leave(harbor: Path, key: bytes, code: int) -> None:
        """Both end the viewer at once; it only read."""
        with Terminal([*COMMAND, str(harbor)], size=(80, 24), cwd=str(SOURCE)) as tty:
            tty.read_until(b"run-7f3e")
            tty.send(key)
            assert tty.wait().code == code

    @pytest.mark.parametrize(("end", "code"), [("q", 0), ("SIGTERM", 143), ("SIGHUP", 129)])
    def test_the_process_that_reads_ends_with_the_viewer(tmp_path: Path, end: str, code: int) -> None:
        """Who leaves while a big run is read leaves no process behind, whatever ends the viewer."""
        ledger = new_run(tmp_path)
        filler = "x" * 4000
        ledger.write_bytes(b"".join(orjson.dumps(text(f"e{number}", filler)) + b"\n" for number in range(12_000)))
        with Terminal([*COMMAND, str(tmp_path)], size=(80, 24), cwd=str(SOURCE)) as tty:
            tty.read_until(b"Reading the ledger")
            found = subprocess.run(["pgrep", "-P", str(tty.process.pid)], capture_output=True, text=True, check=False)
            readers = [int(pid) for pid in found.stdout.split()]
            if end == "q":
                tty.send(b"q")
            else:
                tty.process.send_signal(getattr(signal, end))
            assert tty.wait().code == code
        assert len(readers) == 1
        assert not is_there(readers[0])

    def test_a_big_run_is_seen_to_open(tmp_path: Path) -> None:
        """Its panes are there first, then that it is opened and read, then its rows; q leaves."""
        ledger = new_run(tmp_path)
        filler = "x" * 4000
        ledger.write_bytes(b"".join(orjson.dumps(text(f"e{number}", filler)) + b"\n" for number in range(1_000)))
        with Terminal([*COMMAND, str(ledger.parent)], size=(120, 36), cwd=str(SOURCE)) as tty:
            tty.read_until(b"Opening ")
            tty.read_until(b"HISTORY MAY BE REPLAYED")
            tty.send(b"q")
            assert tty.wait().code == 0

    def test_errors_need_no_screen(tmp_path: Path) -> None:
        """On a terminal too a wrong path is one line and 2, and no screen is opened."""
        with Terminal([*COMMAND, str(tmp_path / "no")], cwd=str(SOURCE)) as tty:
            ended = tty.wait()
        assert ended.code == 2
        assert b"\x1b[?1049h" not in ended.output
        assert b"no such file or folder" in ended.output


def test_an_expected_length_needs_one_run(harbor: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of several runs nobody knows which is meant: that is said, with what to write instead."""
    with pytest.raises(RequestError) as caught:
        open_viewer(str(harbor), now_ms=lambda: NOW_MS, expected_high_water=3)

    assert "name one" in str(caught.value.hint)
