"""Moves damaged files out of use into a dated folder of the store."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from kohaku_lib.storage import StorePaths, write_atomically


class Quarantine:
    """Moves damaged files into a dated folder in `store`; deletes none."""

    def __init__(self, store: Path) -> None:
        self._store = store
        self._folder = StorePaths(store).damaged / datetime.now(UTC).strftime("%Y-%m-%d %H.%M.%S.%f")

    def fault(self, path: Path, wrong: str) -> Fault:
        """Return the fault of a file or folder that is repaired by moving it to quarantine."""
        return Fault(path, wrong, lambda: self.move(path))

    def move(self, path: Path) -> str:
        """Move a file or folder to quarantine and return the action taken."""
        beneath = path.relative_to(self._store) if path.is_relative_to(self._store) else Path(*path.parts[-3:])
        target = self._folder / beneath
        target.parent.mkdir(parents=True, exist_ok=True)
        if path.exists() or path.is_symlink():
            shutil.move(path, target)
        return f"moved to {self._folder.relative_to(self._store)}"

    def copy(self, path: Path) -> None:
        """Save a durable copy of a file."""
        write_atomically(self._folder / path.relative_to(self._store), lambda temporary: shutil.copy2(path, temporary))


@dataclass(frozen=True, slots=True)
class Fault:
    """A damaged file of a store; `mend` repairs it as far as possible and returns the action, None without one."""

    path: Path
    wrong: str
    mend: Callable[[], str | None]
