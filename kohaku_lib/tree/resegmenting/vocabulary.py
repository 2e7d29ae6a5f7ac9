"""Word counts of one document, which decide how its broken words are repaired.

The texts are pages extracted elsewhere, as in payload JSON. Our own PDF text has stricter rules of its own, in
`kohaku_lib.documents.formats.pdf.text.hyphens` and `split_words`: it keeps soft hyphens, which here are plain ones, and its
words are split at their end only.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import chain

from kohaku_lib.text.hanging_hyphens import hangs
from kohaku_lib.tree.resegmenting.page_lines import PageLine

_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
# A search that could begin within a word would read the rest of a very long one from each of its letters.
_COMPOUND = re.compile(r"(?<![^\W_])[^\W_]+(?:-[^\W_]+)+")
_PAIR = re.compile(r"\b([^\W\d_]+)(?= ([^\W\d_]+)\b)")
# Beginning with the blank itself, they are searched for at blanks alone.
_SPACE_BEFORE = re.compile(r" (?<=[\w)\]”’%.] ) *(?=[,;:!?.)\]](?:[\s,;:.)\]]|$))")
_SPACE_AFTER = re.compile(r" (?<=[(\[] ) *(?=\w)")
_CHEMISTRY = re.compile(r"\b(CO|NO|SO|CH|N) ([2-4])(?: ?(eq?)\b|\b)")
_LAST = re.compile(r"([^\W_]+(?:-[^\W_]+)*)-$")
_BROKEN = re.compile(r"(?:(?<![^\W_])[^\W_]+)?(?:-[^\W_]+){0,20}-\n[^\W_]*(?:-[^\W_]+)*")
_FIRST = re.compile(r"[^\W_]+(?:-[^\W_]+)*")


class WordCounts:
    """Counts of the words, compounds and neighbouring words of a document.

    A word that is hyphenated at the end of a line is not counted, since it is what the counts decide about.

    >>> words = WordCounts([PageLine("The trade-off is training; training is a trade-off. R esearch on research.", 1)])
    >>> words.join(["A trade-", "off in train-", "ing costs."])
    'A trade-off in training costs.'
    >>> WordCounts([PageLine("R esearch is research, and Research.", 1)]).mend("R esearch")
    'Research'
    """

    def __init__(self, lines: Iterable[PageLine]) -> None:
        text = _BROKEN.sub("\n", "\n".join(line.text for line in lines).lower())
        self._words: Counter[str] = Counter(_WORD.findall(text))
        hyphenated = (piece for piece in text.split() if "-" in piece)
        self._compounds: Counter[str] = Counter(chain.from_iterable(map(_COMPOUND.findall, hyphenated)))
        self._pairs: Counter[tuple[str, str]] = Counter(_PAIR.findall(text))
        self._splits = {pair for pair, count in self._pairs.items() if self._is_split(pair, count)}
        self._split_texts = [" ".join(pair) for pair in self._splits]

    def mend(self, text: str) -> str:
        """Return `text` without spurious blanks inside words or before punctuation.

        Two pieces are joined if the document contains the joined word more than once and one of the pieces
        nowhere else.
        """
        text = _SPACE_AFTER.sub("", _SPACE_BEFORE.sub("", _CHEMISTRY.sub(r"\1\2\3", text)))
        lowered = text.lower()
        if not any(split in lowered for split in self._split_texts):
            return text
        cuts = [
            match.end(1)
            for match in _PAIR.finditer(text)
            if (match[1].lower(), match[2].lower()) in self._splits and match[2][:1].islower() | match[1].isupper()
        ]
        for cut in reversed(cuts):
            text = text[:cut] + text[cut + 1 :]
        return text

    def join(self, lines: Sequence[str]) -> str:
        """Return `lines` as running text: words cut at a line's end become whole again."""
        text = ""
        for line in lines:
            text = self.join_line(text, line)
        return text

    def join_line(self, text: str, line: str) -> str:
        """Return `text` followed by `line`."""
        if not text:
            return line
        cut = _LAST.search(text[-60:]) if text.endswith("-") else None
        start = _FIRST.match(line)
        if cut and start:
            if not self._words[f"{cut[1]}{start[0]}".lower()] and hangs(cut[1], line):
                return f"{text} {line}"
            return text[:-1] + line if self._drops_hyphen(cut[1], start[0]) else text + line
        glue = "" if text.endswith(("(", "[", "https:", "http:", "/")) and not line.startswith("(") else " "
        return text + glue + line

    def _drops_hyphen(self, left: str, right: str) -> bool:
        if not right[0].islower() or not left[-1].isalpha():
            return False
        left, right = left.lower(), right.lower()
        tail, head = left.rsplit("-", 1)[-1], right.split("-", 1)[0]
        whole, compound = self._words[tail + head], self._compounds[f"{left}-{right}"]
        if whole or compound:
            return whole >= compound
        if "-" in left or "-" in right:
            return False
        return not (min(len(tail), len(head)) >= 4 and self._words[tail] and self._words[head])

    def _is_split(self, pair: tuple[str, str], count: int) -> bool:
        left, right = pair
        initial = len(left) == 1 and left not in "ai"
        if self._words[left + right] < (1 if initial else 2) or self._words[left + right] < count / 2:
            return False
        return self._words[right] == count or (self._words[left] == count and len(left) > 1)
