"""append_jsonl against answers recorded from the runtime."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from core.errors import StoreError
from core.store.append import append_jsonl
from tests.support.vector_files import read_vectors, unpacked


@pytest.mark.parametrize("vector", read_vectors("append"), ids=lambda vector: vector["name"])
def test_append_leaves_the_recorded_bytes(vector: dict[str, Any], tmp_path: Path) -> None:
    """An append leaves the recorded bytes, or is refused and leaves the file as it was."""
    path, before, options = tmp_path / "rows.jsonl", unpacked(vector["before"]), vector["options"]
    if before is not None:
        path.write_bytes(before)
    refused = False
    try:
        append_jsonl(
            path,
            vector["payload"].encode("utf-8", "surrogatepass"),
            durable=options.get("durable", False),
            durability_root=tmp_path if options.get("durabilityRoot") else None,
            require_existing_record=options.get("requireExistingRecord", False),
        )
    except StoreError:
        refused = True
    after = path.read_bytes() if path.exists() else None

    assert refused == bool(vector["expect"].get("refused"))
    if not refused:
        assert after == unpacked(vector["expect"]["after"])
    elif vector["name"] != "durable-without-root":
        assert after == before


def test_a_durable_append_without_a_root_is_written_and_not_called_durable(tmp_path: Path) -> None:
    """Without a root the row is in the file, and the caller is told that its name may not survive."""
    (vector,) = (v for v in read_vectors("append") if v["name"] == "durable-without-root")
    path, before = tmp_path / "rows.jsonl", unpacked(vector["before"])
    assert before is not None
    path.write_bytes(before)
    with pytest.raises(StoreError) as caught:
        append_jsonl(path, vector["payload"], durable=True)

    assert caught.value.code == "not_durable"
    assert path.read_bytes() == before + vector["payload"].encode()
