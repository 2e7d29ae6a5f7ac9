"""Sentences of the snippets, their weights, and the proximity of the question's terms."""

import pytest

from kohaku_lib.answering.extractive.evidence.evidence import gather_evidence
from kohaku_lib.answering.extractive.evidence.lines import header_of, is_row
from kohaku_lib.answering.extractive.evidence.table_rows import column_weight, header_unit
from kohaku_lib.answering.extractive.nearness import nearness
from kohaku_lib.answering.extractive.question.question import read_question
from kohaku_lib.tables import Question, Snippet


def _evidence(question, *texts, unit=None, title="A paper", documents=None):
    documents = documents or [f"doc{place}" for place in range(len(texts))]
    snippets = [
        Snippet(f"n{place}", document, title, 1, text, place + 1, 1.0)
        for place, (text, document) in enumerate(zip(texts, documents, strict=True))
    ]
    return gather_evidence(read_question(Question("q", question, unit)), snippets)


def test_the_weights_of_the_question_add_up_to_one():
    evidence = _evidence("How much energy did Meena use in Iowa?", "Meena used energy.", "Iowa is far away.")
    assert sum(evidence.stem_to_weight.values()) == pytest.approx(1.0)


def test_rare_words_weigh_more_than_frequent_ones():
    evidence = _evidence("How much energy did it spill?", "Energy is used. Energy is lost. Energy is spilled.")
    assert evidence.stem_to_weight["spill"] > evidence.stem_to_weight["energi"]


def test_names_weigh_more_and_words_of_phrasing_less():
    weights = _evidence("What is the approximate energy of Meena?", "Other words stand here.").stem_to_weight
    assert weights["meena"] > weights["energi"] > weights["approxim"]


def test_a_sentence_said_twice_counts_once():
    evidence = _evidence("What is it?", "One is here.", "One is here.", documents=["doc", "doc"])
    assert len(evidence.sentences) == 1


def test_two_documents_may_say_the_same():
    assert len(_evidence("What is it?", "One is here.", "One is here.").sentences) == 2


def test_neighbours_snippet_and_title_support_a_sentence():
    evidence = _evidence(
        "Meena energy chips Titan", "Meena is large. It used energy. Far away. Chips burn.", title="Titan"
    )
    first, second, third, fourth = evidence.sentences
    assert first.coverage == pytest.approx(evidence.stem_to_weight["meena"])
    assert first.support > first.coverage
    assert second.support > second.coverage
    assert third.coverage == 0 < third.support
    assert fourth.support < 1


def test_what_is_nowhere_is_missing():
    evidence = _evidence("How tall is Gargantua in 1999?", "Other things are told.")
    assert evidence.missing_names == pytest.approx(
        evidence.stem_to_weight["gargantua"] + evidence.stem_to_weight["1999"]
    )
    assert evidence.missing_words == pytest.approx(evidence.stem_to_weight["tall"])


def test_the_asked_unit_is_never_missing():
    assert _evidence("How many kilograms is it?", "It is heavy.", unit="kilograms").missing_words < 0.01


def test_a_model_of_another_number_is_missing():
    with_five = _evidence("What does GPT-5 use?", "GPT-3 has 5 layers.").missing_names
    assert with_five == pytest.approx(0.2)
    assert _evidence("What does GPT-3 use?", "GPT 3 has 5 layers.").missing_names == 0


def test_no_snippets_are_no_evidence():
    evidence = _evidence("How tall is Gargantua?")
    assert evidence.sentences == ()
    assert evidence.missing_names + evidence.missing_words == pytest.approx(1.0)


def test_the_best_document_has_share_one():
    shares = _evidence("What is it?", "One.", "Two.", "Three.", documents=["a", "b", "a"]).document_to_share
    assert shares["a"] == 1.0
    assert 0 < shares["b"] < 1


