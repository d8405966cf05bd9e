"""append_jsonl beyond the recorded answers: what is refused, what is private, what is durable."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from core.errors import AppendRefused, CoreError, DurabilityError, StoreError
from core.store.append import append_jsonl


def test_new_files_are_private_to_their_owner(tmp_path: Path) -> None:
    """A ledger holds what tools saw: nobody else may read a new one."""
    append_jsonl(tmp_path / "a", b"{}\n")

    assert sys.platform == "win32" or (tmp_path / "a").stat().st_mode & 0o777 == 0o600


def test_text_is_written_as_utf8(tmp_path: Path) -> None:
    """A text payload becomes UTF-8."""
    append_jsonl(tmp_path / "a", '"日"\n')

    assert (tmp_path / "a").read_bytes() == '"日"\n'.encode()


@pytest.mark.parametrize("payload", [b"", b"{}", "", '"\ud800"\n'])
def test_a_payload_that_is_no_whole_line_touches_nothing(payload: bytes | str, tmp_path: Path) -> None:
    """What does not end in a line feed, or cannot be UTF-8, is refused before the file is created."""
    with pytest.raises(AppendRefused):
        append_jsonl(tmp_path / "a", payload)

    assert not (tmp_path / "a").exists()


def test_a_missing_folder_is_an_error_of_ours(tmp_path: Path) -> None:
    """The system's refusal comes through as a StoreError that names the file."""
    with pytest.raises(StoreError) as caught:
        append_jsonl(tmp_path / "no" / "a", b"{}\n")

    assert caught.value.code == "write_failed"
    assert caught.value.path == str(tmp_path / "no" / "a")


def test_an_existing_record_may_be_required(tmp_path: Path) -> None:
    """With `require_existing_record` a missing file is refused and not created."""
    with pytest.raises(AppendRefused):
        append_jsonl(tmp_path / "a", b"{}\n", require_existing_record=True)

    assert not (tmp_path / "a").exists()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_only_regular_files_are_written_to(tmp_path: Path) -> None:
    """A named pipe in the place of a ledger is refused and never waited for."""
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(AppendRefused):
        append_jsonl(tmp_path / "pipe", b"{}\n")


def test_an_invalid_tail_is_located(tmp_path: Path) -> None:
    """The refusal says where the damaged row begins and how long it is; the file stays as it was."""
    (tmp_path / "a").write_bytes(b"{}\n}}")
    with pytest.raises(AppendRefused) as caught:
        append_jsonl(tmp_path / "a", b"{}\n")

    assert (caught.value.code, caught.value.offset, caught.value.length) == ("invalid_tail", 3, 2)
    assert (tmp_path / "a").read_bytes() == b"{}\n}}"


def test_a_durable_append_syncs_up_to_the_root(tmp_path: Path) -> None:
    """A durable append below its root is written and returns."""
    folder = tmp_path / "x" / "y"
    folder.mkdir(parents=True)
    append_jsonl(folder / "a", b"{}\n", durable=True, durability_root=tmp_path)

    assert (folder / "a").read_bytes() == b"{}\n"


def test_a_root_elsewhere_makes_nothing_durable(tmp_path: Path) -> None:
    """A root that does not hold the file cannot vouch for it; the row is written all the same."""
    (tmp_path / "x").mkdir()
    (tmp_path / "y").mkdir()
    with pytest.raises(DurabilityError):
        append_jsonl(tmp_path / "x" / "a", b"{}\n", durable=True, durability_root=tmp_path / "y")

    assert (tmp_path / "x" / "a").read_bytes() == b"{}\n"


def test_a_refused_durable_append_tells_its_cause(tmp_path: Path) -> None:
    """A durable append that was refused says so, and its cause says that nothing was written."""
    (tmp_path / "a").write_bytes(b"}")
    with pytest.raises(DurabilityError) as caught:
        append_jsonl(tmp_path / "a", b"{}\n", durable=True, durability_root=tmp_path)

    assert isinstance(caught.value.__cause__, AppendRefused)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="the superuser may write anywhere")
def test_a_file_that_may_not_be_written_is_an_error_of_ours(tmp_path: Path) -> None:
    """A read-only file is refused by the system and left alone."""
    (tmp_path / "a").write_bytes(b"{}\n")
    (tmp_path / "a").chmod(0o400)
    with pytest.raises(CoreError):
        append_jsonl(tmp_path / "a", b"{}\n")

    assert (tmp_path / "a").read_bytes() == b"{}\n"
