"""The command line. Standard output is data, standard error is narration, the exit code is the answer.

A command loads what it needs when it runs: a script that asks often pays for nothing else.
"""

from __future__ import annotations

import argparse
import gc
import os
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from core import (
    Checked,
    CoreError,
    Inspection,
    RequestError,
    RunSummary,
    Workspace,
    check_document,
    default_state_root,
    error_document,
    failpoints_document,
    find_state_roots,
    inspect,
    locate,
    most_urgent_first,
    open_workspace,
    run_document,
    runs_document,
    schema_text,
    summarize_run,
    triage_together,
)

from .arguments import COMMANDS, build_parser
from .output import Output, holds_glyphs
from .targets import Target, exit_code_of, only_run, parse_target, title_of
from .words import lost

if TYPE_CHECKING:
    from core import Helper

INTERRUPTED: Final = 130
UNREADABLE: Final = 3

_LOST: Final = frozenset({"folder_not_read", "folder_unreadable", "link_not_followed", "not_a_database", "stale_jsonl"})
"""Findings after which there may be runs that nobody could look at."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code. Prints at most one line about an error, never a traceback."""
    words = list(sys.argv[1:] if argv is None else argv)
    out = Output(no_color="--no-color" in words)
    try:
        options = build_parser().parse_args(_with_command(words))
        code = _COMMANDS[options.command](options, out)
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


def exit_code(summaries: Iterable[RunSummary]) -> int:
    """Return the exit code of inspected runs: 3 beats 1 beats 0."""
    codes = {UNREADABLE if summary.unreadable else 1 if summary.blocked else 0 for summary in summaries}
    return max(codes, default=0)


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


def _show(options: argparse.Namespace, path: str, expected: int | None, ahead: Helper | None, out: Output) -> int:
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
    where = (sys.platform, os.environ, str(Path.home()))
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
    from .report import workspace_lines

    target = parse_target(path)
    with open_workspace(target.path) as workspace:
        if target.run_id is None and expected is None:
            out.lines(workspace_lines(workspace, now_ms()))
        else:
            _write_plan(workspace, target, out, expected=expected)
    return 0


def _runs(options: argparse.Namespace, out: Output) -> int:
    target = parse_target(options.path)
    with open_workspace(target.path) as workspace:
        summaries = most_urgent_first(_summaries(workspace, target))
        if options.json:
            out.document(runs_document(workspace, target.path, summaries))
        elif out.is_terminal:
            import shutil

            from .tables import table_lines  # measures text with rich, which only a terminal needs

            out.lines(table_lines(workspace, summaries, shutil.get_terminal_size().columns, now_ms()))
        else:
            from .report import runs_lines

            out.lines(runs_lines(workspace, summaries))
    return 0


def _summaries(workspace: Workspace, target: Target) -> Iterable[RunSummary]:
    if target.run_id is None:
        order = {(run.session_id, run.run_id): place for place, run in enumerate(workspace.runs())}
        found = triage_together(workspace, now_ms())
        return sorted(found, key=lambda summary: order[summary.session_id, summary.run_id])
    run = workspace.run(target.run_id)
    return [summarize_run(run, title_of(workspace, run), now_ms())]


def _plan(options: argparse.Namespace, out: Output) -> int:
    target = parse_target(options.path)
    if options.run is not None:
        if target.run_id not in (None, options.run):
            raise RequestError("two runs are named", hint="name one: by --run or in the link")
        target = Target(target.path, options.run, target.event_id)
    with open_workspace(target.path) as workspace:
        return _write_plan(
            workspace,
            target,
            out,
            session_id=options.session,
            prefix=options.prefix,
            expected=options.expect_high_water,
            as_json=options.json,
        )


def _write_plan(
    workspace: Workspace,
    target: Target,
    out: Output,
    *,
    session_id: str | None = None,
    prefix: int | None = None,
    expected: int | None = None,
    as_json: bool = False,
) -> int:
    run = only_run(workspace, target.run_id, session_id)
    ledger, now = run.ledger(), now_ms()
    whole = inspect(ledger, expected_high_water=expected, now_ms=now)
    shown = whole if prefix is None else inspect(ledger, high_water=prefix, now_ms=now)
    event = None if target.event_id is None else locate(ledger, target.event_id)
    title = title_of(workspace, run)
    if as_json:
        document = run_document(shown, target.path, title) | {"whatIf": prefix is not None}
        out.document(document if event is None else document | {"event": event + 1})
    else:
        from .plan_report import plan_lines

        out.lines(plan_lines(shown, title, what_if=prefix is not None, whole=whole, event_index=event))
    return _plan_code(whole)


def _plan_code(inspection: Inspection) -> int:
    reasons = inspection.plan.rejection_reasons
    if "runtime_ledger_unreadable" in reasons or "source_run_unreadable" in reasons:
        return UNREADABLE
    if inspection.commits_lost and not inspection.plan.blocked:
        return UNREADABLE
    return 1 if inspection.plan.blocked else 0


def _check(options: argparse.Namespace, out: Output) -> int:
    checked = [_checked(path) for path in options.path]
    code = _check_code(checked)
    if options.json:
        out.document(check_document(checked, code))
    else:
        from .report import check_lines

        out.lines(check_lines(checked, code))
    for one in checked:
        if one.error is not None:
            out.narrate(one.error)
    return code


def _checked(path: str) -> Checked:
    target = parse_target(path)
    try:
        with open_workspace(target.path) as workspace:
            return Checked(path, tuple(_summaries(workspace, target)), workspace.findings)
    except CoreError as error:
        return Checked(path, error=error)


def _check_code(checked: Iterable[Checked]) -> int:
    codes = {0}
    for one in checked:
        if one.error is not None:
            codes.add(exit_code_of(one.error))
        codes.add(exit_code(one.summaries))
        if any(f.code in _LOST for f in one.findings) or (not one.summaries and lost(one.findings)):
            codes.add(UNREADABLE)
    return max(codes)


def _report_command(options: argparse.Namespace, out: Output) -> int:
    from .report_command import report as write_report

    return write_report(options, out, now_ms())


def _export(options: argparse.Namespace, out: Output) -> int:
    from .export_command import export

    return export(options, out, now_ms())


def _diff(options: argparse.Namespace, out: Output) -> int:
    from .diff_command import diff

    return diff(options, out, now_ms())


def _schema(options: argparse.Namespace, out: Output) -> int:
    out.payload(schema_text(options.name).encode())
    return 0


def _failpoints(options: argparse.Namespace, out: Output) -> int:
    if options.json:
        out.document(failpoints_document())
    else:
        from .report import failpoints_lines

        out.lines(failpoints_lines())
    return 0


def _crash_test(options: argparse.Namespace, out: Output) -> int:
    from .crash_command import crash_test

    return crash_test(options, out)


def _demo(options: argparse.Namespace, out: Output) -> int:
    from .demo import demo

    return demo(options, out, lambda path: _open(argparse.Namespace(**{**vars(options), "path": path}), out), now_ms())


_COMMANDS: Final[dict[str, Callable[[argparse.Namespace, Output], int]]] = {
    "open": _open,
    "runs": _runs,
    "plan": _plan,
    "check": _check,
    "report": _report_command,
    "export": _export,
    "diff": _diff,
    "schema": _schema,
    "failpoints": _failpoints,
    "crash-test": _crash_test,
    "demo": _demo,
}
