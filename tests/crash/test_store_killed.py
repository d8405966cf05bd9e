"""A writer that is really killed in the middle of its appends."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from core.store.store import AppendOutcome, RuntimeEventStore
from tests.support.runs import RUN, SESSION, new_run, text

_WRITER = """
import json, sys
from core.store.store import RuntimeEventStore
root, session_id, run_id, first = sys.argv[1:]
store = RuntimeEventStore(root)
event = json.loads(sys.stdin.readline())
number = int(first)
while True:
    store.append(session_id, run_id, {**event, "id": f"e{number}"})
    print(number, flush=True)
    number += 1
"""


def test_what_was_acknowledged_survives_a_kill(tmp_path: Path) -> None:
    """After each kill the ledger holds every acknowledged row, in order, perhaps one more, and takes rows again."""
    new_run(tmp_path)
    first = 0
    for _ in range(4):
        writer = subprocess.Popen(
            [sys.executable, "-c", _WRITER, str(tmp_path), SESSION, RUN, str(first)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=Path(__file__).parents[2],
        )
        assert writer.stdin is not None
        assert writer.stdout is not None
        writer.stdin.write(json.dumps(text("", "x" * 200_000)) + "\n")
        writer.stdin.flush()
        acknowledged = [int(writer.stdout.readline()) for _ in range(8)]
        writer.kill()
        acknowledged += map(int, writer.stdout)
        writer.stdin.close()
        writer.wait()
        writer.stdout.close()
        store = RuntimeEventStore(tmp_path)
        ids = [item.id for item in store.read_immutable(SESSION, RUN)]

        assert ids == [f"e{number}" for number in range(len(ids))]
        assert acknowledged[-1] + 1 <= len(ids) <= acknowledged[-1] + 2
        assert store.append(SESSION, RUN, text(f"e{len(ids)}")) is AppendOutcome.WRITTEN
        first = len(ids) + 1
