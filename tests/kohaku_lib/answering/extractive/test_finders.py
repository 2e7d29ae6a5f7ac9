"""Claims, names, options, calculations and abstention."""

import pytest

from kohaku_lib.answering.extractive.abstention import is_unsupported, support_deficit
from kohaku_lib.answering.extractive.calculation import comparison_operands, find_calculated
from kohaku_lib.answering.extractive.choices.choices import choose_option
from kohaku_lib.answering.extractive.claims.claims import (
    ClaimSigns,
    claim_belief,
    claim_signs,
    judge_claim,
    numbers_agree,
    swapped_weight,
)
from kohaku_lib.answering.extractive.claims.opposites import count_opposites
from kohaku_lib.answering.extractive.claims.polarity import absolutes_in, hedges_in, negates_any, negations_in
from kohaku_lib.answering.extractive.evidence.evidence import gather_evidence
from kohaku_lib.answering.extractive.finding import Finding
from kohaku_lib.answering.extractive.names.name_spans import name_spans
from kohaku_lib.answering.extractive.names.names import find_name
from kohaku_lib.answering.extractive.numbers.numbers import find_number, number_candidates
from kohaku_lib.answering.extractive.question.focus import focus_stems
from kohaku_lib.answering.extractive.question.question import read_question
from kohaku_lib.tables import Question, Snippet


def _read(question, *texts, unit=None):
    form = read_question(Question("q", question, unit))
    snippets = [
        Snippet(f"n{place}", f"doc{place}", "A paper", 1, text, place + 1, 1.0) for place, text in enumerate(texts)
    ]
    return form, gather_evidence(form, snippets)


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("It does not cover inference, and leaves out training.", 2),
        ("It isn't so.", 1),
        ("not only this but that", 0),
        ("not just this", 0),
        ("There is no longer a way without it.", 2),
        ("It fails to report.", 1),
        ("It covers inference.", 0),
    ],
)
def test_negations_are_counted(text, count):
    assert negations_in(text) == count


def test_absolute_and_hedging_words_are_counted():
    assert absolutes_in("Only this always works, not just sometimes.") == 2
    assert hedges_in("It can often help many.") == 3


def test_a_negation_negates_what_follows_it_closely():
    assert negates_any("It does not explicitly mention energy.", frozenset({"mention"}))
    assert not negates_any("Energy is mentioned but water is not.", frozenset({"mention"}))


@pytest.mark.parametrize(
    ("claim", "evidence", "count"),
    [
        ("cost increas", "cost decreas", 1),
        ("cost increas", "cost increas", 0),
        ("cost increas", "cost increas while other decreas", 0),
        ("cost increas", "weather decreas", 0),
        ("report mandatori", "report voluntari", 1),
        ("cost", "cost decreas", 0),
    ],
)
def test_opposites_about_one_thing_are_counted(claim, evidence, count):
    assert count_opposites(claim.split(), evidence.split()) == count


@pytest.mark.parametrize(
    ("claim", "evidence", "verdict"),
    [
        ("more than 40% of it", "about 90% of it", 1),
        ("more than 40% of it", "about 20% of it", -1),
        ("less than 5 days", "it took 3 days", 1),
        ("less than 5 days", "it took 9 days", -1),
        ("it took 3 days", "it took 72 hours", 1),
        ("it took 3 days", "it took 5 days", -1),
        ("it took 85%", "it took 80-90%", 1),
        ("8 models were used", "12 models were used", -1),
        ("it took 3 days", "it used 5 kWh", 0),
        ("in 2023 it was so", "in 2021 it was so", 0),
        ("no number", "5 days", 0),
    ],
)
def test_numbers_of_one_kind_agree_or_not(claim, evidence, verdict):
    assert numbers_agree(claim, evidence) == verdict


def test_belief_falls_with_every_sign_against():
    plain = ClaimSigns(0.8, 0, 0, 0, 0, 0.0, 0, 0)
    against = [
        ClaimSigns(0.8, 1, 0, 0, 0, 0.0, 0, 0),
        ClaimSigns(0.8, 0, 1, 0, 0, 0.0, 0, 0),
        ClaimSigns(0.8, 0, 0, -1, 0, 0.0, 0, 0),
        ClaimSigns(0.8, 0, 0, 0, 1, 0.0, 0, 0),
        ClaimSigns(0.8, 0, 0, 0, 0, 0.5, 0, 0),
        ClaimSigns(0.8, 0, 0, 0, 0, 0.0, 1, 0),
        ClaimSigns(0.1, 0, 0, 0, 0, 0.0, 0, 0),
    ]
    assert claim_belief(plain) > 0
    assert all(claim_belief(signs) < claim_belief(plain) for signs in against)
    assert claim_belief(ClaimSigns(0.8, 0, 0, 0, 0, 0.0, 0, 1)) > claim_belief(plain)


