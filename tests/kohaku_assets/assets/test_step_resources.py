"""Memory, cores and GPUs as tags of steps and runs: only where they are set, and never in a version."""

import json

from kohaku_assets.assets.step_resources import K8S_CONFIG
from kohaku_assets.definitions import own_defs
from kohaku_assets.pipeline.project import Project
from kohaku_assets.pipeline.stages import STAGES
from kohaku_lib.composition import load_settings

SET = (
    "resources.embed.memory_gib=8",
    "resources.embed.gpus=1",
    "resources.parse.memory_gib=2.5",
    "resources.parse.cpus=1.5",
)
EMBED = {"requests": {"memory": "8192Mi"}, "limits": {"memory": "8192Mi", "nvidia.com/gpu": "1"}}
PARSE = {"requests": {"cpu": "1500m", "memory": "2560Mi"}, "limits": {"memory": "2560Mi"}}
MOST = {  # of what a run parses and embeds
    "requests": {"cpu": "1500m", "memory": "8192Mi"},
    "limits": {"memory": "8192Mi", "nvidia.com/gpu": "1"},
}


def definitions(tmp_path, *overrides):
    return own_defs(Project(load_settings(overrides=overrides, environment={}, folder=tmp_path)))


def resources_of(tags):
    text = tags.get(K8S_CONFIG)
    return None if text is None else json.loads(text)["container_config"]["resources"]


def step_resources(defs):
    assets = {asset.key.to_user_string(): asset for asset in defs.assets if hasattr(asset, "op")}
    return {name: resources_of(assets[name].op.tags) for name in STAGES}


def run_resources(defs):
    graph = defs.get_repository_def()
    return {job.name: resources_of(graph.get_job(job.name).tags) for job in defs.jobs}


def test_steps_that_parse_and_embed_ask_for_what_is_set_and_the_others_for_nothing(tmp_path):
    found = {name: tags for name, tags in step_resources(definitions(tmp_path, *SET)).items() if tags}
    embedding = ("sentence_embeddings", "paragraph_embeddings", "raptor_summaries", "token_vectors", "lightrag_themes")
    assert found == {"documents": PARSE, **dict.fromkeys((*embedding, "image_embeddings"), EMBED)}


def test_steps_that_answer_have_settings_of_their_own(tmp_path):
    found = step_resources(definitions(tmp_path, "resources.answer.gpus=2"))
    answering = {"query_plans", "retrieved_context", "predictions", "suggested_questions"}
    assert {name for name, tags in found.items() if tags == {"limits": {"nvidia.com/gpu": "2"}}} == answering


def test_a_run_asks_for_the_most_that_one_of_its_steps_asks_for(tmp_path):
    found = run_resources(definitions(tmp_path, *SET))
    assert (found["ingest"], found["index"], found["refresh"]) == (PARSE, EMBED, MOST)
    assert (found["answer"], found["evaluate"], found["usage"]) == (None, None, None)


def test_nothing_is_tagged_unless_it_is_set(tmp_path):
    defs = definitions(tmp_path, "resources.embed.gpus=0")
    assert set(step_resources(defs).values()) == set(run_resources(defs).values()) == {None}


def test_no_version_depends_on_them(tmp_path):
    plain, tagged = (
        {
            name: spec.code_version
            for asset in defs.assets
            if hasattr(asset, "op")
            for spec in asset.specs
            for name in spec.key.path
        }
        for defs in (definitions(tmp_path), definitions(tmp_path, *SET))
    )
    assert plain == tagged
