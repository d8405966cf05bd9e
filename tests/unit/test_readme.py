"""What the README promises runs as it stands."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from core import Verdict
from tests.support.command import SOURCE, python
from tests.support.harbor import harbor_workspace
from viewer.arguments import COMMANDS

README = (SOURCE / "README.md").read_text(encoding="utf-8")


def script() -> str:
    """Return the script of "Use it from Python"."""
    found = re.search(r"## Use it from Python.*?```python\n(.*?)```", README, re.DOTALL)
    assert found is not None
    return found[1]


def test_the_script_runs_on_a_workspace(tmp_path: Path) -> None:
    """The script prints every run with its verdict, and the calls in doubt, with `core` alone."""
    root = harbor_workspace(tmp_path / "default", 3)
    program = script()
    assert program.count('"path/to/workspace"') == 1

    done = python(program.replace('"path/to/workspace"', repr(str(root))))
    assert done.stderr == ""
    assert done.returncode == 0
    assert "run-7f3e may_have_run blocked" in done.stdout
    assert "in doubt: Bash toolu_01Q8 indeterminate" in done.stdout
    assert "pending_tool_result run-7f3e-e011" in done.stdout
    assert "run-41e0 replayable safe_replay" in done.stdout


def test_the_script_is_short() -> None:
    """Ten lines are enough."""
    assert len([line for line in script().splitlines() if line.strip()]) <= 10


def test_the_script_runs_on_a_recorded_workspace(workspaces: Path) -> None:
    """It also runs on workspaces whose writers were really killed."""
    for name in ("ws03-crash-failpoints", "ws09-damaged"):
        done = python(script().replace('"path/to/workspace"', repr(str(workspaces / name))))
        assert done.returncode == 0, done.stderr
        assert {line.split()[1] for line in done.stdout.splitlines() if line.startswith("run-")} <= set(Verdict)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_is_in_the_readme(command: str) -> None:
    """A command that nobody is told of does not exist."""
    assert command == "open" or f"maka-ledger {command}" in README


def test_pictures_exist() -> None:
    """Every picture and every file that the README points to is there."""
    links = re.findall(r"\]\(([^)#]+)\)", README)
    assert links
    assert [link for link in links if "://" not in link and not (SOURCE / link).exists()] == []
