"""Free answers by a chat model: from numbered sources, or from the model alone."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from kohaku_lib.answering.chat.answer_prompt import fenced, neutralised
from kohaku_lib.answering.figures import FigureSnippet, ReadImages, select_images
from kohaku_lib.assistant.memory.budgets import TokenBudget, newest_fitting, settle, share_out
from kohaku_lib.assistant.memory.tiers import DEFAULT_WINDOW, UNKNOWN_SIZE_B, Tier, tier_of
from kohaku_lib.assistant.response.choosing import chosen_reply
from kohaku_lib.assistant.response.draft import Draft
from kohaku_lib.assistant.response.grounding import CITATION
from kohaku_lib.assistant.response.replies import ParsedReply, parse_reply
from kohaku_lib.assistant.response.streaming import ShownReply
from kohaku_lib.assistant.understanding.topics import Turn
from kohaku_lib.llm import ChatModel, ChatRequest, ImagePart
from kohaku_lib.prompts import cited_answer as wording
from kohaku_lib.prompts import merged_answer
from kohaku_lib.retrieval.packing.ordering import in_order
from kohaku_lib.settings import Settings
from kohaku_lib.tables import Snippet
from kohaku_lib.text.token_estimates import estimated_tokens

_THOUGHT = 2  # times the tokens of a reply, where a model may think at length
STAGE = "assistant"
_SOURCE_MARKER = re.compile(r"\[(?=\s*source\b)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class AskedMessage:
    """What a prompt is made of, and who listens to the reply."""

    question: str
    intent: str
    turns: Sequence[Turn]  # oldest first
    question_id: str
    images: tuple[ImagePart, ...] = ()  # of the request
    otherwise: str | None = None  # what the message can ask too, where that is not sure
    on_text: Callable[[str], object] | None = None
    on_passage: Callable[[Snippet], object] | None = None  # told the best passage before a chat model writes


def generate_cited(
    asked: AskedMessage,
    snippets: Sequence[Snippet],
    settings: Settings,
    chat: ChatModel,
    read: ReadImages | None = None,
) -> Draft:
    """Return the model's answer from as many of `snippets` (best first) as its context window holds.

    With `read` the figures among them are shown to it, after the images of the request. With several ensemble runs
    `assistant.vote` chooses one of the replies, which is shown then, or one more call merges them.

    Raises:
        CallError: The call fails, or its reply was cut.
    """
    tier = model_tier(settings)
    system = _system_prompt(asked.intent, settings, tier)
    budget = _budget(settings, tier, system, snippets)
    shown = newest_fitting(list(snippets)[::-1], _source_tokens, budget.chunks, len(snippets))[::-1] if snippets else []
    sources = tuple(in_order(shown, settings.answer.snippet_order))
    blocks = [_source_block(number, source) for number, source in enumerate(sources, start=1)]
    head = fenced("The sources, quoted material:", "sources", blocks)
    user = wording.USER.format(sources=head, turns=_turns_block(asked.turns, budget, tier), question=asked.question)
    figures = [source for source in sources if isinstance(source, FigureSnippet)]
    shown_figures = select_images(figures, settings.answer, read)
    user += _images_note(asked, sources, shown_figures)
    request = replace(_request(asked, settings, system, user, budget), images=(*asked.images, *shown_figures.values()))
    runs = settings.ensemble.runs
    if runs > 1:
        replies = [chat.complete(replace(request, run=run, seed=request.seed + run)) for run in range(runs)]
        parsed = [parse_reply(reply.text, len(sources)) for reply in replies]
        if settings.assistant.vote == "synthesis":
            merged = replace(request, user=f"{user}\n\n{_drafts_block(parsed)}", run=runs)
            return _draft(_streamed(asked, merged, chat, len(sources)), sources, asked)
        contents, texts = [one.content for one in parsed], [source.text for source in sources]
        chosen = chosen_reply(contents, texts, settings.assistant.vote)
        if asked.on_text is not None:
            asked.on_text(parsed[chosen].content)
        return _draft(parsed[chosen], sources, asked)
    return _draft(_streamed(asked, request, chat, len(sources)), sources, asked)


def generate_general(asked: AskedMessage, settings: Settings, chat: ChatModel) -> Draft:
    """Return the model's answer without documents.

    Raises:
        CallError: The call fails, or its reply was cut.
    """
    tier = model_tier(settings)
    budget = _budget(settings, tier, wording.GENERAL, ())
    user = f"{_turns_block(asked.turns, budget, tier)}Question: {asked.question}"
    reply = _streamed(asked, _request(asked, settings, wording.GENERAL, user, budget), chat, 0)
    return Draft(reply.content, (), reply.suggested_questions)


def model_tier(settings: Settings) -> Tier:
    """Return the tier of the chat model of `settings`: by assistant.model_size_b, its name or llm.models, else 3 billion."""
    return tier_of(settings.assistant.model_size_b or settings.llm.facts().size_b or UNKNOWN_SIZE_B)


def _draft(reply: ParsedReply, sources: tuple[Snippet, ...], asked: AskedMessage) -> Draft:
    """Return a reply as a draft; one that cites no source found no answer in them, unless it is about an image."""
    is_answer = CITATION.search(reply.content) is not None or bool(asked.images)
    return Draft(reply.content, sources, reply.suggested_questions, is_answer)


def _streamed(asked: AskedMessage, request: ChatRequest, chat: ChatModel, sources: int) -> ParsedReply:
    shown = ShownReply(asked.on_text, sources) if asked.on_text is not None else None
    reply = chat.complete(replace(request, on_text=shown.add if shown is not None else None))
    parsed = parse_reply(reply.text, sources)
    if shown is not None:
        shown.finish(parsed.content)
    return parsed


def _request(asked: AskedMessage, settings: Settings, system: str, user: str, budget: TokenBudget) -> ChatRequest:
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
        question_id=asked.question_id,
        json_object=False,
    )


def _system_prompt(intent: str, settings: Settings, tier: Tier) -> str:
    parts = [wording.SYSTEM, wording.BY_INTENT.get(intent, wording.BY_INTENT["FACTUAL"])]
    parts += [wording.SMALL] if tier.name in ("tiny", "small") else []
    parts += [wording.CITE_EACH] if settings.rerank.verify in ("standard", "thorough") else []
    parts += [wording.QUOTE_FIRST] if settings.ensemble.runs > 1 or settings.llm.facts().quote_first else []
    parts += [wording.STEPS] if settings.assistant.chain_of_thought else []
    return " ".join(parts)


def _budget(settings: Settings, tier: Tier, system: str, snippets: Sequence[Snippet]) -> TokenBudget:
    return settle(share_out(_window(settings), tier), estimated_tokens(system), sum(map(_source_tokens, snippets)))


def _window(settings: Settings) -> int:
    return settings.assistant.context_window or settings.llm.facts().context_window or DEFAULT_WINDOW


def _source_tokens(snippet: Snippet) -> int:
    return estimated_tokens(_source_block(1, snippet))


def _source_block(number: int, snippet: Snippet) -> str:
    page = f" (page {snippet.page})" if snippet.page else ""
    title, text = map(_without_markers, (snippet.place or snippet.document_id, snippet.text))
    return f"[Source {number}: {' '.join(title.split())}{page}] {text}"


def _without_markers(text: str) -> str:
    """Return `text` so that nothing in it imitates the marker of a source."""
    return _SOURCE_MARKER.sub("(", neutralised(text))


def _drafts_block(replies: Sequence[ParsedReply]) -> str:
    drafts = fenced("Drafts of the answer, quoted material:", "drafts", [neutralised(one.content) for one in replies])
    return merged_answer.USER.format(drafts=drafts)


def _images_note(asked: AskedMessage, sources: Sequence[Snippet], figures: Mapping[str, ImagePart]) -> str:
    """Return which image is whose; empty without images."""
    own = [f"image {number} is of the person who asks" for number in range(1, len(asked.images) + 1)]
    numbers = {source.node_id: number for number, source in enumerate(sources, start=1)}
    named = [f"image {len(own) + place} is [Source {numbers[key]}]" for place, key in enumerate(figures, start=1)]
    return f"\n\nImages: {'; '.join([*own, *named])}." if own or named else ""


def _turns_block(turns: Sequence[Turn], budget: TokenBudget, tier: Tier) -> str:
    """Return the newest turns that the budget holds as quoted material; empty if there are none."""
    blocks = [neutralised(f"Question: {turn.question}\nAnswer: {turn.answer}") for turn in turns]
    if not blocks:
        return ""
    kept = newest_fitting(blocks, estimated_tokens, budget.history, tier.turns)
    return fenced("The conversation so far, quoted material:", "turns", kept) + "\n\n"
