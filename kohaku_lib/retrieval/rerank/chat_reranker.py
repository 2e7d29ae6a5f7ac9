"""Scores by a chat model that judges whether each text helps to answer the question."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from functools import partial

from kohaku_lib.errors import ModelError
from kohaku_lib.llm import BudgetSpentError, CallError, ChatModel, ChatRequest, ProviderUnavailableError
from kohaku_lib.parallel import map_items
from kohaku_lib.prompts import snippet_yes_no as wording
from kohaku_lib.retrieval.rerank.interface import RERANKERS, RerankDependencies, Reranker, RerankerKind
from kohaku_lib.settings import RerankSettings
from kohaku_lib.text.json_replies import strip_thinking

TOP_LOGPROBS = 5
REPLY_TOKENS = 16  # enough for a worded reply if the server returns no log probabilities
SAID_YES, SAID_NO, SAID_BOTH, SAID_NEITHER = 0.9, 0.1, 0.6, 0.5
_WORD = re.compile(r"[a-z]+")


def build_chat_reranker(settings: RerankSettings, dependencies: RerankDependencies) -> Reranker:
    """Return the chat model as a reranker; its call ledger serves as the cache.

    Raises:
        ModelError: There is no chat model.

    """
    if dependencies.chat is None:
        msg = "rerank.kind = 'chat' needs a chat model; set llm.provider to 'openai' or 'openrouter', or rerank.kind"
        raise ModelError(msg)
    return ChatReranker(dependencies.chat, settings.chat_model or dependencies.chat_model, settings.max_concurrent)


class ChatReranker:
    """A chat model that judges one pair per call, `concurrent` calls at once.

    The score is the probability of "yes" among the candidates for the first token or, if the server returns none, is
    derived from the words of the reply. The ledger of `chat` replays known pairs.
    """

    def __init__(self, chat: ChatModel, model: str, concurrent: int) -> None:
        self._chat, self._model, self._concurrent = chat, model, concurrent

    @property
    def name(self) -> str:
        """The chat model's name."""
        return f"chat:{self._model}"

    def scores(self, query: str, texts: Sequence[str], question_id: str) -> list[float | None]:
        """Return P(yes) for each text, None for one that the model refuses.

        Raises:
            ModelError: The model is not available.
        """
        judge = partial(self._score_text, query, question_id=question_id)
        return list(map_items(judge, texts, self._concurrent))

    def _score_text(self, query: str, text: str, question_id: str) -> float | None:
        request = ChatRequest(
            model=self._model,
            system=wording.SYSTEM,
            user=wording.USER.format(question=query, text=text),
            temperature=0.0,
            max_tokens=REPLY_TOKENS,
            seed=0,
            run=0,
            stage="rerank",
            question_id=question_id,
            json_object=False,
            top_logprobs=TOP_LOGPROBS,
        )
        try:
            reply = self._chat.complete(request)
        except (BudgetSpentError, ProviderUnavailableError):  # the others would fail too
            raise
        except CallError:  # this pair is too long or refused; the others may be answered
            return None
        return yes_probability(reply.text, reply.first_token)


def yes_probability(text: str, first_token: Mapping[str, float] | None) -> float:
    """Return P(yes) / (P(yes) + P(no)) over the candidates of the first token, each a log probability.

    Spellings of a word ("Yes", " yes") are summed. If neither word is among the candidates, the words of the reply
    decide: 0.9 or 0.1 by the first word; else 0.6 if both occur later, 0.9 or 0.1 if one does, 0.5 if none does.

    >>> round(yes_probability("Yes", {"Yes": -0.223, "No": -1.609, " yes": -3.0}), 3)
    0.809
    >>> yes_probability("No, it is about rice.", None), yes_probability("Perhaps.", {"Perhaps": -0.1})
    (0.1, 0.5)
    """
    yes, no = (_word_probability(first_token or {}, word) for word in ("yes", "no"))
    return yes / (yes + no) if yes + no > 0 else _probability_by_words(text)


def _word_probability(candidates: Mapping[str, float], word: str) -> float:
    return sum(
        math.exp(min(odds, 0.0)) for token, odds in candidates.items() if token.strip(" \n\t\"'*.,▁Ġ").lower() == word
    )


def _probability_by_words(text: str) -> float:
    words = _WORD.findall(strip_thinking(text).lower())
    if words[:1] == ["yes"]:
        return SAID_YES
    if words[:1] == ["no"]:
        return SAID_NO
    verdicts = {word for word in words if word in ("yes", "no")}
    return {2: SAID_BOTH, 0: SAID_NEITHER}.get(len(verdicts)) or (SAID_YES if verdicts == {"yes"} else SAID_NO)


RERANKERS.register(
    RerankerKind("chat", build_chat_reranker, uses_chat=True, prompts=("snippet_yes_no",), order=2),
)
