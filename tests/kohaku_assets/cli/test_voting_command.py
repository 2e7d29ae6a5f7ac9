"""`kohaku vote`: files in, one file out, and what is said about the members."""

import csv
from pathlib import Path

import pytest
from click.testing import CliRunner

from kohaku_assets.cli import main

COLUMNS = ("id", "question", "answer", "answer_value", "answer_unit", "ref_id", "explanation")


@pytest.fixture
def vote(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def run(*arguments):
        result = CliRunner().invoke(main, ["vote", *arguments, "--out", "voted.csv"])
        rows = {}
        if result.exit_code == 0:
            with (tmp_path / "voted.csv").open(encoding="utf-8", newline="") as stream:
                rows = {row["id"]: (row["answer_value"], row["ref_id"]) for row in csv.DictReader(stream)}
        return result, rows

    return run


def write(name, *values, refs="['a']"):
    with open(name, "w", encoding="utf-8", newline="") as stream:
        rows = csv.writer(stream)
        rows.writerow(COLUMNS)
        for place, value in enumerate(values):
            rows.writerow([f"q{place}", "How much?", f"{value} by {name}", value, "kg", refs, "Table"])


def test_without_a_flag_the_likeliest_values_win_whatever_their_spelling(vote):
    write("x.csv", "5,000", "7", "is_blank")
    write("y.csv", "5000", "8", "3")
    write("z.csv", "9", "8.0", "3")
    result, rows = vote("x.csv", "y.csv", "z.csv")
    assert result.exit_code == 0, result.output
    assert [value for value, _ in rows.values()] == ["5000", "8", "3"]
    assert rows["q0"][1] == "['a']"


def test_the_members_are_told_with_weight_answers_and_agreement(vote):
    write("x.csv", "1", "2", "3", "is_blank")
    write("y.csv", "1", "2", "4", "5")
    write("z.csv", "1", "2", "4", "5")
    lines = vote("x.csv", "y.csv", "z.csv")[0].stderr.splitlines()
    header = next(
        place for place, line in enumerate(lines) if line.split() == ["member", "weight", "answered", "as", "voted"]
    )
    told = {line.split()[0]: line.split() for line in lines[header + 1 : header + 4]}
    assert (told["x"][2:], told["z"][2:]) == (["3", "2"], ["4", "4"])
    assert float(told["x"][1]) < float(told["z"][1])
    assert lines[-1] == "4 answers from 3 runs → voted.csv"


def test_broken_members_are_named_and_left_out(vote):
    write("x.csv", *"12345")
    write("y.csv", *"12346")
    write("blank.csv", *["is_blank"] * 5)
    Path("garbage.csv").write_bytes(b"\x00\xff\xfe")
    result, rows = vote("x.csv", "blank.csv", "garbage.csv", "y.csv")
    assert result.exit_code == 0
    assert "The run 'blank' was excluded from the vote: all of its 5 answers are blank." in result.stderr
    assert "The run 'garbage' was excluded from the vote" in result.stderr
    assert [value for value, _ in rows.values()][:4] == list("1234")


BLANKS = [("is_blank", "7"), ("is_blank", "8"), ("6", "8")]


@pytest.mark.parametrize(
    ("flags", "expected"),
    [
        (["--keep-blank"], ["is_blank", "8"]),
        (["--ignore-blank"], ["6", "8"]),
        (["--mode", "answer_priority"], ["6", "8"]),
        (["--mode", "first_non_blank"], ["6", "7"]),
        (["--ref-mode", "union", "--keep-blank"], ["is_blank", "8"]),
        (["--tie-break", "blank"], ["6", "8"]),
        (["--mode", "expected_score"], ["6", "8"]),
    ],
)
def test_a_flag_of_plain_votes_counts_them_plainly(vote, flags, expected):
    for name, values in zip(("x.csv", "y.csv", "z.csv"), BLANKS, strict=True):
        write(name, *values)
    assert [value for value, _ in vote("x.csv", "y.csv", "z.csv", *flags)[1].values()] == expected


def labelled(name, good):
    """A run over the labelled questions, right where it is `good`."""
    write(name, *(str(n) if good else str(n + 50) for n in range(100, 130)))


def test_labels_turn_a_vote_for_the_member_that_they_favour(vote):
    write("truth.csv", *(str(n) for n in range(100, 130)))
    for name, value in (("x", "7"), ("y", "8"), ("z", "9")):
        write(f"{name}.csv", value)
        labelled(f"{name}.known.csv", good=name == "y")
    flags = [part for name in "xyz" for part in ("--calibrate", f"truth.csv:{name}.known.csv")]
    assert vote("x.csv", "y.csv", "z.csv", *flags)[1]["q0"][0] == "8"
    assert vote("x.csv", "y.csv", "z.csv", *flags, "--mode", "answer_priority")[1]["q0"][0] == "8"


def test_one_truth_alone_labels_what_the_runs_themselves_answered(vote):
    truth = [str(n) for n in range(100, 120)]
    strays = [[str(n + 1000 * k) for n in range(100, 120)] for k in (1, 2)]
    write("truth.csv", *truth)
    write("x.csv", *strays[0], "7")
    write("y.csv", *truth, "8")
    write("z.csv", *strays[1], "9")
    result, rows = vote("x.csv", "y.csv", "z.csv", "--calibrate", "truth.csv")
    assert result.exit_code == 0, result.output
    assert rows["q20"][0] == "8"


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (["--calibrate", "none.csv"], "given once per run, got 1 for 2 runs"),
        (["--calibrate", "x.csv", "--calibrate", "y.csv"], "takes TRUTH.csv:RUN.csv"),
        (["--calibrate", "none.csv:x.csv", "--calibrate", "none.csv:y.csv"], "none.csv"),
    ],
)
def test_labels_that_cannot_be_used_are_refused_in_one_sentence(vote, flags, said):
    write("x.csv", "7")
    write("y.csv", "8")
    result, _ = vote("x.csv", "y.csv", *flags)
    assert result.exit_code == 2
    assert said in result.stderr
    assert "Traceback" not in result.output
