"""The model of a project's settings: those of the house, and the sections that kinds bring along."""

from __future__ import annotations

from functools import cache
from typing import Any

from pydantic import create_model

from kohaku_lib.retrieval.rerank import RERANKERS
from kohaku_lib.settings import RerankSettings, Section, Settings
from kohaku_lib.settings.retrieval_settings import RerankOptions


def settings_model() -> type[Settings]:
    """Return the model of a project's settings: Settings, extended by `rerank.options.NAME` of each kind that has one.

    >>> settings_model() is Settings
    True
    """
    sections = _sections()
    return _extended(sections)["ProjectSettings"] if sections else Settings


def __getattr__(name: str) -> Any:
    """Return an extended model by its name, so that settings can be pickled for other processes."""
    if name.startswith("Project"):
        return _extended(_sections())[name]
    msg = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(msg)


def _sections() -> tuple[tuple[str, type[Section]], ...]:
    return tuple((kind.name, kind.options) for kind in RERANKERS if kind.options is not None)


@cache
def _extended(sections: tuple[tuple[str, type[Section]], ...]) -> dict[str, Any]:
    fields: dict[str, Any] = {name: (section, section()) for name, section in sections}
    options = create_model("ProjectRerankOptions", __base__=RerankOptions, __module__=__name__, **fields)
    rerank = create_model(
        "ProjectRerankSettings", __base__=RerankSettings, __module__=__name__, options=(options, options())
    )
    settings = create_model("ProjectSettings", __base__=Settings, __module__=__name__, rerank=(rerank, rerank()))
    return {model.__name__: model for model in (options, rerank, settings)}
