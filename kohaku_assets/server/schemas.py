"""The bodies of requests and responses, as the OpenAPI document shows them."""

from __future__ import annotations

import base64
import re
from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints, model_validator
from pydantic_core import PydanticCustomError

from kohaku_lib.conversation.tool import DEFAULT_ITEMS, MOST_ITEMS
from kohaku_lib.index import SearchFilter

MOST_MATCHES = 100
MOST_CHARS = 20_000
MOST_CONDITIONS = 1000  # of a filter
_FILTER_SIZE = "filter_size"
SessionId = Annotated[str, StringConstraints(min_length=1, max_length=128, pattern=r"^[\w.:-]+$")]
Name = Annotated[str, StringConstraints(min_length=1, max_length=500)]
Text = Annotated[str, StringConstraints(min_length=1, max_length=MOST_CHARS)]
MOST_IMAGES = 100  # of a message, before answer.max_images


def picture_of(url: str) -> bytes:
    """Return the bytes of a picture in a data URL.

    >>> picture_of("data:image/gif;base64,R0lGODlh")
    b'GIF89a'

    Raises:
        ValueError: It is no data URL of a picture, or an empty one; other addresses are not fetched.
    """
    head, _, data = url.partition(",")
    try:
        picture = base64.b64decode(data, validate=True) if _PICTURE.fullmatch(head) else b""
    except ValueError:
        picture = b""
    if picture:
        return picture
    msg = "a picture is given as 'data:image/png;base64,…' (PNG, JPEG, WebP or GIF); addresses are not fetched"
    raise ValueError(msg)


_PICTURE = re.compile(r"data:image/[\w.+-]+(?:;[\w=.+-]+)*;base64", re.IGNORECASE)
PictureUrl = Annotated[str, AfterValidator(lambda url: url if picture_of(url) else "")]
Level = Literal["basic", "standard", "enhanced", "maximum"]


def example(**values: Any) -> ConfigDict:
    """Return the configuration of a body with one example."""
    return ConfigDict(json_schema_extra={"examples": [values]})


class ChatRequest(BaseModel):
    """A message to the assistant; what is left out is as the level and the settings say.

    `images`, of mode "vision", are data URLs: "data:image/png;base64,…".
    """

    model_config = example(message="How much electricity did the whole workshop use in 2023?")
    message: Text
    session_id: SessionId | None = None
    mode: Literal["chat", "general", "agent", "vision"] = "chat"
    images: Annotated[list[PictureUrl], Field(max_length=MOST_IMAGES)] = []
    collection_filter: Name | None = None
    folder_id: Name | None = None
    document_ids: Annotated[list[Name], Field(max_length=MOST_CONDITIONS)] = []
    intelligence_level: Level | None = None
    temperature_override: Annotated[float, Field(ge=0, le=2)] | None = None
    enable_cot: bool | None = None
    enable_verification: bool | None = None
    ensemble_voting: bool | None = None
    stream: bool = False


class RecordedSourceBody(BaseModel):
    """A passage that an answer may cite, as the record of the conversation has it; the n-th is its [Source n].

    `document_name` is the name of its file. `heading` are the headings above it, outermost first; empty where there are
    none but the document's title. `quote` is the sentence that the answer quotes, or the row below the head of its table;
    `marked` bounds the words in it that answer, `char_start` and `char_end` the sentence or row in the text of the passage.
    """

    document_id: str
    document_name: str = ""
    document_title: str = ""
    chunk_id: str
    page_number: int | None
    cited: bool
    heading: str = ""
    quote: str = ""
    marked: list[int] | None = None
    char_start: int | None = None
    char_end: int | None = None


class SourceBody(RecordedSourceBody):
    """A passage that an answer may cite; the box is [x0, y0, x1, y1] in points."""

    snippet: str
    relevance_score: float
    similarity_score: float | None
    box: list[float] | None


class SufficiencyBody(BaseModel):
    """Whether the passages can answer the question, and what they lack."""

    is_sufficient: bool
    coverage_score: float
    has_conflicts: bool
    missing_aspects: list[str]


class PassageBody(BaseModel):
    """A passage of at most 300 characters; `marked` bounds the words that answer, `score` is how likely they do."""

    text: str
    marked: list[int]
    score: float
    document_id: str
    node_id: str
    heading: str
    page: int | None


class OtherValueBody(BaseModel):
    """A value that other documents state, with its unit, and where the first of them does; pages count from 1."""

    text: str
    document_ids: list[str]
    quote: str
    node_id: str
    heading: str
    page: int | None


class RecordedAnswerBody(BaseModel):
    """What an answer turned out to be, as the record of the conversation has it.

    `needs_whole` tells that only all rows of a table or items of a list together answer.
    """

    form: Literal["value", "text"]
    outcome: Literal["value", "passage", "silent"]
    other_values: list[OtherValueBody]
    needs_whole: bool
    error: str | None


class AnswerResponse(RecordedAnswerBody):
    """An answer: a value, the passage that likely answers, or silence, with the probability that this is right.

    `answer_value` is null where the documents support none; the nearest passages are given then. `other_values` are those
    that other documents state instead of it, in the same words. The [Source N] of a text is the N-th citation. `answered_by`
    names the model, or the built-in reader.
    """

    question: str
    answer: str
    answer_value: str | None
    answer_unit: str | None
    ref_id: list[str]
    explanation: str
    confidence: float | None
    citations: list[dict[str, Any]]
    passages: list[PassageBody]
    answered_by: str
    warning: str | None
    lost_channels: dict[str, str]


