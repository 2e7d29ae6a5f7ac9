"""Labels of ensemble runs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from kohaku_lib.settings import Settings

READER = "the built-in reader"


def run_labels(settings: Settings) -> tuple[str, ...]:
    """Return one distinct label per ensemble run, from run 0 on.

    Recorded runs are told apart by their paths, others by the name of the chat model or the reader and the run number.

    Example:
        >>> run_labels(Settings())
        ('reader.0',)

    """
    if settings.answerer == "replay":
        return label_paths(settings.replay.runs)
    name = settings.llm.model if settings.uses_chat else "reader"
    return tuple(f"{name}.{run}" for run in range(settings.ensemble.runs))


def answerer_name(settings: Settings) -> str:
    """Return who answers, in words.

    >>> answerer_name(Settings())
    'the built-in reader'
    """
    if settings.uses_chat:
        return settings.llm.model
    return READER if settings.answerer == "reader" else "a recorded run"


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
