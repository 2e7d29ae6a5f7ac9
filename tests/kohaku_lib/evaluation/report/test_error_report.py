"""The figures of an error report, its page and its Markdown."""

import json
import re
from html.parser import HTMLParser

import pyarrow as pa
import pytest
from markdown_it import MarkdownIt

from kohaku_lib.evaluation.report import Answers, error_markdown, error_page, error_preview, gather_facts
from kohaku_lib.evaluation.report.error_pictures import agreement_picture, habit_picture
from kohaku_lib.evaluation.report.members import agreements, member_facts
from kohaku_lib.evaluation.report.shares import answer_kind, shares
from kohaku_lib.evaluation.statistics.intervals import wilson_interval
from kohaku_lib.evaluation.voting.vote import vote_rows
from kohaku_lib.settings import EnsembleSettings
from kohaku_lib.tables import QUESTIONS, RETRIEVED_CONTEXT

QUOTE = "the machine room used exactly 24 megawatt hours of power"
EVIL = "<script>alert(1)</script>"


def question(name, value="24", text=None, **row):
    truth = {
        "id": name,
        "answer_value": value,
        "ref_id": "['a']",
        "supporting_materials": QUOTE,
        "explanation": "Quote",
    }
    truth |= {"answer_unit": "MWh"} | row
    text = text or f"How much is {name}?"
    return {"id": name, "question": text, "has_truth": True, "row_json": json.dumps(truth | {"question": text})}


def answer(name, value="24", ref="['a']", **cells):
    return {"id": name, "question": f"How much is {name}?", "answer_value": value, "ref_id": ref, **cells}


def context(name, document="a", text=QUOTE):
    snippet = {"node_id": "n", "document_id": document, "document_title": "A", "page": 3, "text": text, "rank": 1}
    snippet |= {"score": 0.5, "background": False, "also_in": []}
    match = {"node_id": "n", "document_id": document, "kind": "sentence", "score": 0.5}
    empty = {"queries": ["?"], "plan": {}, "images": [], "trace_json": "{}"}
    return {"id": name, "matches": [match], "snippets": [snippet], **empty}


def answers(questions, members, contexts=None, costs=None):
    votes, _ = vote_rows(members, EnsembleSettings())
    return Answers(
        pa.Table.from_pylist(questions, schema=QUESTIONS),
        votes,
        members,
        None,
        None if contexts is None else pa.Table.from_pylist(contexts, schema=RETRIEVED_CONTEXT),
        costs or {},
    )


NAMES = [f"q{n:02}" for n in range(16)]


def three_runs():
    """Three runs on sixteen questions: two agree on right values, where they do not the value is wrong."""
    good = [answer(name) for name in NAMES]
    mixed = [answer(name, "24" if place < 11 else str(100 + place)) for place, name in enumerate(NAMES)]
    poor = [answer(name, "24" if place < 8 else str(200 + place)) for place, name in enumerate(NAMES)]
    return {
        "good": good[:12] + [answer(name, str(300 + n)) for n, name in enumerate(NAMES[12:])],
        "mixed": mixed,
        "poor": poor,
    }


@pytest.fixture(scope="module")
def facts():
    questions = [question(name) for name in NAMES]
    contexts = [context(name, "a" if place < 14 else "b") for place, name in enumerate(NAMES)]
    found = gather_facts(answers(questions, three_runs(), contexts, {"good": 1.0, "mixed": 0.5}), 0.5)
    assert found is not None
    return found


@pytest.fixture(scope="module")
def page(facts):
    return error_page(facts)


class Reader(HTMLParser):
    """Tags, attributes and texts of a page, with every tag closed."""

    VOID = frozenset({"meta", "br", "img", "link", "use", "path", "rect"})

    def __init__(self, page):
        super().__init__()
        self.tags, self.attributes, self.texts, self._open = [], [], [], []
        self.feed(page)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs
        if tag not in self.VOID:
            self._open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs

    def handle_endtag(self, tag):
        if tag not in self.VOID:
            assert self._open.pop() == tag

    def handle_data(self, data):
        self.texts.append(data)


def test_each_wrong_question_counts_once_where_it_was_lost_first(facts):
    assert facts.classes["right"] == 11
    assert facts.classes["value not read"] == 3
    assert facts.classes["document not retrieved"] == 2
    assert sum(facts.classes.values()) == facts.questions == 16
    assert [one.error_class for one in facts.wrong] == ["document not retrieved"] * 2 + ["value not read"] * 3