def test_a_document_named_by_author_and_year_is_preferred():
    shares = _evidence(
        "What did Wu et al. (2021) find?", "One.", "Two.", "Three.", documents=["lee2020", "wu2021a", "wu2020"]
    ).document_to_share
    plain = _evidence(
        "What did they find?", "One.", "Two.", "Three.", documents=["lee2020", "wu2021a", "wu2020"]
    ).document_to_share
    assert shares["wu2021a"] > plain["wu2021a"]


def test_a_caveat_stays_with_the_sentence_before_it():
    first, second = _evidence("What does it cover?", "It covers training. However, it leaves out inference.").sentences
    assert first.caveat == "However, it leaves out inference."
    assert second.caveat == ""


def test_rows_know_their_header():
    evidence = _evidence("What is the size?", "Table 3: Models.\nModel Size (GB) Layers\nT5 64.7 60\nMeena 130.1 80")
    rows = [sentence for sentence in evidence.sentences if sentence.header]
    assert [row.text for row in rows] == ["T5 64.7 60", "Meena 130.1 80"]
    assert rows[0].header == "Table 3: Models.\nModel Size (GB) Layers"


def test_the_header_gives_a_cell_its_unit_and_its_words():
    evidence = _evidence("How many layers of T5?", "Model Size (GB) Layers\nT5 64.7 60\nMeena 130.1 80")
    row = evidence.sentences[1]
    size, layers = row.text.index("64.7"), row.text.index("60")
    unit = header_unit(row, size, "data")
    assert unit is not None
    assert unit.factor == 8e9
    assert header_unit(row, size, "energy") is None
    assert column_weight(evidence.stem_to_weight, row, layers) > column_weight(evidence.stem_to_weight, row, size)


@pytest.mark.parametrize(
    ("line", "row"),
    [
        ("LLaMA-33B 64.7 GB 60 6656 1", True),
        ("| T5 | 86 | 47 |", True),
        ("Coal 38 No 512.3", True),
        ("It was trained on 8 GPUs for 12 hours in all.", False),
        ("Model Parameters L d G", False),
        ("Training used 24 MWh.", False),
    ],
)
def test_rows_are_told_from_prose(line, row):
    assert is_row(line) == row


def test_the_header_is_what_stands_above_the_rows():
    lines = ["Table 1", "Model Size Cost", "A 1 2", "B 3 4"]
    assert header_of(lines, 3) == "Table 1\nModel Size Cost"
    assert header_of(["A 1 2", "B 3 4"], 1) == ""


def _near(text, span_text, rivals=(), question="energy training"):
    evidence = _evidence(question, text)
    sentence = evidence.sentences[0]
    spans = {one: (text.index(one), text.index(one) + len(one)) for one in (span_text, *rivals)}
    return nearness(evidence.stem_to_weight, sentence, spans[span_text], list(spans.values()))


def test_near_terms_count_more_than_far_ones():
    far = "Energy and training were reported in a long and winding annex of the old report as 5 units"
    assert _near("Energy for training was 5 units", "5") > _near(far, "5")


def test_a_comma_parts_what_it_stands_between():
    assert _near("energy training 5", "5") > _near("energy, training, 5", "5")


def test_terms_between_rivals_belong_to_the_nearest():
    text = "it is 33 for energy training and then 77 for all the rest of the things"
    assert _near(text, "33", ("77",)) > _near(text, "77", ("33",))


def test_terms_before_all_rivals_are_shared():
    text = "energy training is 33 or 77"
    first, second = _near(text, "33", ("77",)), _near(text, "77", ("33",))
    assert first > second > 0.7 * first


def test_nothing_shared_is_nothing_near():
    assert _near("far away 5", "5") == 0.0


def test_a_sentence_without_a_word_of_the_question_is_near_to_nothing():
    [sentence] = _evidence("How large is Meena?", "Coal costs 5 euros.").sentences
    assert nearness({"meena": 1.0}, sentence, (11, 12)) == 0.0
    assert nearness({"coal": 1.0}, sentence, (11, 12)) > 0.0
