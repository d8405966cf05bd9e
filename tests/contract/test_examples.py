"""The example reports that are shown are what the code makes of the sample workspace."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests.support.examples import EXAMPLES, example_reports
from tests.support.schemas import complaints


@pytest.mark.skipif(os.name != "posix", reason="the examples have paths, written as here")
def test_the_examples_are_what_the_code_makes(tmp_path: Path) -> None:
    """Byte for byte; `python -m tests.support.examples` writes them anew."""
    made = example_reports(tmp_path)

    assert sorted(made) == sorted(path.name for path in EXAMPLES.iterdir())
    for name, payload in made.items():
        assert payload.decode() == (EXAMPLES / name).read_text("utf-8"), name
    assert complaints(json.loads(made["run.json"])) == []
