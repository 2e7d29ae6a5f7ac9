"""Which tests share a worker: those of a file, so that its fixtures are made once, and those of a group of files.

`pytestmark = pytest.mark.xdist_group("ray")` names the group of a file. Under pytest 9.2 the name that pytest-xdist 3.8 gives
to a test of a group is not read by its scheduler, so `name_groups` writes it where it is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from _pytest.nodeid import coerce_node_id
from xdist.scheduler import LoadGroupScheduling

if TYPE_CHECKING:
    from collections.abc import Iterable

    from xdist.remote import Producer


class FilesAndGroups(LoadGroupScheduling):
    """Gives a worker whole groups, and whole files where no group is named, in their order: the long ones come first."""

    def __init__(self, config: pytest.Config, log: Producer | None = None) -> None:
        super().__init__(config, log)
        config.option.loadscopereorder = False  # which begins with the files of most tests, and ends with long ones

    def _split_scope(self, nodeid: str) -> str:
        group = super()._split_scope(nodeid)
        return group if group != nodeid else nodeid.partition("::")[0]


def name_groups(items: Iterable[pytest.Item]) -> None:
    """Add the group of each test to its id, as the scheduler sees nothing else of it."""
    for item in items:
        if mark := item.get_closest_marker("xdist_group"):
            item._id = coerce_node_id(f"{item.nodeid}@{mark.args[0]}")
