"""Settings by dotted name."""

from __future__ import annotations

import types
import typing
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from kohaku_lib.settings.all_settings import Settings
from kohaku_lib.settings.section import Section


@cache
def leaf_fields(model: type[Section] = Settings) -> dict[str, FieldInfo]:
    """Return every setting of `model` by its dotted name, in the order of the fields.

    >>> list(leaf_fields())[:4]
    ['profile', 'store', 'corpus.documents', 'corpus.metadata']
    """
    return dict(_walk_fields(model, ""))


def value_of(settings: Settings, key: str) -> Any:
    """Return the value of the setting `key`; raises AttributeError if there is none.

    >>> value_of(Settings(), "tree.id_base")
    1
    """
    value: Any = settings
    for name in key.split("."):
        value = getattr(value, name)
    return value


def pick(settings: Settings, keys: Iterable[str]) -> dict[str, Any]:
    """Return the JSON values of `keys`, by key.

    >>> pick(Settings(), ["embedding.model", "embedding.dim"])
    {'embedding.model': 'minilm', 'embedding.dim': None}
    """
    return {key: _json_value(value_of(settings, key)) for key in keys}


def accepts_text(field: FieldInfo) -> bool:
    """Return whether the setting is a free text or a path, so that a bare word is a valid value.

    >>> accepts_text(leaf_fields()["llm.model"]), accepts_text(leaf_fields()["retrieval.top_k"])
    (True, False)
    """
    return bool({str, Path} & set(_inner_types(field.annotation)))


def is_path(field: FieldInfo) -> bool:
    """Return whether the value is one or several paths.

    >>> [is_path(leaf_fields()[key]) for key in ("corpus.documents", "replay.runs", "llm.model")]
    [True, True, False]
    """
    return Path in set(_inner_types(field.annotation))


def _walk_fields(model: type[BaseModel], prefix: str) -> Iterator[tuple[str, FieldInfo]]:
    for name, info in model.model_fields.items():
        if isinstance(info.annotation, type) and issubclass(info.annotation, BaseModel):
            yield from _walk_fields(info.annotation, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", info


def _inner_types(annotation: Any) -> Iterator[Any]:
    """Yield the types inside unions and tuples."""
    if isinstance(annotation, types.UnionType) or typing.get_origin(annotation) in {typing.Union, tuple}:
        for part in typing.get_args(annotation):
            yield from _inner_types(part)
    else:
        yield annotation


def _json_value(value: Any) -> Any:
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json")
    if isinstance(value, Path):
        return value.as_posix()
    if isinstance(value, dict):
        return {key: _json_value(part) for key, part in value.items()}
    if isinstance(value, tuple):
        return [_json_value(part) for part in value]
    return value