class ChatResponse(BaseModel):
    """An answer with its sources and what it is worth; `answer` is null where no document was asked."""

    content: str
    answer: AnswerResponse | None
    sources: list[SourceBody]
    confidence_score: float
    confidence_level: Literal["high", "medium", "low"]
    suggested_questions: list[str]
    context_sufficiency: SufficiencyBody
    session_id: str
    answer_id: str
    cached: bool
    index_version: str | None
    timings_ms: dict[str, float]


class FilterBody(BaseModel):
    """What may be searched, by at most 1,000 entries; an empty list is no condition."""

    documents: list[Name] = []
    collections: list[Name] = []
    folders: list[Name] = []
    kinds: list[Literal["sentence", "paragraph"]] = []

    @model_validator(mode="after")
    def _check_size(self) -> FilterBody:
        entries = sum(len(names) for names in (self.documents, self.collections, self.folders, self.kinds))
        if entries > MOST_CONDITIONS:
            msg = (
                "a filter has at most {most} entries, got {entries}; name folders or collections in place of documents"
            )
            raise PydanticCustomError(_FILTER_SIZE, msg, {"most": f"{MOST_CONDITIONS:,}", "entries": f"{entries:,}"})
        return self

    def as_filter(self) -> SearchFilter:
        """Return the filter of the library."""
        return SearchFilter(
            documents=tuple(self.documents),
            collections=tuple(self.collections),
            folders=tuple(self.folders),
            kinds=tuple(self.kinds),
        )


class SearchRequest(BaseModel):
    """A query; the nodes of the index are ranked for it, without a language model."""

    model_config = example(query="power usage effectiveness", top_k=3)
    query: Text
    top_k: Annotated[int, Field(ge=1, le=MOST_MATCHES)] = 10
    filter: FilterBody = FilterBody()


class MatchBody(BaseModel):
    """A node that fits; higher scores are better, pages count from 1. `heading` are the headings above it.

    `best_sentence` is that of a paragraph, and `also_in` are the further documents with a near-copy.
    """

    node_id: str
    document_id: str
    page: int | None
    kind: str
    text: str
    score: float
    heading: str
    best_sentence: str | None
    also_in: list[str]


class SearchResponse(BaseModel):
    """The ranked nodes, best first; `lost_channels` could not be searched, each with the reason."""

    matches: list[MatchBody]
    lost_channels: dict[str, str] = {}


class RetrieveRequest(BaseModel):
    """A question whose context is wanted."""

    model_config = example(question="How much electricity was used?")
    question: Text
    filter: FilterBody = FilterBody()


class RetrieveResponse(BaseModel):
    """The queries, all ranked nodes, and the snippets that a prompt would hold, best first."""

    queries: list[str]
    matches: list[dict[str, Any]]
    snippets: list[dict[str, Any]]


class AnswerRequest(BaseModel):
    """A question that is to be answered by one value."""

    model_config = example(question="How much electricity did the whole workshop use in 2023?", unit="kWh")
    question: Text
    unit: Name | None = None
    filter: FilterBody = FilterBody()


class ToolRequest(BaseModel):
    """A search of an agent."""

    model_config = example(query="battery of the emergency supply", limit=3)
    query: Text
    limit: Annotated[int, Field(ge=1, le=MOST_ITEMS)] = DEFAULT_ITEMS
    category: Name | None = None


class ToolItemBody(BaseModel):
    """A passage."""

    id: str
    text: str
    score: float
    source: str
    document_id: str
    section_heading: str
    page: int | None
    is_table: bool


class ToolResponse(BaseModel):
    """The passages, best first; none with the reason where the search was refused or found nothing."""

    items: list[ToolItemBody]
    reason: str | None = None


class FeedbackRequest(BaseModel):
    """What a user says about an answer."""

    model_config = example(answer_id="0123456789abcdef", rating=-1, correction="41,800 kWh")
    answer_id: Name
    rating: Literal[1, -1]
    correction: Annotated[str, StringConstraints(max_length=4000)] | None = None
    right_source: Name | None = None


class IncludeRequest(BaseModel):
    """The path of a file that was left out, relative to the documents folder."""

    model_config = example(path="minutes/2024.docx")
    path: Annotated[str, StringConstraints(min_length=1, max_length=4096)]


class SessionBody(BaseModel):
    """A conversation; its title is the first message."""

    session_id: str
    title: str
    messages: int
    created_at: datetime
    last_at: datetime


class SessionList(BaseModel):
    """The conversations of the caller, the newest first."""

    sessions: list[SessionBody]


class MessageBody(BaseModel):
    """A message of the user, or of the assistant with its sources.

    `answer` is null where no document was asked, and in what an earlier version recorded; the confidence is that of an answer.
    """

    answer_id: str
    role: str
    content: str
    is_answer: bool
    created_at: datetime
    sources: list[RecordedSourceBody]
    answer: RecordedAnswerBody | None
    confidence_score: float | None
    confidence_level: Literal["high", "medium", "low"] | None


class SessionMessages(BaseModel):
    """The messages of a conversation, oldest first."""

    session_id: str
    messages: list[MessageBody]


class ProblemBody(BaseModel):
    """An error after RFC 9457."""

    type: str
    title: str
    status: int
    detail: str
    request_id: str
