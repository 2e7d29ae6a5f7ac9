"""Parsing, captions and entities on two nodes of a Ray cluster: the rows of one process, also where a node is lost."""

import importlib.util
import json
from contextlib import contextmanager
from pathlib import Path

import pytest
from stage_refresh import refresh_stages

from kohaku_assets.pipeline.project import Project
from kohaku_lib.composition import load_settings
from kohaku_lib.testing.openai_server import OpenAIServer

pytestmark = [
    pytest.mark.slow,
    pytest.mark.xdist_group("ray"),
    pytest.mark.skipif(importlib.util.find_spec("ray") is None, reason="the extra [ray] is not installed"),
    pytest.mark.filterwarnings("ignore"),  # Ray's own
]
SAMPLE = Path(__file__).resolve().parents[3] / "data" / "sample" / "documents"
STAGES = ("documents", "document_images", "image_captions", "knowledge_graph")
GRAPH = json.dumps({"entities": [{"name": "Kohaku", "type": "ORGANIZATION"}], "relations": []})
COPIES = 4


@contextmanager
def two_nodes(monkeypatch):
    """Run two nodes of one processor each on this machine; gives what ends the second."""
    monkeypatch.setenv("RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER", "0")  # before the import: keeps them on the loopback
    import ray
    from ray.cluster_utils import Cluster

    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    second = cluster.add_node(num_cpus=1)
    monkeypatch.setenv("RAY_ADDRESS", cluster.address)
    try:
        yield lambda: cluster.remove_node(second, allow_graceful=False)
    finally:
        ray.shutdown()
        cluster.shutdown()


@pytest.fixture
def home(tmp_path, monkeypatch):
    """A project folder with copies of the sample that differ in their last line."""
    monkeypatch.setenv("KEY_OF_TEST", "k")
    (tmp_path / "documents").mkdir()
    for number in range(COPIES):
        for path in SAMPLE.iterdir():
            last = (
                f"\n% {number}\n" if path.suffix == ".pdf" else f"\n\nThis is copy {number} of a text for everybody.\n"
            )
            own = tmp_path / "documents" / f"{path.stem}-{number}{path.suffix}"
            own.write_bytes(path.read_bytes() + last.encode())
    return tmp_path


def built(home, kind, lose_node=lambda: None, at=None):
    """Return the rows of the stages, what the model server billed, and how many requests were distinct.

    The node is lost once two documents are parsed, or at the third request of the stage `at`.
    """
    seen = {"stage": None, "requests": 0, "is_lost": False}

    def lose_once(is_due):
        if is_due and seen["stage"] == at and not seen["is_lost"]:
            seen["is_lost"] = True
            lose_node()

    def reply(request):
        seen["requests"] += 1
        lose_once(seen["requests"] == 3)
        return GRAPH if seen["stage"] == "knowledge_graph" else "A drawing."

    with OpenAIServer(reply=reply, delay_s=0.02) as server:
        overrides = {
            "store": home / f"store-{kind}-{at}",
            "corpus.documents": home / "documents",
            "llm.provider": "openai",
            "llm.model": "small",
            "llm.base_url": server.base_url,
            "llm.api_key_env": "KEY_OF_TEST",
            "images.captions": "vision",
            "graph.extractor": "chat",
            "planner.kind": "rule",
            "parallel.kind": kind,
        }
        given = [f"{name}={value}" for name, value in overrides.items()]
        project = Project(load_settings(overrides=given, environment={}, folder=home))
        report = refresh_stages(
            project,
            STAGES,
            on_stage=lambda name: seen.update(stage=name, requests=0),
            on_progress=lambda done, total: lose_once(seen["stage"] == "documents" and done >= 2),
        )
        stats = server.stats()
    assert report.failure is None, report.failure
    assert seen["is_lost"] is (at is not None)
    return {name: project.files.latest_table(name) for name in STAGES}, stats


def test_a_node_that_is_lost_changes_no_row_and_no_call_is_paid_twice(home, monkeypatch):
    expected, paid = built(home, "threads")
    assert expected["document_images"].num_rows == COPIES
    assert paid["billed"] == paid["distinct"]
    for at in (None, "documents", "knowledge_graph"):
        with two_nodes(monkeypatch) as lose_node:
            found, stats = built(home, "ray", lose_node, at)
        assert {name: found[name].equals(expected[name]) for name in STAGES} == dict.fromkeys(STAGES, True)
        assert stats["distinct"] == paid["distinct"]
        in_flight = 2 if at == "knowledge_graph" else 0  # of the lost node, half of graph.max_concurrent
        assert stats["billed"] - stats["distinct"] <= in_flight
