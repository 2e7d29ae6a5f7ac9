"""Jinja templates of HTML pages, stored next to the code that renders them."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jinja2 import Environment


@cache
def templates(package: str) -> Environment:
    """Return the environment of the templates in the folder of `package`; values are escaped, missing ones are errors.

    Example:
        >>> templates("kohaku_lib.documents").from_string("<p>{{ text }}</p>").render(text="a < b")
        '<p>a &lt; b</p>'

    """
    from jinja2 import Environment, PackageLoader, StrictUndefined

    return Environment(
        loader=PackageLoader(package, ""),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
