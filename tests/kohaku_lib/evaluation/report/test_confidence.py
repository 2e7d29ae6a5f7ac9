"""What a report says of how sure the answers are."""

import numpy as np
import pytest

from kohaku_lib.evaluation.abstention.signals import AGREEMENT, OWN, PROBABILITY, SNIPPET
from kohaku_lib.evaluation.metrics.scoring import score_rows
from kohaku_lib.evaluation.report.confidence import COMBINED, JudgedAnswer, assess_confidence
from kohaku_lib.evaluation.report.confidence_pictures import calibration_picture, risk_picture
from kohaku_lib.evaluation.report.error_text import confidence_sentences
from kohaku_lib.evaluation.report.facts import ErrorFacts
from kohaku_lib.evaluation.report.picture import COLOURS, Picture, clipped, short_name


def judged(confidences, rights, name=OWN, **more):
    return [
        JudgedAnswer(
            f"q{place}", right, True, {name: confidence} | {key: values[place] for key, values in more.items()}
        )
        for place, (confidence, right) in enumerate(zip(confidences, rights, strict=True))
    ]


def steps(*pairs):
    """Answers of each confidence, so many right of so many."""
    confidences = [confidence for confidence, _, n in pairs for _ in range(n)]
    rights = [place < right for _, right, n in pairs for place in range(n)]
    return judged(confidences, rights)


def sentences(assessed):
    truth = [{"id": "q", "answer_value": "1", "ref_id": "a"}]
    scores = (score_rows(truth, truth),)
    facts = ErrorFacts("one", 1, scores, {}, (), (), (), (), (), assessed, 0.5, (), True)
    return " ".join(confidence_sentences(facts))


def test_few_answers_and_equal_confidences_say_nothing():
    assert assess_confidence(judged([0.1, 0.9], [False, True]), 2, 0.5) is None
    assert assess_confidence(judged([0.5] * 20, [False, True] * 10), 20, 0.5) is None
    assert "is unknown" in sentences(None)


def test_the_probability_of_a_vote_is_its_confidence_before_anything_else():
    ids = [f"q{n}" for n in range(12)]
    answers = [
        JudgedAnswer(name, n > 3, True, {AGREEMENT: n % 3 / 3, PROBABILITY: n / 12, SNIPPET: n % 2})
        for n, name in enumerate(ids)
    ]
    assessed = assess_confidence(answers, 15, 0.5)
    assert [one.name for one in assessed.signals] == [PROBABILITY, AGREEMENT, SNIPPET, COMBINED]
    assert assessed.probabilities == {name: n / 12 for n, name in enumerate(ids)}
    assert (assessed.main.brier is None, assessed.signals[1].brier) == (False, None)
    assert assessed.main.curve.points[-1].coverage == 0.8


def test_a_signal_that_one_answer_lacks_is_left_out():
    answers = judged(np.linspace(0.1, 0.9, 12).tolist(), [n > 5 for n in range(12)])
    lacking = [*answers[:-1], JudgedAnswer("last", True, True, {OWN: 0.95, SNIPPET: 1.0})]
    assert [one.name for one in assess_confidence(lacking, 12, 0.5).signals] == [OWN]


def test_a_score_on_its_own_scale_becomes_a_probability():
    answers = judged([100.0 + n for n in range(30)], [n > 14 for n in range(30)], name=SNIPPET)
    assessed = assess_confidence(answers, 30, 0.5)
    assert all(0.0 < chance < 1.0 for chance in assessed.probabilities.values())
    assert 0.0 <= assessed.abstention.threshold <= 1.0


def test_steps_of_confidence_are_bins_of_their_own():
    assessed = assess_confidence(steps((0.4, 1, 4), (0.7, 6, 8), (0.8, 3, 6)), 20, 0.5)
    assert [(one.confidence, one.share.right, one.share.n) for one in assessed.bins] == [
        (pytest.approx(0.4), 1, 4),
        (pytest.approx(0.7), 6, 8),
        (pytest.approx(0.8), 3, 6),
    ]


def test_bins_that_could_not_be_told_apart_are_joined():
    assessed = assess_confidence(
        judged([0.99 + n / 10000 for n in range(40)] + [0.2] * 5, [True] * 40 + [False] * 5), 45, 0.5
    )
    assert [one.share.n for one in assessed.bins] == [9, 36]  # fifths of the answers, those from the second on joined


