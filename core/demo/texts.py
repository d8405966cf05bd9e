"""What the tools of the demonstration's small project give back: a service that assigns berths to ships in a harbor."""

from __future__ import annotations

from typing import Final

CONFIG: Final = """{
  "service": "berth-scheduler",
  "port": 4000,
  "adminPort": 4001,
  "logLevel": "info",
  "harbor": {
    "name": "Nordhafen",
    "timezone": "Europe/Berlin",
    "quays": [
      { "id": "q1", "berths": 6, "depthMeters": 11.5 },
      { "id": "q2", "berths": 4, "depthMeters": 14.0 },
      { "id": "q3", "berths": 9, "depthMeters": 8.2 }
    ]
  },
  "scheduler": {
    "horizonHours": 72,
    "slotMinutes": 15,
    "minClearanceMeters": 12,
    "maxPlansPerMinute": 40,
    "tieBreak": "earliest-arrival"
  },
  "tides": {
    "source": "https://tides.example/nordhafen",
    "refreshMinutes": 30,
    "fallback": "table"
  },
  "store": {
    "url": "postgres://harbor@db.example/harbor",
    "poolSize": 12,
    "statementTimeoutMs": 4000
  },
  "notify": {
    "channel": "#harbor-ops",
    "onOverlap": true,
    "onDelayMinutes": 45
  },
  "deploy": {
    "prod": "nordhafen-prod",
    "staging": "nordhafen-staging",
    "healthPath": "/health",
    "drainSeconds": 20
  }
}
"""

_SUITES: Final = ("allocator", "clearance", "tides", "quays", "plans", "notify", "store", "slots")
_CASES: Final = (
    "keeps the distance between two hulls",
    "refuses a ship that is too deep",
    "prefers the earliest arrival",
    "gives a berth back when a ship is late",
    "does not plan beyond the horizon",
    "rounds to the slot",
    "tells the harbor master of an overlap",
    "reads an empty table",
    "keeps the order of equal arrivals",
    "survives a missing tide",
    "writes one plan a minute at most",
    "leaves a closed quay alone",
    "counts a tug as a ship",
)


def suite_output(failing: str | None = None) -> str:
    """Return what `npm test` prints; `failing` is a suite whose third case fails."""
    lines = ["", "> harbor@0.4.0 test", "> node --test --test-reporter=spec", ""]
    for suite_number, suite in enumerate(_SUITES):
        lines.append(f"▶ {suite}")
        for number, case in enumerate(_CASES):
            mark = "✖" if suite == failing and number == 2 else "✔"
            lines.append(f"  {mark} {suite}: {case} ({1.5 + (7 * suite_number + 3 * number) % 11 + number / 7:.5f}ms)")
    total = len(_SUITES) * len(_CASES)
    failed = int(failing in _SUITES)
    lines += [
        f"ℹ tests {total}",
        f"ℹ suites {len(_SUITES)}",
        f"ℹ pass {total - failed}",
        f"ℹ fail {failed}",
        "ℹ duration_ms 14120.4",
        "",
    ]
    return "\n".join(lines)


FLAKY_TEST: Final = """import { test } from "node:test";
import assert from "node:assert/strict";
import { allocate } from "../src/berths/allocator.js";

test("keeps the distance between two hulls", () => {
  const ships = Array.from({ length: 6 }, () => ({ length: 40 + Math.random() * 80 }));
  const plan = allocate(ships, { seed: undefined });
  assert.equal(plan.overlaps.length, 0);
});
"""

ALLOCATOR: Final = """export function allocate(ships, { quays, clearance = 12 }) {
  const plan = [];
  for (const ship of [...ships].sort(byArrival)) {
    const berth = quays.flatMap((quay) => quay.berths).find((berth) => fits(ship, berth, plan, clearance));
    plan.push({ ship, berth });
  }
  return plan;
}
"""

LOG: Final = """8f21c0d Keep the distance between two hulls
77be0aa wip
0c9d4e1 wip again
5a2b7f3 Read tides from the table when the source is down
"""
