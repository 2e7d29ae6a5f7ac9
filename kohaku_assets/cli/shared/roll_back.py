"""Says that questions are answered from an older index version after a roll-back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kohaku_assets.cli.shared.output import say

if TYPE_CHECKING:
    from kohaku_assets.pipeline.project import Project


def say_if_rolled_back(project: Project) -> None:
    """Say which version is published, and how to publish the newer one that was rolled back; nothing without one."""
    from kohaku_lib.index.snapshots.versions import current_version, withdrawn

    versions = withdrawn(project.snapshots)
    if versions:
        current = current_version(project.snapshots)
        say(
            f"questions are answered from index version {current}, since {versions[0]} was rolled back; "
            f"'kohaku snapshots --publish {versions[0]}' publishes it again"
        )
