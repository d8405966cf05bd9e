"""What breaks readers: seeded, structure-aware damage, and the laws that must hold whatever it does.

`python -m tests.torture` runs everything at full size; the tests under `tests/contract` run some of each subject.

    corpus      the handed ledgers, headers, snapshots, traces and session files, as bytes
    damage_*    mutations of bytes, rows and JSON structure
    survivors   which rows of a damaged ledger are still facts, worked out the slow and obvious way
    laws        what must hold for every damaged run
    commands    the command line, asked in this process or in one of its own
    faults      reads that are short or fail, rights that go
    places      workspaces to look at, and what happens to their files meanwhile
    monkey      keys, words, mouse, sizes and colours in any order
    readers, functions, limits, files, escape, databases, busy, following, screens, terminals      the subjects
"""
