"""Labels of ensemble runs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from kohaku_lib.kinds import PROVIDERS
from kohaku_lib.settings import Settings


def run_labels(settings: Settings) -> tuple[str, ...]:
    """Return one distinct label per ensemble run, from run 0 on.

    The provider's own labels, if it defines any; otherwise the name of the chat model, or of the provider, and the
    run number.

    Example:
        >>> run_labels(Settings())
        ('extractive.0',)

    """
    kind = PROVIDERS.get(settings.llm.provider)
    if kind.label_runs is not None:
        return tuple(kind.label_runs(settings))
    name = settings.llm.model if kind.uses_chat else kind.name
    return tuple(f"{name}.{run}" for run in range(settings.ensemble.runs))


def label_paths(paths: Sequence[Path]) -> tuple[str, ...]:
    """Return the distinguishing part of each path, without the suffix; duplicates get a number.

    >>> label_paths([Path("runs/a/out.csv"), Path("runs/b/out.csv")]), label_paths([Path("x/one.csv")])
    (('a', 'b'), ('one',))
    >>> label_paths([Path("a.csv"), Path("b.csv"), Path("a.csv")])
    ('a', 'b', 'a#2')
    """
    parts = [path.absolute().with_suffix("").parts for path in paths]
    if len(set(parts)) == 1:
        parts = [part[-1:] for part in parts]
    while all(len(part) > 1 for part in parts) and len({part[0] for part in parts}) == 1:
        parts = [part[1:] for part in parts]
    while all(len(part) > 1 for part in parts) and len({part[-1] for part in parts}) == 1:
        parts = [part[:-1] for part in parts]
    return _number_duplicates(["/".join(part) for part in parts])


def _number_duplicates(labels: Sequence[str]) -> tuple[str, ...]:
    counts = [labels[: place + 1].count(label) for place, label in enumerate(labels)]
    return tuple(label if count == 1 else f"{label}#{count}" for label, count in zip(labels, counts, strict=True))
