"""The application around the screens."""

from __future__ import annotations

import pytest
from rich.traceback import Traceback
from textual import events
from textual.widgets import Input
from textual.widgets.option_list import Option

from tests.support.aio import run
from tests.support.apps import Numbered, WidgetScreen, viewer_app
from tests.support.shots import screen_lines
from viewer.app import ViewerApp
from viewer.command import Context
from viewer.commands import COMMANDS
from viewer.screens.base import BaseScreen, Dialog
from viewer.screens.help import HelpScreen
from viewer.themes import DARK, LIGHT, TERMINAL
from viewer.widgets.virtual_list import VirtualList

HERE = [
    command
    for command in COMMANDS
    if command.contexts & {Context.APP, Context.SCREEN, Context.LIST} and command.id != "suspend_process"
]
"""The commands that work on a screen with nothing but a list, where no terminal is behind it to be suspended."""


def listing(**options: object) -> ViewerApp:
    """Make an app with one list."""
    return viewer_app(VirtualList(Numbered(50)), **options)


@pytest.mark.parametrize("theme", [DARK, LIGHT, TERMINAL])
@pytest.mark.parametrize("ascii_only", [False, True])
def test_starts_in_every_theme(theme: str, ascii_only: bool) -> None:
    """The style sheet and the built-in styles resolve under each of our themes, help and palette included."""

    async def body() -> None:
        app = listing(theme=theme, ascii_only=ascii_only)
        async with app.run_test(size=(80, 24)) as pilot:
            await pilot.press("question_mark", "escape", "ctrl+p")
            await pilot.pause()

            assert app.theme == theme

    run(body())


