"""Whether a statement is about another thing than the question: the Aurora lamp, not the Polaris lamp."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from kohaku_lib.answering.citing.quotes import find_quote
from kohaku_lib.answering.extractive.reader.tables import Table, blocks_of
from kohaku_lib.answering.extractive.text import Token, carries_content, statement_spans, term_of, tokens_of
from kohaku_lib.tables import Snippet, StructuredAnswer
from kohaku_lib.text.word_lists import words


@dataclass(frozen=True, slots=True)
class AskedThings:
    """What tells the things of a question from others of their kind.

    `names` are the stems of a name and of the noun beside it, and whether the name comes first: codes such as "B1", and of
    other names those alone that the documents call so, as "the Smith contract" may be called the employment contract there.
    """

    text: str
    names: frozenset[tuple[str, str, bool]]

    @classmethod
    def of(cls, question: str, texts: Sequence[str]) -> AskedThings:
        """Return the things of a question over documents that say `texts`."""
        named = set(_named_things(tokens_of(question)))
        known = {pair for text in texts if named for pair in _pairs(tokens_of(text))}
        return cls(question, frozenset(one for one in named if one in known or _is_code(one[0])))

    def are_other(self, statement: str, before: Sequence[str] = (), place: str = "") -> bool:
        """Return whether `statement` names another thing beside the same noun, the other rank, or the way back.

        A statement that begins with a pronoun is about what the sentences `before` it name last. What is said in its
        `place`, the title and the headings above it, need not be said again.

        >>> asked = AskedThings.of("What does the Polaris lamp weigh?", ["The Polaris lamp is new."])
        >>> asked.are_other("The Aurora lamp weighs 1.2 kg."), asked.are_other("The lamp weighs 2 kg.")
        (True, False)
        >>> asked.are_other("It weighs 1.2 kg.", ["The Aurora lamp costs 59 EUR."])
        True
        >>> AskedThings.of("What does the C1 course cost?", []).are_other("The B1 course costs 310 EUR.")
        True
        >>> AskedThings.of("Who is the chair?", []).are_other("Deputy chair: Ann Lee.")
        True
        >>> AskedThings.of("What does delivery to Norway cost?", []).are_other("Delivery from Norway costs 20 EUR.")
        True
        """
        asked, told = tokens_of(self.text), tokens_of(statement)
        is_referring = bool(told) and told[0].surface.lower() in _PRONOUNS
        said = [told, *(tokens_of(sentence) for sentence in reversed(before if is_referring else ()))]
        placed = {token.stem for token in tokens_of(place)}
        return (
            any(_is_other_name(*one, asked, said) for one in self.names if one[0] not in placed)
            or _is_other_rank(asked, told, placed)
            or _is_way_back(self.text, statement)
        )

    def is_other_line(
        self, line: str, cells: Sequence[tuple[str, str]] = (), before: Sequence[str] = (), place: str = ""
    ) -> bool:
        """Return whether a sentence, an item, or a row with `cells` is about another thing; see the rules for each."""
        return self.is_other_entry(line, cells) or self.are_other(line, before, place)

    def is_other_entry(self, line: str, cells: Sequence[tuple[str, str]] = ()) -> bool:
        """Return whether a row with `cells`, or the label of a list's item, has another key than the question names.

        >>> AskedThings.of("Who leads project 3?", []).is_other_entry("- Project 4: Ann Lee")
        True
        """
        return self.is_other_row(cells or _label_of(line))

    def is_other_row(self, cells: Iterable[tuple[str, str]]) -> bool:
        """Return whether a row has another key in the column of the noun that the question names its own key by.

        `cells` are the column and the text of each. A key is a code, or a whole number in the first column; a year is none.

        >>> asked = AskedThings.of("Who is the contact of station S003?", [])
        >>> asked.is_other_row([("Station", "S096"), ("Contact", "Person 3")])
        True
        >>> asked.is_other_row([("Station", "S003"), ("Contact", "Person 3")])
        False
        """
        asked = [(term_of(noun), key) for noun, text in _KEY.findall(self.text) if (key := _key_of(text))]
        row = [({token.stem for token in tokens_of(column)}, _key_of(text)) for column, text in cells] if asked else []
        return any(
            noun in column and other and (other.isdecimal() == key.isdecimal()) and not (key.isdecimal() and place)
            for noun, key in asked
            if all(key != own for _, own in row)
            for place, (column, other) in enumerate(row)
        )


def is_answer_of_another_thing(question: str, answer: StructuredAnswer, snippets: Sequence[Snippet]) -> bool:
    """Return whether the quote of an answer is about another thing, read with the sentences before it in its snippet.

    A quoted row is read with the columns of its table.
    """
    place = find_quote(answer.quote, snippets) if answer.quote else None
    if place is None:
        return False
    text = place.snippet.text
    before = [text[start:end] for start, end in statement_spans(text) if end <= place.char_start]
    start = text.rfind("\n", 0, place.char_start) + 1
    is_item = _BULLET.fullmatch(text, start, place.char_start) is not None  # which a quote may leave out
    quote = text[start if is_item else place.char_start : place.char_end]
    asked = AskedThings.of(question, [snippet.text for snippet in snippets])
    return asked.is_other_line(quote, _cells_of(quote, text), before, place.snippet.place)


def names_thing(text: str, documents: Sequence[str]) -> bool:
    """Return whether a text names a thing beside its noun, by a code or as the texts of `documents` do."""
    return bool(AskedThings.of(text, documents).names)


def _cells_of(quote: str, text: str) -> Sequence[tuple[str, str]]:
    """Return the column and the text of each cell of the row that a quote is or is part of; () for none and for several."""
    tables = [block for block in blocks_of(text) if isinstance(block, Table)] if "|" in quote else []
    rows = [(table, row) for table in tables for row in table.rows if row.line in quote or quote.strip() in row.line]
    return tuple(zip(rows[0][0].columns, rows[0][1].cells, strict=True)) if len(rows) == 1 else ()


def _label_of(line: str) -> Sequence[tuple[str, str]]:
    """Return the noun and the key at the head of a list's item: "- Project 4: …"."""
    label = _LABEL.match(line)
    return ((label["noun"], label["key"]),) if label else ()


