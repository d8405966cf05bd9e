"""Who may load what, and which names are public."""

from __future__ import annotations

import ast
import pkgutil
from pathlib import Path

import pytest

import core
import viewer
from tests.support.command import SOURCE, python
from tests.support.runs import call, text
from tests.support.workspaces import make_run

SCREENS = ("textual", "rich")


def loaded(program: str, *words: str) -> set[str]:
    """Run a program in a process of its own and return the top-level packages that it loaded."""
    tail = "\nimport sys; print(*{name.partition('.')[0] for name in sys.modules}, file=sys.stderr)"
    done = python(program + tail, *words)
    assert done.returncode == 0, done.stderr
    return set(done.stderr.splitlines()[-1].split())


def modules(package: str) -> list[str]:
    """Return the names of all modules of a package."""
    found = [info.name for info in pkgutil.walk_packages([str(SOURCE / package)], f"{package}.")]
    return [name for name in found if not name.endswith("__main__")]


def test_core_never_loads_a_screen() -> None:
    """No module of `core`, loaded with everything it loads, brings textual, rich or the viewer along."""
    program = "import importlib, sys\nfor name in sys.argv[1:]: importlib.import_module(name)"

    assert not loaded(program, *modules("core")) & {*SCREENS, "viewer"}


@pytest.mark.parametrize("words", [["plan", "--json"], ["check"], ["runs", "--json"], ["check", "--json"], ["plan"]])
def test_scripts_pay_for_no_screen(tmp_path: Path, words: list[str]) -> None:
    """What answers a script loads neither textual nor rich."""
    make_run(tmp_path, [text("e1"), call("e2", args={"command": "ls"})])
    program = "import sys\nfrom viewer.cli import main\nassert main(sys.argv[1:]) == int(sys.argv[2] != 'x')"
    program = program.replace("int(sys.argv[2] != 'x')", "0" if words[0] == "runs" else "1")

    assert not loaded(program, words[0], str(tmp_path), *words[1:]) & set(SCREENS)


def test_errors_and_the_catalog_pay_for_no_screen() -> None:
    """Neither does the catalog, nor a wrong question."""
    program = (
        "from viewer.cli import main\nassert main(['failpoints']) == 0\nassert main(['plan', '/nowhere/at/all']) == 2"
    )

    assert not loaded(program) & set(SCREENS)


def test_the_first_frame_waits_for_nothing_that_reads() -> None:
    """What draws the frame of a run before it is opened loads no record, no decision and no storage."""
    program = "import viewer.cli, viewer.opening, viewer.screens.opening_run, sys\nprint(*sys.modules)"
    done = python(program)

    assert done.returncode == 0, done.stderr
    core_loaded = {name.split(".")[1] for name in done.stdout.split() if name.startswith("core.")}
    assert core_loaded <= {"apart", "errors", "inspection", "text", "where"}
    assert "core.inspection.inspect" not in done.stdout.split()


def test_public_names_are_sorted_and_exist_once() -> None:
    """Every public name can be had from `core`, stands once in `__all__`, and the list is in order."""
    names = core.__all__

    assert names == sorted(names, key=lambda name: (not name.isupper(), name[0].islower(), name))
    assert len(set(names)) == len(names)
    for name in names:
        assert getattr(core, name) is not None
    assert not [name for name in names if name.startswith("_")]
    assert set(names) <= set(dir(core))


def test_the_viewer_uses_public_names_only() -> None:
    """The viewer imports from `core`, never from a module of it, and nothing in `core` imports absolutely from us."""
    wrong = []
    for path in sorted((SOURCE / "viewer").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [node.module or ""] if isinstance(node, ast.ImportFrom) and not node.level else []
            names += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            wrong += [f"{path.name}: {name}" for name in names if name.startswith(("core.", "viewer"))]
    for path in sorted((SOURCE / "core").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and not node.level:
                name = node.module or ""
                wrong += [f"{path.name}: {name}"] if name.partition(".")[0] in ("core", "viewer") else []

    assert wrong == []


def test_both_packages_say_whose_they_are() -> None:
    """The launcher tells ours from others by the name of the distribution."""
    assert core.__distribution__ == viewer.__distribution__ == "maka-ledger"
