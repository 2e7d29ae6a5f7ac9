"""Which passages prove a sentence: they say it, of the year and the thing that it is about."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kohaku_lib.answering.cited.grounding import CITATION, Claim, is_supported
from kohaku_lib.answering.citing.other_thing import is_answer_of_another_thing, names_thing
from kohaku_lib.answering.citing.other_year import is_answer_of_another_year, names_year
from kohaku_lib.answering.citing.source import shown_text
from kohaku_lib.answering.coverage.content_words import content_stems, numbers
from kohaku_lib.answering.extractive.text import statement_spans
from kohaku_lib.answering.figures import FigureSnippet
from kohaku_lib.tables import Question, Snippet, StructuredAnswer


class Proofs:
    """The passages that a text may cite, `snippets`, as proofs of its sentences; [Source N] is the N-th."""

    def __init__(self, question: Question, snippets: Sequence[Snippet]) -> None:
        self._question, self.snippets = question, snippets

    def cited(self, claim: Claim) -> Sequence[Snippet]:
        """Return the passages that a sentence cites."""
        return [self.snippets[number - 1] for number in claim.cited if number <= len(self.snippets)]

    def cites_picture(self, claim: Claim) -> bool:
        """Return whether a sentence cites a figure that the model was shown, whose text does not tell what it shows."""
        return any(isinstance(one, FigureSnippet) and one.searched for one in self.cited(claim))

    def stating(self, claim: Claim) -> Iterator[Snippet]:
        """Yield the passages that have the numbers and words of a sentence, those that it cites before the others."""
        yield from (one for one in [*self.cited(claim), *self.snippets] if is_supported(claim.text, shown_text(one)))

    def proving(self, claim: Claim) -> Iterator[Snippet]:
        """Yield the passages that state a sentence of the year and the thing that it is about."""
        yield from (one for one in self.stating(claim) if self.is_of_asked(claim, one))

    def is_of_asked(self, claim: Claim, snippet: Snippet) -> bool:
        """Return whether a passage is about the year and the thing of a sentence; of its question where it names none.

        >>> shown = [Snippet("d:p1", "d", "D", 1, "In 2023 the Polaris lamp took 4 kWh.", 1, 1.0)]
        >>> proofs = Proofs(Question("q", "How much did the Polaris lamp take in 2021 and in 2023?"), shown)
        >>> [proofs.is_of_asked(Claim(f"In {year} it took 4 kWh [Source 1].", (1,), True), shown[0]) for year in (2021, 2023)]
        [False, True]
        """
        bare, texts = claim.bare, [snippet, *self.snippets]
        proof = StructuredAnswer(bare, bare, (snippet.document_id,), "", nearest_sentence(claim, snippet.text))
        asked = bare if names_year(bare) else self._question.text
        if is_answer_of_another_year(asked, proof, [snippet]):
            return False
        asked = bare if names_thing(bare, [one.text for one in texts]) else self._question.text
        return not is_answer_of_another_thing(asked, proof, texts)


def nearest_sentence(claim: Claim, text: str) -> str:
    """Return the first of the sentences of `text` that share the most numbers and words with a claim."""
    bare = CITATION.sub("", claim.text)
    own, words = numbers(bare), content_stems(bare).keys()
    sentences = [text[start:end] for start, end in statement_spans(text)] or [text]
    return max(sentences, key=lambda one: (len(own & numbers(one)), len(words & content_stems(one).keys())))
