"""The names of kinds in settings, checked against the registries."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from pydantic.fields import FieldInfo

from kohaku_lib.embedding.encoders.interface import LOCAL_ENCODERS
from kohaku_lib.evaluation.metrics.answers.interface import ANSWER_METRICS
from kohaku_lib.evaluation.metrics.retrieval.interface import RETRIEVAL_METRICS
from kohaku_lib.evaluation.voting.modes.interface import TIE_BREAKS, VOTE_MODES
from kohaku_lib.llm.providers.interface import PROVIDERS
from kohaku_lib.retrieval.channels.interface import CHANNELS
from kohaku_lib.retrieval.fusion.interface import CONSENSUS, FUSIONS
from kohaku_lib.retrieval.rerank import RERANKERS
from kohaku_lib.settings import Settings, leaf_fields, value_of
from kohaku_lib.settings.section import KindName

# By the family that a KindName names.
FAMILIES: dict[str, Callable[[], Iterable[str]]] = {
    "answer metric": ANSWER_METRICS.names,
    "backend": lambda: (kind.name for kind in LOCAL_ENCODERS if kind.is_backend),
    "channel": CHANNELS.names,
    "consensus": CONSENSUS.names,
    "fusion": FUSIONS.names,
    "provider": PROVIDERS.names,
    "provider with a server": lambda: (kind.name for kind in PROVIDERS if kind.server is not None),
    "reranker": RERANKERS.names,
    "retrieval metric": RETRIEVAL_METRICS.names,
    "tie break": TIE_BREAKS.names,
    "vote mode": VOTE_MODES.names,
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
        value = value_of(settings, key)
        names = [] if value is None else [value] if isinstance(value, str) else value
        unknown = next((name for name in names if name not in allowed), None) if allowed else None
        if unknown is not None:
            return UnknownName(key, unknown, allowed)
    return None


def allowed_names(field: FieldInfo) -> tuple[str, ...]:
    """Return what a setting that names a kind may be; nothing for one that names none.

    >>> allowed_names(leaf_fields()["release.answer_metric"])
    ('wattbot', 'kohaku', 'fork')
    """
    rule = next((one for one in field.metadata if isinstance(one, KindName)), None)
    return (*rule.others, *FAMILIES[rule.family]()) if rule is not None else ()
