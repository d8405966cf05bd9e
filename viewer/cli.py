"""The command line. Standard output is data, standard error is narration, the exit code is the answer."""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Iterable, Sequence

from core import (
    Checked,
    CoreError,
    Inspection,
    NotAWorkspace,
    RequestError,
    Run,
    RunNotFound,
    RunSummary,
    Workspace,
    WorkspaceForbidden,
    WorkspaceMissing,
    check_document,
    encode_document,
    error_document,
    failpoints_document,
    inspect,
    most_urgent_first,
    open_workspace,
    printable,
    run_document,
    runs_document,
    triage,
)

from . import report
from .arguments import COMMANDS, build_parser

_USAGE_ERRORS = (WorkspaceMissing, NotAWorkspace, RunNotFound, RequestError)


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code. Prints at most one line about an error, never a traceback."""
    words = list(sys.argv[1:] if argv is None else argv)
    if not words or (words[0] not in COMMANDS and words[0] not in ("-h", "--help", "--version")):
        words.insert(0, "open")
    options = build_parser().parse_args(words)
    try:
        code = _COMMANDS[options.command](options)
        sys.stdout.flush()
        return code
    except CoreError as error:
        return _failed(error, as_json=getattr(options, "json", False))
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        # Whoever read our output has left; there is nobody to tell.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


def now_ms() -> float:
    """Return the time, in milliseconds since 1970: the one clock of the program."""
    return time.time() * 1000


def exit_code(summaries: Iterable[RunSummary]) -> int:
    """Return the exit code of inspected runs: 3 beats 1 beats 0."""
    codes = {3 if summary.unreadable else 1 if summary.blocked else 0 for summary in summaries}
    return max(codes, default=0)


def _open(options: argparse.Namespace) -> int:
    path = options.path
    if path is None:
        raise RequestError("give a path to a workspace", hint="maka-ledger PATH, or maka-ledger --help")
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        with open_workspace(path) as workspace:
            _print(report.workspace_lines(workspace, now_ms()), options)
        return 0
    from .opening import open_viewer  # loads textual, which no other command may pay for

    return open_viewer(path, ascii_only=options.ascii, mouse=not options.no_mouse, light=options.light, now_ms=now_ms)


def _runs(options: argparse.Namespace) -> int:
    with open_workspace(options.path) as workspace:
        summaries = most_urgent_first(triage(workspace, now_ms()))
        if options.json:
            _print_json(runs_document(workspace, options.path, summaries))
        elif _colour(options):
            from .tables import print_runs  # loads rich, only for a terminal

            print_runs(workspace, summaries)
        else:
            _print(report.runs_lines(workspace, summaries), options)
    return 0


def _plan(options: argparse.Namespace) -> int:
    with open_workspace(options.path) as workspace:
        run = _chosen_run(workspace, options.run, options.session)
        ledger = run.ledger()
        whole = inspect(ledger, expected_high_water=options.expect_high_water, now_ms=now_ms())
        shown = whole if options.prefix is None else inspect(ledger, high_water=options.prefix, now_ms=now_ms())
        title = next((s.title for s in workspace.sessions if s.session_id == run.session_id), None)
        if options.json:
            document = run_document(shown, options.path, title)
            document["whatIf"] = options.prefix is not None
            _print_json(document)
        else:
            _print(report.plan_lines(shown, title, what_if=options.prefix is not None, whole=whole), options)
        return _plan_code(whole)


def _plan_code(inspection: Inspection) -> int:
    reasons = inspection.plan.rejection_reasons
    if "runtime_ledger_unreadable" in reasons or "source_run_unreadable" in reasons:
        return 3
    return 1 if inspection.plan.blocked else 0


def _chosen_run(workspace: Workspace, run_id: str | None, session_id: str | None) -> Run:
    runs = workspace.runs()
    if run_id is not None:
        return workspace.run(run_id, session_id)
    if len(runs) == 1:
        return runs[0]
    if not runs:
        raise RunNotFound("this workspace holds no run", path=str(workspace.root))
    raise RequestError(
        f"this workspace holds {len(runs):,} runs",
        path=str(workspace.root),
        hint="name one with --run; `runs` lists them",
    )


def _check(options: argparse.Namespace) -> int:
    checked = [_checked(path) for path in options.path]
    codes = [_error_code(one.error) if one.error else exit_code(one.summaries) for one in checked]
    codes += [3 for one in checked if one.findings and not one.summaries and one.error is None and _lost(one)]
    code = 3 if 3 in codes else max(codes, default=0)
    if options.json:
        _print_json(check_document(checked, code))
    else:
        _print(report.check_lines(checked, code), options)
    for one in checked:
        if one.error is not None:
            _narrate(one.error)
    return code


def _checked(path: str) -> Checked:
    try:
        with open_workspace(path) as workspace:
            return Checked(path, tuple(triage(workspace, now_ms())), workspace.findings)
    except CoreError as error:
        return Checked(path, error=error)


def _lost(one: Checked) -> bool:
    """Whether the storage as a whole could not be read, so that "no runs" says nothing."""
    return any(finding.code in ("not_a_database", "folder_unreadable", "stale_jsonl") for finding in one.findings)


def _failpoints(options: argparse.Namespace) -> int:
    if options.json:
        _print_json(failpoints_document())
    else:
        _print(report.failpoints_lines(), options)
    return 0


def _crash_test(options: argparse.Namespace) -> int:
    from .crash_command import crash_test

    return crash_test(options, lambda lines: _print(lines, options), _print_json)


def _demo(options: argparse.Namespace) -> int:
    from .demo import demo

    return demo(options, lambda path: _open(argparse.Namespace(**{**vars(options), "path": path})), now_ms())


def _print_json(document: dict[str, object]) -> None:
    sys.stdout.buffer.write(encode_document(document))


def _print(lines: Iterable[report.Line], options: argparse.Namespace) -> None:
    colour = _colour(options)
    for line in lines:
        sys.stdout.write(report.render(line, colour=colour, encoding=sys.stdout.encoding) + "\n")


def _colour(options: argparse.Namespace) -> bool:
    if options.no_color or os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return False
    return sys.stdout.isatty()


def _failed(error: CoreError, *, as_json: bool) -> int:
    if as_json:
        _print_json(error_document(error))
    _narrate(error)
    return _error_code(error)


def _narrate(error: CoreError) -> None:
    hint = f"; {error.hint}" if error.hint else ""
    line = printable(f"maka-ledger: {error}{hint}", limit=2000)
    sys.stderr.write(report.encodable(line, sys.stderr.encoding) + "\n")


def _error_code(error: CoreError) -> int:
    if isinstance(error, WorkspaceForbidden):
        return 3
    return 2 if isinstance(error, _USAGE_ERRORS) else 3


_COMMANDS = {
    "open": _open,
    "runs": _runs,
    "plan": _plan,
    "check": _check,
    "failpoints": _failpoints,
    "crash-test": _crash_test,
    "demo": _demo,
}
