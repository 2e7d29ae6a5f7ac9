"""A channel that an index lost is named wherever it is asked, and what was made without it does not count."""

import csv
import json
from dataclasses import replace

import pytest

from kohaku_lib.index import current_version
from kohaku_lib.retrieval.channels.interface import CHANNELS

QUESTION = ("How much electricity did the whole workshop use in 2023?", "--unit", "kWh", "--json")


def cut(project, name):
    path = project.snapshots / current_version(project.snapshots) / name
    path.write_bytes(path.read_bytes()[:-8])


@pytest.mark.parametrize(
    ("names", "channel", "left"),
    # Weights: 0.35 for dense, 0.65 for lexical, 0.05 for the graph.
    [
        (("vectors.main.npy", "index.duckdb"), "dense", 0.7 / 1.05),  # without its database it cannot be rebuilt
        (("lexical/sentence/data.csc.index.npy",), "lexical", 0.4 / 1.05),
    ],
)
def test_ask_names_the_lost_channel_answers_by_the_others_and_is_less_sure(kohaku, names, channel, left):
    sure = json.loads(kohaku("ask", *QUESTION).stdout)
    assert sure["lost_channels"] == {}
    for name in names:
        cut(kohaku.project, name)
    told = kohaku("ask", *QUESTION)
    assert told.exit_code == 0
    answer = json.loads(told.stdout)
    assert list(answer["lost_channels"]) == [channel]
    assert f"the channel {channel!r} contributed nothing: the index " in told.stderr
    assert "run 'kohaku doctor'" in told.stderr
    assert answer["answer_value"] == sure["answer_value"] == "41800"
    assert answer["confidence"] == pytest.approx(sure["confidence"] * left)
    found = kohaku("search", "electricity of the machine room", "--json")
    assert list(json.loads(found.stdout)["lost_channels"]) == [channel]
    assert f"the channel {channel!r} contributed nothing" in found.stderr


def test_contexts_and_answers_without_a_channel_are_gaps_that_the_next_run_fills(kohaku, monkeypatch):

    def fail(search):
        msg = "the disk is on fire"
        raise OSError(msg)

    with monkeypatch.context() as broken:
        broken.setitem(CHANNELS._kinds, "dense", replace(CHANNELS.get("dense"), search=fail))
        asked = ("--questions", "data/sample/questions.csv", "--out")
        retrieved, answered = kohaku("retrieve", *asked, "c.jsonl"), kohaku("answer", *asked, "a.csv")
        refreshed = kohaku("refresh", "--force", "retrieved_context")
        everything = kohaku("refresh")
    rows = [json.loads(line) for line in (kohaku.project.home / "c.jsonl").read_text().splitlines()]
    assert retrieved.exit_code == answered.exit_code == refreshed.exit_code == everything.exit_code == 1
    assert all(row["lost_channels"] == {"dense": "OSError: the disk is on fire"} for row in rows)
    assert "12 of 12 contexts lack the channels ['dense']" in refreshed.stderr
    answers = list(csv.DictReader((kohaku.project.home / "a.csv").read_text().splitlines()))
    assert {row["answer_value"] for row in answers} == {"is_blank"}
    assert answered.stderr.count("stays blank: the search lost the channels ['dense']") == 12
    assert "12 of 12" in everything.stderr
    assert kohaku("refresh").exit_code == 0
    assert json.loads(kohaku("status", "--json").stdout) == []
