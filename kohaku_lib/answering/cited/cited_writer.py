"""Texts by a chat model that cite numbered sources."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from kohaku_lib.answering.answerer import blank_answer
from kohaku_lib.answering.chat.answer_prompt import fenced, neutralised
from kohaku_lib.answering.chat.chat_answerer import STAGE as PREDICTIONS
from kohaku_lib.answering.cited.budgets import TokenBudget, newest_fitting, settle, share_out
from kohaku_lib.answering.cited.choosing import chosen_reply
from kohaku_lib.answering.cited.dialogue import Dialogue, Turn
from kohaku_lib.answering.cited.replies import ParsedReply, parse_reply
from kohaku_lib.answering.cited.streaming import ShownReply, ShownText
from kohaku_lib.answering.cited.tiers import DEFAULT_WINDOW, UNKNOWN_SIZE_B, Tier, tier_of
from kohaku_lib.answering.figures import FigureSnippet, ReadImages, select_images
from kohaku_lib.llm import ChatModel, ChatReply, ChatRequest, ImagePart
from kohaku_lib.prompts import cited_answer as wording
from kohaku_lib.prompts import merged_answer
from kohaku_lib.retrieval.packing.ordering import in_order
from kohaku_lib.retrieval.planning.routing import BY_FORM, classify_intent
from kohaku_lib.settings import Settings
from kohaku_lib.tables import Question, Snippet, StructuredAnswer
from kohaku_lib.text.token_estimates import estimated_tokens

_THOUGHT = 2  # times the tokens of a reply, where a model may think at length
STAGE = "assistant"  # of calls in conversations
_SOURCE_MARKER = re.compile(r"\[(?=\s*source\b)", re.IGNORECASE)
Check = Callable[[Sequence[Snippet], str], str]  # of complete sentences over these passages: what of them may be shown


class CitedWriter:
    """Writes texts by `chat` from as many passages, best first, as its context window holds; [Source N] is the N-th.

    With `read` the figures among them are shown to it, after the images of the dialogue. A text is shown to the dialogue as
    `check` allows it. Of several `drafts` a run `assistant.vote` chooses one, or one more call merges them.
    """

    def __init__(
        self,
        chat: ChatModel,
        settings: Settings,
        dialogue: Dialogue | None = None,
        read: ReadImages | None = None,
        check: Check | None = None,
        *,
        stage: str = PREDICTIONS,
        drafts: int = 1,
    ) -> None:
        self._chat, self._settings, self._read, self._check = chat, settings, read, check
        self._dialogue, self._stage, self._drafts = dialogue or Dialogue(), stage, drafts

    def answer(self, question: Question, snippets: Sequence[Snippet], run: int = 0) -> StructuredAnswer:
        """Return the model's text, whose citations are not checked yet; blank, without a call, if there is nothing to see.

        Raises:
            CallError: The call fails, or its reply was cut.
        """
        if not snippets and not self._dialogue.images:
            return blank_answer("no snippet was retrieved")
        request, shown = self._request(question, snippets)
        reply = self._complete(replace(request, run=run, seed=request.seed + run), shown)
        content = parse_reply(reply.text, len(shown)).content
        told = StructuredAnswer(content, content, (), "", raw_response=reply.text)
        return replace(told, replayed=reply.replayed, written_by=reply.fallback)

    def stop(self) -> None:
        """Start no further calls."""
        self._chat.stop()

    def _complete(self, request: ChatRequest, shown: Sequence[Snippet]) -> ChatReply:
        if self._drafts == 1:
            return self._streamed(request, shown)
        replies = [
            self._chat.complete(replace(request, run=run, seed=request.seed + run)) for run in range(self._drafts)
        ]
        parsed = [parse_reply(reply.text, len(shown)) for reply in replies]
        if self._settings.assistant.vote == "synthesis":
            merged = replace(request, user=f"{request.user}\n\n{_drafts_block(parsed)}", run=self._drafts)
            return self._streamed(merged, shown)
        contents, texts = [one.content for one in parsed], [source.text for source in shown]
        return replies[chosen_reply(contents, texts, self._settings.assistant.vote)]

    def _streamed(self, request: ChatRequest, shown: Sequence[Snippet]) -> ChatReply:
        show = self._dialogue.on_text
        if show is None or self._check is None:
            return self._chat.complete(request)
        check = self._check
        growing = ShownReply(ShownText(show), len(shown), lambda content: check(shown, content))
        return self._chat.complete(replace(request, on_text=growing.add))

    def _request(self, question: Question, snippets: Sequence[Snippet]) -> tuple[ChatRequest, Sequence[Snippet]]:
        """Return the request, and the passages that it shows, best first."""
        settings, dialogue = self._settings, self._dialogue
        tier = model_tier(settings)
        system = _system_prompt(dialogue.intent or intent_of(question.text), settings, tier)
        budget = token_budget(settings, tier, system, sum(map(_source_tokens, snippets)))
        shown = newest_fitting(list(snippets)[::-1], _source_tokens, budget.chunks, len(snippets))[::-1]
        numbers = {id(source): number for number, source in enumerate(shown, start=1)}
        ordered = in_order(shown, settings.answer.snippet_order)
        blocks = [source_block(numbers[id(source)], source) for source in ordered]
        head = fenced("The sources, quoted material:", "sources", blocks)
        turns = turns_block(dialogue.turns, budget, tier)
        user = wording.USER.format(sources=head, turns=turns, question=question.text)
        figures = [source for source in shown if isinstance(source, FigureSnippet)]
        pictures = select_images(figures, settings.answer, self._read)
        user += _images_note(dialogue, shown, pictures)
        images = (*dialogue.images, *pictures.values())
        request = text_request(question.id, settings, system, user, budget)
        return replace(request, images=images, stage=self._stage), shown


def intent_of(question: str) -> str:
    """Return the intent of `question`; a statement without a keyword of summaries is one to be checked."""
    intent, confidence = classify_intent(question)
    return "FACTUAL" if intent == "SUMMARY" and confidence == BY_FORM else intent


def model_tier(settings: Settings) -> Tier:
    """Return the tier of the chat model of `settings`: by assistant.model_size_b, its name or llm.models, else 3 billion."""
    return tier_of(settings.assistant.model_size_b or settings.llm.facts().size_b or UNKNOWN_SIZE_B)


def text_request(question_id: str, settings: Settings, system: str, user: str, budget: TokenBudget) -> ChatRequest:
    """Return the request for a text; its reply may take what `budget` has for it."""
    own = settings.assistant.temperature
    facts, is_long = settings.llm.facts(), settings.assistant.extended_thinking
    reply = min(settings.llm.max_tokens, budget.generation)
    room = _window(settings) - estimated_tokens(system) - estimated_tokens(user)
    return ChatRequest(
        model=settings.llm.model,
        system=system,
        user=user,
        temperature=own
        if own is not None
        else settings.answer.temperature
        if facts.temperature is None
        else facts.temperature,
        top_p=facts.top_p,
        top_k=facts.top_k,
        reasoning_effort="high" if is_long else None,
        max_tokens=max(reply, min(_THOUGHT * reply, room)) if is_long else reply,
        seed=settings.answer.seed,
        run=0,
        stage=STAGE,
        question_id=question_id,
        json_object=False,
    )


def token_budget(settings: Settings, tier: Tier, system: str, source_tokens: int) -> TokenBudget:
    """Return how the chat model's window is shared out between instructions, turns, so many tokens of sources and the reply."""
    return settle(share_out(_window(settings), tier), estimated_tokens(system), source_tokens)


