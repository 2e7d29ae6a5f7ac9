"""One run over a project: forced stages, callbacks, and outcomes so far. Imports no Dagster."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

from kohaku_assets.pipeline.project import Project
from kohaku_assets.pipeline.stage_inputs import StageOutcome
from kohaku_lib.project.session import Session

if TYPE_CHECKING:
    from kohaku_lib.evaluation.changes.change_report import ChangeReport
    from kohaku_lib.settings import Settings
    from kohaku_lib.settings.section import Slice


@dataclass(eq=False)
class Run:
    """A run over `project`.

    >>> from kohaku_lib.composition import load_settings
    >>> Run(Project(load_settings(environment={}))).outcomes
    {}
    """

    project: Project
    force: frozenset[str] = frozenset()  # stages that are computed even if their output is stored
    on_stage: Callable[[str], object] = lambda name: None  # called with its name before each stage
    on_progress: Callable[[int, int], None] = lambda done, total: None  # called within long stages
    on_problem: Callable[[str], object] = lambda problem: None  # called with one sentence as soon as a document fails
    is_dry: bool = False  # chat models only count the requests they would receive
    dagster_id: str | None = None  # of the Dagster run; None outside of Dagster
    outcomes: dict[str, StageOutcome] = field(default_factory=dict)
    unchecked: set[str] = field(default_factory=set)  # blocking checks that have not run yet
    changes: ChangeReport | None = None  # since the state before, at the end; None if there was none
    backup: str | None = None  # what became of the backup at the end; None if none was wanted

    @property
    def settings(self) -> Settings:
        """The settings of the project."""
        return self.project.settings

    def sliced(self, read: Slice) -> Run:
        """Return this run as a stage sees it: settings other than those of `read` cannot be read."""
        settings = self.settings.sliced(read)
        part, project = copy(self), copy(self.project)
        vars(project)["loaded"] = replace(self.project.loaded, settings=settings)
        vars(part).update(project=project, session=self.session.overlaid(settings))
        return part

    @cached_property
    def session(self) -> Session:
        """The state shared by the components of this run."""
        return Session(self.settings, self.project.home, self.on_progress, self.is_dry)
