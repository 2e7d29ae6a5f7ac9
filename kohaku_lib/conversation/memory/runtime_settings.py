"""Settings changed while the assistant runs: kept in its database, seen by every process within seconds."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from sqlalchemy import func, insert, select

from kohaku_lib.composition import overlaid
from kohaku_lib.conversation.memory.tables import RUNTIME_SETTINGS
from kohaku_lib.errors import SettingsError
from kohaku_lib.settings import Settings
from kohaku_lib.settings.renamed import with_present_names

if TYPE_CHECKING:
    from sqlalchemy import Engine

SEEN_WITHIN_S = 5.0
STORE = ""  # in the place of an organisation: values for all of them
# What is read for each question and is a number, a choice or a switch; every other setting is the operator's alone.
AT_RUNTIME = {
    "planner": ("kind", "max_queries", "style", "hyde", "step_back", "routing", "classifier"),
    "retrieval": (
        *("top_k", "top_k_final", "paragraph_search_mode", "kinds", "candidates", "channel_top_k"),
        *("deduplicate", "dedup_first", "consensus", "fusion", "rrf_k", "rank_lists"),
        *("dense_weight", "lexical_weight", "graph_weight", "graph_hops", "raptor_weight", "lightrag_weight"),
        *(
            "late_weight",
            "hop_weight",
            "related_share",
            "title_weight",
            "heading_weight",
            "planned_query_weight",
            "evidence_share",
        ),
        *("document_weight", "bm25_top_k", "bm25_order", "threshold", "intent_hints", "rescore"),
        *("parent_depth", "parent_limit", "child_depth", "snippet_dedup", "merge_duplicates", "snippet_tokens"),
        "context_tokens",
        *("spelling", "statement_words", "with_images", "top_k_images"),
    ),
    "rerank": (
        *("kind", "weight", "top_n", "top_k", "logits", "safety_threshold", "denoise_alpha", "score_gap"),
        *("conformal_error", "penalties", "semantic_dedup", "verify", "verify_cosine", "verify_grade", "mmr", "mmr_k"),
    ),
    "answer": (
        *(
            "form",
            "context_first",
            "snippet_order",
            "headings",
            "send_images",
            "best_guess",
            "keep_unstated",
            "wrong_answer_penalty",
            "read_passages",
        ),
        *("max_retries", "deepening", "replan_on_retry", "overflow", "cite", "prompt", "temperature", "seed"),
    ),
    "assistant": (
        *(
            "level",
            "confidence",
            "chain_of_thought",
            "extended_thinking",
            "temperature",
            "model_size_b",
            "context_window",
        ),
        *("follow_ups", "history_turns", "cache", "cache_mode", "cache_ttl_s"),
    ),
}
OF_ALL = ("assistant.cache_entries",)  # shared by all organisations, so that none of them may change them


@dataclass(frozen=True, slots=True)
class RuntimeValue:
    """The value of a setting, and who set it when."""

    value: Any
    changed_by: str
    changed_at: datetime
    org_id: str = STORE

    @property
    def place(self) -> str:
        """Where the value comes from, in words."""
        scope = f"organisation {self.org_id!r}" if self.org_id else "runtime"
        return f"{scope}, by {self.changed_by} at {self.changed_at:%Y-%m-%d %H:%M}"


class RuntimeSettings:
    """The runtime settings of one organisation in `engine`, or those for all; read again after five seconds. Thread-safe.

    Args:
        engine: The assistant's database.
        org_id: The organisation, or STORE.
        clock: Seconds, monotonic.

    """

    def __init__(self, engine: Engine, org_id: str, clock: Callable[[], float] = time.monotonic) -> None:
        self._engine, self._org_id, self._clock = engine, org_id, clock
        self._lock = threading.Lock()
        self._read: tuple[float, dict[str, RuntimeValue]] | None = None

    def values(self) -> dict[str, RuntimeValue]:
        """Return the values that are set, by key."""
        with self._lock:
            if self._read is None or self._clock() - self._read[0] >= SEEN_WITHIN_S:
                self._read = self._clock(), self._stored()
            return self._read[1]

    def set(self, settings: Settings, values: Mapping[str, Any], changed_by: str) -> None:
        """Set values by dotted name; None drops one. All are set, or none.

        Raises:
            SettingsError: A key is unknown or not read for each question, or a value is wrong beside `settings` and the
                other runtime values.
        """
        kept = {key: one.value for key, one in self._stored().items()}
        overlaid(settings, changed_values(kept, values, self._org_id))
        now = datetime.now(UTC)
        rows = [
            {
                "org_id": self._org_id,
                "key": key,
                "value_json": None if value is None else json.dumps(value),
                "changed_at": now,
                "changed_by": changed_by,
            }
            for key, value in values.items()
        ]
        with self._engine.begin() as connection:
            connection.execute(insert(RUNTIME_SETTINGS), rows)
        with self._lock:
            self._read = None

    def _stored(self) -> dict[str, RuntimeValue]:
        table, allowed = RUNTIME_SETTINGS, frozenset(runtime_keys(self._org_id))
        newest = select(func.max(table.c.change_id)).where(table.c.org_id == self._org_id).group_by(table.c.key)
        with self._engine.connect() as connection:
            changes = select(table).where(table.c.change_id.in_(newest)).order_by(table.c.change_id)
            rows = connection.execute(changes).all()
        row_by_key = with_present_names({row.key: row for row in rows})  # by its present name, the newest change wins
        return {
            key: RuntimeValue(json.loads(row.value_json), row.changed_by, row.changed_at, row.org_id)
            for key, row in sorted(row_by_key.items())
            if row.value_json is not None and key in allowed  # others were set when more was allowed
        }


def changed_values(kept: Mapping[str, Any], values: Mapping[str, Any], org_id: str | None = None) -> dict[str, Any]:
    """Return the values of settings in `kept` changed by `values`, where None drops one; `org_id` as in `runtime_keys`.

    Raises:
        SettingsError: A key is unknown or not read for each question.

    >>> changed_values({"retrieval.top_k": 12, "rerank.mmr": 0.5}, {"retrieval.top_k": None, "rerank.mmr": 0.7})
    {'rerank.mmr': 0.7}
    """
    for key in values:
        check_runtime_key(key, org_id)
    return {key: value for key, value in {**kept, **values}.items() if value is not None}


def runtime_keys(org_id: str | None = None) -> list[str]:
    """Return the settings that may be changed while the assistant runs, with STORE for `org_id` those of all too.

    >>> "retrieval.top_k" in runtime_keys(), "rerank.base_url" in runtime_keys(), "embedding.model" in runtime_keys()
    (True, False, False)
    """
    own = [f"{section}.{name}" for section, names in AT_RUNTIME.items() for name in names]
    return [*own, *OF_ALL] if org_id == STORE else own


def check_runtime_key(key: str, org_id: str | None = None) -> None:
    """Raise SettingsError where `key` cannot be changed while the assistant runs; `org_id` as in `runtime_keys`."""
    if key in OF_ALL and org_id != STORE:
        msg = f"{key!r} is of all organisations together; set it with 'kohaku settings --runtime {key}=VALUE'"
        raise SettingsError(msg)
    if key not in runtime_keys(org_id):
        sections = ", ".join(AT_RUNTIME)
        msg = (
            f"a runtime setting is a number, choice or switch of {sections} that is read for each question, got {key!r}; "
            "set others in kohaku.toml"
        )
        raise SettingsError(msg)
