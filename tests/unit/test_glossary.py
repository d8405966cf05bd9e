"""The glossary: every code that core can say is explained, in words that cannot be misread."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import core
from core import GLOSSARY, RUNTIME_RESUME_FAILPOINTS, Entry, OperationStatus, entry

SOURCES = [path.read_text() for path in Path(core.__file__).parent.rglob("*.py")]
NEVER = re.compile(r"\b(safe|ok|skipped|waiting|corrupt|broken|ignored|crashed at|done|cannot tell|unknown)\b", re.I)


def test_every_status_is_explained() -> None:
    """Each operation status has an entry that can stand alone."""
    assert all(entry(status, "status") for status in OperationStatus)


def test_every_finding_that_core_makes_is_explained() -> None:
    """A code that is passed to Finding anywhere in core has an entry in the family of findings."""
    made = {code for source in SOURCES for code in re.findall(r"Finding\(\s*\"([a-z_]+)\"", source)}

    missing = sorted(code for code in made if entry(code, "finding") is None)

    assert len(made) > 10
    assert missing == []


@pytest.mark.parametrize("found", GLOSSARY.values(), ids=["/".join(key) for key in GLOSSARY])
def test_no_sentence_can_be_misread(found: Entry) -> None:
    """No entry uses a word that a tired engineer could take for a promise, and each says something."""
    words = " ".join((found.title, found.proves, found.not_shown, *found.to_do))

    assert found.title
    assert found.proves
    assert NEVER.findall(words) == []


def test_a_failpoint_is_never_called_the_place_of_the_crash() -> None:
    """The catalog names boundaries; it does not claim that a crash fell there."""
    assert not any("crashed" in failpoint.boundary for failpoint in RUNTIME_RESUME_FAILPOINTS)
