"""Flags of experiments whose record looks wrong."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from kohaku_lib.llm.providers.interface import PROVIDERS

LONGEST_LATENCY_S = 60.0
MOST_ERRORS = 0.10
BROKEN, LOW = 0.2, 0.4
MOST_DEVIATION = 0.01  # of a stated score from all recomputed ones


def audit(experiments: Sequence[Mapping[str, Any]]) -> dict[str, list[str]]:
    """Return the flags of each experiment (rows of EXPERIMENTS) by name; none is an empty list.

    >>> audit([{"name": "a", "problem": None, "wattbot": 0.3, "latency_s": 71.0, "questions": 10, "errors": 0}])
    {'a': ['a question takes 71.0 s', 'the score is low (0.300)']}
    """
    seen: dict[tuple[Any, ...], str] = {}
    flags: dict[str, list[str]] = {}
    for row in experiments:
        flags[row["name"]] = [row["problem"]] if row.get("problem") else list(_flags(row))
        identity = tuple(row.get(name) for name in ("provider", "model", "dtype", "settings_json", "questions"))
        if row.get("model") and row.get("settings_json"):
            first = seen.setdefault(identity, row["name"])
            if first != row["name"]:
                flags[row["name"]].append(f"it repeats {first}")
    return flags


_NO_MODEL = {"reader", "replay", "extractive"}  # in the place of a provider; the last in records of earlier versions


def _flags(row: Mapping[str, Any]) -> Sequence[str]:
    flags: list[str] = []
    is_chat = _uses_chat(row.get("provider"))
    if is_chat and not (row.get("input_tokens") and row.get("output_tokens")):
        flags.append("its token counts are unknown")
    if is_chat and _is_served(row.get("provider")) and not row.get("cost_usd"):
        flags.append("its cost is unknown")
    latency_s, score = row.get("latency_s"), row["wattbot"]
    if latency_s is not None and latency_s > LONGEST_LATENCY_S:
        flags.append(f"a question takes {latency_s:.1f} s")
    if row.get("questions") and (row.get("errors") or 0) > MOST_ERRORS * row["questions"]:
        flags.append(f"{row['errors']} of {row['questions']} questions failed")
    if score < LOW:
        flags.append(f"the score is {'broken' if score < BROKEN else 'low'} ({score:.3f})")
    stated = row.get("stated_score")
    if stated is not None and all(
        abs(stated - row[metric]) > MOST_DEVIATION for metric in ("wattbot", "kohaku", "fork")
    ):
        flags.append(f"its record states {stated:.3f}, which no metric gives again")
    return flags


def _uses_chat(provider: str | None) -> bool:
    """Return whether a chat model answered; a provider that is not ours is one."""
    return provider is not None and provider not in _NO_MODEL


def _is_served(provider: str | None) -> bool:
    return provider in PROVIDERS and PROVIDERS.get(str(provider)).server is not None
