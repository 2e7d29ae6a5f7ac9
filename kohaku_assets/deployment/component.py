"""A project as a component of Dagster, for `dg scaffold defs` and defs.yaml."""

# Without `from __future__ import annotations`: Dagster reads the types of the attributes.
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import dagster as dg
from dagster.components.component_scaffolding import scaffold_component
from pydantic import BaseModel, Field

_PROJECT = "Folder of the project, or its kohaku.toml; relative to the folder of defs.yaml."
_KEY_PREFIX = "Stands before every asset key, and before the names of jobs, schedules, sensors, pool and resource."
_GROUP_PREFIX = "Stands before every group."
_UPSTREAM = "Keys of the assets that the source files depend on, such as the one that writes the folder of documents."


class ScaffoldParams(BaseModel):
    """What `dg scaffold defs` asks for."""

    project: str | None = Field(default=None, description="Folder of a project that exists; without it one is made.")


class KohakuScaffolder(dg.Scaffolder[ScaffoldParams]):
    """Writes a defs.yaml, and a project beside it unless there is one already."""

    @classmethod
    def get_scaffold_params(cls) -> type[ScaffoldParams]:
        """Return the model of the parameters."""
        return ScaffoldParams

    def scaffold(self, request: dg.ScaffoldRequest[ScaffoldParams]) -> None:
        """Write the files."""
        folder = request.target_path
        from kohaku_assets.operations.scaffold import make_project

        if request.params.project is None:
            make_project(folder, has_dagster=False)
            project = "."
        else:
            project = os.path.relpath(request.params.project, folder)
        scaffold_component(request, {"project": Path(project).as_posix(), "key_prefix": folder.name})


@dg.scaffold_with(KohakuScaffolder)
class KohakuProject(dg.Component, dg.Model, dg.Resolvable):
    """A Kohaku project: the assets from its documents to scores and a published index, with checks, jobs and sensors."""

    project: Annotated[str, Field(description=_PROJECT)]
    key_prefix: Annotated[str | Sequence[str], Field(description=_KEY_PREFIX)] = ()
    group_prefix: Annotated[str, Field(description=_GROUP_PREFIX)] = ""
    upstream: Annotated[Sequence[str], Field(description=_UPSTREAM)] = ()

    def build_defs(self, context: dg.ComponentLoadContext) -> dg.Definitions:
        """Return the definitions of the project."""
        from kohaku_assets.deployment.building import (
            build_defs,
        )  # with all stages, which a list of components does not need

        own = context.path if context.path.is_dir() else context.path.parent
        return build_defs(
            os.path.normpath(own / self.project),  # messages name it
            key_prefix=self.key_prefix,
            group_prefix=self.group_prefix,
            upstream=[dg.AssetKey.from_user_string(key) for key in self.upstream],
        )
