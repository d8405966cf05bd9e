"""The installed entry point, where another package has the name of one of ours."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.command import SOURCE, environment


@pytest.fixture
def installed(tmp_path: Path) -> Path:
    """Give a folder with the launcher as it is installed: beside the packages, under the distribution's name."""
    site = tmp_path / "site"
    site.mkdir()
    shutil.copy(SOURCE / "viewer" / "_launcher.py", site / "maka_ledger.py")
    for name in ("core", "viewer"):
        shutil.copytree(SOURCE / name, site / name, ignore=shutil.ignore_patterns("__pycache__"))
    return site


LAUNCH = f"""import sys
sys.path = [folder for folder in sys.path if folder != {str(SOURCE)!r}]
import maka_ledger
sys.exit(maka_ledger.main())"""
"""Starts what is installed; this tree may be on the path too, where it is installed in place."""


def launch(*paths: Path, cwd: Path, program: str = LAUNCH) -> tuple[int, str]:
    """Start the launcher with these folders on the path and return its exit code and what it wrote to stderr."""
    done = subprocess.run(
        [sys.executable, "-c", program, "failpoints"],
        capture_output=True,
        text=True,
        encoding="utf-8",
        env=environment(PYTHONPATH=":".join(map(str, paths)) if sys.platform != "win32" else ";".join(map(str, paths))),
        cwd=cwd,
        timeout=60,
        check=False,
    )
    return done.returncode, done.stderr


def foreign(folder: Path, name: str, source: str | None) -> Path:
    """Make a folder with another package of that name; without a source it is a namespace package."""
    package = folder / name
    package.mkdir(parents=True)
    if source is not None:
        (package / "__init__.py").write_text(source)
    return folder


def test_ours_is_run(installed: Path, tmp_path: Path) -> None:
    """Where nothing is hidden the command line runs."""
    assert launch(installed, cwd=tmp_path) == (0, "")


@pytest.mark.parametrize("name", ["core", "viewer"])
@pytest.mark.parametrize(
    "source",
    [
        "x = 1\n",
        "raise RuntimeError('settings')\n",
        "import no_such_module_at_all\n",
        "__distribution__ = 'django'\n",
        None,
    ],
)
def test_who_hides_ours_is_named(installed: Path, tmp_path: Path, name: str, source: str | None) -> None:
    """A foreign package in the current folder or on the path ends in one line that says where it is, and 3."""
    other = foreign(tmp_path / "project", name, source)
    if source is None:
        shutil.rmtree(installed / name)

    code, said = launch(other, installed, cwd=other)
    assert code == 3
    assert said.startswith(f"maka-ledger: another package named {name!r} hides ours: ")
    assert "pipx install maka-ledger" in said
    assert said.count("\n") == 1
    if source is not None:
        assert str(other) in said


def test_a_missing_package_of_ours_is_told(installed: Path, tmp_path: Path) -> None:
    """Half an installation says that the other half is missing."""
    shutil.rmtree(installed / "viewer")

    code, said = launch(installed, cwd=tmp_path)
    assert code == 3
    assert "'viewer'" in said


def test_a_fault_inside_ours_is_not_blamed_on_others(installed: Path, tmp_path: Path) -> None:
    """If ours cannot be loaded because something it needs is missing, that is what is said."""
    path = installed / "core" / "__init__.py"
    path.write_text(path.read_text(encoding="utf-8") + "\nimport no_such_module_at_all\n", encoding="utf-8")

    code, said = launch(installed, cwd=tmp_path)
    assert code == 1
    assert "no_such_module_at_all" in said
    assert "hides ours" not in said


def test_python_m_viewer_is_guarded_too(tmp_path: Path) -> None:
    """`python -m viewer` with a foreign `core` on the path says so."""
    other = foreign(tmp_path / "project", "core", "x = 1\n")

    code, said = launch(
        other,
        SOURCE,
        cwd=tmp_path,
        program="import runpy, sys; sys.argv[0] = 'viewer'; runpy.run_module('viewer', run_name='__main__')",
    )
    assert code == 3
    assert "another package named 'core' hides ours" in said
