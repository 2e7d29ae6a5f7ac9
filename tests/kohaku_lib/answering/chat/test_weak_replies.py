"""Replies of small models to questions of the sample, with what goes wrong in them: the right value is shown with its source.

Those called recorded are Qwen2.5-Coder-1.5B-Instruct's in four bits, word for word; the others have its faults, one each.
"""

import json
from dataclasses import replace

import pytest
from answering_material import chat_settings, contexts_table, questions_table, snippet

from kohaku_lib.answering import Engine, GivenParts, answer_questions, build_answerer
from kohaku_lib.llm import build_chat
from kohaku_lib.testing.openai_server import OpenAIServer

ASKED = {
    "k01": ("How much electricity did the whole Kohaku Workshop use in 2023?", "kWh", "41800"),
    "k02": ("What was the power usage effectiveness of the machine room after it was rebuilt?", "PUE", "1.18"),
    "k07": ("True or false: The machine room is cooled with drinking water.", None, "0"),
    "k08": ("Who maintains the model Gintaras-M?", None, "Milda Stankute"),
    "k10": (
        "For how many minutes do the batteries of the emergency supply carry the machine room at full load?",
        "minutes",
        "35",
    ),
}
ENERGY = (
    "In 2023 the whole workshop used 41,800 kWh of electricity, of which the machine room took 29,260 kWh, or 70%. "
    "The polishing hall used 9,196 kWh, and lighting and offices the remaining 3,344 kWh."
)
PUE = (
    "The machine room holds twelve servers with four accelerators each. The room was rebuilt in March 2021, when the old fans "
    "gave way to a closed loop that is cooled with sea water. "
    "Its power usage effectiveness fell from 1.62 before the rebuilding to 1.18 afterwards, and it has stayed there since."
)
WATER = "The machine room consumes no drinking water at all."
CARD = "The model has 350 million parameters. Questions go to Milda Stankute, who maintains the model."
LOG = "The batteries of the emergency supply were tested: they carry the room for 35 minutes at full load."
SHELF = [
    replace(snippet(text, document, rank), document_title=title)
    for rank, (text, document, title) in enumerate(
        [
            (ENERGY, "kohaku-energy-report", "Energy Report of the Kohaku Workshop, 2023"),
            (PUE, "kohaku-energy-report", "Energy Report of the Kohaku Workshop, 2023"),
            (WATER, "kohaku-energy-report", "Energy Report of the Kohaku Workshop, 2023"),
            (CARD, "model-card", "Model card"),
            (LOG, "machine-room-log", "Machine room log"),
        ],
        start=1,
    )
]
SHELF = [replace(one, node_id=f"{one.document_id}:sec1:p{one.rank}") for one in SHELF]


def told(value, ref_id, quote="", answer=""):
    fields = {
        "explanation": "The excerpts say so.",
        "answer": answer or f"{value}",
        "answer_value": value,
        "ref_id": ref_id,
    }
    return json.dumps(fields | {"supporting_materials": quote}, indent=2)


RECORDED_K01 = """{
  "explanation": "The Energy Report of the Kohaku Workshop, 2023 states that the whole workshop used 41,800 kWh of electricity \
in 2023. This value is given in kWh, which is the same unit as the question asks for.",
  "answer": "41,800 kWh",
  "answer_value": "41,800",
  "ref_id": ["kohaku-energy-report"],
  "supporting_materials": "The Energy Report of the Kohaku Workshop, 2023, page 1, Introduction, line 2."
}"""
RECORDED_K02 = """{
  "explanation": "The machine room was rebuilt in March 2021, when the old fans gave way to a closed loop that is cooled \
with sea water. Its power usage effectiveness fell from 1.62 before the rebuilding to 1.18 afterwards, and it has \
stayed there since.",
  "answer": "1.18",
  "answer_value": "1.18",
  "ref_id": ["kohaku-energy-report"],
  "supporting_materials": "The excerpt states that 'Its power usage effectiveness fell from 1.62 before the rebuilding to 1.18 \
afterwards, and it has stayed there since.'"
}"""
RECORDED_K01_NUMBERS = """{
  "explanation": "The workshop used 41,800 kWh of electricity in 2023, which is the total consumption for the entire \
workshop. The electricity consumption rose by 10% from 2022 to 2023, indicating that the workshop had a steady \
increase in electricity usage over the year.",
  "answer": "41,800 kWh",
  "answer_value": "41,800",
  "ref_id": [1, 2],
  "supporting_materials": "The first excerpt states that the workshop used 41,800 kWh in 2023, and the second excerpt \
mentions that the consumption rose by 10% from 2022 to 2023."
}"""
RECORDED_K02_NUMBER = """{
  "explanation": "The power usage effectiveness of the machine room after it was rebuilt was 1.18 PUE, which fell \
from 1.62 PUE before the rebuilding.",
  "answer": "1.18",
  "answer_value": "1.18",
  "ref_id": [5],
  "supporting_materials": "The excerpt states: 'The power usage effectiveness fell from 1.62 before the rebuilding to \
1.18 afterwards, and it has stayed there since.'"
}"""


def recorded(quote, value, number):
    """Return a reply to the short prompt as the model wrote it."""
    return f'{{\n  "supporting_materials": "{quote}",\n  "answer_value": "{value}",\n  "ref_id": [{number}]\n}}'