def test_a_double_negation_is_none():
    form, evidence = _read("True or False: The Act does not cover inference.", "The Act does not cover inference.")
    signs = claim_signs(form, evidence, evidence.sentences[0])
    assert (signs.negated, signs.denied, signs.coverage) == (0, 0, pytest.approx(1.0))


def test_a_caveat_speaks_against_the_claim():
    claim = "True or False: The Act requires reports of energy for inference."
    form, evidence = _read(claim, "The Act requires reports of energy. However, it leaves out inference.")
    assert claim_signs(form, evidence, evidence.sentences[0]).negated == 1


def test_a_word_in_the_place_of_another_is_swapped():
    form, evidence = _read(
        "True or False: New centers rely on air cooling.", "New centers rely on liquid cooling.", "Air is free."
    )
    sentence = evidence.sentences[0]
    assert swapped_weight(form.text, sentence, evidence.stem_to_weight) == pytest.approx(evidence.stem_to_weight["air"])


@pytest.mark.parametrize(
    ("claim", "text", "value"),
    [
        ("Emissions decreased in 2020.", "Emissions increased in 2020.", "0"),
        ("Emissions decreased in 2020.", "Emissions decreased in 2020 by far.", "1"),
        ("Emissions increased in 2020.", "Emissions fell in 2020.", "0"),
        ("The report mentions water.", "The report does not mention water.", "0"),
        ("Reporting is mandatory.", "Reporting is voluntary.", "0"),
    ],
)
def test_claims_are_judged(claim, text, value):
    form, evidence = _read(f"True or False: {claim}", text)
    finding = judge_claim(form, evidence)
    assert finding is not None
    assert (finding.value, finding.quote, finding.document_ids) == (value, text, ("doc0",))
    assert 0.5 <= finding.confidence <= 1


@pytest.mark.parametrize(
    ("question", "stems"),
    [
        ("What dataset of 5,842 entries was used?", ("dataset",)),
        ("What is the name of the benchmark suite presented in 2025?", ("benchmark", "suit")),
        ("Which supercomputer was used to train it?", ("supercomput",)),
        ("Who did it?", ()),
    ],
)
def test_the_focus_is_what_is_asked_for(question, stems):
    assert focus_stems(question) == stems


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("We present the ML.ENERGY Benchmark, a suite.", "ML.ENERGY Benchmark"),
        ("a method called Green Tuning was used", "Green Tuning"),
        ("Water consumption: It is defined as withdrawal minus discharge.", "Water consumption"),
        ("Our dataset, Financial Sentiment Analysis [18], has 5,842 entries", "Financial Sentiment Analysis"),
        ("trained on the Jean Zay supercomputer", "Jean Zay"),
        ("it ran on A100 machines", "A100"),
        ("this is “rebound effect” at work", "rebound effect"),
    ],
)
def test_names_are_spotted(text, name):
    assert name in [span.text for span in name_spans(text)]


def test_cited_authors_are_no_names():
    assert [span.text for span in name_spans("as Strubell et al. said")] == []


def test_spans_stand_where_they_say():
    text = "We present the ML.ENERGY Benchmark, and Jean Zay ran it."
    assert all(text[span.start : span.end] == span.text for span in name_spans(text))


def test_the_name_is_not_one_that_the_question_holds():
    form, evidence = _read(
        "Which supercomputer was used to train BLOOM?", "BLOOM was trained on the Jean Zay supercomputer."
    )
    finding = find_name(form, evidence)
    assert finding is not None
    assert finding.value == "Jean Zay"


def test_an_amount_behind_a_name_is_no_part_of_it():
    names = [span.text for span in name_spans("One by Amber-L 1.5 Wh, one by Llama 2 70B.")]
    assert names == ["Amber-L", "Llama 2 70B"]


def test_who_acts_is_a_person():
    question = "Who maintains the model Amber-M?"
    text = "Questions on the model go to Milda Stankute, who maintains it. One run by Amber-L 2 was kept by the model."
    found = find_name(*_read(question, text))
    assert found is not None
    assert found.value == "Milda Stankute"


def test_without_a_name_there_is_no_finding():
    form, evidence = _read("Which machine did it?", "nothing is said here")
    assert find_name(form, evidence) is None


def test_the_option_nearest_to_the_question_is_chosen():
    form, evidence = _read(
        "Which has the lowest cost: AWS, GC or Azure?", "AWS has the lowest cost.", "Azure is large. GC too."
    )
    finding = choose_option(form, evidence)
    assert finding is not None
    assert (finding.value, finding.document_ids) == ("AWS", ("doc0",))


