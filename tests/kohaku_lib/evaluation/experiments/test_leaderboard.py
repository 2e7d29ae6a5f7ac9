import pytest

from kohaku_lib.errors import InputFileError
from kohaku_lib.evaluation.experiments.leaderboard import join_ranks, movers, score_leaderboard, split_truth


def truth(*usages):
    return [{"id": f"q{n}", "answer_value": "7", "ref_id": "['a']", "Usage": usage} for n, usage in enumerate(usages)]


def run(*values):
    return [{"id": f"q{n}", "answer_value": value, "ref_id": "['a']"} for n, value in enumerate(values)]


def test_runs_are_ranked_on_both_parts_with_intervals():
    runs = {"lucky": run("7", "7", "1", "1"), "steady": run("7", "1", "7", "7"), "late": run("1", "1", "7", "7")}
    places = score_leaderboard(runs, truth("Public", "Public", "Private", "Private"))
    assert [(place.team, place.public_rank, place.private_rank, place.gained) for place in places] == [
        ("steady", 2, 1, 1),
        ("late", 3, 1, 2),
        ("lucky", 1, 3, -2),
    ]
    assert places[0].public_score == pytest.approx(0.75 * 0.5 + 0.25)
    assert places[0].private.interval.low == places[0].private.interval.high == pytest.approx(1.0)


def test_movers_are_those_near_the_top_the_largest_moves_first():
    public = {team: -float(place) for place, team in enumerate("abcdefgh")}
    private = public | {"h": 1.0}
    places = join_ranks(public, private)
    assert [place.team for place in movers(places, top=3)] == ["h", "a", "b", "c"]
    assert [place.gained for place in movers(places, top=3)] == [7, -1, -1, -1]


def test_without_marks_the_questions_are_split_the_same_way_each_time():
    rows = [{"id": f"q{n}", "answer_value": "7", "ref_id": "['a']"} for n in range(400)]
    public, private = split_truth(rows)
    assert 150 < len(public) < 250
    assert len(public) + len(private) == 400
    assert split_truth(list(reversed(rows)))[0] == list(reversed(public))


def test_a_part_without_questions_is_refused():
    with pytest.raises(InputFileError, match="got 2 and 0; mark both in the column Usage"):
        score_leaderboard({}, truth("Public", "Public"))
