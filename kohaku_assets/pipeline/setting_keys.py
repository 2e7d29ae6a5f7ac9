"""Settings by name as the slices of stages list them, and the lists that several stages share."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kohaku_lib.embedding.encoders.interface import served_kind
from kohaku_lib.embedding.model_folder import model_kind
from kohaku_lib.llm.providers.interface import PROVIDERS
from kohaku_lib.settings import Settings, value_of


class Implied(str):
    """A setting that is read but not in the slice: no other value gives another result under the same slice.

    Such are those that are off, which their absence states, and those that are looked at without effect.
    """

    __slots__ = ()


def if_set(settings: Settings, *keys: str) -> Iterator[str]:
    """Yield `keys`, as Implied those that are off, which are false or None.

    >>> [isinstance(key, Implied) for key in if_set(Settings(), "graph.enabled", "late.enabled")]
    [False, True]
    """
    off = (None, False)
    yield from (Implied(key) if any(value_of(settings, key) is one for one in off) else key for key in keys)


def implied_if(condition: bool, keys: Iterable[str]) -> Iterable[str]:
    """Return `keys`, all as Implied if `condition` holds.

    >>> [isinstance(key, Implied) for key in implied_if(True, ["tree.view"])]
    [True]
    """
    return map(Implied, keys) if condition else keys


def model_keys(settings: Settings, own: str) -> Iterator[str]:
    """Yield what names the chat model of a use: the setting `own`, else "llm.model".

    >>> list(model_keys(Settings(), "planner.model"))
    ['planner.model', 'llm.model']
    """
    yield from if_set(settings, own)
    if not value_of(settings, own):
        yield "llm.model"


def chat_keys(settings: Settings) -> Iterator[str]:
    """Yield the other settings of the chat client that may change a reply.

    >>> [key for key in chat_keys(Settings()) if not isinstance(key, Implied)]
    []
    """
    if settings.llm.provider is not None:
        yield from PROVIDERS.get(settings.llm.provider).settings_keys
    yield Implied("answer.by")  # without a model there are no replies
    yield Implied("llm.models")  # for prices
    yield from if_set(settings, "llm.fallback.provider")
    if settings.llm.fallback.provider:
        yield "llm.fallback.model"


def embedder_keys(settings: Settings) -> Iterator[str]:
    """Yield the settings that affect vectors of texts."""
    yield from ("embedding.model", "embedding.dim", "embedding.task", "embedding.long_texts")
    served = served_kind(settings.embedding.model)
    yield "embedding.revision" if model_kind(settings.embedding.model) == "hub" else Implied("embedding.revision")
    precise = served is None and settings.embedding.precision != "auto"
    yield "embedding.precision" if precise else Implied("embedding.precision")
    if served is not None:
        yield from (f"embedding.{key}" for key in served.settings_keys)
