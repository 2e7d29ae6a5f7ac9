"""Where the parts of a store lie."""

from __future__ import annotations

from pathlib import Path


class StorePaths:
    """The paths of the folders and files below the folder of a store.

    >>> StorePaths(Path("store")).llm_calls.as_posix()
    'store/llm_calls'
    """

    def __init__(self, folder: Path) -> None:
        self.stages = folder / "stages"  # outputs, in a folder per stage
        self.cache = folder / "cache"  # cached rows, in a folder per cache, and hashes of files
        self.snapshots = folder / "snapshots"  # of the index
        self.llm_calls = folder / "llm_calls"  # the ledger
        self.llm_batches = folder / "llm_batches"
        self.history = folder / "history"  # of states
        self.experiments = folder / "experiments"  # in a folder per tenant
        self.sweeps = folder / "sweeps"
        self.reports = folder / "reports"
        self.usage = folder / "usage"  # tables of the assistant's use
        self.erasing = folder / "erasing"  # what is left to erase
        self.damaged = folder / "damaged"  # files that were moved out of use
        self.views = folder / "kohaku.duckdb"  # over everything
        self.assistant = folder / "assistant.db"  # conversations, unless they lie on a server
        self.assistant_lock = folder / ".assistant.db.lock"
        self.fetched = folder / "fetch.jsonl"
        self.submission = folder / "submission.csv"
        self.release_scores = folder / "release_scores.parquet"
        self.format = folder / "format.json"
        self.lock = folder / ".lock"  # of the one that writes
        self.use_lock = folder / ".use.lock"  # of those that have it open
        self.backup_lock = folder / ".backup.lock"
        self.bucket = folder / ".bucket.json"  # what the store has in common with its bucket
        self.accepted_questions_lock = folder / ".accepted_questions.lock"
        self.unfinished = folder / ".unfinished"  # marks a run whose checks may not have run

    def cache_folders(self) -> list[Path]:
        """Return the folders of cached rows, sorted."""
        return sorted({part.parent for part in self.cache.rglob("part-*.parquet")})


IN_STORE = StorePaths(Path())  # relative to a store, as backups and records name its files
