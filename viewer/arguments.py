"""The command line's grammar: commands, options and what each means."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from functools import partial
from typing import Any, Final, NoReturn

from core import RequestError

from .evidence_arguments import add_diff, add_export, add_report, add_schema, add_text_options

EPILOG = """exit codes:
  0  every inspected run is replayable
  1  at least one run is blocked
  2  wrong usage, or a path that does not exist or holds no workspace
  3  something could not be read (3 beats 1 beats 0)
  130  interrupted
`plan` and `check` answer so; `crash-test` ends with 1 on a FAIL; every other command, and the viewer, ends with 0.
Standard output is data, standard error is narration. Nothing is ever written to a workspace that is inspected."""

_PATH = "a state root, session, run folder, ledger file or database; PATH#RUN and PATH#RUN#EVENT name a run in it"
_DIGITS = 18
_ANY_WIDTH = 80


class Parser(argparse.ArgumentParser):
    """A parser that raises instead of printing a page, and asks how wide the terminal is only for a page of help.

    argparse has a formatter made for every argument that it is told of.
    """

    def __init__(self, *, formatter_class: type[argparse.HelpFormatter] = argparse.HelpFormatter, **facts: Any) -> None:
        super().__init__(formatter_class=partial(formatter_class, width=_ANY_WIDTH), **facts)
        self._page = formatter_class

    def format_help(self) -> str:
        """Return the page of help, as wide as the terminal."""
        self.formatter_class = self._page
        return super().format_help()

    def error(self, message: str) -> NoReturn:
        """Raise RequestError with the usual words."""
        raise RequestError(message, code="usage", hint=f"see {self.prog} --help")


class _Version(argparse.Action):
    """Write the version, which is looked up only now."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> NoReturn:
        """Write it and leave."""
        sys.stdout.write(f"maka-ledger {version_text()}\n")
        parser.exit()


def build_parser(command: str | None = None) -> Parser:
    """Build the parser of the command line; it raises RequestError where the words make no sense.

    With `command` it knows that one alone, which is sooner done.
    """
    parser = Parser(
        prog="maka-ledger",
        description="Open a crashed Maka workspace: what did the tools do, may the history be replayed, and why not?",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    if command is None:
        _add_questions(parser)
    commands = parser.add_subparsers(prog=parser.prog, dest="command", metavar="COMMAND", required=True)

    for name, add in _GRAMMAR.items():
        if command in (None, name):
            add(commands)
    return parser


def _add_questions(parser: Parser) -> None:
    """Add what is asked of the command line itself, in the place of a command."""
    from .completions import PrintCompletions

    parser.add_argument("--version", action=_Version, nargs=0, help="show the version and exit")
    parser.add_argument(
        "--print-completion", action=PrintCompletions, metavar="SHELL", help="for bash, zsh or tcsh; then end"
    )


def _add_open(commands: Any) -> None:
    opening = commands.add_parser(
        "open", help="open the viewer (the same as giving the path alone)", allow_abbrev=False
    )
    opening.add_argument("path", nargs="?", metavar="PATH", help=f"{_PATH}; without it Maka's own state root")
    _add_high_water_option(opening)
    _add_viewer_options(opening)
    add_text_options(opening)


def _add_runs(commands: Any) -> None:
    runs = commands.add_parser("runs", help="list every run, most urgent first", allow_abbrev=False)
    runs.add_argument("path", metavar="PATH", help=_PATH)
    _add_output_options(runs)


def _add_plan(commands: Any) -> None:
    plan = commands.add_parser("plan", help="the decision on one run, and why", allow_abbrev=False)
    plan.add_argument("path", metavar="PATH", help=_PATH)
    plan.add_argument("--run", metavar="ID", help="the run; needed where the workspace holds several")
    plan.add_argument("--session", metavar="ID", help="the session, where several have a run of that id")
    question = plan.add_mutually_exclusive_group()
    question.add_argument("--prefix", metavar="N", type=_count, help="what if the ledger had ended after N events")
    _add_high_water_option(question)
    _add_output_options(plan)


def _add_check(commands: Any) -> None:
    check = commands.add_parser("check", help="for scripts: the exit code is the answer", allow_abbrev=False)
    check.add_argument("path", nargs="+", metavar="PATH", help=_PATH)
    _add_output_options(check)


def _add_failpoints(commands: Any) -> None:
    failpoints = commands.add_parser("failpoints", help="the catalog of crash boundaries", allow_abbrev=False)
    _add_output_options(failpoints)


def _add_crash_test(commands: Any) -> None:
    crash = commands.add_parser("crash-test", help="kill real processes at every failpoint", allow_abbrev=False)
    crash.add_argument("--failpoint", metavar="ID", nargs="+", help="only these")
    crash.add_argument("--torn", metavar="N", type=_count, default=0, help="kill N more in the middle of an append")
    crash.add_argument("--keep", metavar="DIR", help="leave the crashed workspace in a new folder")
    _add_output_options(crash)


def _add_demo(commands: Any) -> None:
    demo = commands.add_parser(
        "demo", help="make a sample workspace that really crashed, and open it", allow_abbrev=False
    )
    demo.add_argument("--keep", metavar="DIR", help="leave the workspace in a new folder")
    _add_viewer_options(demo)
    add_text_options(demo)


def _add_high_water_option(parser: argparse._ActionsContainer) -> None:
    said = "reject the run unless its ledger has exactly N committed events"
    parser.add_argument("--expect-high-water", metavar="N", type=_count, help=said)


def _add_output_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="write one JSON document to standard output")
    add_text_options(parser)


def _add_viewer_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--ascii", action="store_true", help="draw with ASCII characters only")
    parser.add_argument("--no-mouse", action="store_true", help="do not listen to the mouse")
    parser.add_argument("--light", action="store_true", help="light colours")


def _count(text: str) -> int:
    if not text.isascii() or not text.isdigit():
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of events")
    number = text.lstrip("0")
    if len(number) > _DIGITS:
        raise argparse.ArgumentTypeError(f"no ledger has {number[:_DIGITS]}... events")
    return int(number or "0")


def version_text() -> str:
    """Return the version of this tool as it is installed."""
    from importlib.metadata import PackageNotFoundError, version  # slower to load than all the rest of this module

    try:
        return version("maka-ledger")
    except PackageNotFoundError:
        return "(not installed)"


_GRAMMAR: Final[dict[str, Callable[[Any], None]]] = {
    "open": _add_open,
    "runs": _add_runs,
    "plan": _add_plan,
    "check": _add_check,
    "report": add_report,
    "export": add_export,
    "diff": add_diff,
    "schema": add_schema,
    "failpoints": _add_failpoints,
    "crash-test": _add_crash_test,
    "demo": _add_demo,
}
"""What adds each command to what `add_subparsers` gave, which argparse has no public name for."""

COMMANDS: Final = tuple(_GRAMMAR)
