"""The command line in this process: exit codes, errors in one line, links, and documents."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.support.asking import Capture, answer, document
from tests.support.harbor import calm_run
from tests.support.runs import RUN, SESSION, text
from tests.support.workspaces import make_run
from viewer.arguments import COMMANDS
from viewer.cli import main

# Exit codes


def test_exit_codes_of_plan_and_check(
    capsys: Capture, harbor: Path, calm: Path, doubtful: Path, empty: Path, tmp_path: Path
) -> None:
    """0 replayable, 1 blocked, 3 unreadable, and 3 beats 1 beats 0; a torn last row alone changes nothing."""
    assert answer(capsys, "check", str(calm))[0] == 0
    assert answer(capsys, "check", str(doubtful))[0] == 1
    assert answer(capsys, "check", str(calm), str(doubtful))[0] == 1
    assert answer(capsys, "check", str(harbor), str(calm))[0] == 3
    assert answer(capsys, "check", str(empty))[0] == 0
    assert answer(capsys, "plan", str(calm))[0] == 0
    assert answer(capsys, "plan", str(doubtful))[0] == 1
    assert answer(capsys, "plan", str(harbor), "--run", "run-91aa")[0] == 3
    assert answer(capsys, "plan", str(harbor), "--run", "run-7f3e")[0] == 1
    assert answer(capsys, "plan", str(harbor), "--run", "run-0002")[0] == 0
    make_run(tmp_path, None, head={"runId": RUN, "sessionId": SESSION})
    assert answer(capsys, "check", str(tmp_path))[0] == 3


def test_lists_and_the_catalog_end_with_0(capsys: Capture, harbor: Path, empty: Path) -> None:
    """A list is no verdict: it ends with 0 whatever it holds; so does opening without a terminal."""
    assert answer(capsys, "runs", str(harbor))[0] == 0
    assert answer(capsys, str(harbor))[0] == 0
    assert answer(capsys, "open", str(harbor))[0] == 0
    assert answer(capsys, "failpoints")[0] == 0
    code, out, _ = answer(capsys, "runs", str(empty))
    assert code == 0
    assert "No runs: nothing to resume." in out


def test_an_expected_high_water_decides_and_a_prefix_does_not(capsys: Capture, calm: Path, doubtful: Path) -> None:
    """Another length than expected blocks; a what-if prefix leaves the exit code to the whole ledger."""
    assert answer(capsys, "plan", str(calm), "--expect-high-water", "6")[0] == 0
    code, out, _ = answer(capsys, "plan", str(calm), "--expect-high-water", "7")
    assert code == 1
    assert "expected 7 events, found 6" in out
    assert "runtime_offset_mismatch" in out
    assert document(capsys, "plan", str(calm), "--expect-high-water", "7")[1]["verdict"] == "other_length"

    code, out, _ = answer(capsys, "plan", str(doubtful), "--prefix", "1")
    assert code == 1
    assert "✗ REPLAY BLOCKED" in out
    assert "WHAT-IF after event 1 of 2: would be HISTORY MAY BE REPLAYED" in out
    code, found = document(capsys, "plan", str(doubtful), "--prefix", "2")
    assert (code, found["whatIf"], found["plan"]["disposition"]) == (1, True, "blocked")


# Completions


@pytest.mark.parametrize("shell", ["bash", "zsh", "tcsh"])
def test_completions_know_every_command(capsys: Capture, shell: str) -> None:
    """What a shell gets on standard output names every command of the grammar."""
    with pytest.raises(SystemExit) as ended:
        main(["--print-completion", shell])
    out, err = capsys.readouterr()

    assert (ended.value.code or 0, err) == (0, "")
    assert "maka-ledger" in out
    assert [name for name in COMMANDS if name not in out] == []


# Errors


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["plan", "{tmp}/nowhere"], 2, "nowhere: no such file or folder"),
        (["runs", "{tmp}"], 2, "ledger in this folder; give a state root"),
        (["{tmp}/note.txt"], 2, "not a workspace: a file that is no"),
        (["check", "{tmp}/note.txt/x"], 2, "no such file or folder"),
        (["check", "a\x00b"], 2, "no such file or folder"),
        (["plan", "{harbor}", "--run", "run-7f3"], 2, "no run run-7f3 in this workspace; did you mean run-7f3e?"),
        (["plan", "{harbor}", "--run", "zzz"], 2, "no run zzz in this workspace; maka-ledger runs PATH lists them"),
        (["plan", "{harbor}"], 2, "23 runs are here; name one: --run ID"),
        (["plan", "{harbor}", "--run", "run-7f3e", "--session", "sess-clean"], 2, "no run run-7f3e"),
        (["plan", "{empty}"], 2, "there is no run here; nothing to resume"),
        (
            ["plan", "{calm}", "--prefix", "7"],
            2,
            "no prefix of 7 events: this ledger has 6; give a whole number from 0",
        ),
        (["plan", "{calm}", "--prefix", "-1"], 2, "'-1' is not a number of events; see maka-ledger plan --help"),
        (["plan", "{calm}", "--prefix", "1.5"], 2, "'1.5' is not a number of events"),
        (["plan", "{calm}", "--prefix", "٣"], 2, "is not a number of events"),
        (["plan", "{calm}", "--prefix", "9" * 5000], 2, "no ledger has 999999999999999999... events"),
        (["plan", "{calm}", "--prefix", "1", "--expect-high-water", "1"], 2, "not allowed with argument --prefix"),
        (["plan", "{calm}#a", "--run", "b"], 2, "two runs are named; name one: by --run or in the link"),
        (["plan", "{calm}#b"], 2, "no run b in this workspace"),
        (["plan", "{calm}#a#nowhere"], 2, "nowhere"),
        (["check", "{calm}#b"], 2, "no run b in this workspace"),
        (["plan"], 2, "the following arguments are required: PATH; see maka-ledger plan --help"),
        (["plan", "{calm}", "--nope"], 2, "unrecognized arguments: --nope; see maka-ledger --help"),
        (
            ["plan", "{harbor}", "--run", "run-7f3e", "--session", "sess-clean"],
            2,
            "session sess-clean has no run run-7f3e; it is in session sess-port",
        ),
        (["rnus", "{calm}"], 2, "no command and no path 'rnus'; did you mean runs?"),
        (["{harbor}", "--expect-high-water", "3"], 2, "23 runs are here"),
        (["check", "--jsno", "\x1b]0;PWNED\x07"], 2, "unrecognized arguments"),
    ],
)
def test_errors_are_one_line(
    capsys: Capture, harbor: Path, calm: Path, empty: Path, tmp_path: Path, words: list[str], code: int, said: str
) -> None:
    """Every wrong question gets its code and one line that says what, where, and what to try next."""
    (tmp_path / "note.txt").write_text("no ledger")
    places = {"tmp": tmp_path, "harbor": harbor, "calm": calm, "empty": empty}
    found, out, err = answer(capsys, *[word.format(**places) for word in words])

    assert found == code
    assert err.startswith("maka-ledger: ")
    assert err.count("\n") == 1
    assert said in err
    assert "Traceback" not in out + err
    assert "\x1b" not in err
    if words[0] != "check":
        assert out == ""


def test_a_name_in_several_sessions_needs_the_session(capsys: Capture, tmp_path: Path) -> None:
    """A run that several sessions have is not guessed; --session or the session's own path names it."""
    for session in ("s1", "s2"):
        calm_run(tmp_path, session, "a", "2026-11-29 12:00:00", 4)

    code, _, err = answer(capsys, "plan", str(tmp_path), "--run", "a")
    assert code == 2
    assert "2 sessions have a run a: s1, s2; " in err
    assert answer(capsys, "plan", str(tmp_path), "--run", "a", "--session", "s2")[0] == 0
    assert answer(capsys, "plan", f"{tmp_path}/sessions/s2#a")[0] == 0


