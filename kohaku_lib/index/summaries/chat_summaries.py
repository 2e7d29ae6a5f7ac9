"""Summaries by a chat model, one call per cluster."""

from __future__ import annotations

from collections.abc import Sequence

from kohaku_lib.errors import KohakuError, StoreError
from kohaku_lib.index.summaries.extractive import Cluster, SummaryReport, central_sentences
from kohaku_lib.llm import ChatModel, ChatRequest
from kohaku_lib.parallel import map_items
from kohaku_lib.prompts import cluster_summary as wording

TOKENS_PER_WORD = 4 / 3


class ChatSummariser:
    """Asks `chat` for each summary; a cluster without a usable reply has its central sentences, and is a problem.

    Calls are answered from the ledger where it has them, so that only changed clusters are paid for.
    """

    def __init__(self, chat: ChatModel, model: str, most_tokens: int, stage: str, workers: int = 5) -> None:
        self._chat, self._model, self._most_tokens = chat, model, most_tokens
        self._stage, self._workers = stage, workers

    def summarise(self, clusters: Sequence[Cluster]) -> SummaryReport:
        """Return the reply about each cluster as one sentence."""
        replies = map_items(self._ask, clusters, self._workers, self._chat.stop)
        sentences: list[tuple[str, ...]] = []
        problems: list[str] = []
        for cluster, (reply, failure) in zip(clusters, replies, strict=True):
            sentences.append((reply,) if reply else central_sentences(cluster, self._most_tokens))
            if not reply:
                problems.append(f"{cluster.name} was not summarised by {self._model!r}: {failure}")
        return SummaryReport(sentences, tuple(problems))

    def _ask(self, cluster: Cluster) -> tuple[str, str]:
        """Return the reply; "" and the cause if there is none."""
        passages = "\n\n".join(passage.text for passage in cluster.passages)
        request = ChatRequest(
            model=self._model,
            system=wording.SYSTEM,
            user=wording.USER.format(words=int(self._most_tokens / TOKENS_PER_WORD), passages=passages),
            temperature=0.0,
            max_tokens=2 * self._most_tokens,
            seed=0,
            run=0,
            stage=self._stage,
            question_id=cluster.name,
            json_object=False,
        )
        try:
            return " ".join(self._chat.complete(request).text.split()), "the reply is empty"
        except StoreError:
            raise
        except Exception as error:  # one cluster must not stop the others
            return "", str(error) if isinstance(error, KohakuError) else f"{type(error).__name__}: {error}"