HEAD = "[1] (Energy Report of the Kohaku Workshop, 2023 / 1 Introduction, page 1) "
GOOD = told("41,800", [1], "In 2023 the whole workshop used 41,800 kWh of electricity", "The workshop used 41,800 kWh.")
LINE = "In 2023 the whole workshop used 41,800 kWh of electricity"
E, P, W, C, B = range(5)  # places on the shelf
CASES = {  # by fault: question, reply, place of the cited excerpt, by what its source was found
    "recorded, an id and a place for a quote": ("k01", RECORDED_K01, E, None),
    "recorded, a quote within a sentence": ("k02", RECORDED_K02, P, None),
    "recorded, numbers and a paraphrase": ("k01", RECORDED_K01_NUMBERS, E, None),
    "recorded, a number that here is of another excerpt": ("k02", RECORDED_K02_NUMBER, P, "quote"),
    "recorded, the head of the excerpt within its quote": ("k01", recorded(HEAD + ENERGY, "41800", 1), E, None),
    "recorded, a quote without its first words": ("k01", recorded(f"The{ENERGY[11:]}", "41800", 1), E, None),
    "recorded, the whole of another excerpt for a quote": ("k02", recorded(PUE, "1.18", 1), P, None),
    "recorded, a quote that says nothing of it": ("k07", recorded(PUE[: PUE.index(" Its")], "0", 2), P, None),
    "recorded, a sentence of another excerpt": (
        "k08",
        recorded(CARD[CARD.index("Ques") :], "Milda Stankute", 2),
        C,
        "quote",
    ),
    "recorded, a whole sentence of another excerpt": ("k10", recorded(LOG, "35", 1), B, "quote"),
    "nothing": ("k01", GOOD, E, None),
    "the tag of the fence copied": ("k01", told("41,800", ["excerpts"], LINE), E, "quote"),
    "a tag with an id copied": ("k10", told("35", ["excerpts 4aa1264af757"], "carry for 35 minutes"), B, "value"),
    "the key inside": ("k08", told("Milda Stankute", "ref_id=model-card"), C, None),
    "the key and brackets inside": ("k08", told("Milda Stankute", ["[ref_id=Model-Card]"]), C, None),
    "the ending of a file": ("k10", told("35", ["machine-room-log.txt"]), B, None),
    "a number with its bracket and title": ("k10", told("35", ["[5] (Machine room log, page 3)"]), B, None),
    "a title": ("k08", told("Milda Stankute", ["Model card"]), C, None),
    "no source": ("k10", told("35", [], "they carry the room for 35 minutes at full load"), B, "quote"),
    "the first excerpt cited whatever it says": ("k10", told("35", [1], "The batteries last 35 minutes."), B, "value"),
    "a number that does not exist": (
        "k02",
        told("1.18", [12], "fell from 1.62 before the rebuilding to 1.18"),
        P,
        "quote",
    ),
    "the value in a sentence": ("k10", told("The answer is 35 minutes.", [5]), B, None),
    "another sentence": ("k01", told("The workshop used 41,800 kWh in 2023.", [1]), E, None),
    "a sentence alone": ("k10", "The answer is 35 minutes.", B, "value"),
    "a truth value in a sentence": ("k07", told("The statement is false.", [3], WATER), W, None),
    "thinking before it": ("k01", '<think>It may be {"answer_value": "44,000"}.</think>\n' + GOOD, E, None),
    "thinking that never ends": ("k01", "<think>The first excerpt says it.\n" + GOOD, E, None),
    "said twice": ("k01", f"{GOOD}\n\n{GOOD}", E, None),
    "said twice and cut": ("k01", f"{GOOD}\n\n{GOOD[:90]}", E, None),
    "cut within the quote": ("k01", GOOD[:-20], E, None),
    "a fence of code around it": ("k01", f"Here it is:\n```json\n{GOOD}\n```\nI hope it helps.", E, None),
    "a bracket that never closes": ("k01", GOOD.replace("[\n    1\n  ]", "[1"), E, None),
    "single quotes": ("k01", GOOD.replace('"', "'"), E, None),
    "lines instead of an object": (
        "k08",
        "- answer_value: Milda Stankute\n- ref_id: [4]\n- answer: Milda Stankute",
        C,
        None,
    ),
}


def ask(question_id, reply, finish_reason="stop"):
    text, unit, _ = ASKED[question_id]

    def adjust(completion):
        completion["choices"][0]["finish_reason"] = finish_reason

    with OpenAIServer(reply=lambda body: reply, adjust=adjust) as server:
        settings = chat_settings(server.base_url, answer={"max_retries": 0})
        answerer = build_answerer(settings, build_chat(settings.llm))
        engine = Engine(settings, GivenParts([answerer], None, {}))
        table, _ = answer_questions(
            questions_table((question_id, text, unit)), contexts_table({question_id: SHELF}), engine
        )
    return table.to_pylist()[0]


@pytest.mark.parametrize("fault", CASES)
def test_a_right_value_is_shown_with_its_source_whatever_else_is_wrong(fault):
    question_id, reply, place, found_by = CASES[fault]
    row = ask(question_id, reply)
    cited = SHELF[place]
    assert (row["answer_value"], row["ref_id"]) == (ASKED[question_id][2], [cited.document_id])
    [attempt] = json.loads(row["trace_json"])["attempts"]
    assert (attempt.get("source_found_by"), attempt.get("doubted")) == (found_by, None)
    assert row["citations"][0]["node_id"] == cited.node_id
    assert row["citations"][0]["supports_value"] is not False


def test_a_value_that_was_cut_is_none():
    row = ask("k01", GOOD[: GOOD.index('41,800",') + 2], finish_reason="length")
    assert (row["answer_value"], row["ref_id"]) == ("is_blank", [])
    assert "truncated" in row["error"]


@pytest.mark.parametrize(
    "reply", ["The answer is not stated in the excerpts.", "It lasts 35 minutes.", "The answer is Milda Stankute."]
)
def test_a_sentence_that_names_no_value_as_the_answer_is_none(reply):
    row = ask("k10", reply)
    assert (row["answer_value"], row["error"]) == ("is_blank", "the reply holds no JSON object with an answer")
