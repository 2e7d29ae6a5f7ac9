"""The best supported name or term for a question that asks for no number."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from kohaku_lib.answering.reader.acronyms import find_expansion
from kohaku_lib.answering.reader.evidence import PHRASING, Evidence, Sentence
from kohaku_lib.answering.reader.finding import Finding
from kohaku_lib.answering.reader.nearness import nearness
from kohaku_lib.answering.reader.question import QuestionForm
from kohaku_lib.answering.reader.text import STOP_WORDS, content_stems, stem_of, tokens_of


@dataclass(frozen=True, slots=True)
class NameSpan:
    """A stretch of a sentence that may be a name, and how strongly its surroundings say that it is one."""

    text: str
    start: int
    end: int
    pattern: float


def find_name(form: QuestionForm, evidence: Evidence) -> Finding | None:
    """Return the name or term nearest to the question's terms that the question does not hold itself."""
    focus = focus_stems(form.text)
    asked = frozenset(form.stems)
    spelled = find_expansion(form, evidence)
    if spelled is not None:
        return spelled
    best: tuple[float, NameSpan, Sentence] | None = None
    echoes = frozenset(token.stem for name in form.entities for token in tokens_of(name)) - frozenset(focus)
    counts = Counter(span.text.lower() for sentence in evidence.sentences for span in name_spans(sentence.text))
    for sentence in evidence.sentences:
        for span in name_spans(sentence.text):
            if not _is_news(span.text, asked):
                continue
            score = _score(evidence, sentence, span, focus, counts) + _style_bonus(form, span)
            score += _place_bonus(form, sentence.text, span) - _echo_penalty(span, echoes)
            if best is None or score > best[0]:
                best = (score, span, sentence)
    if best is None:
        return None
    score, span, sentence = best
    name = _without_mark(span.text, counts)
    return Finding(name, sentence.text, (sentence.document_id,), min(1.0, score / 3), score, sentence.support)


def focus_stems(text: str) -> tuple[str, ...]:
    """Return the stems of what is asked for: the words after "what" or "which" up to the verb.

    >>> focus_stems("What is the name of the benchmark suite presented in 2025?")
    ('benchmark', 'suit')
    """
    match = _FOCUS.search(text)
    if match is None:
        return ()
    return tuple(stem for stem in content_stems(match.group(1)) if stem not in PHRASING)


def name_spans(text: str) -> Iterator[NameSpan]:
    """Yield the names of `text`: defined or introduced terms, quoted terms, capitalised runs, words with digits.

    >>> [span.text for span in name_spans("We present the ML.ENERGY Benchmark, a suite.")]
    ['ML.ENERGY Benchmark']
    """
    seen: set[tuple[int, int]] = set()
    for pattern, strength in _PATTERNS:
        for match in pattern.finditer(text):
            span = _trimmed(text, *match.span(1))
            if span is None or span in seen:
                continue
            seen.add(span)
            if not _CITATION_AFTER.match(text, span[1]):
                yield NameSpan(text[span[0] : span[1]], *span, strength)


