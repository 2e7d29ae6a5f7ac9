"""The wording of every prompt, fixed beside its version."""

import hashlib
import json
from pathlib import Path

import pytest

from kohaku_lib import prompts
from kohaku_lib.prompts import PROMPTS
from kohaku_lib.retrieval.planning.routing import intents

# A change of the wording is a new version: raise VERSION in the prompt's file together with this digest.
WORDINGS = {
    "caption.v1": "a67d97c777a1629f",
    "graph.v1": "58ea0321c513b3b3",
    "search_queries.v2": "58cf641053fa6260",
    "question_variations.v1": "6623e66ef9fa4866",
    "channel_plan.v1": "8471c96fdfa7d832",
    "hypothetical_passage.v1": "aaf01476c45b5204",
    "broader_question.v1": "3812ba34ec6dd9d5",
    "question_class.v1": "c8654f2e0c3495b0",
    "snippet_yes_no.v1": "4695b164ee539ccc",
    "snippet_grading.v1": "c615318087973230",
    "cited_answer.v1": "4e7b219ef68db952",
    "documents_overview.v1": "6bc1fe5887d9c5e5",
    "follow_up.v1": "0931e2a480dabcfa",
    "agent_step.v2": "67f0356e2ccf69c0",
    "cluster_summary.v1": "38d5dfde44e53046",
    "node_citation.v1": "95c1a4c8b6574da6",
    "number_citation.v1": "00408d6d8be932b8",
    "merged_answer.v1": "5faf60e3821f317a",
    "structured.v3": "528dd7d93be30cbf",
    "short_answer.v1": "ddfd1bba07eb33d7",
}


def wording_digest(module):
    parts = {name: value for name, value in vars(module).items() if name.isupper() and name not in ("VERSION", "BLANK")}
    if hasattr(module, "system"):
        parts["system"] = module.system(intents())
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:16]


@pytest.mark.parametrize("prompt", list(PROMPTS), ids=lambda prompt: prompt.name)
def test_the_wording_of_a_version_never_changes(prompt):
    assert WORDINGS[prompt.version] == wording_digest(prompt.module)


def test_every_file_of_the_folder_is_a_registered_prompt():
    files = {path.stem for path in Path(prompts.__file__).parent.glob("*.py")} - {"__init__"}
    assert files == set(PROMPTS.names())