def test_errors_in_json(capsys: Capture, tmp_path: Path) -> None:
    """With --json an error is a document too, and the line on standard error stays; a check goes on after it."""
    for words in (["plan", str(tmp_path / "no")], ["plan", str(tmp_path / "no"), "--prefix", "x"]):
        code, found = document(capsys, *words)
        assert code == 2
        assert next(iter(found.items())) == ("schema", "maka-ledger/error@1")
        assert found["message"]

    code, found = document(capsys, "check", str(tmp_path / "no"), str(tmp_path))
    assert (code, found["exitCode"]) == (2, 2)
    assert [one["error"]["code"] for one in found["workspaces"]] == ["workspace_missing", "not_a_workspace"]


@contextmanager
def nobody() -> Iterator[None]:
    """Be a user who may read little."""
    if sys.platform == "win32" or not hasattr(os, "geteuid"):
        pytest.skip("permissions are other ones here")
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


def test_no_permission_is_3(capsys: Capture) -> None:
    """What the system refuses to show is 3: the path, a session's folder, or a ledger; never an empty answer."""
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder, "root")
        make_run(root, [text("e1")])
        for path in (Path(folder), *root.rglob("*"), root):
            path.chmod(0o755 if path.is_dir() else 0o644)
        sessions, ledger = root / "sessions", next(root.rglob("runtime-events.jsonl"))
        for locked in (root, sessions, sessions / SESSION / "runs", ledger):
            mode = locked.stat().st_mode
            locked.chmod(0)
            with nobody():
                code, out, err = answer(capsys, "check", str(root))
            locked.chmod(mode)
            assert code == 3, locked
            assert "denied" in out + err
        with nobody():
            assert answer(capsys, "check", str(root))[0] == 0


