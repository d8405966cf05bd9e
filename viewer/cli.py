"""The command line. Standard output is data, standard error is narration, the exit code is the answer.

A command loads what it needs when it runs: a script that asks often pays for nothing else.
"""

from __future__ import annotations

import argparse
import gc
import os
import sys
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final

from core import CoreError, RequestError

from .arguments import COMMANDS, build_parser
from .collecting import collect_again
from .output import Output, holds_glyphs
from .state_folder import home_folder
from .targets import UNREADABLE, exit_code_of, parse_target

if TYPE_CHECKING:
    from core import Helper

INTERRUPTED: Final = 130


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code. Prints at most one line about an error, never a traceback."""
    words = list(sys.argv[1:] if argv is None else argv)
    out = Output(no_color="--no-color" in words)
    try:
        words = _with_command(words)
        options = build_parser(words[0] if words[0] in COMMANDS else None).parse_args(words)
        command = _COMMANDS[options.command]()
        collect_again()
        code = command(options, out)
        out.finish()
        return code
    except CoreError as error:
        return _failed(error, out, as_json="--json" in words)
    except KeyboardInterrupt:
        return INTERRUPTED
    except Exception as error:
        if os.environ.get("MAKA_LEDGER_DEBUG"):
            raise
        out.note(f"stopped on a fault of its own: {type(error).__name__}: {error}. Every workspace was only read")
        return UNREADABLE


def now_ms() -> float:
    """Return the time, in milliseconds since 1970: the one clock of the program."""
    return time.time() * 1000


def _with_command(words: list[str]) -> list[str]:
    """Put `open` before a path that stands alone."""
    first = words[0] if words else ""
    if first in COMMANDS or first.split("=")[0] in ("-h", "--help", "--version", "--print-completion"):
        return words
    import difflib

    near = difflib.get_close_matches(first, COMMANDS, n=1)
    if near and not os.path.lexists(parse_target(first).path):
        raise RequestError(f"no command and no path {first!r}", code="usage", hint=f"did you mean {near[0]}?")
    return ["open", *words]


def _failed(error: CoreError, out: Output, *, as_json: bool) -> int:
    code = exit_code_of(error)
    try:
        if as_json:
            from core import error_document

            out.document(error_document(error))
        out.finish()
    except CoreError as another:
        out.narrate(another)
    out.narrate(error)
    return code


def _open(options: argparse.Namespace, out: Output) -> int:
    path = options.path if options.path is not None else _usual_place(out)
    expected = getattr(options, "expect_high_water", None)
    if not out.has_screen:
        return _report(path, expected, out)
    from .reading_apart import helper_ahead

    ahead = helper_ahead(parse_target(path).path)  # comes up while textual is loaded
    gc.disable()  # until there is a first frame: nothing that is loaded for it is garbage
    try:
        return _show(options, path, expected, ahead, out)
    finally:
        gc.enable()
        if ahead is not None:
            ahead.close()


_FRAMES: Final = "120"
"""A second, at most. What a key does is often drawn in two steps, and at 60 the second waits longer than it takes."""


def _show(options: argparse.Namespace, path: str, expected: int | None, ahead: Helper | None, out: Output) -> int:
    os.environ.setdefault("TEXTUAL_FPS", _FRAMES)
    from .opening import open_viewer  # loads textual, which no other command may pay for

    return open_viewer(
        path,
        now_ms=now_ms,
        ascii_only=options.ascii or not (holds_glyphs(out.encoding) and holds_glyphs(out.error_encoding)),
        mouse=not options.no_mouse,
        light=options.light,
        no_color=options.no_color,
        encodings=filter(None, (out.encoding, out.error_encoding)),
        expected_high_water=expected,
        ahead=ahead,
    )


def _usual_place(out: Output) -> str:
    """Return Maka's own state root. Raises RequestError where there is none, or several to choose from."""
    from core import default_state_root, find_state_roots

    where = (sys.platform, os.environ, str(home_folder()))
    roots = find_state_roots(*where)
    if not roots:
        usual = str(default_state_root(*where))
        raise RequestError("Maka keeps no workspace here", path=usual, hint="name one: maka-ledger PATH")
    if len(roots) > 1:
        for root in roots:
            out.note(f"there is a workspace: {root}")
        hint = f'choose one: maka-ledger "{roots[0]}"'
        raise RequestError(f"Maka keeps {len(roots):,} workspaces here", code="several_workspaces", hint=hint)
    return str(roots[0])


def _report(path: str, expected: int | None, out: Output) -> int:
    """Write everything that the viewer would show, for who has no screen; 0, since nobody asked for an answer."""
    from core import open_workspace

    target = parse_target(path)
    with open_workspace(target.path) as workspace:
        if target.run_id is None and expected is None:
            from .report import workspace_lines

            out.lines(workspace_lines(workspace, now_ms()))
        else:
            from .plan_command import write_plan

            write_plan(workspace, target, out, now_ms, expected=expected)
    return 0


Command = Callable[[argparse.Namespace, Output], int]


def _runs() -> Command:
    from .runs_command import runs

    return lambda options, out: runs(options, out, now_ms)


def _plan() -> Command:
    from .plan_command import plan

    return lambda options, out: plan(options, out, now_ms)


def _check() -> Command:
    from .check_command import check

    return lambda options, out: check(options, out, now_ms)


def _report_command() -> Command:
    from .report_command import report

    return lambda options, out: report(options, out, now_ms())


def _export() -> Command:
    from .export_command import export

    return lambda options, out: export(options, out, now_ms())


def _diff() -> Command:
    from .diff_command import diff

    return lambda options, out: diff(options, out, now_ms())


def _schema(options: argparse.Namespace, out: Output) -> int:
    from core import schema_text

    out.payload(schema_text(options.name).encode())
    return 0


def _failpoints(options: argparse.Namespace, out: Output) -> int:
    if options.json:
        from core import failpoints_document

        out.document(failpoints_document())
    else:
        from .report import failpoints_lines

        out.lines(failpoints_lines())
    return 0


def _crash_test() -> Command:
    from .crash_command import crash_test

    return crash_test


def _demo(options: argparse.Namespace, out: Output) -> int:
    from .demo import demo

    return demo(options, out, lambda path: _open(argparse.Namespace(**{**vars(options), "path": path}), out), now_ms())


_COMMANDS: Final[dict[str, Callable[[], Command]]] = {
    "open": lambda: _open,
    "runs": _runs,
    "plan": _plan,
    "check": _check,
    "report": _report_command,
    "export": _export,
    "diff": _diff,
    "schema": lambda: _schema,
    "failpoints": lambda: _failpoints,
    "crash-test": _crash_test,
    "demo": lambda: _demo,
}
"""What loads each command, where it has much to load, and returns it."""