def _named_things(tokens: Sequence[Token]) -> Iterator[tuple[str, str, bool]]:
    for first, second in pairwise(tokens):
        if second.start - first.end != 1:
            continue
        if _is_name(first) and _is_noun(second):
            yield first.stem, second.stem, True
        elif _is_noun(first) and _is_name(second):
            yield second.stem, first.stem, False


def _pairs(tokens: Sequence[Token]) -> Iterator[tuple[str, str, bool]]:
    for first, second in pairwise(tokens):
        yield first.stem, second.stem, True
        yield second.stem, first.stem, False


def _is_name(token: Token) -> bool:
    """Return whether a word is written as a name; the first of a text is capital whatever it is."""
    is_marked = token.start > 0 and token.surface[0].isupper() and carries_content(token.surface)
    return is_marked or (token.surface[0].isalpha() and any(sign.isdigit() for sign in token.surface))


def _is_code(name: str) -> bool:
    """Return whether a name has letters and digits: a course C1 that no document names is none that they describe."""
    return any(map(str.isalpha, name)) and any(map(str.isdigit, name))


def _is_noun(token: Token) -> bool:
    return (
        token.surface.islower()
        and token.surface.isalpha()
        and len(token.surface) > 2
        and carries_content(token.surface)
    )


def _is_other_name(
    name: str, noun: str, is_first: bool, asked: Sequence[Token], said: Sequence[Sequence[Token]]
) -> bool:
    """Return whether the sentences, the nearest first, say `noun` beside a name of their own before they say `name`."""
    known = {token.stem for token in asked}
    for tokens in said:
        if any(token.stem == name for token in tokens):
            return False
        if any(_is_name(own) and own.stem not in known for own in _beside(noun, tokens, is_first)):
            return True
    return False


def _beside(noun: str, tokens: Sequence[Token], is_first: bool) -> Iterator[Token]:
    """Yield the words that stand where the name of `noun` would."""
    for first, second in pairwise(tokens):
        if second.start - first.end == 1 and (second if is_first else first).stem == noun:
            yield first if is_first else second


def _is_other_rank(asked: Sequence[Token], told: Sequence[Token], placed: set[str]) -> bool:
    """Return whether one of question and statement means a deputy, and the other names the office without."""
    has_rank = any(token.stem in _DEPUTY for token in told) or bool(placed & _DEPUTY)
    offices = _offices(asked)
    if offices:
        return not has_rank and any(token.stem in offices for token in told)
    if any(token.stem in _DEPUTY for token in asked) or placed & _DEPUTY:
        return False
    bare = {token.stem for token in told[:1]}
    bare |= {second.stem for first, second in pairwise(told) if first.stem not in _DEPUTY}
    nouns = {token.stem for token in asked if carries_content(token.surface)}
    return bool((_offices(told) & nouns) - bare)


def _key_of(text: str) -> str | None:
    """Return a code or a whole number as keys are compared, without case and leading zeros; None for what is neither."""
    key = text.strip().rstrip(".")
    return key.casefold().lstrip("0") or "0" if _IS_KEY.fullmatch(key) and not _IS_YEAR.fullmatch(key) else None


def _offices(tokens: Sequence[Token]) -> set[str]:
    return {
        second.stem for first, second in pairwise(tokens) if first.stem in _DEPUTY and second.start - first.end == 1
    }


def _is_way_back(question: str, statement: str) -> bool:
    told = {(noun.lower(), way, name) for noun, way, name in _WAY.findall(statement)}
    return any(
        (noun.lower(), _BACK[way], name) in told and (noun.lower(), way, name) not in told
        for noun, way, name in _WAY.findall(question)
        if not _DISTANCE.search(question)
    )


_PRONOUNS = words("it its he she his her they their this these er sie es sein seine ihr ihre dieser diese dieses")
_DEPUTY = {token.stem for token in tokens_of("deputy vice stellvertretende stellvertretender stellvertretenden stellv")}
_KEY = re.compile(r"\b([^\W\d_]{3,})(?= ([A-Za-z\d][\w./-]*))")
_BULLET = re.compile(r"\s*[-*•▪◦–]\s+")
_LABEL = re.compile(r"\s*[-*•▪◦–]\s+(?P<noun>[^\W\d_]{3,}) (?P<key>[A-Za-z\d][\w./-]*?)(?=[:,;)]|\s[-–]\s|\s*$)")
_IS_KEY = re.compile(r"\d+|(?=\S*\d)[A-Za-z][A-Za-z\d.-]*")
_IS_YEAR = re.compile(r"(?:19|20)\d\d")
_WAY = re.compile(r"\b([A-Za-z]+) (to|from) ([A-Z]\w+)")
_DISTANCE = re.compile(r"\b(?:how far|distance)\b", re.IGNORECASE)
_BACK = {"to": "from", "from": "to"}
