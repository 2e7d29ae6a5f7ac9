"""Shared state of one run or one open project: settings, row caches, the cost of calls."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa

from kohaku_lib.settings import Settings
from kohaku_lib.storage import RowCache, StorePaths

if TYPE_CHECKING:
    from kohaku_lib.llm import ChatModel, DryChat, Spending


@dataclass(eq=False)
class Session:
    """Settings, and the state shared by all components built from them.

    Example:
        >>> Session(Settings()).is_dry
        False

    """

    settings: Settings
    home: Path | None = None  # the folder whose file .env may contain keys
    on_progress: Callable[[int, int], None] = lambda done, total: None  # called during long stages
    is_dry: bool = False  # chat models only count the requests that would be sent
    dry_chats: list[DryChat] = field(default_factory=list)
    shared_chats: dict[str, ChatModel] | None = None  # by their settings, to build each once; None: one per use
    _row_caches: dict[str, RowCache] = field(default_factory=dict)

    @property
    def store(self) -> Path:
        """The folder of all computed files."""
        return self.settings.store

    @cached_property
    def paths(self) -> StorePaths:
        """Where the parts of the store lie."""
        return StorePaths(self.store)

    @cached_property
    def spending(self) -> Spending:
        """The cost of the calls of language models so far, which llm.max_cost_usd limits."""
        from kohaku_lib.llm import Spending

        return Spending()

    def overlaid(self, settings: Settings) -> Session:
        """Return a session with other settings that shares caches, chat models and spending with this one.

        >>> session = Session(Settings())
        >>> session.overlaid(Settings()).spending is session.spending
        True
        """
        other = replace(self, settings=settings)
        vars(other)["spending"] = self.spending
        return other

    def row_cache(self, name: str, schema: pa.Schema) -> RowCache:
        """Return the row cache `name`, whose keys are read once; close it to make the last rows durable."""
        if name in self._row_caches:
            self._row_caches[name].refresh()
        else:
            self._row_caches[name] = RowCache(self.paths.cache / name, schema)
        return self._row_caches[name]