_FOCUS = re.compile(
    r"\b(?:what|which)\s+(?:(?:is|are|was|were)\s+(?:the\s+)?)?(?:(?:name|term|title|type|kind|acronym)\s+(?:of|"
    r"for|given to|used for)\s+)?(?:the\s+|a\s+|an\s+)?"
    r"((?:[\w-]+\s+){0,4}?[\w-]+)(?=\s+(?:of|in|for|to|from|is|are|was|were|did|do|does|has|have|had|can|could|"
    r"by|with|that|which|used|presented|"
    r"proposed|introduced|developed|created|described|called|achieved|showed|on|at|as|would|should)\b|\s*[?,:])",
    re.IGNORECASE,
)
_UNITS = r"[kMGTm]?(?:Wh|W|J|B|g|s|L|Hz)(?:/\w+)?"
_CAPITAL = r"(?:[A-Z][\w]*(?:[.\-’'/&][\w]+)*|[a-z]+[A-Z]\w*|[A-Za-z]+-?\d[\w.]*\w|[A-Za-z]+\d)"
_RUN = rf"{_CAPITAL}(?:(?:\s|\s?-\s?)(?:(?:of|for|the|and)\s(?={_CAPITAL}))?(?:{_CAPITAL}|\d+(?:\.\d+)?[A-Za-z]*\b))*"
_PATTERNS: tuple[tuple[re.Pattern[str], float], ...] = (
    (
        re.compile(
            rf"\b(?:called|named|known as|termed|dub(?:bed)?|titled|entitled|referred to as|coined)\s+(?:the\s+|"
            rf"as\s+)?[\"“‘']?({_RUN}|[a-z][\w-]+(?:\s[a-z][\w-]+)?)"
        ),
        0.5,
    ),
    (
        re.compile(
            rf"\b(?:[Pp]resent|[Ii]ntroduce|[Pp]ropose|[Dd]evelop|[Rr]elease)(?:s|d|ed)?\s+(?:the\s+|a\s+|an\s+|"
            rf"our\s+)?({_RUN})"
        ),
        0.35,
    ),
    (
        re.compile(
            r"(?:^|[.;●•]\s*)([A-Z][\w-]+(?:\s[\w-]+){0,3}?)(?=(?:\s\([\w-]+\))?(?::\s?[A-Z]\w+ (?:is|are) defined\b|"
            r"\s(?:is|are) defined\b|\srefers to\b|\smeans\b))"
        ),
        0.5,
    ),
    (re.compile(r"(?:^|[●•]\s*)([A-Z][\w-]+(?:\s[\w-]+){0,3}?)(?=(?:\s\([\w-]+\))?:\s?(?:[A-Z]|a |an |the ))"), 0.2),
    (
        re.compile(
            r"^([A-Z][\w-]+(?:\s[a-z][\w-]+){1,2}?)(?=\s(?:is|are)\s(?:\w+ly\s)?(?:used|an?|the|known|defined)\b)"
        ),
        0.2,
    ),
    (re.compile(r"[\"“‘]([^\"”’]{3,60}?)[\"”’](?!\w)"), 0.2),
    (re.compile(rf"(?<![\w.-])((?>{_RUN}))(?=,? (?:is|was) an? |(?: \([\w-]+\))?, an? )"), 0.25),
    (re.compile(rf"(?<![\w.-])({_RUN})"), 0.1),
)
_TERM_ASKED = re.compile(r"\b(?:term|terminology|concept|called|phrase|known as)\b", re.IGNORECASE)
_NAME_ASKED = re.compile(r"\b(?:name|named|title|titled|who)\b", re.IGNORECASE)
_PROPER = re.compile(r"(?:[A-Z0-9]\S*\s)+[A-Z0-9]\S*|\S*[a-z0-9.]\S*[A-Z]\S*|[A-Z]{2,}\S*")
_WHERE_ASKED = re.compile(
    r"\bwhere\b|\b(?:what|which|name of the) (?:\w+ )?(?:country|state|city|town|county|region|continent|place|location)\b",
    re.IGNORECASE,
)
_WHO_ASKED = re.compile(r"\bwho(?:se|m)?\b|\bwhich (?:person|author|researcher|scientist)\b", re.IGNORECASE)
_LOCATED = re.compile(r"(?:\b(?:in|at|near|from|to|of|into|within)(?: the)? |, )$")
_ACTS = re.compile(r",? who\b")
_DIGIT = re.compile(r"\d")
_AMOUNT_BEHIND = re.compile(rf"\s\d[\d.,]*\s(?:{_UNITS})$")
_BY = re.compile(r"\bby(?: the)? $")
_ECHO = 0.5
_MARK = re.compile(r" ?\d{1,2}$")
_DATE = re.compile(
    r"(?:\d{1,2} )?(?:January|February|March|April|May|June|July|August|September|October|November|December)"
    r"(?: \d{1,4})?(?:,? \d{4})?"
)
_MEASURE = re.compile(rf"{_UNITS}|[kMG]?t?g?CO2?e?(?:q)?(?:/\w+)?|USD|FLOPs?|FLOPS|AI|ML|LLMs?|et al")
_CITATION_AFTER = re.compile(r"\s*(?:et al|and [A-Z]\w+,? \(?\d{4}|,?\s*\(?(?:19|20)\d{2}[a-z]?\)|\s&\s)")
_LEADING = re.compile(
    r"^(?:(?:The term|[Tt]erm|The|A|An|In|On|At|For|From|With|By|We|Our|This|These|Those|It|Its|However|"
    r"Moreover|While|When|As|To|Although|Both|"
    r"Since|If|Such|Each|Additionally|Furthermore|Similarly|Figure|Fig|Table|Section|Thus|Then|Here|There|Their|"
    r"Many|Most|Some|"
    r"After|Under|And|But|Or|Also|All|Using|Given|Based|First|Second|Finally|Given|No|Not|They|Because|Note|"
    r"Recent|Despite|Overall|Appendix|Equation|Eq)\b[\s,]*)+"
)


