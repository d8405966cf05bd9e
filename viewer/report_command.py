"""`maka-ledger report`: what an incident ticket needs about a run, or about every run in doubt."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Final

from core import (
    Report,
    encode_document,
    open_workspace,
    report_document,
    report_on_run,
    report_on_workspace,
    write_new_file,
)

from .evidence_targets import made_by, run_target
from .output import Output
from .report_html import report_html
from .report_markdown import report_markdown
from .targets import only_run

_SUFFIXES: Final = {".md": "md", ".markdown": "md", ".json": "json", ".html": "html", ".htm": "html"}


def report(options: argparse.Namespace, out: Output, now_ms: float) -> int:
    """Write a report to standard output or to a new file; 0, whatever it says.

    Raises what opening a workspace raises, and OutputRefused where the file cannot be written.
    """
    target = run_target(options)
    with open_workspace(target.path) as workspace:
        if target.run_id is None and options.session is None:
            found = report_on_workspace(workspace, target.path, made_by(), now_ms)
        else:
            run = only_run(workspace, target.run_id, options.session)
            found = report_on_run(workspace, run, target.path, made_by(), now_ms)
        payload = written(found, format_of(options.format, options.json, options.output))
        if options.output in (None, "-"):
            out.payload(payload)
        else:
            write_new_file(Path(options.output), payload, workspace)
            out.note(f"wrote {options.output}")
    return 0


def format_of(asked: str | None, as_json: bool, output: str | None) -> str:
    """Return the format: what was asked for, else what the name of the file says, else Markdown."""
    if as_json:
        return "json"
    suffix = Path(output).suffix.lower() if output is not None else ""
    return asked or _SUFFIXES.get(suffix, "md")


def written(found: Report, form: str) -> bytes:
    """Write a report in a format."""
    if form == "json":
        return encode_document(report_document(found))
    return (report_html(found) if form == "html" else report_markdown(found)).encode()
