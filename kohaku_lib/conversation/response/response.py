"""The response to a message, in the form that the server sends."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from kohaku_lib.answering.answer import Answer
from kohaku_lib.answering.confidence import confidence_level
from kohaku_lib.answering.coverage.sufficiency import Sufficiency

SNIPPET_CHARS = 200


@dataclass(frozen=True, slots=True)
class Source:
    """A passage that a response may cite; the n-th source of a response is its [Source n].

    `document_name` is the name of its file, the title for a document without one. `relevance_score` is the ranking score as a
    share of the best, `similarity_score` the cosine to the question, 0 to 1; None where the index has no vector of the
    passage. `box` is [x0, y0, x1, y1] in points on the page. `quote` is the sentence that the answer quotes, or the row below
    the head of its table, "" without one; `marked` bounds the words in it that answer. `char_start` and `char_end` bound the
    sentence or row in the text of the passage.
    """

    document_id: str
    document_name: str
    document_title: str
    chunk_id: str
    page_number: int | None
    snippet: str
    relevance_score: float
    similarity_score: float | None
    box: tuple[float, ...] | None = None
    cited: bool = False
    heading: str = ""  # those above the passage, outermost first
    quote: str = ""
    marked: tuple[int, int] | None = None
    char_start: int | None = None
    char_end: int | None = None

    @property
    def place(self) -> str:
        """Where the passage stands: document, headings, page.

        >>> Source("d", "rules.pdf", "Rules", "d:sec1:p1", 3, "Ten euros.", 1.0, None, heading="Lockers / Deposit").place
        'Rules, Lockers / Deposit, page 3'
        """
        page = f"page {self.page_number}" if self.page_number else ""
        return ", ".join(filter(None, (self.document_title, self.heading, page)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Response:
    """The response to one message.

    `question` is the message as it was understood. `is_answer` is False where nothing was found or a model is missing.
    `answer` is what the content says as value, unit and citations; None where no document was asked. `trace` explains the
    answer and is not sent.
    """

    content: str
    question: str
    session_id: str
    answer_id: str
    index_version: str | None = None
    answer: Answer | None = None
    sources: tuple[Source, ...] = ()
    confidence_score: float = 0.0
    suggested_questions: tuple[str, ...] = ()
    context_sufficiency: Sufficiency = field(default_factory=Sufficiency)
    cached: bool = False
    is_answer: bool = True
    timings_ms: Mapping[str, float] = field(default_factory=dict)
    trace: Mapping[str, Any] = field(default_factory=dict)

    @property
    def confidence_level(self) -> str:
        """The confidence as a word: high, medium or low."""
        return confidence_level(self.confidence_score)

    def as_json(self) -> dict[str, Any]:
        """Return the response as the JSON object of the server."""
        return {
            "content": self.content,
            "answer": None if self.answer is None else self.answer.as_json(),
            "sources": [asdict(source) for source in self.sources],
            "confidence_score": self.confidence_score,
            "confidence_level": self.confidence_level,
            "suggested_questions": list(self.suggested_questions),
            "context_sufficiency": asdict(self.context_sufficiency),
            "session_id": self.session_id,
            "answer_id": self.answer_id,
            "cached": self.cached,
            "index_version": self.index_version,
            "timings_ms": {name: round(ms, 2) for name, ms in self.timings_ms.items()},
        }
