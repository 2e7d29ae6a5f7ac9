"""Extraction of entities and relations from paragraphs by a chat model."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import pyarrow as pa

from kohaku_lib.digests import text_sha256
from kohaku_lib.errors import KohakuError, StoreError
from kohaku_lib.index.graph.chat_prompt import GraphPrompt, Statements, UnusableGraphError
from kohaku_lib.index.graph.entities import Mention
from kohaku_lib.index.graph.extract import ExtractionResult
from kohaku_lib.index.graph.links import Link, LinkedMention
from kohaku_lib.index.graph.names import NamedMention, without_overlap
from kohaku_lib.llm import ChatModel, ProviderUnavailableError
from kohaku_lib.parallel import ActorCrew, map_items
from kohaku_lib.storage import RowCache

GRAPH_ROW_CACHE_SCHEMA = pa.schema([pa.field("reply", pa.string(), nullable=False)])
LEAST_CHARS = 50
ATTEMPTS = 3  # per paragraph with unusable replies; each is a separate call, not answered from the ledger
MOST_FAILURES = 3


@dataclass(frozen=True, slots=True)
class Chunk:
    """A paragraph with its node id as `name`, and the rows of its leaves."""

    name: str
    text: str
    leaves: tuple[int, ...]


Asked = tuple[str | None, str]
AskCrew = ActorCrew[Chunk, Asked]


class ChatExtractor:
    """Sends each distinct paragraph to `chat` once; replies are cached in `cache` by the hash of the text.

    An unusable reply is asked for again after `delays_s`, in turn. A failed paragraph is reported as a problem, falls back to
    the rules, and is retried by the next refresh. If the first three find the server unavailable, the rest is skipped.
    The actors of a `crew` ask in place of `workers` threads.
    """

    def __init__(
        self,
        chat: ChatModel,
        prompt: GraphPrompt,
        cache: RowCache | None = None,
        workers: int = 5,
        delays_s: Sequence[float] = (0.0,) * (ATTEMPTS - 1),
        crew: AskCrew | None = None,
    ) -> None:
        self._crew = crew
        self._chat, self._prompt, self._cache, self._workers = chat, prompt, cache, workers
        self._delays_s = (0.0, *delays_s)
        self._lock = threading.Lock()
        self._alive = False
        self._unavailable = 0

    def extract(self, nodes: pa.Table, leaves: Sequence[int]) -> ExtractionResult:
        """Return the statements of the paragraphs above these leaves, placed at the leaves that contain the names."""
        chunks = list(_chunks(nodes, leaves))
        by_text = {text_sha256(chunk.text): chunk for chunk in reversed(chunks)}
        statements = self._cached_statements(by_text)
        reused = set(statements)
        missing = sorted(by_text.keys() - reused)
        asked = [by_text[sha256] for sha256 in missing]
        if self._crew is not None:
            replies = self._crew.in_order(asked)
        else:
            replies = map_items(self.ask, asked, self._workers, self._chat.stop)
        problems: list[str] = []
        for sha256, (reply, failure) in zip(missing, replies, strict=True):
            if reply is None:
                problems.append(f"paragraph {by_text[sha256].name!r} was not read for entities: {failure}")
                continue
            statements[sha256] = self._prompt.parse(reply)
            if self._cache is not None:
                self._cache.add(self._key(sha256), {"reply": reply})
        if self._cache is not None:
            self._cache.flush()
        found = self._placed(nodes, chunks, statements)
        gaps = f"{len(problems)} of {len(by_text)} paragraphs were not read; the next refresh retries them"
        reread = sum(len(chunk.leaves) for chunk in chunks if text_sha256(chunk.text) in reused)
        return ExtractionResult(found, reread, tuple(problems), gaps if problems else None)

    def _cached_statements(self, by_text: Mapping[str, Chunk]) -> dict[str, Statements]:
        if self._cache is None:
            return {}
        sha_by_key = {self._key(sha256): sha256 for sha256 in by_text}
        rows = self._cache.get_many(sha_by_key).to_pylist()
        return {sha_by_key[row["key"]]: self._prompt.parse(row["reply"]) for row in rows}

    def _key(self, sha256: str) -> str:
        return self._prompt.key(self._chat.provider, sha256)

    def ask(self, chunk: Chunk) -> Asked:
        """Return a usable reply about a paragraph and "", or None and the cause."""
        failure = "the server was unavailable"
        for attempt, delay_s in enumerate(self._delays_s):
            time.sleep(delay_s)
            if not self._alive and self._unavailable >= MOST_FAILURES:
                return None, failure
            try:
                reply = self._chat.complete(self._prompt.request(chunk.name, chunk.text, attempt)).text
                self._alive = True
                self._prompt.parse(reply)
            except UnusableGraphError as error:
                failure = f"no usable reply after {attempt + 1} attempts: {error}"
            except StoreError:
                raise
            except Exception as error:  # one paragraph must not stop the others
                with self._lock:
                    self._unavailable += isinstance(error, ProviderUnavailableError)
                return None, str(error) if isinstance(error, KohakuError) else f"{type(error).__name__}: {error}"
            else:
                return reply, ""
        return None, failure

    def _placed(
        self, nodes: pa.Table, chunks: Sequence[Chunk], statements: Mapping[str, Statements]
    ) -> dict[int, list[LinkedMention]]:
        texts = nodes["text"]
        found: dict[int, list[LinkedMention]] = {}
        for chunk in chunks:
            stated = statements.get(text_sha256(chunk.text))
            if stated is not None:
                found |= placed(stated, {row: texts[row].as_py() for row in chunk.leaves})
        return found


def placed(stated: Statements, texts: Mapping[int, str]) -> dict[int, list[LinkedMention]]:
    """Return the mentions of stated entities in the leaves of one paragraph, by row of the leaf.

    An entity whose name is in no leaf is dropped. A relation is attached to the first mention of its subject, and dropped
    if either end is no entity of the paragraph.

    >>> stated = Statements({"Iowa": "LOCATION"}, ())
    >>> [found.named.mention.start for found in placed(stated, {4: "It is in Iowa."})[4]]
    [9]
    """
    found = {
        row: [LinkedMention(named) for named in without_overlap(list(_mentions(stated, texts[row])))] for row in texts
    }
    first: dict[str, LinkedMention] = {}
    for row in sorted(found):
        for one in found[row]:
            first.setdefault(one.named.name, one)
    for relation in stated.relations:
        if relation.subject in first and relation.object in first and relation.subject != relation.object:
            kind = stated.entities[relation.object]
            link = Link(relation.relation_type, kind, relation.object, relation.confidence)
            first[relation.subject].links += (link,)
    return {row: ones for row, ones in found.items() if ones}


def _mentions(stated: Statements, text: str) -> Iterator[NamedMention]:
    for name, kind in stated.entities.items():
        words = r"\s+".join(map(re.escape, name.split()))
        for found in re.finditer(rf"(?<!\w){words}(?!\w)", text):
            yield NamedMention(Mention(kind, found.group(), *found.span(), CONFIDENCE), name)


CONFIDENCE = 0.9  # of a mention by a model whose name is in the text


def _chunks(nodes: pa.Table, leaves: Sequence[int]) -> Iterator[Chunk]:
    """Yield the paragraphs of the leaves that are long enough; a leaf may be a paragraph itself."""
    parents, texts, ids = nodes["parent_row"].to_numpy(), nodes["text"], nodes["node_id"]
    is_sentence = nodes["searchable"].to_numpy(zero_copy_only=False)
    by_paragraph: dict[int, list[int]] = {}
    for row in leaves:
        parent = int(parents[row])
        by_paragraph.setdefault(parent if parent >= 0 and is_sentence[parent] else row, []).append(row)
    for paragraph, rows in by_paragraph.items():
        text = texts[paragraph].as_py()
        if len(text.strip()) >= LEAST_CHARS:
            yield Chunk(ids[paragraph].as_py(), text, tuple(rows))
