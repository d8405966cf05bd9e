"""`maka-ledger export --redact`: a folder for a bug report that gets the same decision and says nothing of the run."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

from core import Repro, counted, ledger_together, make_repro, open_workspace, printable

from .evidence_targets import made_by, run_target
from .output import Line, Output
from .targets import only_run


def export(options: argparse.Namespace, out: Output, now_ms: float) -> int:
    """Write the folder and say what is in it; 0, since the run's verdict is not the question.

    Raises RequestError where there is nothing to reproduce, OutputRefused where the folder cannot be written.
    """
    target = run_target(options)
    with open_workspace(target.path) as workspace:
        ledger = ledger_together(only_run(workspace, target.run_id, options.session))
        try:
            repro = make_repro(ledger, made_by(), whole=options.whole, now_ms=now_ms)
        finally:
            ledger.close()
        repro.write(Path(options.output), workspace)
    if options.json:
        out.document(repro.manifest)
    else:
        out.lines(repro_lines(repro, options.output))
    return 0


def repro_lines(repro: Repro, folder: str) -> Iterator[Line]:
    """Say what was written, what was withheld, and how it is opened."""
    manifest = repro.manifest
    source, decision = manifest["source"], manifest["decision"]
    count = len(source["eventNumbers"])
    yield Line(printable(f"wrote {folder}", limit=2000), "strong")
    smallest = "; none of them can be left out" if manifest["minimal"] and count else ""
    yield Line(f"  {count:,} of {counted(source['committedEvents'], 'event')}{smallest}")
    codes = ", ".join(dict.fromkeys(found["code"] for found in decision["diagnostics"]))
    yield Line(f"  opened anew it is decided as its source: {decision['disposition']}{f', {codes}' if codes else ''}")
    withheld = ", ".join(f"{kind['kind']} {kind['count']:,} ({kind['bytes']:,} bytes)" for kind in manifest["withheld"])
    yield Line(f"  withheld: {withheld or 'nothing'}")
    if manifest["damage"]:
        yield Line("  damaged rows are replaced by rows that are damaged alike; the manifest has their places")
    kept = ", ".join(manifest["keptToolNames"])
    yield Line(
        printable(
            f"  names of tools are kept: {kept or 'none'}; times, sizes and the order are as they were", limit=2000
        )
    )
    yield Line(printable(f"  look at it before you send it: maka-ledger {folder}", limit=2000))
