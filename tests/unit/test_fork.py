"""A helper that is a copy of the process: there at once, holding nothing, and gone with it."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.support.children import is_there
from tests.support.command import python
from tests.support.run_samples import may_have_run
from tests.unit.test_reading_apart import gone

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="no process is copied elsewhere")

_START = """
import os, signal, sys, threading, time
from core import Helper, HelperLost
from core.apart.fork import ForkedHelper, can_be_copied, quick_helper
"""


def said(program: str) -> list[str]:
    """Run a program of one thread that begins with a helper's names, and return its lines; it must end well."""
    done = python(_START + program)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.splitlines()


def test_a_process_of_one_thread_is_copied() -> None:
    """Of one with two threads no copy is made: it gets a helper that starts as any process does."""
    program = """
helper = quick_helper()
print(type(helper) is ForkedHelper)
helper.close()
done = threading.Event()
thread = threading.Thread(target=done.wait)
thread.start()
print(can_be_copied())
other = quick_helper()
print(type(other) is Helper)
other.close()
done.set()
thread.join()
while not can_be_copied():  # a thread that was joined is still there for a moment
    time.sleep(0.01)
"""
    assert said(program) == ["True", "False", "True"]


def test_it_summarizes_as_any_other(tmp_path: Path) -> None:
    """What it is asked for it answers as a helper does that was started from nothing, one after the other."""
    may_have_run(tmp_path)
    program = f"""
from core.apart.share import SomeRuns
from core import open_workspace
root = {str(tmp_path)!r}
(run,) = open_workspace(root).runs()
wanted = SomeRuns(root, ((run.session_id, run.run_id, None),), 0.0)
found = []
for make in (ForkedHelper, Helper):
    helper = make()
    found.append([helper.summaries(wanted) for _ in range(2)])
    helper.close()
print(found[0] == found[1], found[0][0][0].verdict)
"""
    assert said(program) == ["True may_have_run"]


def test_it_holds_nothing_of_ours_open(tmp_path: Path) -> None:
    """Beside its two pipes it has no file, and what was to be written to ours is written once."""
    program = f"""
kept = open({str(tmp_path / "kept")!r}, "w")
sys.stdout.write("once ")
helper = ForkedHelper()
time.sleep(0.5)
folder = f"/proc/{{helper.pid}}/fd"
held = [os.readlink(f"{{folder}}/{{name}}") for name in os.listdir(folder)]
print(sorted({{place.split(":")[0] for place in held}}), len(held))
helper.close()
helper.close()
"""
    assert said(program) == ["once ['/dev/null', 'pipe'] 5"]


def test_keys_do_not_interrupt_it_and_nobody_outlives_us() -> None:
    """ctrl+c is for the process that it helps; when that ends, in whatever way, so does the helper."""
    program = """
signal.signal(signal.SIGTERM, lambda number, frame: print("never"))
helper = ForkedHelper()
time.sleep(0.5)
os.kill(helper.pid, signal.SIGINT)
time.sleep(0.2)
print(os.path.exists(f"/proc/{helper.pid}"), helper.pid, flush=True)
os._exit(0)
"""
    there, pid = said(program)[0].split()
    assert there == "True"
    assert gone(int(pid))
    assert not is_there(int(pid))


def test_a_signal_in_the_very_first_moment_is_not_ours_there() -> None:
    """A copy that is interrupted before it serves does not unwind what we were about: it serves, and we go on."""
    program = """
os.register_at_fork(after_in_child=lambda: os.kill(os.getpid(), signal.SIGINT))
helper = ForkedHelper()
time.sleep(0.5)
print(open(f"/proc/{helper.pid}/stat").read().rsplit(")", 1)[1].split()[0] != "Z")
print(signal.pthread_sigmask(signal.SIG_BLOCK, ()))
helper.close()
"""
    assert said(program) == ["True", "set()"]


def test_without_standard_files_there_is_no_copy() -> None:
    """The pipes would stand in their places: then it is said that there can be no helper, and nothing is left open."""
    program = """
os.close(0)
before = len(os.listdir("/proc/self/fd"))
try:
    ForkedHelper()
except HelperLost as error:
    print(error)
print(len(os.listdir("/proc/self/fd")) == before)
"""
    assert said(program) == ["no process can be started: the standard files of this process are closed", "True"]
