"""The grammar of the commands that take evidence away: report, export, diff, schema."""

from __future__ import annotations

import argparse
from typing import Any, Final

FORMATS: Final = {"md": "Markdown", "json": "one JSON document", "html": "one HTML file"}

_SIDE: Final = "PATH, PATH#RUN, PATH#N or PATH#RUN#N: a run, or its first N events"


def add_report(commands: Any) -> None:
    """Add the command to what `add_subparsers` gave, which argparse has no public name for."""
    report = commands.add_parser("report", help="a report for an incident ticket", allow_abbrev=False)
    report.add_argument("path", metavar="PATH", help="a workspace, or PATH#RUN; a whole workspace: every run in doubt")
    _add_run_options(report)
    shape = report.add_mutually_exclusive_group()
    shape.add_argument("--format", choices=FORMATS, help="by default what the name of FILE says, else Markdown")
    shape.add_argument("--json", action="store_true", help="the same as --format json")
    report.add_argument("-o", "--output", metavar="FILE", help="a new file, outside of the workspace")
    add_text_options(report)


def add_export(commands: Any) -> None:
    """Add the command."""
    export = commands.add_parser("export", help="a redacted repro for a bug report", allow_abbrev=False)
    export.add_argument("path", metavar="PATH", help="a workspace, or PATH#RUN")
    _add_run_options(export)
    export.add_argument(
        "--redact", action="store_true", required=True, help="without what was said; there is no other way"
    )
    export.add_argument("--whole", action="store_true", help="every event, not only those that the decision needs")
    export.add_argument(
        "-o", "--output", metavar="FOLDER", required=True, help="a new folder, outside of the workspace"
    )
    export.add_argument("--json", action="store_true", help="write the manifest to standard output")
    add_text_options(export)


def add_diff(commands: Any) -> None:
    """Add the command."""
    diff = commands.add_parser("diff", help="what changed between two prefixes or two runs", allow_abbrev=False)
    diff.add_argument("before", metavar="RUN[#N]", help=_SIDE)
    diff.add_argument("after", metavar="RUN[#M]", help="the other one, written alike")
    diff.add_argument("--json", action="store_true", help="write one JSON document to standard output")
    add_text_options(diff)


def add_schema(commands: Any) -> None:
    """Add the command."""
    from core import SCHEMAS

    schema = commands.add_parser("schema", help="the JSON Schema of a document", allow_abbrev=False)
    schema.add_argument("name", metavar="NAME", choices=SCHEMAS, help=", ".join(SCHEMAS))
    add_text_options(schema)


def _add_run_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--run", metavar="ID", help="the run; the same as PATH#ID")
    parser.add_argument("--session", metavar="ID", help="the session, where several have a run of that id")


def add_text_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of every command."""
    parser.add_argument("--no-color", action="store_true", help="no colour, as NO_COLOR and TERM=dumb also say")
