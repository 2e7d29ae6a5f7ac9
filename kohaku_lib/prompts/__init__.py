"""The prompts of chat models: one file each, with the wording and a VERSION that is raised when the wording changes."""

from __future__ import annotations

from dataclasses import dataclass
from types import ModuleType

from kohaku_lib.prompts import (
    agent_step,
    broader_question,
    channel_plan,
    cited_answer,
    cluster_summary,
    documents_overview,
    follow_up,
    graph_extraction,
    hypothetical_passage,
    image_caption,
    merged_answer,
    node_citation,
    number_citation,
    question_class,
    question_variations,
    search_queries,
    short_answer,
    snippet_grading,
    snippet_yes_no,
    structured_answer,
)
from kohaku_lib.registry import Registry


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt and the module that holds its wording."""

    module: ModuleType

    @property
    def name(self) -> str:
        """The name of its file."""
        return self.module.__name__.rpartition(".")[2]

    @property
    def version(self) -> str:
        """The version of its wording."""
        return self.module.VERSION


PROMPTS: Registry[Prompt] = Registry("prompt")

for _module in (
    image_caption,
    graph_extraction,
    cluster_summary,
    search_queries,
    question_variations,
    channel_plan,
    hypothetical_passage,
    broader_question,
    question_class,
    snippet_yes_no,
    snippet_grading,
    structured_answer,
    short_answer,
    node_citation,
    number_citation,
    follow_up,
    cited_answer,
    merged_answer,
    agent_step,
    documents_overview,
):
    PROMPTS.register(Prompt(_module))
