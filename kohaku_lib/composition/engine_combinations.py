"""Checks of the settings of the optional engines that contradict each other."""

from __future__ import annotations

from collections.abc import Iterator

from kohaku_lib.embedding.encoders.interface import served_kind
from kohaku_lib.retrieval.channels.interface import CHANNELS
from kohaku_lib.retrieval.fusion.interface import FUSIONS
from kohaku_lib.settings.all_settings import Settings
from kohaku_lib.settings.keys import value_of


def switch_by_weight() -> dict[str, str]:
    """Return the setting that builds what a channel searches, by the setting of its weight.

    >>> switch_by_weight()["retrieval.late_weight"]
    'late.enabled'
    """
    return {f"retrieval.{channel.weight_key}": channel.switch for channel in CHANNELS if channel.switch}


def engine_contradictions(settings: Settings) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield the keys of each contradiction, and one sentence about it.

    >>> [keys for keys, _ in engine_contradictions(Settings())]
    []
    """
    for weight, switch in switch_by_weight().items():
        if value_of(settings, weight) and not value_of(settings, switch):
            sentence = (
                f"{weight} = {value_of(settings, weight)} searches what {switch} builds; set that to true as well"
            )
            yield (weight, switch), sentence
    if settings.lightrag.enabled and not settings.graph.enabled:
        sentence = "lightrag.enabled = true needs the knowledge graph; set graph.enabled = true as well"
        yield ("lightrag.enabled", "graph.enabled"), sentence
    if settings.late.enabled and served_kind(settings.embedding.model):
        model = settings.embedding.model
        sentence = (
            f"late.enabled = true needs a local model, as servers give no token vectors, but embedding.model is {model!r}; "
            "set another model, or late.enabled to false"
        )
        yield ("late.enabled", "embedding.model"), sentence
    weights = FUSIONS.get(settings.retrieval.fusion).weights(settings.retrieval)
    if [name for name, weight in weights.items() if weight] == ["late"]:
        sentence = (
            "retrieval.late_weight orders what other channels find, but all of these are off; raise the weight of one"
        )
        yield ("retrieval.late_weight",), sentence
