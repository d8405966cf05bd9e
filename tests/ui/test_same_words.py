"""Whatever state a run is in: text, documents, reports and screens say the same of it, and no word that misleads."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pytest

from core import GLOSSARY, Inspection, Run, Verdict, inspect, open_workspace
from tests.support.aio import run as run_coroutine
from tests.support.command import SOURCE
from tests.support.run_samples import SAMPLES, open_sample, touch
from tests.support.run_screens import screen_of, settle, show_run
from tests.support.shots import screen_lines
from tests.support.workspaces import expectations
from tests.torture.commands import ask
from viewer.arguments import build_parser
from viewer.commands import COMMANDS
from viewer.screens.help import HelpScreen
from viewer.styles import MAY_BE_RUNNING, STATUSES, VERDICTS, decision_look
from viewer.widgets.virtual_list import VirtualList

NEVER = re.compile(
    r"(?i:\b(?:skipped|waiting|corrupt|broken|ignored|inconsistent|unknown|cannot tell|retry with care)\b)"
    r"|(?i:crashed at P\d|crash within|\bis safe\b|\bsafe to\b)|(?<!REPLAY )\bBLOCKED\b|\d blocked\b"
)
"""Words that a tired engineer may take for another state, or for a promise; an agent may be blocked as well."""

CALM = [name for name in SAMPLES if name not in ("hostile", "long")]
"""Samples whose own words are none of these; codes of the format, in backticks or with an underscore, are no words."""


def codes(inspection: Inspection) -> dict[str, Any]:
    """Return what must be said of a run, wherever it is."""
    plan = inspection.plan
    return {
        "disposition": plan.disposition,
        "rejectionReasons": [str(reason) for reason in plan.rejection_reasons],
        "diagnosticCodes": list(dict.fromkeys(str(found.code) for found in plan.diagnostics)),
    }


def loud(inspection: Inspection) -> str:
    """Return what is written first: the decision, or that it may not be one yet."""
    live = inspection.verdict is Verdict.MAY_BE_RUNNING
    look = MAY_BE_RUNNING if live else decision_look(inspection.plan.disposition, inspection.verdict)
    return f"{look.glyph} {look.word}"


def said_by_summary(document: dict[str, Any]) -> dict[str, Any]:
    """Return the same of a summary in a document."""
    return {name: document[name] for name in ("disposition", "rejectionReasons", "diagnosticCodes")}


def texts(root: Path, run: Run) -> Iterator[tuple[str, str]]:
    """Give every text about a run, by the words that ask for it."""
    named = ("--run", run.run_id)
    for words in (("plan", root, *named), ("runs", root), ("check", root), ("report", root, *named), (root,)):
        yield str(words[0]), ask(*words).out.decode()
    yield (
        "report, HTML",
        re.sub(r"<style.*?</style>|<[^>]*>", " ", ask("report", root, *named, "--format", "html").out.decode()),
    )


def summaries(root: Path) -> list[dict[str, Any]]:
    """Return what the documents on a whole workspace say of its runs."""
    checked = json.loads(ask("check", root, "--json").out)["workspaces"][0]["runs"]
    return [*json.loads(ask("runs", root, "--json").out)["runs"], *checked]


def holds_everywhere(root: Path, run: Run, listed: list[dict[str, Any]]) -> None:
    """Hold every document and the plan's text to what core decides."""
    inspection = inspect(run.ledger(), now_ms=time.time() * 1000)
    expected = codes(inspection)
    plan = json.loads(ask("plan", root, "--run", run.run_id, "--session", run.session_id, "--json").out)
    assert plan["plan"]["disposition"] == expected["disposition"]
    assert plan["plan"]["rejectionReasons"] == expected["rejectionReasons"]
    assert [found["code"] for found in plan["plan"]["diagnostics"]] == [
        str(d.code) for d in inspection.plan.diagnostics
    ]
    assert [found["status"] for found in plan["plan"]["operations"]] == [str(o.status) for o in inspection.operations]
    report = json.loads(ask("report", root, "--run", run.run_id, "--session", run.session_id, "--json").out)["runs"][0]
    for summary in listed:
        if (summary["sessionId"], summary["runId"]) == (run.session_id, run.run_id):
            assert said_by_summary(summary) == expected
            assert summary["verdict"] == inspection.verdict == report["verdict"]
    assert report["disposition"] == expected["disposition"]
    text = ask("plan", root, "--run", run.run_id, "--session", run.session_id).out.decode()
    assert loud(inspection) in text
    for word in (*expected["rejectionReasons"], *expected["diagnosticCodes"]):
        assert word in text
    for doubt in inspection.doubts:
        assert f"{STATUSES[doubt.status].glyph} {STATUSES[doubt.status].word}" in text


