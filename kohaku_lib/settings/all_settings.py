"""All settings of a project, one frozen group per stage."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from kohaku_lib.settings.answer_settings import AnswerSettings, LlmSettings, ReplaySettings
from kohaku_lib.settings.assistant_settings import AssistantSettings
from kohaku_lib.settings.document_settings import (
    CorpusSettings,
    DocumentsSettings,
    FetchSettings,
    ImagesSettings,
    TreeSettings,
)
from kohaku_lib.settings.engine_index_settings import LateSettings, LightragSettings, RaptorSettings
from kohaku_lib.settings.evaluation_settings import (
    EnsembleSettings,
    ReleaseSettings,
    ReportSettings,
    SubmissionSettings,
    SweepSettings,
)
from kohaku_lib.settings.index_settings import EmbeddingSettings, GraphSettings, LexicalSettings, VectorsSettings
from kohaku_lib.settings.operations_settings import (
    BackupSettings,
    BucketSettings,
    ResourcesSettings,
    WatchSettings,
)
from kohaku_lib.settings.retrieval_settings import PlannerSettings, RerankSettings, RetrievalSettings
from kohaku_lib.settings.section import PositiveInt, Section
from kohaku_lib.settings.server_settings import ServerSettings


class ParallelSettings(Section):
    """Where work is done at the same time, and by how many workers; does not affect results."""

    kind: Literal["threads", "ray"] = Field(
        default="threads",
        description="where parsing, captions, entities by a chat model, embedding and answering run: in this process, or on "
        "actors of a Ray cluster",
    )
    workers: Annotated[int, Field(ge=0, le=1024)] = Field(
        default=0, description="threads or processes for documents and questions; 0: one per core"
    )


class SnapshotSettings(Section):
    """How many versions of the index are kept."""

    keep: PositiveInt = Field(default=3, description="number of index versions to keep")


class Settings(Section):
    """All settings of a project's kohaku.toml."""

    profile: Literal["kohaku", "wattbot", "local", "fork", "triple_hybrid", "assistant", "fast"] | None = Field(
        default=None, description="a named set of defaults, overridden by the file"
    )
    store: Path = Field(default=Path("data/store"), description="folder of all computed data")
    corpus: CorpusSettings = CorpusSettings()
    documents: DocumentsSettings = DocumentsSettings()
    images: ImagesSettings = ImagesSettings()
    tree: TreeSettings = TreeSettings()
    embedding: EmbeddingSettings = EmbeddingSettings()
    vectors: VectorsSettings = VectorsSettings()
    lexical: LexicalSettings = LexicalSettings()
    graph: GraphSettings = GraphSettings()
    raptor: RaptorSettings = RaptorSettings()
    late: LateSettings = LateSettings()
    lightrag: LightragSettings = LightragSettings()
    planner: PlannerSettings = PlannerSettings()
    retrieval: RetrievalSettings = RetrievalSettings()
    rerank: RerankSettings = RerankSettings()
    llm: LlmSettings = LlmSettings()
    answer: AnswerSettings = AnswerSettings()
    replay: ReplaySettings = ReplaySettings()
    ensemble: EnsembleSettings = EnsembleSettings()
    submission: SubmissionSettings = SubmissionSettings()
    report: ReportSettings = ReportSettings()
    release: ReleaseSettings = ReleaseSettings()
    assistant: AssistantSettings = AssistantSettings()
    server: ServerSettings = ServerSettings()
    fetch: FetchSettings = FetchSettings()
    sweep: dict[str, SweepSettings] = Field(default_factory=dict, description="experiments by name")
    parallel: ParallelSettings = ParallelSettings()
    snapshots: SnapshotSettings = SnapshotSettings()
    watch: WatchSettings = WatchSettings()
    backup: BackupSettings = BackupSettings()
    bucket: BucketSettings = BucketSettings()
    resources: ResourcesSettings = ResourcesSettings()

    @property
    def answerer(self) -> Literal["reader", "model", "replay"]:
        """Who answers: `answer.by`; for "checked" the model, for "auto" it if `llm.provider` names one, else the reader."""
        if self.answer.by == "checked":
            return "model"
        if self.answer.by != "auto":
            return self.answer.by
        return "reader" if self.llm.provider is None else "model"

    @property
    def is_checked(self) -> bool:
        """Whether the built-in reader checks what a chat model answers, as it does unless `answer.by` says otherwise."""
        return self.answer.by == "checked" or (self.answer.by == "auto" and self.llm.provider is not None)

    @property
    def uses_chat(self) -> bool:
        """Whether a chat model answers, and is at hand for all other steps."""
        return self.answerer == "model"

    def by_reader(self) -> Settings:
        """Return these settings with the built-in reader as the one who answers, so that no chat model is called."""
        return self.model_copy(update={"answer": self.answer.model_copy(update={"by": "reader"})})
