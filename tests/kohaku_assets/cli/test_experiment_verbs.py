"""kohaku experiment, import-experiment, leaderboard and context-lengths on the sample."""

import json

import pytest


def test_an_experiment_is_run_listed_and_shown_on_a_page(kohaku_checked, tmp_path):
    page = tmp_path / "experiments.html"
    first = kohaku_checked("experiment", "fewer", settings=["retrieval.top_k=2"])
    assert "one question first" in first.stderr
    assert "fewer" in first.stdout
    again = kohaku_checked("experiment", "fewer", settings=["retrieval.top_k=2"])
    assert "is recorded for these settings" in again.stderr
    kohaku_checked("import-experiment", "theirs", kohaku_checked.project.submission)
    rows = json.loads(kohaku_checked("experiment", "--html", page, "--json").stdout)
    assert [(row["name"], row["source"]) for row in rows] == [("fewer", "run"), ("theirs", "imported")]
    assert all(name in page.read_text() for name in ("fewer", "theirs", "Right answers by question"))


# The limit may end a run between the opening of a file and its closing.
@pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_time_limit_ends_an_experiment_with_the_reason(kohaku_checked):
    result = kohaku_checked("experiment", "late", "--limit-mb", "1", code=1)
    assert "late: it took more than 1 MiB of memory" in result.stderr
    assert "late: it took more than 1 MiB of memory" in kohaku_checked("experiment").stderr


def test_runs_are_ranked_on_both_parts(kohaku_checked, tmp_path):
    truth = tmp_path / "truth.csv"
    lines = [f"q{n},7,['a'],{'Public' if n < 2 else 'Private'}" for n in range(4)]
    truth.write_text("\n".join(["id,answer_value,ref_id,Usage", *lines]))
    paths = []
    for name, values in (("first", "7711"), ("second", "1177")):
        paths.append(tmp_path / f"{name}.csv")
        paths[-1].write_text(
            "id,answer_value,ref_id\n" + "".join(f"q{n},{value},['a']\n" for n, value in enumerate(values))
        )
    places = json.loads(kohaku_checked("leaderboard", *paths, "--truth", truth, "--json").stdout)
    assert [(place["team"], place["private_rank"], place["gained"]) for place in places] == [
        ("second", 1, 1),
        ("first", 2, -1),
    ]
    shown = kohaku_checked("leaderboard", *paths, "--truth", truth)
    assert "second: 2 on the public part, 1 on the private one" in shown.stderr


def test_contexts_without_deduplication_are_longest_and_repeat_themselves(kohaku_checked):
    settings = ["retrieval.context_tokens=1000000", "retrieval.related_share=0"]
    lengths = json.loads(kohaku_checked("context-lengths", "--json", settings=settings).stdout)
    assert list(lengths) == ["none", "node_id", "tree"]
    assert lengths["none"]["chars"] >= lengths["node_id"]["chars"] >= lengths["tree"]["chars"] > 0
    assert lengths["none"]["repeated_chars"] > lengths["tree"]["repeated_chars"]
    assert lengths["tree"]["most_tokens"] >= lengths["tree"]["tokens"]
