"""A text with citations as a structured answer: each citation is one that holds, and its main sentence gives the value."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from kohaku_lib.answering.answerer import warned
from kohaku_lib.answering.chat.said_value import is_verdict, said_value
from kohaku_lib.answering.cited.grounding import CITATION, Claim, judge_claims
from kohaku_lib.answering.cited.proofs import Proofs, nearest_sentence
from kohaku_lib.answering.citing.checked_answer import checked_answer
from kohaku_lib.answering.citing.source import shown_text
from kohaku_lib.answering.coverage.content_words import content_stems, numbers
from kohaku_lib.answering.deepening import CheckedAnswer
from kohaku_lib.answering.extractive.numbers.stated_scale import stated_scale
from kohaku_lib.answering.extractive.question.question import read_question
from kohaku_lib.answering.extractive.reader.explanations import asks_for_explanation
from kohaku_lib.answering.extractive.reader.whole_tables import asks_for_whole
from kohaku_lib.tables import Question, Snippet, StructuredAnswer
from kohaku_lib.text.decimal_commas import has_decimal_commas, with_decimal_points
from kohaku_lib.values import BLANK, is_claim, normalise_answer


@dataclass(frozen=True, slots=True)
class CitedText:
    """A text whose [Source N] number `sources`, in the order in which it cites them, and the citations taken off it."""

    content: str
    sources: tuple[Snippet, ...]
    taken_off: int = 0


def checked_text(
    question: Question, told: StructuredAnswer, snippets: Sequence[Snippet], known_documents: Collection[str] = ()
) -> CheckedAnswer:
    """Return a model's text, whose [Source N] number `snippets`, as an answer; blank if it says nothing that they say.

    Its value is that of its main sentence: the first one that cites, for an amount the first with a number; its quote the
    sentence of a source that this one is most like. Where no source proves the main sentence, the value is doubted.

    >>> snippet = Snippet("d:p1", "d", "D", 1, "It is old. It weighs 4 kg in all.", 1, 1.0)
    >>> def checked(text):
    ...     return checked_text(Question("q", "How heavy is it?"), StructuredAnswer(text, text, (), ""), [snippet])
    >>> found = checked("It weighs 4 kg [Source 1].").answer
    >>> found.answer, found.quote, found.cited_nodes
    ('It weighs 4 kg [Source 1].', 'It weighs 4 kg in all.', ('d:p1',))
    >>> checked("The sources do not say [Source 1].").answer.answer_value, checked("It weighs 5 kg [Source 1].").is_doubted
    ('is_blank', True)
    """
    proofs = Proofs(question, snippets)
    main = _main_claim(question, judge_claims(told.answer, [shown_text(one) for one in snippets]))
    if main is None and is_verdict(told.answer):  # a bare one, for which no passage has a word
        cited = _citing(told, _renumbered(told.answer, snippets))
        return CheckedAnswer(replace(cited, answer_value=_value_of(question, told.answer)), is_doubted=True)
    is_seen = main is not None and proofs.cites_picture(main)
    if main is None or not (is_seen or _says_more(question, main, proofs)):
        return CheckedAnswer(replace(told, answer=BLANK, answer_value=BLANK, ref_id=()))
    proof = next(proofs.proving(main), None)
    stating = proof or next(proofs.stating(main), None)
    answer = replace(
        _citing(told, checked_citations(told.answer, snippets, question)),
        answer_value=_value_of(question, main.bare),
        quote=None if stating is None else nearest_sentence(main, stating.text),
    )
    if proof or is_seen:
        return CheckedAnswer(answer)
    checked = checked_answer(question, answer, snippets, known_documents)
    return replace(checked, is_doubted=checked.is_doubted or stating is not None)


def checked_beside_picture(
    question: Question, told: StructuredAnswer, snippets: Sequence[Snippet], _known: Collection[str] = ()
) -> CheckedAnswer:
    """Return a model's text about an image of the person who asks with those of its citations of `snippets` that hold.

    >>> snippet = Snippet("d:p1", "d", "D", 1, "The pump takes 4 kW.", 1, 1.0)
    >>> text = "It shows a pump. The pump takes 4 kW [Source 1]. It is red [Source 1]."
    >>> checked_beside_picture(Question("q", "What is this?"), StructuredAnswer(text, "", (), ""), [snippet]).answer.answer
    'It shows a pump. The pump takes 4 kW [Source 1]. It is red.'
    """
    return CheckedAnswer(_citing(told, checked_citations(told.answer, snippets, question, needs_citation=False)))


def checked_citations(
    content: str, snippets: Sequence[Snippet], question: Question, *, needs_citation: bool = True
) -> CitedText:
    """Return a text with the citations that hold, numbered in the order in which they occur.

    One that does not prove its sentence is that of the first source which does; where none does it is taken off. The main
    sentence is given one where it has none and needs one.

    >>> shown = [Snippet(name, name, "", 1, text, 1, 1.0) for name, text in (("a", "It is old."), ("b", "It weighs 4 kg."))]
    >>> text = "It weighs 4 kg [Source 1]. It is old [Source 1]. It floats [Source 2]."
    >>> checked_citations(text, shown, Question("q", "How heavy is it?")).content
    'It weighs 4 kg [Source 1]. It is old [Source 2]. It floats.'
    """
    proofs, taken_off = Proofs(question, snippets), 0
    claims = judge_claims(content, [shown_text(one) for one in snippets])
    main = _main_claim(question, claims) if needs_citation else None
    for claim in reversed(claims):
        if not (claim.cited or claim is main) or proofs.cites_picture(claim):
            continue
        if claim.supported and any(proofs.is_of_asked(claim, one) for one in proofs.cited(claim)):
            continue
        proof = next(proofs.proving(claim), None)
        taken_off += proof is None and bool(claim.cited)
        number = None if proof is None else next(at for at, one in enumerate(snippets, start=1) if one is proof)
        content = content[: claim.start] + _marked(claim.text, number) + content[claim.end :]
    return replace(_renumbered(content, snippets), taken_off=taken_off)


def _renumbered(content: str, snippets: Sequence[Snippet]) -> CitedText:
    order = list(dict.fromkeys(int(number) for number in CITATION.findall(content)))
    place = {number: at for at, number in enumerate(order, start=1)}
    text = CITATION.sub(lambda found: f"[Source {place[int(found[1])]}]", content)
    return CitedText(text, tuple(snippets[number - 1] for number in order))


def _citing(told: StructuredAnswer, text: CitedText) -> StructuredAnswer:
    """Return an answer with a text in place of its own, and the sources of that text."""
    answer = replace(
        told,
        answer=text.content,
        ref_id=tuple(dict.fromkeys(one.document_id for one in text.sources)),
        cited_nodes=tuple(one.node_id for one in text.sources),
    )
    return warned(answer, _taken_off(text.taken_off) if text.taken_off else None)


def _taken_off(count: int) -> str:
    said = "One citation was" if count == 1 else f"{count} citations were"
    return f"{said} taken off, as no passage says what stands before."


def is_answered_at_once(question: str) -> bool:
    """Return whether a single statement answers a question, and no reason, summary, sum or choice does."""
    form = read_question(Question("", question))
    is_single = form.kind in ("number", "year", "name") and not form.operation
    return is_single and not asks_for_explanation(question) and not asks_for_whole(question)


def is_settled(question: str, value: str) -> bool:
    """Return whether no further sentence can become the main one: a question for an amount waits for a number.

    >>> [is_settled("How many kg does it weigh?", value) for value in ("It is old.", "4")], is_settled("Who is it?", "Ann")
    ([False, True], True)
    """
    return read_question(Question("", question)).kind != "number" or bool(numbers(value) - numbers(question))


def _main_claim(question: Question, claims: Sequence[Claim]) -> Claim | None:
    """Return the sentence that answers: the first that cites; for an amount the first with another number than the question."""
    is_amount = read_question(question).kind == "number"
    told = [one for one in claims if is_amount and numbers(one.bare) - numbers(question.text)]
    return next(iter([*told, *(one for one in claims if one.cited), *claims]), None)


def _value_of(question: Question, sentence: str) -> str:
    """Return the value that a sentence says: the only number that its question does not name, else what the reader reads.

    Of a claim it is the verdict.
    """
    if is_claim(question.text):
        return normalise_answer(question.text, sentence)
    told, form = numbers(_plain(sentence)) - numbers(_plain(question.text)), read_question(question)
    is_plain = stated_scale(question.text) is None and (question.unit is None or question.unit in sentence)
    return next(iter(told)) if form.kind == "number" and is_plain and len(told) == 1 else said_value(question, sentence)


def _plain(text: str) -> str:
    return with_decimal_points(text) if has_decimal_commas(text) else text


def _says_more(question: Question, claim: Claim, proofs: Proofs) -> bool:
    """Return whether a sentence says something that its question does not; "the sources do not say" has no word of a source.

    Yes and no, true and false are told by words of the question alone; so may be a reason.
    """
    if numbers(claim.bare) - numbers(question.text) or is_verdict(claim.bare):
        return True
    said = content_stems(claim.bare).keys() - content_stems(question.text).keys()
    known = {word for one in proofs.cited(claim) or proofs.snippets for word in content_stems(shown_text(one))}
    return len(said & known) > _LEAST_NEW * len(said)


def _marked(sentence: str, number: int | None) -> str:
    """Return a sentence that cites `number` alone, before its full stop; nothing if it is None."""
    bare = re.sub(r"\s+([.!?,;:])", r"\1", re.sub(r"\s*" + CITATION.pattern, "", sentence)).rstrip()
    if number is None:
        return bare
    end = len(bare.rstrip(".!?"))
    return f"{bare[:end]} [Source {number}]{bare[end:]}"


_LEAST_NEW = 0.5  # of the words that a sentence adds to its question, which more of its sources than that must have
