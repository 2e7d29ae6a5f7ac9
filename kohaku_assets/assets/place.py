"""Where the definitions of a project stand among those of a deployment: under which keys, groups and names."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

import dagster as dg


@dataclass(frozen=True, slots=True)
class Place:
    """The place of a project in a code location: by default alone in one of Kohaku's own.

    `key_prefix` stands before every asset key, and joined by "_" before the names of jobs, schedules, sensors and resources;
    `group_prefix` before every group. `upstream` are the assets that the source files depend on. Where a project is not
    `is_alone`, whoever runs the deployment chooses the executor, so that each step may be a process of its own.

    >>> place = Place(("team", "handbook"), "hb", is_alone=False)
    >>> place.key("scores").to_user_string(), place.group("index"), place.name("nightly")
    ('team/handbook/scores', 'hb_index', 'team_handbook_nightly')
    """

    key_prefix: tuple[str, ...] = ()
    group_prefix: str = ""
    upstream: tuple[dg.AssetKey, ...] = ()
    is_alone: bool = True

    def key(self, asset: str) -> dg.AssetKey:
        """Return the key of an asset."""
        return dg.AssetKey([*self.key_prefix, asset])

    def keys(self, assets: Iterable[str]) -> list[dg.AssetKey]:
        """Return the keys of assets, in order."""
        return [self.key(asset) for asset in assets]

    def group(self, group: str) -> str:
        """Return the name of a group."""
        return _joined([self.group_prefix, group])

    def name(self, name: str) -> str:
        """Return the name of a job, schedule, sensor, resource or pool."""
        return _joined([*self.key_prefix, name])


def _joined(parts: Iterable[str]) -> str:
    """Return parts as one name, in the signs that Dagster allows in it."""
    return re.sub(r"\W", "_", "_".join(filter(None, parts)), flags=re.ASCII)