def test_no_colour_sends_none(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where no colour is wanted none is sent, and the cursor is still seen."""

    async def body(app: ViewerApp) -> None:
        async with app.run_test(size=(60, 12)) as pilot:
            await pilot.pause()
            styles = [s.style for strip in app.screen._compositor.render_strips() for s in strip if s.style]

            assert all(style.color is None or style.color.is_default for style in styles)
            assert all(style.bgcolor is None or style.bgcolor.is_default for style in styles)
            assert any(style.reverse for style in styles)
            assert not app.check_action("toggle_theme", ())

    run(body(listing(no_color=True, theme=DARK)))
    monkeypatch.setenv("NO_COLOR", "1")
    run(body(listing()))


@pytest.mark.parametrize("key", ["q", "ctrl+q", "ctrl+c"])
def test_every_way_out(key: str) -> None:
    """Each of the keys that leave does leave, with the code for success."""

    async def body() -> None:
        app = listing()
        async with app.run_test(size=(60, 12)) as pilot:
            await pilot.press(key)
            await pilot.pause()
        assert app.return_code == 0

    run(body())


def test_back_returns_to_the_screen_before() -> None:
    """On a screen above another one `q` goes back, and says so in the footer."""

    async def body() -> None:
        app = listing()
        async with app.run_test(size=(60, 12)) as pilot:
            await app.push_screen(WidgetScreen([VirtualList(Numbered(3))]))
            await pilot.pause()
            assert screen_lines(app)[-1].endswith("q back")

            await pilot.press("q")
            await pilot.pause()
            assert screen_lines(app)[-1].endswith("q quit")
            assert len(app.screen_stack) == 1

    run(body())


def test_what_is_closed_twice_closes_once() -> None:
    """The second click of two may find the screen gone that it was meant for: it takes away no other one."""

    class Question(Dialog[None]):
        """Asks nothing."""

    async def body() -> None:
        app = listing()
        async with app.run_test(size=(80, 24)) as pilot:
            first = app.screen
            second = WidgetScreen([VirtualList(Numbered(5))])
            await app.push_screen(second)
            await pilot.press("ctrl+p")
            await pilot.pause()
            for kind in (events.MouseDown, events.MouseUp) * 2:
                app.post_message(kind(None, 1, 22, 0, 0, 1, False, False, False))
            await pilot.pause()
            await pilot.pause()
            assert app.screen is second
            question = Question()
            await app.push_screen(question)
            question.action_close()
            question.action_close()
            await pilot.pause()
            assert app.screen is second
            second.action_back()
            second.action_back()
            await pilot.pause()
            assert app.screen is first
            assert app.is_running

    run(body())


def test_ctrl_c_copies_a_selection() -> None:
    """With text selected ctrl+c copies and stays; without it leaves."""

    async def body() -> None:
        app = viewer_app(screen=lambda: WidgetScreen([Input()]))
        async with app.run_test(size=(60, 12)) as pilot:
            await pilot.press(*"secret", "home", "shift+end", "ctrl+c")
            await pilot.pause()
            assert app.is_running
            assert app.clipboard == "secret"

    run(body())


def test_help_lists_the_keys_that_work() -> None:
    """The help is made from the table and shows the commands of the screen below; the same key closes it."""

    async def body() -> None:
        app = listing()
        async with app.run_test(size=(80, 60)) as pilot:
            await pilot.press("f1")
            await pilot.pause()
            text = "\n".join(screen_lines(app))
            for command in HERE:
                if command.keys:
                    assert command.tooltip in text
            assert "MAY HAVE RUN" in text

            await pilot.press("question_mark")
            await pilot.pause()
            assert not isinstance(app.screen, HelpScreen)

    run(body())


def test_palette_offers_our_commands_and_no_others() -> None:
    """The palette holds the commands of the table that work here, finds them by their letters, and runs them."""

    async def body() -> None:
        app = listing()
        async with app.run_test(size=(80, 24)) as pilot:
            await pilot.press("ctrl+p")
            await pilot.pause(0.2)
            options: list[Option] = list(app.screen.query_one("CommandList").options)
            titles = [str(option.prompt).splitlines()[0] for option in options]
            assert titles == [
                f"{command.title}  {command.keys_in_words}".rstrip() for command in HERE if command.palette
            ]

            await pilot.press(*"dark")
            await pilot.pause(0.4)
            await pilot.press("enter")
            await pilot.pause(0.4)
            assert app.theme == LIGHT

    run(body())


@pytest.mark.parametrize(("size", "too_small"), [((39, 24), True), ((80, 9), True), ((40, 10), False)])
def test_a_tiny_terminal_gets_a_sentence(size: tuple[int, int], too_small: bool) -> None:
    """Under 40 by 10 a sentence stands instead of a broken layout, and keys work on."""

    async def body() -> None:
        app = listing()
        async with app.run_test(size=size) as pilot:
            await pilot.pause()
            assert ("maka-ledger needs 40 columns" in " ".join(screen_lines(app))) is too_small

            await pilot.press("q")
            await pilot.pause()
        assert app.return_code == 0

    run(body())


@pytest.mark.parametrize("size", [(10, 3), (20, 5), (9, 9)])
def test_the_tiniest_terminal_gets_the_sizes(size: tuple[int, int]) -> None:
    """Where the sentence has no room the two sizes stand there, and nothing over them."""

    async def body() -> None:
        app = listing()
        async with app.run_test(size=size) as pilot:
            await pilot.pause()
            assert " ".join(screen_lines(app)).split() == [f"{size[0]}x{size[1]},", "needs", "40x10"]

    run(body())


class Broken(BaseScreen[None]):
    """A screen with a fault."""

    def on_mount(self) -> None:
        """Fail as a programming error does."""
        raise ValueError("\x1b]0;PWNED\x07 [b]x[/b]")


def test_a_fault_ends_in_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    """A fault of our own is one sentence on stderr, made safe, with no traceback, and the exit code says so."""
    app = viewer_app(screen=Broken)

    app.run(headless=True, size=(60, 12))

    said = capsys.readouterr().err
    assert app.return_code == 1
    assert "maka-ledger stopped on a fault of its own: ValueError: ␛]0;PWNED␇ [b]x[/b]" in said.replace("\n", " ")
    assert "Traceback" not in said


def test_a_fault_of_a_thread_of_the_toolkit_is_one_line_too(capsys: pytest.CaptureFixture[str]) -> None:
    """What reads the keyboard hands a traceback over: the name of the fault is said, and the exit code is 1."""
    app = listing()

    def fail() -> None:
        try:
            raise OSError("the line is \x1b[31mdead")
        except OSError:
            app.panic(Traceback())

    app.call_later(fail)
    app.run(headless=True, size=(60, 12))

    said = capsys.readouterr().err.replace("\n", " ")
    assert app.return_code == 1
    assert "stopped on a fault of its own: OSError: the line is ␛[31mdead" in said
    assert "most recent call" not in said


def test_faults_of_screens_that_are_taken_down_are_none(capsys: pytest.CaptureFixture[str]) -> None:
    """Whoever leaves while a screen is made hears of nothing, and the exit code is what was asked for."""

    class Leaving(BaseScreen[None]):
        def on_mount(self) -> None:
            self.app.exit(return_code=143)
            raise ValueError("half a screen")

    app = viewer_app(screen=Leaving)

    assert app.run(headless=True, size=(60, 12)) is None
    assert app.return_code == 143
    assert "fault" not in capsys.readouterr().err


def test_what_is_pasted_is_shown_safely() -> None:
    """In the palette, whose field is Textual's own, what would be obeyed is drawn; only the first line is taken."""

    async def body() -> None:
        app = listing()
        async with app.run_test(size=(60, 20)) as pilot:
            await pilot.press("ctrl+p")
            await pilot.pause()
            app.post_message(events.Paste("\x1b]0;PWNED\x07 \u202e\x9b31m\nsecond"))
            await pilot.pause()
            assert app.screen.query_one(Input).value == "␛]0;PWNED␇ \ufffd\ufffd31m"

    run(body())
