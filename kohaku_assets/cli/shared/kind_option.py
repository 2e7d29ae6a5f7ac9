"""An option whose values are the names in a registry."""

from __future__ import annotations

from typing import Any

import click

from kohaku_lib.registry import Registry


class KindOption(click.ParamType):
    """One of the names in `registry` or of `others`, resolved when the command runs."""

    name = "kind"

    def __init__(self, registry: Registry[Any], *others: str) -> None:
        self._registry, self._others = registry, others

    @property
    def _choice(self) -> click.Choice[str]:
        return click.Choice((*self._registry.names(), *self._others))

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the name; raise a usage error if it is unknown."""
        return self._choice.convert(value, param, ctx)

    def get_metavar(self, param: click.Parameter, ctx: click.Context) -> str | None:
        """Return the names for the help text."""
        return self._choice.get_metavar(param, ctx)
