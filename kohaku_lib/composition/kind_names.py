"""The names of kinds in settings, checked against the registries."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pydantic.fields import FieldInfo

from kohaku_lib.evaluation.metrics.answers.interface import ANSWER_METRICS
from kohaku_lib.evaluation.metrics.retrieval.interface import RETRIEVAL_METRICS
from kohaku_lib.registry import Registry
from kohaku_lib.retrieval.rerank import RERANKERS
from kohaku_lib.settings import Settings, leaf_fields, value_of
from kohaku_lib.settings.section import KindName

# By the family that a KindName names.
FAMILIES: dict[str, Registry[Any]] = {
    "reranker": RERANKERS,
    "answer metric": ANSWER_METRICS,
    "retrieval metric": RETRIEVAL_METRICS,
}


@dataclass(frozen=True, slots=True)
class UnknownName:
    """A setting that names no kind, and the names that it may have."""

    key: str
    value: str
    allowed: tuple[str, ...]

    @property
    def rule(self) -> str:
        """What the setting must be, in the words of pydantic.

        >>> UnknownName("rerank.kind", "fish", ("off", "auto", "cat")).rule
        "'off', 'auto' or 'cat'"
        """
        *first, last = map(repr, self.allowed)
        return f"{', '.join(first)} or {last}" if first else last


def find_unknown_name(settings: Settings) -> UnknownName | None:
    """Return the first setting that names no kind, or None.

    >>> find_unknown_name(Settings(rerank={"kind": "fish"})).key
    'rerank.kind'
    """
    for key, field in leaf_fields().items():
        allowed = allowed_names(field)
        if allowed and value_of(settings, key) not in allowed:
            return UnknownName(key, value_of(settings, key), allowed)
    return None


def allowed_names(field: FieldInfo) -> tuple[str, ...]:
    """Return what a setting that names a kind may be; nothing for one that names none.

    >>> allowed_names(leaf_fields()["release.answer_metric"])
    ('wattbot', 'kohaku', 'fork')
    """
    rule = next((one for one in field.metadata if isinstance(one, KindName)), None)
    return (*rule.others, *FAMILIES[rule.family].names()) if rule is not None else ()
