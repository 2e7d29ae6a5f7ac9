"""Says that questions are answered from an older index version, as a roll-back pinned it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kohaku_assets.cli.shared.output import say

if TYPE_CHECKING:
    from kohaku_assets.pipeline.project import Project


def say_if_pinned(project: Project) -> None:
    """Say which version is pinned, since when and until when; nothing without a pin."""
    from kohaku_assets.records.publication import pin_notice

    notice = pin_notice(project)
    if notice:
        say(notice)
