"""Question answering over document trees: parsing, retrieval, answering, voting and scoring, without any orchestrator."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kohaku_lib.project import open_project

from kohaku_lib.telemetry import keep_silent
from kohaku_lib.version import __version__

keep_silent()

__all__ = ["__version__", "open_project"]


def __getattr__(name: str) -> Any:
    """Import what is public on first use: importing the package loads no index and no model."""
    if name == "open_project":
        from kohaku_lib.project import open_project

        return open_project
    msg = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(msg)
