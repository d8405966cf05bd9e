"""The measuring itself: it runs, and says what it measured. How fast anything is, no test asks."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.bench.__main__ import main
from tests.bench.data import SMALL, Data
from tests.bench.families import FAMILIES
from tests.bench.targets import Result, Samples, Target, table


def test_every_target_is_measured(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The small size gives each target a row of the table and a figure in the document."""
    said = tmp_path / "said.json"

    assert main(["--small", "--rounds", "1", "--json", str(said), "--data", str(tmp_path / "data")]) == 0

    document = json.loads(said.read_bytes())
    targets = [target for family in FAMILIES for target in family.targets]
    rows = capsys.readouterr().out.splitlines()
    assert document["schema"] == "maka-ledger.bench.v1"
    assert [result["key"] for result in document["results"]] == [target.key for target in targets]
    assert len({target.key for target in targets}) == len(targets) == len(rows) - 2
    for result in document["results"]:
        assert result["value"] is None or result["value"] > 0
        assert result["pass"] is (None if result["value"] is None else result["value"] <= result["target"])


def test_data_is_the_same_every_time(tmp_path: Path) -> None:
    """The same size gives the same bytes."""
    one, other = Data(tmp_path / "a", SMALL), Data(tmp_path / "b", SMALL)
    for first, second in ((one.mixed(0.1), other.mixed(0.1)), (one.runs(), other.runs())):
        files = sorted(path for path in first.rglob("*") if path.is_file())
        assert files
        for path in files:
            assert path.read_bytes() == (second / path.relative_to(first)).read_bytes()


def test_a_target_that_is_not_met_is_told() -> None:
    """The median decides, against the floor of the same round; the table says NO."""
    target = Target("key", "what", 1.5, 1.2, "floor")
    result = Result(target, Samples([4, 3, 9], [2, 2, 3]))

    assert (result.value, result.met) == (2.0, False)
    assert table([result]).splitlines()[1].split()[-1] == "NO"
    assert Result(target, Samples([2.0], [2.0])).met
    assert Result(target, Samples()).met is None
