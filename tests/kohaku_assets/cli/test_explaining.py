"""kohaku search over the built sample: what it says of corrections, routes, ranks, figures and times."""

import json
import re
from functools import partial
from pathlib import Path

import pytest


@pytest.fixture
def search(kohaku_checked):
    """Run `kohaku search` in a private copy of the built project."""
    return partial(kohaku_checked, "search")


def test_a_corrected_query_is_told_and_finds_what_was_meant(search):
    slip = search("electrcity of the machine room", "--json")
    assert slip.stderr == "corrected 'electrcity' to 'electricity'; the original query was searched too\n"
    right = search("electricity of the machine room", "--json")
    assert right.stderr == ""
    best = json.loads(right.stdout)["matches"][0]["node_id"]
    assert best in [match["node_id"] for match in json.loads(slip.stdout)["matches"]]


REPORT = ("--document", "kohaku-energy-report")


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ((*REPORT, "--document", "nosuch"), "is called 'nosuch'; 'kohaku documents' lists them"),
        (
            ("--collection", "nosuch"),
            "is of the collection 'nosuch'; corpus.metadata names them in its column 'collection'",
        ),
        (("--folder", "no/such"), "is in the folder 'no/such'; 'kohaku documents' lists them"),
    ],
)
def test_a_filter_that_no_document_fulfils_is_a_mistake(search, arguments, told):
    result = search("machine room", *arguments, code=2)
    assert result.stderr == f"kohaku: no document of the index {told}\n"


def test_whether_another_tenant_has_a_document_is_not_told(search):
    of_another, of_nobody = (
        search("machine room", "--document", name, settings=["corpus.org_id=other"], code=2).stderr
        for name in (REPORT[1], "nosuch")
    )
    assert of_another.replace(REPORT[1], "nosuch") == of_nobody


def test_an_explained_search_can_be_read(search):
    told = search("electrcity of the machine room", "--top-k", "3", "--explain", settings=["planner.routing=rules"])
    assert re.search(r"Route: hybrid, intent SUMMARY, complexity 0 \(signals: none\)", told.stdout)
    for words in ("question", "spelling", "Rank in each channel", "dense of 1", "lexical of 2"):
        assert words in told.stdout
    assert re.search(r"Context: \d+ snippets, \d+ tokens, from \d+ ranked nodes", told.stdout)
    assert re.search(r"Milliseconds: prepare [\d.]+, embed [\d.]+, dense [\d.]+, lexical [\d.]+, .*rank", told.stdout)


def test_what_a_second_hop_lifted_is_told(search):
    asked = ("What does A Guide to Baltic Amber say?", "--explain")
    assert "Lifted by the second hop" in search(*asked).stdout
    assert "second hop" not in search(*asked, settings=["retrieval.hop_weight=0"]).stdout


def test_an_unexplained_search_shows_results_alone(search):
    told = search("machine room").stdout
    assert "Milliseconds" not in told
    assert "Queries" not in told


def test_an_explained_search_in_json_has_the_ranks_of_every_result(search):
    found = json.loads(search("electricity of the machine room", "--top-k", "15", "--explain", "--json").stdout)
    assert [match["node_id"] for match in found["trace"]["matches"]] == [match["node_id"] for match in found["matches"]]
    assert len(found["matches"]) == 15
    assert all(set(match["ranks"][0]) <= {"dense", "lexical"} for match in found["trace"]["matches"])
    assert {"prepare", "embed", "dense", "lexical", "rank", "pack"} <= set(found["timings_ms"])
    assert "trace" not in json.loads(search("machine room", "--json").stdout)


def test_figures_are_listed_where_they_are_asked_for(search):
    settings = ["retrieval.with_images=true", "retrieval.top_k_images=1"]
    found = json.loads(search("electricity by quarter", "--json", settings=settings).stdout)
    [image] = found["images"]
    assert image["storage_key"].startswith("img:")
    assert image["searched"]
    assert "Figures" in search("electricity by quarter", settings=settings).stdout
    assert json.loads(search("electricity by quarter", "--json").stdout)["images"] == []


def test_what_did_not_fit_is_listed_with_its_reason(search):
    told = search("electricity of the machine room", "--explain", settings=["retrieval.context_tokens=50"]).stdout
    assert re.search(r"Dropped from the context: \d+", told)
    assert "budget" in told


def test_a_channel_that_fails_is_told_and_the_others_answer(search):
    for file in Path().rglob("snapshots/*/lexical/paragraph/*"):
        file.unlink()
    told = search("electricity of the machine room", "--json")
    assert told.stderr.startswith("the channel 'lexical' contributed nothing: ")
    assert json.loads(told.stdout)["matches"]