def _trimmed(text: str, start: int, end: int) -> tuple[int, int] | None:
    piece = text[start:end]
    lead = _LEADING.match(piece)
    start += lead.end() if lead else 0
    piece = _AMOUNT_BEHIND.sub("", text[start:end].rstrip(" ,.;:-"))
    end = start + len(piece)
    if len(piece) < 2 or piece.isdigit() or piece.lower() in STOP_WORDS:
        return None
    return start, end


def _is_news(text: str, asked: frozenset[str]) -> bool:
    stems = [token.stem for token in tokens_of(text) if token.surface.lower() not in STOP_WORDS]
    if _MEASURE.fullmatch(text) or _DATE.fullmatch(text):
        return False
    return bool(stems) and any(stem not in asked for stem in stems) and any(stem[0].isalpha() for stem in stems)


def _score(
    evidence: Evidence, sentence: Sentence, span: NameSpan, focus: tuple[str, ...], counts: Counter[str]
) -> float:
    near = nearness(evidence.stem_to_weight, sentence, (span.start, span.end))
    return (
        0.5 * sentence.own
        + 0.5 * sentence.support
        + 0.9 * near
        + span.pattern
        + _focus_bonus(sentence, span, focus)
        + 0.3 * evidence.document_to_share[sentence.document_id]
        + 0.1 / (1 + sentence.rank)
        + 0.03 * min(counts[span.text.lower()], 4)
        - _common_word_penalty(evidence, span)
    )


def _focus_bonus(sentence: Sentence, span: NameSpan, focus: tuple[str, ...]) -> float:
    """Return a bonus where the word for what is asked stands in the name or right beside it."""
    if not focus:
        return 0.0
    around = {token.stem for token in tokens_of(sentence.text[max(0, span.start - 25) : span.end + 25])}
    inside = {token.stem for token in tokens_of(span.text)}
    head = focus[-1]
    return 0.35 if head in inside else 0.25 if head in around else 0.0


def _style_bonus(form: QuestionForm, span: NameSpan) -> float:
    """Return a bonus for a defined term where a term is asked, for a proper name where a name is."""
    if _TERM_ASKED.search(form.text):
        return 0.3 if span.pattern >= 0.2 else 0.0
    return 0.25 if _NAME_ASKED.search(form.text) and _PROPER.fullmatch(span.text) else 0.0


def _place_bonus(form: QuestionForm, text: str, span: NameSpan) -> float:
    """Return a bonus for what follows "in" where a place is asked, for what follows "by" where a person is.

    A person is also told by "who" behind the name, and has no digit in it.
    A short form in brackets after the name it stands for is worth less than the name.
    """
    before = text[max(0, span.start - 12) : span.start]
    if re.search(r"[\w.]\s\($", before) and text[span.end : span.end + 1] == ")":
        return -0.4
    located = bool(_LOCATED.search(before))
    if _WHERE_ASKED.search(form.text):
        return 0.3 if located else 0.0
    if _WHO_ASKED.search(form.text):
        if _ACTS.match(text, span.end):
            return 0.4
        return 0.3 if _BY.search(before) else -0.3 if located or _DIGIT.search(span.text) else 0.0
    return 0.0


def _echo_penalty(span: NameSpan, echoes: frozenset[str]) -> float:
    """Return what a name loses by the share of its words that the question's own names hold: it is told by them."""
    stems = [token.stem for token in tokens_of(span.text)]
    return _ECHO * sum(stem in echoes for stem in stems) / max(1, len(stems))


def _without_mark(name: str, counts: Counter[str]) -> str:
    """Return `name` without the number that ends it, a footnote's mark, where it stands alone as well."""
    bare = _MARK.sub("", name)
    return bare if bare != name and counts[bare.lower()] >= counts[name.lower()] else name


def _common_word_penalty(evidence: Evidence, span: NameSpan) -> float:
    words = span.text.split()
    alone = len(words) == 1 and words[0][1:].islower() and words[0].isalpha()
    return 0.25 if alone and span.start == 0 and stem_of(words[0]) in evidence.stems else 0.0