def turns_block(turns: Sequence[Turn], budget: TokenBudget, tier: Tier) -> str:
    """Return the newest turns that the budget holds as quoted material; empty if there are none."""
    blocks = [neutralised(f"Question: {turn.question}\nAnswer: {turn.answer}") for turn in turns]
    if not blocks:
        return ""
    kept = newest_fitting(blocks, estimated_tokens, budget.history, tier.turns)
    return fenced("The conversation so far, quoted material:", "turns", kept) + "\n\n"


def _system_prompt(intent: str, settings: Settings, tier: Tier) -> str:
    parts = [wording.SYSTEM, wording.BY_INTENT.get(intent, wording.BY_INTENT["FACTUAL"])]
    parts += [wording.SMALL] if tier.name in ("tiny", "small") else []
    parts += [wording.CITE_EACH] if settings.rerank.verify in ("standard", "thorough") else []
    parts += [wording.QUOTE_FIRST] if settings.ensemble.runs > 1 or settings.llm.facts().quote_first else []
    parts += [wording.STEPS] if settings.assistant.chain_of_thought else []
    return " ".join(parts)


def _window(settings: Settings) -> int:
    return settings.assistant.context_window or settings.llm.facts().context_window or DEFAULT_WINDOW


def _source_tokens(snippet: Snippet) -> int:
    return estimated_tokens(source_block(1, snippet))


def source_block(number: int, snippet: Snippet) -> str:
    """Return a source as the prompt shows it, with its number."""
    page = f" (page {snippet.page})" if snippet.page else ""
    title, text = map(_without_markers, (snippet.place or snippet.document_id, snippet.text))
    return f"[Source {number}: {' '.join(title.split())}{page}] {text}"


def _without_markers(text: str) -> str:
    """Return `text` so that nothing in it imitates the marker of a source."""
    return _SOURCE_MARKER.sub("(", neutralised(text))


def _drafts_block(replies: Sequence[ParsedReply]) -> str:
    drafts = fenced("Drafts of the answer, quoted material:", "drafts", [neutralised(one.content) for one in replies])
    return merged_answer.USER.format(drafts=drafts)


def _images_note(dialogue: Dialogue, sources: Sequence[Snippet], figures: Mapping[str, ImagePart]) -> str:
    """Return which image is whose; empty without images."""
    own = [f"image {number} is of the person who asks" for number in range(1, len(dialogue.images) + 1)]
    numbers = {source.node_id: number for number, source in enumerate(sources, start=1)}
    named = [f"image {len(own) + place} is [Source {numbers[key]}]" for place, key in enumerate(figures, start=1)]
    return f"\n\nImages: {'; '.join([*own, *named])}." if own or named else ""