def test_runs_are_ranked_with_what_they_alone_have_right_and_what_is_known_of_their_cost(facts):
    by_label = {member.label: member for member in facts.members}
    assert list(by_label)[-1] == "poor"
    assert {label: one.right for label, one in by_label.items()} == {"ensemble": 11, "good": 12, "mixed": 11, "poor": 8}
    assert {label: one.unique for label, one in by_label.items()} == {
        "ensemble": None,
        "good": 1,
        "mixed": 0,
        "poor": 0,
    }
    assert {label: one.cost_usd for label, one in by_label.items()} == {
        "ensemble": None,
        "good": 1.0,
        "mixed": 0.5,
        "poor": None,
    }


def test_the_cost_of_a_vote_is_the_sum_of_its_runs():
    found = gather_facts(
        answers([question(name) for name in NAMES], three_runs(), None, dict.fromkeys(three_runs(), 0.25)), 0.5
    )
    assert {member.label: member.cost_usd for member in found.members}["ensemble"] == 0.75
    assert '<svg role="img" aria-label="Cost and score:' in error_page(found)


def test_the_page_is_sound_asks_no_network_and_runs_no_script(page):
    page = Reader(page)
    assert page.tags.count("svg") == 8  # seven, and cost, which is known of two runs
    assert {"script", "iframe", "object", "link", "img"}.isdisjoint(page.tags)
    assert not [
        value for name, value in page.attributes if name in {"src", "srcset", "action"} or name.startswith("on")
    ]
    assert any(name == "content" and value.startswith("default-src 'none'") for name, value in page.attributes)


def test_no_two_elements_of_the_page_share_an_id(page):
    ids = [value for name, value in Reader(page).attributes if name == "id"]
    assert len(ids) == len(set(ids)) > 50


def test_pictures_take_their_colours_from_the_page_and_the_dark_page_has_others(page):
    assert "prefers-color-scheme:dark" in page
    assert "@media print" in page
    drawn = page[page.index("<svg") :]
    assert "var(--blue)" in drawn
    assert "#0b62a8" not in drawn


def test_what_documents_questions_and_runs_hold_is_text_and_nothing_else():
    questions = [
        question(name, text=f"What {EVIL} is it?", explanation="Quote", supporting_materials=EVIL) for name in NAMES
    ]
    runs = {
        f"{EVIL}{number} $x_1$": [
            answer(name, f"{EVIL}{number}", f"['{EVIL}']", supporting_materials=EVIL) for name in NAMES
        ]
        for number in range(2)
    }
    contexts = [context(name, "a", EVIL * 90) for name in NAMES]
    found = gather_facts(answers(questions, runs, contexts), 0.5)
    page = error_page(found, title=EVIL)
    assert "script" not in Reader(page).tags
    assert "<script" not in page
    rendered = MarkdownIt("commonmark", {"html": True}).enable("table").render(error_markdown(found, title=EVIL))
    assert "<script" not in rendered
    assert "<script" not in MarkdownIt("commonmark", {"html": True}).enable("table").render(error_preview(found))


@pytest.mark.parametrize(
    ("url", "linked"),
    [
        ("https://example.org/a.pdf", True),
        ("http://example.org/a?b=1&c=2", True),
        ("javascript:alert(1)", False),
        ("data:text/html,x", False),
        ("not given in the context", False),
        ("https://[broken", False),
        ("is_blank", False),
    ],
)
def test_only_addresses_of_the_web_become_links(url, linked):
    rows = [answer(name, "1", ref_url=f"['{url}']", supporting_materials="as said") for name in NAMES]
    found = gather_facts(answers([question(name) for name in NAMES], {"one": rows}), 0.5)
    hrefs = [value for name, value in Reader(error_page(found)).attributes if name == "href"]
    assert bool(hrefs) == linked
    assert all(value == url for value in hrefs)


def test_every_wrong_question_says_what_was_asked_true_said_and_held(facts, page):
    text = " ".join(Reader(page).texts)
    for one in facts.wrong:
        assert one.id in text
        assert one.question in text
    assert "found as document 1, first in snippet 1 of 1; 100% of the true quote is in the context" in text
    assert "not found, in no snippet; 100% of the true quote" in text  # the same words in another document
    assert facts.wrong[0].evidence.page == 3


def test_markdown_has_a_row_per_run_class_and_wrong_question(facts):
    rendered = MarkdownIt("commonmark").enable("table").render(error_markdown(facts))
    cells = re.findall(r"<td[^>]*>(.*?)</td>", rendered)
    assert {"good", "mixed", "poor", "ensemble", *facts.classes, *(one.id for one in facts.wrong)} <= set(cells)
    assert rendered.count("<table>") == 6


