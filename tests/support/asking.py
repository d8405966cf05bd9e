"""Runs the command line in this process and gives what it answered."""

from __future__ import annotations

import json
from typing import Any

import pytest

from viewer.cli import main

Capture = pytest.CaptureFixture[str]


def answer(capsys: Capture, *words: str) -> tuple[int, str, str]:
    """Run a command and return its exit code and what it wrote to both streams."""
    code = main(words)
    said = capsys.readouterr()
    return code, said.out, said.err


def document(capsys: Capture, *words: str) -> tuple[int, dict[str, Any]]:
    """Run a command with --json and return its exit code and its document."""
    code, out, _ = answer(capsys, *words, "--json")
    return code, json.loads(out)
