"""A report as one HTML file: no script, nothing loaded from anywhere, readable in light and dark and on paper."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from html import escape

from core import Report, printable

from .report_page import Block, Code, Heading, Listing, Paragraph, Part, Points, page

_PART_LIMIT = 4000

_STYLE = """
:root { color-scheme: light dark; --ground: #fbfaf7; --bar: #f0eee8; --ink: #22262b; --muted: #5a616b; --rule: #c4c0b6;
  --doubt: #b3161f; --evidence: #855300; --settled: #2c6a42; --live: #0f6576; }
@media (prefers-color-scheme: dark) {
  :root { --ground: #15181d; --bar: #1d2128; --ink: #d9dde3; --muted: #99a2ae; --rule: #3d4550;
    --doubt: #ff7b76; --evidence: #d9a650; --settled: #86b892; --live: #74b8c6; } }
body { background: var(--ground); color: var(--ink); font: 16px/1.5 system-ui, sans-serif; margin: 2rem auto;
  max-width: 64rem; padding: 0 1rem; }
h1, h2, h3 { line-height: 1.25; overflow-wrap: anywhere; }
h1 { font-size: 1.5rem; }
h2 { font-size: 1.2rem; border-top: 1px solid var(--rule); margin-top: 2.5rem; padding-top: 1.25rem; }
h3 { font-size: 1.05rem; margin-top: 2rem; }
code, pre { font-family: ui-monospace, "Cascadia Mono", Menlo, Consolas, monospace; font-size: .9em; }
code { background: var(--bar); border-radius: 3px; overflow-wrap: anywhere; padding: .1em .3em; white-space: pre-wrap; }
pre { background: var(--bar); border-radius: 4px; line-height: 1.45; overflow-x: auto; padding: .75rem; }
pre b { font-weight: 600; }
footer { border-top: 1px solid var(--rule); color: var(--muted); margin-top: 2.5rem; }
@media print { pre { white-space: pre-wrap; } }
.doubt { color: var(--doubt); } .evidence { color: var(--evidence); }
.settled { color: var(--settled); } .live { color: var(--live); }
"""


def report_html(report: Report) -> str:
    """Write a report as one HTML document."""
    blocks = list(page(report))
    body = "\n".join(line for block in blocks[:-1] for line in _block(block))
    about = report.runs[0].run_id if report.counts is None and report.runs else report.path
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>maka-ledger: {_safe(about)}</title>
<style>{_STYLE}</style>
</head>
<body>
{body}
<footer>
{chr(10).join(_block(blocks[-1]))}
</footer>
</body>
</html>
"""


def _block(block: Block) -> Iterator[str]:
    if isinstance(block, Heading):
        tone = f' class="{block.tone}"' if block.tone else ""
        yield f"<h{block.level}{tone}>{_text(block.parts)}</h{block.level}>"
    elif isinstance(block, Paragraph):
        said = _text(block.parts)
        yield f"<p><strong>{said}</strong></p>" if block.strong else f"<p>{said}</p>"
    elif isinstance(block, Points):
        kind = "ol" if block.ordered else "ul"
        yield f"<{kind}>"
        yield from (f"<li>{_text(item)}</li>" for item in block.items)
        yield f"</{kind}>"
    elif isinstance(block, Listing):
        yield f"<pre>{chr(10).join(_listed(block))}</pre>"


def _listed(block: Listing) -> Iterator[str]:
    for place, line in enumerate(block.lines):
        yield f"<b>{escape(line)}</b>" if place in block.marked else escape(line)


def _text(parts: Iterable[Part]) -> str:
    return "".join(f"<code>{_safe(part.text)}</code>" if isinstance(part, Code) else escape(part) for part in parts)


def _safe(text: str) -> str:
    return escape(printable(text, limit=_PART_LIMIT))