def test_no_option_said_is_no_choice():
    form, evidence = _read("Which has the lowest cost: AWS, GC or Azure?", "Nothing of the kind is here.")
    assert choose_option(form, evidence) is None


@pytest.mark.parametrize(
    ("question", "sides"),
    [
        ("What is the difference between the share of ACL and the share of CVPR?", ({"acl"}, {"cvpr"})),
        ("How many times more energy did Meena use than T5?", ({"meena"}, {"t5"})),
        ("What is the ratio of Meena to T5?", ({"meena"}, {"t5"})),
        ("How many papers were there?", None),
    ],
)
def test_compared_sides_are_told_apart(question, sides):
    found = comparison_operands(question)
    assert found == sides


def test_a_ratio_is_computed_across_units():
    form, evidence = _read(
        "How many times more energy did Meena use than Zeta?",
        "The energy of Meena was 2 MWh. It ran long. The energy of Zeta was 500 kWh.",
        unit="multiplier",
    )
    finding = find_calculated(form, evidence)
    assert finding is not None
    assert finding.value == "4"


def test_a_stated_ratio_is_taken_as_it_stands():
    text = "Meena consumed seven times more energy than Zeta, whose energy was 500 kWh."
    form, evidence = _read("How many times more energy did Meena consume than Zeta?", text, unit="multiplier")
    finding = find_calculated(form, evidence)
    assert finding is not None
    assert finding.value == "7"


def test_numbers_of_another_measure_are_no_candidates():
    form, evidence = _read("How much energy did it use?", "It used 5 kg in 3 days.", unit="kWh")
    assert number_candidates(form, evidence) == []
    assert find_number(form, evidence) is None


def test_candidates_come_best_first():
    form, evidence = _read(
        "How much energy did Meena use?", "Meena used 5 kWh of energy. A car used 9 kWh.", unit="kWh"
    )
    scores = [candidate.score for candidate in number_candidates(form, evidence)]
    assert scores == sorted(scores, reverse=True)
    assert number_candidates(form, evidence)[0].low == 5


def test_a_unit_beside_the_number_beats_a_bare_number():
    form, evidence = _read(
        "How many papers target efficiency?", "Of all, 12 papers target efficiency, says page 7 of 9.", unit="papers"
    )
    assert number_candidates(form, evidence)[0].low == 12


def test_doubt_grows_with_what_is_missing_and_falls_with_support():
    _, whole = _read("How much energy did Meena use in Iowa?", "Meena used energy in Iowa, 5 kWh.")
    _, partial = _read("How much energy did Meena use in Iowa?", "A car used energy, 5 kWh.")
    sure, unsure = Finding("5", "q", ("d",), 0.8, support=0.9), Finding("5", "q", ("d",), 0.3, support=0.1)
    assert support_deficit(whole, sure) == 0
    assert support_deficit(partial, sure) > 0
    assert support_deficit(whole, unsure) > 0.5


def test_a_claim_takes_more_doubt_than_a_number():
    finding = Finding("1", "q", ("d",), 0.5, support=0.1)
    number, evidence = _read(
        "How much energy did the old Meena model use in Iowa?", "Meena used energy in Iowa.", unit="kWh"
    )
    claim, _ = _read("True or False: Meena used energy in Iowa.", "Meena used energy in Iowa.")
    assert is_unsupported(number, evidence, finding)
    assert not is_unsupported(claim, evidence, finding)


@pytest.mark.parametrize(
    ("question", "text", "name"),
    [
        ("Who built the Old Harbour?", "The Old Harbour in Lisbon was built by Ana Sousa in 1901.", "Ana Sousa"),
        ("Where was the Old Harbour built?", "Ana Sousa had the Old Harbour built in Lisbon.", "Lisbon"),
        ("In which city does the Blue Fleet winter?", "On 4 May the Blue Fleet winters in Oslo.", "Oslo"),
        ("Which model consumes most energy?", "In contrast, Harbour-R1 (HR) consumes most energy.", "Harbour-R1"),
        (
            "Which project rates the boats?",
            "The Boat Score 21, a project, rates the boats. Boat Score is new.",
            "Boat Score",
        ),
    ],
)
def test_a_name_fits_what_is_asked_for(question, text, name):
    finding = find_name(*_read(question, text))
    assert finding is not None
    assert finding.value == name


def test_what_a_sentence_defines_or_uses_may_be_the_term():
    finding = find_name(
        *_read(
            "Which method is used to shorten the way of boats?", "Tidal routing is used to shorten the way of boats."
        )
    )
    assert finding is not None
    assert finding.value == "Tidal routing"
