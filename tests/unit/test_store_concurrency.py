"""Several threads and several processes writing to one run."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from pathlib import Path

from core.store.store import AppendOutcome, RuntimeEventStore
from tests.support.runs import RUN, SESSION, call, delta, new_run, response, text

_WRITER = """
import json, sys
from core.store.store import RuntimeEventStore
root, session_id, run_id = sys.argv[1:]
store = RuntimeEventStore(root)
events = [json.loads(line) for line in sys.stdin.readline().split("\\t")]
print("ready", flush=True)
sys.stdin.readline()
for event in events:
    print(store.append(session_id, run_id, event), flush=True)
"""


def test_threads_share_a_store(tmp_path: Path) -> None:
    """Rows of several threads are all there, whole, each thread's in its own order; a shared event is written once."""
    new_run(tmp_path)
    store = RuntimeEventStore(tmp_path)
    outcomes: list[AppendOutcome] = []

    def write(name: str) -> None:
        outcomes.append(store.append(SESSION, RUN, text("shared")))
        for number in range(25):
            store.append(SESSION, RUN, call(f"{name}-{number}", f"{name}-{number}"))
            store.append(SESSION, RUN, delta(f"{name}-{number}-delta", "x", name))
            store.append(SESSION, RUN, response(f"{name}-{number}-response", f"{name}-{number}"))

    threads = [threading.Thread(target=write, args=(name,)) for name in "abcd"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    ids = [item.id for item in RuntimeEventStore(tmp_path).read_immutable(SESSION, RUN)]

    assert sorted(outcomes) == [*[AppendOutcome.UNCHANGED] * 3, AppendOutcome.WRITTEN]
    assert len(ids) == len(set(ids)) == 1 + 4 * 50
    for name in "abcd":
        assert [i for i in ids if i.startswith(f"{name}-")] == [
            f"{name}-{number}{part}" for number in range(25) for part in ("", "-response")
        ]


def test_processes_never_cut_into_each_other(tmp_path: Path) -> None:
    """Two processes that write to one run leave whole rows, each one's in order, and no event twice."""
    ledger = new_run(tmp_path)
    writers = []
    for name in "ab":
        events = [text(f"{name}-{number}", name * (number % 7) * 1000) for number in range(100)]
        events.insert(50, text("shared"))
        process = subprocess.Popen(
            [sys.executable, "-c", _WRITER, str(tmp_path), SESSION, RUN],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=Path(__file__).parents[2],
        )
        assert process.stdin is not None
        process.stdin.write("\t".join(map(json.dumps, events)) + "\n")
        process.stdin.flush()
        writers.append(process)
    for process in writers:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    outputs = [process.communicate("go\n")[0].split() for process in writers]
    ids = [item.id for item in RuntimeEventStore(tmp_path).read_immutable(SESSION, RUN)]

    assert [process.returncode for process in writers] == [0, 0]
    assert sorted(outputs[0] + outputs[1]) == ["unchanged", *["written"] * 201]
    assert ledger.read_bytes().count(b"\n") == len(ids) == len(set(ids)) == 201
    for name in "ab":
        assert [i for i in ids if i.startswith(f"{name}-")] == [f"{name}-{number}" for number in range(100)]