def test_it_is_said_where_more_confidence_means_fewer_right_answers():
    told = sentences(assess_confidence(steps((0.4, 3, 9), (0.7, 10, 12), (0.8, 7, 11)), 40, 0.5))
    assert "at 0.70, 10 of 12 are right, at 0.80 7 of 11" in told
    rising = sentences(assess_confidence(steps((0.4, 3, 9), (0.7, 8, 12), (0.8, 10, 11)), 40, 0.5))
    assert "More confidence means more right answers throughout." in rising


def test_a_separation_that_may_be_chance_is_called_so():
    alternating = [place % 2 == 0 for place in range(20)]
    assert "with so few answers this may be chance" in sentences(
        assess_confidence(judged(np.linspace(0, 1, 20).tolist(), alternating), 20, 0.5)
    )
    clear = [place > 9 for place in range(20)]
    assert "may be chance" not in sentences(assess_confidence(judged(np.linspace(0, 1, 20).tolist(), clear), 20, 0.5))


def test_the_effect_of_a_threshold_is_given_in_blanks_and_cost():
    told = sentences(
        assess_confidence(judged(np.linspace(0, 1, 20).tolist(), [place > 9 for place in range(20)]), 20, 0.5)
    )
    assert "answers below 0.53 are better left blank" in told
    assert "goes from 0.500 to 0." in told
    dear = sentences(
        assess_confidence(judged(np.linspace(0, 1, 20).tolist(), [place > 9 for place in range(20)]), 20, 1.0)
    )
    assert "no answer is better left blank" in dear
    wrong = [place == 0 for place in range(20)]
    cheap = sentences(assess_confidence(judged(np.linspace(0, 1, 20).tolist(), wrong), 20, 0.1))
    assert "all answers are better left blank" in cheap
    assert "20 left blank, 19 of them in place of wrong answers" in cheap


def test_pictures_have_their_figures_as_alternative_text():
    assessed = assess_confidence(steps((0.4, 3, 9), (0.7, 10, 12), (0.8, 7, 11)), 40, 0.5)
    assert "0.40: 3 of 9, 0.70: 10 of 12, 0.80: 7 of 11" in calibration_picture(assessed).alt
    assert f"{OWN} {assessed.main.curve.area:.3f}" in risk_picture(assessed).alt
    for picture, labels in (
        (calibration_picture(assessed), (OWN, "right answers, 95 % interval", "10/12")),
        (risk_picture(assessed), ("coverage: questions answered, of 40", "risk: wrong among the answered")),
    ):
        drawn = picture.svg()
        assert all(f">{label}<" in drawn for label in labels)
        assert f'aria-label="{picture.alt}"' in drawn


def test_all_right_or_all_wrong_can_still_be_drawn():
    for right in (True, False):
        assessed = assess_confidence(judged(np.linspace(0.1, 0.9, 12).tolist(), [right] * 12), 12, 0.5)
        assert "no order is better than another" in sentences(assessed)
        assert risk_picture(assessed).png().startswith(b"\x89PNG")
        assert calibration_picture(assessed).png().startswith(b"\x89PNG")


def test_equal_pictures_are_equal_to_the_byte_and_names_are_no_formulas():
    def draw(figure):
        figure.add_subplot().set_title("$\\frac{ 琥珀 <b>", color=COLOURS["blue"])

    first, second = (Picture("one", 'says "<b>"', (2, 1), draw).svg() for _ in range(2))
    assert first == second
    assert "$\\frac{ 琥珀 &lt;b&gt;" in first
    assert 'aria-label="says &quot;&lt;b&gt;&quot;"' in first
    assert "fill: var(--blue)" in first


def test_long_names_are_cut_where_they_differ_least():
    assert short_name("short") == "short"
    assert len(short_name("a" * 50 + "end", 20)) == 20
    assert short_name("a" * 50 + "end", 20).endswith("end")
    assert clipped(" a  b\nc ", 10) == "a b c"


def test_a_threshold_that_does_not_carry_over_is_not_advised():
    rights = [place in {0, 1, 3, 4, 6, 8, 9, 11, 12, 13} for place in range(14)]
    assessed = assess_confidence(judged(np.linspace(0.1, 0.9, 14).tolist(), rights), 14, 0.3)
    assert assessed.abstention.threshold > 0.0
    assert assessed.abstention.cost >= assessed.abstention.cost_before
    assert "no threshold is advised" in sentences(assessed)
    assert "blank below" not in risk_picture(assessed).svg()
