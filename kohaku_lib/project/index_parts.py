"""What an engine over an index snapshot is made of, by the settings of a session."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property, partial
from pathlib import Path

from kohaku_lib.answering import Answerer, Engine, build_answerer, document_metadata
from kohaku_lib.answering.building import built_in_reader
from kohaku_lib.answering.cited.cited_writer import STAGE, Check, CitedWriter
from kohaku_lib.answering.cited.dialogue import Dialogue
from kohaku_lib.answering.coverage.similarity import passage_similarities
from kohaku_lib.answering.coverage.sufficiency import Sufficiency, judge_context
from kohaku_lib.answering.engine import DocumentMetadata, Replanner
from kohaku_lib.answering.figures import read_images
from kohaku_lib.errors import ModelError
from kohaku_lib.index import SearchFilter, Snapshot, open_snapshot, tenant_documents
from kohaku_lib.llm import ChatModel
from kohaku_lib.project.chat_models import make_chat, make_planner
from kohaku_lib.project.keys_file import load_keys
from kohaku_lib.project.retrievers import make_retriever, query_embedder
from kohaku_lib.project.session import Session
from kohaku_lib.retrieval import TRACED, PlannerChat, Retriever
from kohaku_lib.retrieval.rerank.vector_cache import VectorCache
from kohaku_lib.retrieval.retriever import EmbedQueries
from kohaku_lib.retrieval.search.search_channels import channel_weights
from kohaku_lib.settings import Settings
from kohaku_lib.tables import Snippet

MOST_VECTORS = 4096  # query vectors kept


def open_engine(session: Session, snapshot: Snapshot, where: SearchFilter | None = None) -> Engine:
    """Return the engine over `snapshot` by the settings of `session`; only nodes that `where` allows are searched."""
    return Engine(session.settings, IndexParts(session, snapshot, where))


class IndexParts:
    """The parts of an engine over `snapshot`; each is created on first use.

    Args:
        session: The settings, and what is shared by all that is built from them.
        snapshot: The index.
        where: What may be searched; None allows all of the tenant's documents.
        chat: Replaces the chat model of the settings.
        embed: Replaces the embedding of queries.
        explained: Nodes whose ranks the trace of a search holds.
        documents: The metadata of the documents that an answer may cite, where they are known.

    """

    def __init__(
        self,
        session: Session,
        snapshot: Snapshot,
        where: SearchFilter | None = None,
        *,
        chat: ChatModel | None = None,
        embed: EmbedQueries | None = None,
        explained: int = TRACED,
        documents: Callable[[], DocumentMetadata] | None = None,
    ) -> None:
        self._session, self._snapshot, self._where = session, snapshot, where
        self._documents = documents or partial(citable_documents, snapshot, session.settings.corpus.org_id)
        self._chat, self._explained = chat, explained
        self._embed = embed or cached_embedder(session, snapshot)

    @cached_property
    def planner(self) -> PlannerChat | None:
        """The chat model that plans; None plans by rule."""
        return make_planner(self._session)

    @cached_property
    def retriever(self) -> Retriever:
        """The retriever over the snapshot."""
        return make_retriever(self._session, self._snapshot, self._where, self._explained, self._embed)

    @cached_property
    def answerers(self) -> tuple[Answerer, ...]:
        """The answerer of the settings; behind a model the built-in reader, if it checks the model."""
        settings = self._session.settings
        if settings.uses_chat and settings.answer.form == "text":
            own: Answerer = CitedWriter(self._text_model(), settings, read=partial(read_images, self._snapshot))
        else:
            own = make_answerer(self._session, self._snapshot, self._chat)
        return (own, built_in_reader(settings)) if settings.is_checked else (own,)

    def cited_writer(self, dialogue: Dialogue, check: Check) -> CitedWriter:
        """Return what writes a text for a question in a dialogue; it may show the figures of the index.

        Raises:
            ModelError: There is no chat model.
        """
        settings, read = self._session.settings, partial(read_images, self._snapshot)
        chat, drafts = self._text_model(), settings.ensemble.runs
        return CitedWriter(chat, settings, dialogue, read, check, stage=STAGE, drafts=drafts)

    def _text_model(self) -> ChatModel:
        chat = self._chat or make_chat(self._session)
        if chat is None:
            msg = 'answer.form = "text" needs a chat model; set llm.provider and llm.model'
            raise ModelError(msg)
        return chat

    @cached_property
    def documents(self) -> DocumentMetadata:
        """The metadata of the documents that an answer may cite, by id."""
        return self._documents()

    @cached_property
    def replanner(self) -> Replanner | None:
        """Plans a deeper attempt anew; None unless a chat model plans.

        The depth is the seed of the plan, so that a run that is repeated finds its calls in the ledger.
        """
        return partial(make_planner, self._session) if self.planner is not None else None

    def judge(self, question: str, passages: Sequence[Snippet]) -> Sufficiency:
        """Return how far `passages` cover `question`: by words, and by vectors where the search uses them."""
        shown = [snippet for snippet in passages if snippet.text.strip()]
        try:
            is_dense = channel_weights(self._session.settings.retrieval)["dense"] > 0
            vector = self._embed([question])[0] if is_dense else None
        except ModelError:  # a server of embeddings that is down, which the search tells
            vector = None
        if vector is None:
            return judge_context(question, shown)
        return judge_context(
            question, shown, passage_similarities(self._snapshot, [one.node_id for one in shown], vector)
        )


def citable_documents(snapshot: Snapshot, org_id: str) -> DocumentMetadata:
    """Return the metadata of a tenant's documents by id."""
    return document_metadata(tenant_documents(snapshot, org_id))


def make_answerer(session: Session, snapshot: Snapshot | None = None, chat: ChatModel | None = None) -> Answerer:
    """Return the answerer of the settings, by `chat` if given; it may show the figures of `snapshot`."""
    read = partial(read_images, snapshot) if snapshot is not None else None
    return build_answerer(session.settings, chat or make_chat(session), read)


def cached_embedder(session: Session, snapshot: Snapshot) -> EmbedQueries:
    """Return the function that embeds queries as the texts of `snapshot` were; a query is embedded once."""
    return VectorCache(query_embedder(session, snapshot), MOST_VECTORS).of


def actor_parts(home: Path | None, version: str, settings: Settings) -> IndexParts:
    """Return the parts over the snapshot `version` in the store; the file .env in `home` may contain keys.

    The arguments can be pickled, so that other processes can call it.
    """
    if home is not None:
        load_keys(home)
    session = Session(settings)
    return IndexParts(session, open_snapshot(session.paths.snapshots, version))
