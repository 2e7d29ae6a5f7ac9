import pytest

from kohaku_lib.answering.cited.choosing import chosen_reply

SOURCES = ["The press weighed 4 kg."]
CONTENTS = ["The mill weighed 5 kg.", "The mill weighed 6 kg.", "The press weighed 4 kg [Source 1]."]


@pytest.mark.parametrize(
    ("vote", "chosen"),
    [
        ("consensus", 0),  # mill and weighed are in two others' words or one's: 0 and 1 agree most, and 0 is first
        ("best_of_n", 2),  # the only claim that the source supports
        ("confidence", 0),  # the words of the only supported reply count, and those of 0 have one of them
        ("synthesis", 0),
    ],
)
def test_each_vote_takes_the_reply_it_is_for(vote, chosen):
    assert chosen_reply(CONTENTS, SOURCES, vote) == chosen


def test_confidence_lets_one_supported_reply_outweigh_two_that_agree_on_what_is_not():
    contents = ["Red blue green.", "Red blue green.", "The press weighed 4 kg.", "The press weighed 4 kg here."]
    assert chosen_reply(contents, SOURCES, "consensus") == 0
    assert chosen_reply(contents, SOURCES, "confidence") == 2
