"""One run over a project: what it forces, whom it reports to, and the outcomes so far. Imports no Dagster."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import pyarrow as pa

from kohaku_assets.pipeline.project import Project
from kohaku_assets.pipeline.stage_inputs import StageOutcome
from kohaku_lib.storage import RowCache

if TYPE_CHECKING:
    from kohaku_lib.llm import DryChat, Spending
    from kohaku_lib.settings import Settings


@dataclass(eq=False)
class Run:
    """A run over `project`.

    >>> from kohaku_lib.settings import load_settings
    >>> Run(Project(load_settings(environment={}))).outcomes
    {}
    """

    project: Project
    force: frozenset[str] = frozenset()  # stages that are computed even where their output is known
    on_stage: Callable[[str], object] = lambda name: None  # called with its name before each stage
    on_progress: Callable[[int, int], None] = lambda done, total: None  # called within long stages
    is_dry: bool = False  # chat models only count the requests that they would be sent
    outcomes: dict[str, StageOutcome] = field(default_factory=dict)
    unchecked: set[str] = field(default_factory=set)  # blocking checks that are still to be made
    dry_chats: list[DryChat] = field(default_factory=list)
    _row_caches: dict[str, RowCache] = field(default_factory=dict)

    @property
    def settings(self) -> Settings:
        """The settings of the project."""
        return self.project.settings

    @cached_property
    def spending(self) -> Spending:
        """The cost of the calls of language models in this run, which llm.max_cost_usd limits."""
        from kohaku_lib.llm import Spending

        return Spending()

    def row_cache(self, name: str, schema: pa.Schema) -> RowCache:
        """Return the row cache `name`, whose keys are read once; close it to make the last rows durable."""
        if name in self._row_caches:
            self._row_caches[name].look()
        else:
            self._row_caches[name] = RowCache(self.project.store / "cache" / name, schema)
        return self._row_caches[name]
