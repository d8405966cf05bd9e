"""What the files of a database prove to be lost or damaged: SQLite itself says nothing of it.

Evidence is gathered from the files before SQLite touches a copy of them; judging it is a pure function.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from ..storage.files import ReadFailed, ReadOnlyFile
from ..storage.findings import Finding
from .files import MAIN_HEADER_SIZE, DatabaseFiles, MainHeader, beside, parse_main_header
from .shm import ShmState
from .wal import HEADER_SIZE as WAL_HEADER_SIZE
from .wal import WalHeader, WalSurvey, committed_pages, first_broken_frame, survey_wal

WALK_LIMIT: Final = 64 << 20
"""Bytes. The checksums of a larger log are not walked; what SQLite accepts of it counts."""

_JOURNAL_MAGIC: Final = bytes.fromhex("d9d505f920a163d7")


class Evidence(Struct, frozen=True):
    """What was seen of one database, before it is judged."""

    files: DatabaseFiles
    """How the originals stood."""
    shm: ShmState | None
    """Their index, read before the log."""
    owner_alive: bool
    """Whether a process is known to have the database open."""
    main_size: int | None = None
    """Bytes of the main file; None where nobody looked inside, because a writer is at work."""
    main_header: MainHeader | None = None
    """None where SQLite would refuse it."""
    hot_journal: bool = False
    """Whether a rollback journal waits to be played back."""
    wal: WalSurvey | None = None
    """None where there is no log, or one too large to survey."""
    first_page_logged: bool = False
    """Whether the log holds page 1, and with it a sound header."""
    missing_pages: int = 0
    """Pages that the database should have and that neither the main file nor the log holds."""
    broken_frame: int | None = None
    """The first frame that cannot be trusted, where commits were lost behind it."""
    refused: bool = False
    """Whether SQLite said that this is no database."""
    unreadable: str | None = None
    """What SQLite complained of when it read the schema."""
    empty: bool = False
    """Whether the database was read and has no tables."""

    @property
    def expected_frames(self) -> int:
        """Frames that the log must hold by the word of the index; 0 where all of them were moved to the main file."""
        index = self.shm.index if self.shm else None
        return index.max_frame if index and index.max_frame > index.backfilled else 0


def inspect_main(evidence: Evidence, main: Path) -> Evidence:
    """Add what the main file and the journal beside it say. `main` is the original or a copy. Raises ReadFailed."""
    journal = beside(main, "-journal")
    hot = journal.exists() and read_head(journal, len(_JOURNAL_MAGIC)) == _JOURNAL_MAGIC
    with ReadOnlyFile(main) as file:
        header = parse_main_header(file.read_at(0, MAIN_HEADER_SIZE))
        return replace(evidence, main_size=file.state().size, main_header=header, hot_journal=hot)


def inspect_log(evidence: Evidence, main: Path, committed: int | None) -> Evidence:
    """Add what the log beside `main` says; `committed` as in `survey_wal`. Raises ReadFailed."""
    wal = beside(main, "-wal")
    if not evidence.files.wal_size or not wal.exists():
        return evidence
    with ReadOnlyFile(wal) as file:
        if committed is None and file.state().size > WALK_LIMIT:
            return evidence
        survey = survey_wal(file, committed)
        evidence = replace(evidence, wal=survey)
        header = survey.header
        if header is None:
            return evidence
        if survey.lost_commits and survey.size <= WALK_LIMIT:
            evidence = replace(evidence, broken_frame=first_broken_frame(file, header, survey.frames))
        there = (evidence.main_size or 0) // header.page_size
        if evidence.main_header is None or there < survey.pages:
            logged = committed_pages(file, header, survey.committed)
            missing = sum(1 for page in range(there + 1, survey.pages + 1) if page not in logged)
            evidence = replace(evidence, missing_pages=missing, first_page_logged=1 in logged)
    return evidence


def read_head(path: Path, size: int) -> bytes:
    """Return the first bytes of a file; none where it cannot be read."""
    try:
        with ReadOnlyFile(path) as file:
            return file.read_at(0, size)
    except ReadFailed:
        return b""


def judge(evidence: Evidence) -> tuple[Finding, ...]:
    """Say what is damaged or lost."""
    return (*_judge_main(evidence), *_judge_log(evidence), *_judge_mixture(evidence), *_judge_index(evidence))


def _judge_main(evidence: Evidence) -> Iterator[Finding]:
    path = str(evidence.files.main)
    header, size = evidence.main_header, evidence.main_size or 0
    if evidence.hot_journal and not evidence.owner_alive:
        said = "a transaction was cut off half-written; it is undone in a private copy, as Maka would undo it"
        yield Finding("hot_journal", said, path=str(evidence.files.journal))
    if not evidence.files.main_stamp or not evidence.files.main_stamp.size:
        source = "everything shown comes from the log" if evidence.wal else "and there is no log"
        yield Finding("main_zero_length", f"the main file is empty: {source}", offset=0, length=0, path=path)
        return
    looked = evidence.main_size is not None
    short = _missing_pages(evidence)
    if short:
        yield Finding(
            "main_truncated",
            "the main file was cut: pages of the database are gone",
            offset=size,
            detail=f"{short:,} pages",
            path=path,
        )
    elif header is None and evidence.first_page_logged:
        said = "the header of the main file is damaged; the log holds a sound one"
        yield Finding("main_header_damaged", said, offset=0, length=MAIN_HEADER_SIZE, path=path)
    elif looked and header is None and size < MAIN_HEADER_SIZE:
        yield Finding("main_truncated", "the main file was cut inside its header", offset=size, path=path)
    elif evidence.refused:
        yield Finding(
            "not_a_database", "the main file is no SQLite database", offset=0, length=MAIN_HEADER_SIZE, path=path
        )
    elif evidence.unreadable is not None:
        said = "the list of tables cannot be read, and nothing without it"
        yield Finding("page_corrupt", said, detail=evidence.unreadable, path=path)


def _missing_pages(evidence: Evidence) -> int:
    if evidence.missing_pages or (evidence.wal and evidence.wal.pages):
        return evidence.missing_pages
    header = evidence.main_header
    if header is None or header.pages is None or evidence.hot_journal or evidence.main_size is None:
        return 0
    return max(0, header.pages - evidence.main_size // header.page_size)


def _judge_log(evidence: Evidence) -> Iterator[Finding]:
    path = str(evidence.files.wal)
    survey, expected = evidence.wal, evidence.expected_frames
    if not evidence.files.wal_size:
        yield from _judge_absent_log(evidence, path)
    elif survey is not None and survey.header is None:
        short = survey.size < WAL_HEADER_SIZE
        code, what = ("wal_truncated", "cut inside") if short else ("wal_damaged", "damaged in")
        said = f"the log is {what} its header: nothing in it can be used"
        yield Finding(code, said, offset=0, length=survey.size, path=path)
    elif survey is not None and survey.header is not None:
        yield from _judge_frames(evidence, survey, survey.header, expected, path)


def _judge_absent_log(evidence: Evidence, path: str) -> Iterator[Finding]:
    expected, there = evidence.expected_frames, evidence.files.wal_stamp is not None
    counted = f"the index still counts {expected:,} frames of it" if expected else None
    if expected and there:
        yield Finding("wal_truncated", "the log was emptied: commits are lost", detail=counted, offset=0, path=path)
    elif expected:
        yield Finding("wal_missing", "the log is missing: commits are lost", detail=counted, path=path)
    elif evidence.empty and not there and evidence.main_header and evidence.main_header.wal_mode:
        said = "the main file holds no tables and the log that held them is missing"
        yield Finding("wal_missing", said, path=path)


def _judge_frames(
    evidence: Evidence, survey: WalSurvey, header: WalHeader, expected: int, path: str
) -> Iterator[Finding]:
    index = evidence.shm.index if evidence.shm else None
    if index is None or index.salts != header.salts:
        expected = 0
    detail = f"{survey.committed:,} frames can be used"
    if expected > survey.committed:
        detail = f"{detail}, the index counts {expected:,}"
    if survey.lost_commits or survey.committed < expected <= survey.frames:
        broken = survey.committed if evidence.broken_frame is None else evidence.broken_frame
        yield Finding(
            "wal_damaged",
            "the log is damaged in the middle: later commits cannot be used",
            offset=header.offset_of(broken),
            length=survey.size - header.offset_of(broken),
            detail=f"{detail}, {survey.lost_commits:,} later commits are lost" if survey.lost_commits else detail,
            path=path,
        )
    cut = survey.trailing and (evidence.shm is None or evidence.shm.index is None)
    if expected > survey.frames or cut:
        said = "the log was cut: commits are lost" if expected else "the log ends inside a frame: it may have been cut"
        yield Finding("wal_truncated", said, offset=survey.size, detail=detail, path=path)


def _judge_mixture(evidence: Evidence) -> Iterator[Finding]:
    """Say where a checkpoint had moved more into the main file than the log can still put in its place."""
    index, survey = evidence.shm.index if evidence.shm else None, evidence.wal
    header = survey.header if survey else None
    if index is None or survey is None or header is None or header.salts != index.salts or evidence.owner_alive:
        return
    # Without any frame the main file stands alone, and is one state.
    if 0 < survey.committed < index.backfilled:
        said = "the main file holds newer pages than what is left of the log: what is shown may mix two states"
        yield Finding(
            "states_mixed", said, detail=f"{survey.committed:,} frames can be used", path=str(evidence.files.wal)
        )


def _judge_index(evidence: Evidence) -> Iterator[Finding]:
    path, shm = str(evidence.files.shm), evidence.shm
    if not evidence.files.wal_size:
        return
    if shm is None:
        said = "the index of the log is missing; it was made again in a private copy, but cannot tell what the log lost"
        yield Finding("shm_missing", said, path=path)
        return
    if evidence.owner_alive:
        return
    stranger = (
        shm.index is not None
        and shm.index.max_frame
        and evidence.wal is not None
        and evidence.wal.header is not None
        and evidence.wal.header.salts != shm.index.salts
    )
    if stranger or shm.index is None:
        said = "the index belongs to another log" if stranger else "the index of the log is damaged"
        said = "the index of the log is blank" if shm.blank else said
        yield Finding("shm_damaged", f"{said}: it cannot tell what the log lost", length=shm.size, path=path)