@pytest.mark.parametrize("words", [[], ["open"], ["runs"], ["plan"], ["check"], ["failpoints"]])
def test_help_is_data(capsys: Capture, words: list[str]) -> None:
    """Help goes to standard output, with 0, and names the exit codes where one looks first."""
    with pytest.raises(SystemExit) as ended:
        main([*words, "--help"])
    said = capsys.readouterr()

    assert ended.value.code == 0
    assert said.out.startswith(f"usage: {' '.join(['maka-ledger', *words])}")
    assert said.err == ""
    assert words or "exit codes:" in said.out


def test_the_version_is_data(capsys: Capture) -> None:
    """The version goes to standard output, with 0."""
    with pytest.raises(SystemExit) as ended:
        main(["--version"])

    assert ended.value.code == 0
    assert capsys.readouterr().out.startswith("maka-ledger ")


# Links


def test_links_are_paths(capsys: Capture, harbor: Path) -> None:
    """`PATH#run` and `PATH#run#event` are taken wherever a path is."""
    link = f"{harbor}#run-22c0"
    assert [run["runId"] for run in document(capsys, "runs", link)[1]["runs"]] == ["run-22c0"]
    assert document(capsys, "check", link)[1]["exitCode"] == 1
    assert document(capsys, "plan", link)[1]["runId"] == "run-22c0"
    assert document(capsys, "plan", f"{link}#run-22c0-e002")[1]["event"] == 2
    assert document(capsys, "plan", f"{link}#3")[1]["event"] == 3
    code, out, _ = answer(capsys, f"{link}#run-22c0-e002")
    assert code == 0
    assert "event 2:  2026-11-28 17:41:01.000 UTC  call  Bash  git push --force" in out
    assert "run-7f3e" not in out


def test_a_folder_with_a_mark_in_its_name(capsys: Capture, tmp_path: Path) -> None:
    """A path that really exists wins over a link."""
    calm_run(tmp_path / "a#b", "s1", "a", "2026-11-29 12:00:00", 4)

    assert document(capsys, "runs", str(tmp_path / "a#b"))[1]["path"] == str(tmp_path / "a#b")
    assert document(capsys, "plan", f"{tmp_path / 'a#b'}#a")[1]["runId"] == "a"


def test_without_a_path_the_usual_place_is_opened(
    capsys: Capture, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Maka's own state root is opened; where there is none that is said, and where there are several they are named."""
    for name in ("HOME", "USERPROFILE", "XDG_CONFIG_HOME", "APPDATA"):
        monkeypatch.setenv(name, str(tmp_path))
    code, _, err = answer(capsys)
    assert code == 2
    assert "Maka keeps no workspace here; name one: maka-ledger PATH" in err
    assert str(tmp_path) in err

    folder = tmp_path / ("Library/Application Support/Maka" if sys.platform == "darwin" else "Maka")
    calm_run(folder / "workspaces" / "default", "s1", "a", "2026-11-29 12:00:00", 4)
    code, out, err = answer(capsys)
    assert (code, err) == (0, "")
    assert "s1/a" in out

    calm_run(folder / "workspaces" / "other", "s1", "b", "2026-11-29 12:00:00", 4)
    code, out, err = answer(capsys)
    assert (code, out) == (2, "")
    *places, choice = err.splitlines()
    known = [str(folder / "workspaces" / name) for name in ("default", "other")]
    assert [place.rpartition(": ")[2] for place in places] == known
    assert choice.endswith(f'choose one: maka-ledger "{known[0]}"')
