"""Answers from a chat model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from kohaku_lib.answering.answerer import blank_answer
from kohaku_lib.answering.chat.answer_prompt import answer_schema, shown_excerpts, structured_prompt, without_place
from kohaku_lib.answering.chat.numbered import with_numbers_read
from kohaku_lib.answering.chat.parsing import UNREADABLE, parse_answer
from kohaku_lib.answering.chat.said_value import said_value
from kohaku_lib.answering.chat.short_prompt import short_prompt
from kohaku_lib.answering.figures import FigureSnippet, ReadImages, select_images
from kohaku_lib.errors import ModelError
from kohaku_lib.llm import ChatModel, ChatReply, ChatRequest, ContextOverflowError
from kohaku_lib.llm.estimates import estimated_request_tokens, tokens_left_unread
from kohaku_lib.retrieval.packing.ordering import in_order
from kohaku_lib.settings import AnswerSettings, LlmSettings, Settings
from kohaku_lib.tables import Question, Snippet, StructuredAnswer
from kohaku_lib.values import is_blank

STAGE = "predictions"


def build_chat_answerer(settings: Settings, chat: ChatModel | None, read_images: ReadImages | None) -> ChatAnswerer:
    """Return the answerer that calls `chat`.

    Raises:
        ModelError: There is no chat model.

    """
    if chat is None:
        msg = "answer.by = 'model' needs a chat model; build it with build_chat(settings.llm)"
        raise ModelError(msg)
    return ChatAnswerer(chat, settings.llm, settings.answer, read_images)


class ChatAnswerer:
    """Requests one JSON object from a chat model and parses it; run i uses the seed `answer.seed` + i.

    `read_images` returns the bytes of figures for `answer.send_images`; None attaches no images.
    """

    def __init__(
        self, chat: ChatModel, llm: LlmSettings, answer: AnswerSettings, read_images: ReadImages | None = None
    ) -> None:
        self._chat = chat
        self._read_images = read_images
        self._llm = llm
        self._answer = answer
        self._is_short = answer.has_short_prompt(llm.facts())

    def answer(self, question: Question, snippets: Sequence[Snippet], run: int = 0) -> StructuredAnswer:
        """Return the model's answer; blank, without a call, if there are no snippets.

        Raises:
            ContextOverflowError: The prompt does not fit the model's context window, as far as that is known.
            CallError: The call fails.

        """
        if not snippets:
            return blank_answer("no snippet was retrieved")
        request, shown = self._build_request(question, snippets, run)
        if len(snippets) > 1:
            check_window(request, self._llm.facts().context_window)
        reply = self._chat.complete(request)
        answer = parse_answer(reply.text, question)
        if reply.finish_reason == "length" and not answer.ref_id and not is_blank(answer.answer_value):
            answer = blank_answer(UNREADABLE, reply.text)  # the value may be cut: 41 of 41,800
        answer = replace(answer, answer_value=said_value(question, answer.answer_value))
        if self._answer.cite == "number":
            answer = with_numbers_read(answer, shown)
        return replace(
            answer,
            error=self._missing_answer_reason(reply) if answer.error else None,
            warning=_truncation_warning(request, reply),
            replayed=reply.replayed,
            written_by=reply.fallback,
        )

    def stop(self) -> None:
        """Start no further calls."""
        self._chat.stop()

    def _missing_answer_reason(self, reply: ChatReply) -> str:
        """Return why a reply has no answer: it was truncated, or it contains none."""
        if reply.finish_reason != "length":
            return UNREADABLE
        return f"the reply was truncated at llm.max_tokens = {self._llm.max_tokens} before its answer was complete; raise it"

    def _build_request(
        self, question: Question, snippets: Sequence[Snippet], run: int
    ) -> tuple[ChatRequest, Sequence[Snippet]]:
        """Return the request, and what its prompt shows in the order of the numbers."""
        figures = [snippet for snippet in snippets if isinstance(snippet, FigureSnippet)]
        texts = [snippet for snippet in snippets if not isinstance(snippet, FigureSnippet)]
        texts = texts if self._answer.headings else list(map(without_place, texts))
        pictures = select_images(figures, self._answer, self._read_images)
        ordered = in_order(texts, self._answer.snippet_order)
        build_prompt = short_prompt if self._is_short else structured_prompt
        prompt = build_prompt(
            question,
            ordered,
            figures,
            pictures.keys(),
            context_first=self._answer.context_first,
            best_guess=self._answer.best_guess,
            cited=self._answer.cite,
        )
        request = ChatRequest(
            model=self._llm.model,
            system=prompt.system,
            user=prompt.user,
            temperature=self._answer.temperature,
            max_tokens=self._llm.max_tokens,
            seed=self._answer.seed + run,
            run=run,
            stage=STAGE,
            question_id=question.id,
            images=tuple(pictures.values()),
            json_schema=answer_schema(
                best_guess=self._answer.best_guess, cited=self._answer.cite, is_short=self._is_short
            ),
            # One that was cut would be cut again; any other without an answer may be the fault of a moment.
            is_usable=lambda reply: reply.finish_reason == "length" or parse_answer(reply.text, question).error is None,
        )
        return request, shown_excerpts(ordered, figures, pictures.keys())


def check_window(request: ChatRequest, window: int | None) -> None:
    """Check that the estimated prompt and the longest reply fit a context window of `window` tokens (None: unknown).

    Raises:
        ContextOverflowError: They do not; no call is made.
    """
    tokens = estimated_request_tokens(request)
    if window is None or tokens + request.max_tokens <= window:
        return
    error = ContextOverflowError(
        f"a prompt of about {tokens} tokens and a reply of {request.max_tokens} exceed the context window of "
        f"{request.model!r}, {window} tokens (llm.models)",
        attempts=0,
    )
    error.limit_tokens, error.prompt_tokens = window - request.max_tokens, tokens
    raise error


def _truncation_warning(request: ChatRequest, reply: ChatReply) -> str | None:
    unread = tokens_left_unread(request, reply.input_tokens)
    if unread is None:
        return None
    return (
        f"the server read {reply.input_tokens} tokens of its prompt and dropped about {unread}; start it with a longer "
        "context (Ollama: num_ctx) or lower retrieval.context_tokens"
    )