@pytest.mark.parametrize("name", CALM)
def test_every_state_is_said_alike(tmp_path: Path, name: str) -> None:
    """Documents, texts, reports and the screen agree with core; the words that mislead are in none of them."""
    SAMPLES[name](tmp_path)
    if name == "live":
        touch(tmp_path, time.time() * 1000 + 60_000)
    run = open_sample(tmp_path)
    root = run_root(tmp_path, name)
    holds_everywhere(root, run, summaries(root))
    inspection = inspect(run.ledger(), now_ms=time.time() * 1000)
    verdict, expected = VERDICTS[inspection.verdict], codes(inspection)
    for asked, text in texts(root, run):
        assert not NEVER.findall(text), (asked, NEVER.findall(text))
        if asked in ("runs", str(root)):
            assert f"{verdict.glyph} {verdict.word}" in text

    async def body() -> None:
        app = show_run(run, now_ms=lambda: time.time() * 1000)
        async with app.run_test(size=(160, 60)) as pilot:
            await settle(pilot)
            seen = []
            for key in ("1", "3", "4", "question_mark"):
                await pilot.press(key)
                await pilot.pause()
                await pilot.app.workers.wait_for_complete()
                await pilot.pause()
                seen += screen_lines(app)
            shown = "\n".join(seen)
            assert loud(inspection) in shown
            for word in (*expected["rejectionReasons"], *expected["diagnosticCodes"][:1]):
                assert word in shown
            assert screen_of(app).decided is not None
            assert not NEVER.findall(shown), NEVER.findall(shown)

    run_coroutine(body())


def run_root(root: Path, name: str) -> Path:
    """Give the path that a sample is opened by: files beside a database only by their own."""
    return root / "sessions" / "sess-1" if name == "stale" else root


def test_every_recorded_run_is_said_alike(workspaces: Path) -> None:
    """The same for every run that a real writer left."""
    for found in expectations(workspaces):
        root = workspaces / found["workspace"]
        listed = summaries(root)
        with open_workspace(root) as workspace:
            for run in workspace.runs():
                holds_everywhere(root, run, listed)


def test_our_own_words_mislead_nobody(tmp_path: Path) -> None:
    """Help, commands, glossary, usage and README have none of these words either."""
    told = [f"{command.title} {command.tooltip}" for command in COMMANDS]
    told += [" ".join((found.title, found.proves, found.not_shown, *found.to_do)) for found in GLOSSARY.values()]
    told += [build_parser().format_help(), re.sub(r"`[^`]*`", "", (SOURCE / "README.md").read_text("utf-8"))]

    SAMPLES["may_have_run"](tmp_path)

    async def body() -> None:
        app = show_run(open_sample(tmp_path))
        async with app.run_test(size=(120, 40)) as pilot:
            await settle(pilot)
            await pilot.press("question_mark")
            await pilot.pause()
            rows = cast("HelpScreen", app.screen).query_one(VirtualList)
            told.extend(str(rows.source.row(index, 118)) for index in range(len(rows.source)))

    run_coroutine(body())
    assert [found for text in told for found in NEVER.findall(text)] == []