def test_the_preview_holds_its_pictures(facts):
    assert error_preview(facts).count("](data:image/png;base64,iVBOR") == 2


def test_without_contexts_nothing_is_traced_to_the_retrieval():
    found = gather_facts(answers([question(name) for name in NAMES], three_runs()), 0.5)
    assert not found.knows_contexts
    assert found.classes["value not read"] == 5
    assert found.wrong[0].evidence is None
    assert "The contexts are not known" in error_page(found)


def test_a_run_may_be_called_what_the_vote_is_called():
    runs = three_runs()
    found = gather_facts(
        answers([question(name) for name in NAMES], {"ensemble": runs["good"], "poor": runs["poor"]}), 0.5
    )
    assert [(one.label, one.is_vote) for one in found.members].count(("ensemble", False)) == 1
    assert "most alike" in agreement_picture(found).alt
    assert habit_picture(found).alt.count("alone right") == 2
    assert "<h2>Runs</h2>" in error_page(found)


def test_one_run_is_judged_as_it_is_and_compared_with_none():
    found = gather_facts(answers([question(name) for name in NAMES], {"only": three_runs()["mixed"]}), 0.5)
    assert (found.headline, len(found.members), found.members[0].unique, found.members[0].area) == (
        "only",
        1,
        None,
        None,
    )
    assert "<h2>Runs</h2>" not in error_page(found)


def test_without_truth_there_is_no_report():
    row = question("q") | {"has_truth": False}
    assert gather_facts(answers([row], {"one": [answer("q")]}), 0.5) is None


def test_an_invented_answer_is_wrong_though_the_official_metric_takes_it():
    questions = [*(question(name) for name in NAMES), question("none", "is_blank", ref_id="is_blank")]
    rows = [*(answer(name) for name in NAMES), answer("none", "7")]
    found = gather_facts(answers(questions, {"one": rows}), 0.5)
    assert found.scores[0].value == 1.0
    assert {one.label: one.right for one in found.by_kind} == {"number": 16, "no answer exists": 0}
    assert found.classes["invented"] == 1


def test_everything_right_leaves_nothing_to_list():
    found = gather_facts(answers([question(name) for name in NAMES], {"one": [answer(name) for name in NAMES]}), 0.5)
    assert found.wrong == ()
    assert "the effect of leaving uncertain ones blank is unknown" in error_page(found)
    assert "data:image" not in error_preview(found)
    assert error_markdown(found)


def test_shares_come_with_their_interval():
    low, high = wilson_interval(0, 10).low, wilson_interval(10, 10).high
    assert (low, high) == (0.0, pytest.approx(1.0))
    assert wilson_interval(0, 0).low is None
    assert [(one.label, one.share) for one in shares([("a", True), ("b", False), ("b", True)])] == [
        ("b", 0.5),
        ("a", 1.0),
    ]


@pytest.mark.parametrize(
    ("text", "value", "kind"),
    [
        ("True or false: it floats.", "1", "true or false"),
        ("How many?", "80", "number"),
        ("How many?", "[80,90]", "range"),
        ("Who?", "GPT-3", "name or words"),
        ("True or false: nobody knows.", "is_blank", "no answer exists"),
    ],
)
def test_questions_are_told_apart_by_what_they_ask_for(text, value, kind):
    assert answer_kind(text, value) == kind


def test_agreement_is_over_shared_labelled_questions_and_two_blanks_agree():
    truth = [{"id": name} for name in "abcd"]
    one = [{"id": name, "answer_value": value} for name, value in zip("abcx", ("5,000", "", "1", "9"), strict=True)]
    other = [
        {"id": name, "answer_value": value} for name, value in zip("abcdx", ("5000", "n/a", "2", "3", "8"), strict=True)
    ]
    shares_of = agreements(truth, {"one": one, "other": other, "none": []})
    assert shares_of[0][1] == shares_of[1][0] == pytest.approx(2 / 3)
    assert shares_of[0][2] == 0.0


def test_the_area_of_a_run_puts_first_what_the_others_say_too():
    truth = [{"id": name, "answer_value": "1", "ref_id": "a"} for name in "abc"]
    rows = [
        {"id": name, "answer_value": value, "ref_id": "a"} for name, value in zip("abc", ("9", "1", "1"), strict=True)
    ]
    runs = {"one": rows, "two": truth}
    by_label = {member.label: member for member in member_facts(truth, runs, None, {})}
    assert by_label["one"].area == pytest.approx((0 + 0 + 1 / 3) / 3)
