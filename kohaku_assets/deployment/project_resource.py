"""A resource for assets downstream of a project, which ask and search its published index."""

from __future__ import annotations

import dagster as dg

from kohaku_lib.project import OpenProject, open_project


class ProjectResource(dg.ConfigurableResource):
    """The published index of a project, for assets that depend on its `published_index`.

    `project` is the project's folder, or its kohaku.toml.
    """

    project: str

    def open(self) -> OpenProject:
        """Open the project; it is closed as a context manager.

        Raises:
            StoreError: There is no index yet, or a damaged one.
        """
        return open_project(self.project)
