"""The example reports under docs/examples: what the tool says about the sample workspace, at a fixed time.

`python -m tests.support.examples` writes them anew after a change that is meant.
"""

from __future__ import annotations

import tempfile
from contextlib import chdir
from pathlib import Path

from core import build_demo, encode_document, open_workspace, report_document, report_on_run, report_on_workspace
from viewer.report_html import report_html
from viewer.report_markdown import report_markdown

EXAMPLES = Path(__file__).parent.parent.parent / "docs" / "examples"
NEWEST_MS = 1_795_953_624_200.0
"""2026-11-29 12:00:24.200 UTC."""

_NOW_MS = NEWEST_MS + 7_920_000
_MADE_BY = "maka-ledger 0.1.0"
_ROOT = Path("default")
_RUN = "run-7f3e"


def example_reports(folder: Path) -> dict[str, bytes]:
    """Make the sample workspace in an empty folder and return every example by its file's name.

    Paths in them are relative: the working folder is `folder` meanwhile.
    """
    with chdir(folder):
        build_demo(folder / _ROOT, NEWEST_MS)
        with open_workspace(_ROOT) as workspace:
            run = report_on_run(workspace, workspace.run(_RUN), str(_ROOT), _MADE_BY, _NOW_MS)
            whole = report_on_workspace(workspace, str(_ROOT), _MADE_BY, _NOW_MS)
    return {
        "run.md": report_markdown(run).encode(),
        "run.html": report_html(run).encode(),
        "run.json": encode_document(report_document(run)),
        "workspace.md": report_markdown(whole).encode(),
    }


if __name__ == "__main__":
    EXAMPLES.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as place:
        for name, payload in example_reports(Path(place)).items():
            (EXAMPLES / name).write_bytes(payload)
