"""The words of a text in any script; n-grams of characters where a script has no blanks between words."""

from __future__ import annotations

import regex

from kohaku_lib.text.equal_signs import equal_words

# Scripts without blanks between words, by the length of the n-grams that stand for words: the analysers of Lucene take
# two characters of Chinese, Japanese and Korean. A Thai syllable takes more, as its vowels and tones are characters.
_LENGTHS = {
    2: r"\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}ー",
    3: r"\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}",
}
_UNSPACED = "".join(_LENGTHS.values())
_LETTER = rf"[[\p{{L}}\p{{N}}]--[{_UNSPACED}]]"
_WORD = rf"{_LETTER}[[\p{{L}}\p{{N}}\p{{M}}]--[{_UNSPACED}]]*"
# Letters and digits with single joiners inside (gpt-3, 4.3, o'neill, km/h), or all characters of a script without blanks
# in a row.
WORD = regex.compile(
    rf"(?V1){_WORD}(?:[\-‐‑.,/'’+\&]{_WORD})*" + "".join(rf"|(?P<n{n}>[{of}]+)" for n, of in _LENGTHS.items())
)
_IDEOGRAPH = regex.compile(r"\p{Script=Han}")
_POSSESSIVE = regex.compile(r"(?<=\w)'s\b")


def tokens(text: str) -> list[str]:
    """Return the words and numbers of `text`, normalised (NFKC) and in lower case; compounds are one token.

    In scripts without blanks between words, overlapping n-grams of characters stand for the words: pairs of Chinese,
    Japanese and Korean, triples of Thai, Lao, Khmer and Burmese. Every Chinese character is a token too, since most are
    words or the stem of one. A shorter sequence is one token.

    >>> tokens("Boeing's GPT-3")
    ['boeing', 'gpt-3']
    >>> tokens("GPT-3は12%速い"), tokens("ราคา"), tokens("हिंदी में")
    (['gpt-3', 'は', '12', '速い', '速'], ['ราค', 'าคา'], ['हिंदी', 'में'])
    """
    plain = _POSSESSIVE.sub("", equal_words(text))
    return [token for found in WORD.finditer(plain) for token in _words_or_n_grams(found)]


def _words_or_n_grams(found: regex.Match[str]) -> list[str]:
    characters = found[0]
    if found.lastgroup is None:
        return [characters]
    length = int(found.lastgroup[1:])
    n_grams = [characters[start : start + length] for start in range(max(1, len(characters) - length + 1))]
    return n_grams if len(characters) < length else [*n_grams, *_IDEOGRAPH.findall(characters)]
