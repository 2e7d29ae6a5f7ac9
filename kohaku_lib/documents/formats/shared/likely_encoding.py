"""Find the encoding in which bytes are most likely a text."""

from __future__ import annotations

import codecs
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import cache
from math import log
from typing import NamedTuple

import regex


class LikelyEncoding(NamedTuple):
    """An encoding, and whether another one is nearly as likely to give another text."""

    name: str
    is_unsure: bool


def likely_encoding(data: bytes) -> LikelyEncoding:
    """Return the encoding in which `data` is likeliest, by how often its languages have the characters that it gives.

    Windows-1252 is returned unless another one is clearly likelier. Words in two scripts, with a capital behind a small
    letter or with a sign inside are unlikely in all of them. The first 16,000 bytes from the line of the first byte
    beyond ASCII count.

    >>> likely_encoding("Склад открыт".encode("koi8-r")).name, likely_encoding("仓库在8点开门。".encode("gbk")).name
    ('koi8-u', 'gb18030')
    """
    sample = telling_part(data)
    is_wide = len(data) % 2 == 0
    found: list[tuple[float, str, str]] = []
    for name, languages in _LANGUAGES.items():
        is_utf16 = name.startswith("utf-16")
        own = data[:_LONGEST_SAMPLE] if is_utf16 else sample
        text = _decoded(own, name) if is_wide or not is_utf16 else None
        if text is None:
            continue
        score = _best_score(text, languages.split())
        gain = 0.0 if name == _USUAL else _LEAST_GAIN_OF_UTF16 if is_utf16 else _LEAST_GAIN
        found.append((score - gain, name, text))
    best = max(found, key=lambda one: one[0])
    others = [score for score, _, text in found if text != best[2]]
    return LikelyEncoding(best[1], bool(others) and best[0] - max(others) < _LEAST_GAIN)


def telling_part(data: bytes) -> bytes:
    r"""Return at most 16,000 bytes of `data` from the line of the first byte beyond ASCII.

    >>> telling_part(b"plain\ncaf\xe9\n")
    b'caf\xe9\n'
    """
    first = _BEYOND_ASCII.search(data)
    start = data.rfind(b"\n", 0, first.start() if first else 0) + 1
    return data[start : start + _LONGEST_SAMPLE]


def likelihood(text: str) -> float:
    r"""Return the logarithm of how likely `text` is in the language that suits it best.

    >>> likelihood("Déjà vu") > likelihood("DÃ©jÃ\xa0 vu")
    True
    """
    return _best_score(text, _LETTERS)


_LONGEST_SAMPLE = 16_000  # bytes; even, for UTF-16
_BEYOND_ASCII = re.compile(rb"[\x80-\xff]")
_USUAL = "windows-1252"
_LEAST_GAIN = 2.0  # natural logarithm of a likelihood
_LEAST_GAIN_OF_UTF16 = 16.0  # which explains any bytes
_COST_OF_ERROR = 4.0
_RARE, _CONTROL = log(1e-5), log(1e-7)
_ERRORS = regex.compile(
    r"\p{Ll}\p{Lu}|\p{L}[\p{S}\p{No}\p{Cc}¿¡§¶ªº\p{Co}--\s+$]+\p{Ll}|\p{Latin}[\p{Cyrillic}\p{Greek}\p{Hebrew}\p{Arabic}]"
    r"|[\p{Cyrillic}\p{Greek}\p{Hebrew}\p{Arabic}]\p{Latin}|[\uff61-\uff9f]|\p{Han}\p{Hangul}|\p{Hangul}\p{Han}",
    regex.VERSION1,
)
# The letters of languages from the most frequent; in CJK the characters that make up about half of a text.
_LETTERS = {
    "en": "etaoinsrhldcumfpgwybvkxjzq",
    "de": "enirstadhulgocmbfkwzpvüäößjyxqé",
    "fr": "esaitnrulodcpmévqfbghjàxyèêzçôùâîûïœëkw",
    "es": "eaosrnidltcumpbgvyqóhfíjzáéñúxüwk",
    "pt": "aeosridntmuclpvgqbfhãéçázjíêxóõâúôà",
    "it": "eaionlrtscdpumvghfbqzàèùòìéjkwxy",
    "nl": "enatirodslghvkmubpwjzcfëéïxyq",
    "nordic": "enratsildogkmvfäuphåbøöcjyæéþðáíóúxzwqý",
    "pl": "iaoezrnswcytdkmlpuągęłhóbjśżćńfźv",
    "cs": "oeantivlsrdkupímcházyjběéřýžčšůúgfťňóďäľôŕxw",
    "hu": "eatlnskrizáoémgydvbhjőöupócfíüúűxwq",
    "ro": "eiarntulcosădpmșşțţfvîbgâzhxjk",
    "balkan": "aioenrjstuvkdlmpgzbčšćhžcđf",
    "tr": "aeinrlıkdtmyusobüşzgçhğvcöpfjâî",
    "ru": "оеаинтсрвлкмдпуяыьгзбчйхжшюцщэфёъ",
    "uk": "оаинівтреслкдмупяьзгбчхйжїцюєшфщґ’",
    "balkan-cyrillic": "аиеонтрсвдлкпмзујгчяъбцшжхњщћљюєџф",
    "el": "αοιετσνηυρπκμλςίόδγάέθωήύχφβξζώψϊ",
    "he": "יוהלאמרתבשנעםדחקפסטכגצןזךץף",
    "ar": "المينروتبعدةهسفكقحجشصأطضخذثىغءئظزآإؤپچگ",
    "zh": "的一是不了在人有我他这个们中来上大为和国地到以说时要就出会可也你对生能而子那得于着下自之年过发后作里用道行所然家"
    "种事成方多"
    "经么去法学如都同现当没动面起看定天分还进好小部其些主样理心本前开但因只从想实日军者意无力它与长把机十民第公此已工"
    "使情明性知全三又关点正业外将两高间由问很最重并物手应战向头文体政美相见被利什二等产或新己制身果加西斯月话合回特代"
    "内信表化老给世位次度门任常先海通教儿原东声提立及比员解水名真论处走义各入几口认条平系气题活尔更别打女变四神总何电"
    "数安少报才结反受目太量再感建务做接必场件计管期市直德资命山金指克许统区保至队形社便空决治展马科司五基眼书非则听白"
    "却界达光放强即像难且权思王象完设式色路记南品住告类求据程北边死张该交规万取拉格望觉术领共确传师观清今切院让识候带"
    "导争运",
    "zh-tw": "的一是不了在人有我他這個們中來上大為和國地到以說時要就出會可也你對生能而子那得於著下自之年過發後作裡用道行所然家"
    "種事成方多"
    "經麼去法學如都同現當沒動面起看定天分還進好小部其些主樣理心本前開但因只從想實日者意無力它與長把機十民第公此已工使"
    "情明性知全三又關點正業外將兩高間由問很最重並物手應向頭文體",
    "ja": "のにはをたがでていとしるなれさもかすらあっこりまうくよきんめおけそつだやえどわちみせじばへびずろほげむべ。、ーン"
    "スルトリイアラクドシレジタフロカテマィグバムプオコデニウサメビ"
    "日一国会人年大十二本中長出三同時政事自行社見月分議後前民生連五発間対上部東者党地合市業内相方四定今回新場金員九入"
    "選立開手米力学問高代明実円関決子動京全目表戦経通外最言氏現理調体化田当八六約主題下首意法不来作性的要用制治度務強"
    "気小七成期公持野協取都和統以機平総加山思家話世受区領多県続進正安設保改数記院女初北午指権心界支第産結百派点教報済"
    "書府活原先共得解名交資予川向際査勝面委告軍文反元重近千考判認画海参売利組知案道信策集在件団別物側任引使求所次水半"
    "品昨論計死官増係感特情投示変打男基私各始島直両朝革価式確村提運終挙果西勢減台広容必応演電歳住争談能無再位置企真流"
    "格有疑口過局少放税検藤町常校料沢裁状工建語球営空職証土",
    "ko": "이다는을에의가한로고하지사기은도를리자시어서인대으나해일아그과정수라여있만부제적전상보들것장원주구성동안게스면경"
    "국공신우미중연용위",
}
_LANGUAGES = {
    _USUAL: "en de fr es pt it nl nordic",
    "cp1250": "pl cs hu ro balkan",
    "iso8859-2": "pl cs hu ro balkan",
    "cp1254": "tr",
    "cp1251": "ru uk balkan-cyrillic",
    "koi8-u": "ru uk",
    "iso8859-5": "ru uk balkan-cyrillic",
    "cp866": "ru",
    "cp1253": "el",
    "iso8859-7": "el",
    "cp1255": "he",
    "cp1256": "ar",
    "gb18030": "zh",
    "cp950": "zh-tw",
    "cp932": "ja",
    "euc_jp": "ja",
    "cp949": "ko",
    "utf-16-le": " ".join(_LETTERS),
    "utf-16-be": " ".join(_LETTERS),
}
# Characters that a language has beside its frequent ones: their codec, the first bytes and the share of each.
_COMMON = {
    "zh": ("gb2312", 0xB0, 0xD7),
    "zh-tw": ("big5", 0xA4, 0xC6),
    "ja": ("shift_jis", 0x88, 0x97),
    "ko": ("euc_kr", 0xB0, 0xC8),
}
_SHARE_OF_COMMON = 0.3 / 3000
_SIGNS = "–—‘’“”„…«»€°§·•、。「」，：；（）？！《》№\u00a0\u3000"


def _decoded(data: bytes, name: str) -> str | None:
    """Return `data` as text, but for a character that its end cuts; None if it is no text in this encoding."""
    if name == _USUAL:
        return data.decode(name, "replace")
    try:
        return codecs.getincrementaldecoder(name)().decode(data)
    except UnicodeDecodeError:
        return None


def _best_score(text: str, languages: Iterable[str]) -> float:
    errors = sum(1 for _ in _ERRORS.finditer(text))
    counts = Counter(text.lower())
    return max(_score(counts, language) for language in languages) - errors * _COST_OF_ERROR


def _score(counts: Counter[str], language: str) -> float:
    """Return the logarithm of the likelihood of characters in a language."""
    chances = _chances(language)
    return sum(count * (chances.get(sign) or _other(sign, language)) for sign, count in counts.items())


@cache
def _chances(language: str) -> Mapping[str, float]:
    letters = _LETTERS[language]
    is_wide = language in _COMMON
    total = sum(1 / (rank + 4) for rank in range(len(letters)))
    own = {letter: log((0.6 if is_wide else 0.75) / (rank + 4) / total) for rank, letter in enumerate(letters)}
    latin = {chr(code): log(0.05 / 26) for code in range(0x61, 0x7B)}
    ascii_signs = {chr(code): log(0.05 / 40) for code in range(0x20, 0x7F) if not chr(code).isalpha()}
    signs = {sign: log(0.02 / len(_SIGNS)) for sign in _SIGNS}
    blanks = {
        " ": log(0.01 if is_wide and language != "ko" else 0.14),
        "\n": log(0.02),
        "\r": log(0.02),
        "\t": log(0.005),
    }
    return {**latin, **ascii_signs, **signs, **blanks, **own}


def _other(sign: str, language: str) -> float:
    if sign in "\ufffd\ufeff" or ord(sign) < 0x20 or 0x7F <= ord(sign) < 0xA0:
        return _CONTROL
    if language in _COMMON:
        codec, low, high = _COMMON[language]
        if (
            low <= sign.encode(codec, "ignore")[:1].rjust(1, b"\0")[0] <= high
            and len(sign.encode(codec, "ignore")) == 2
        ):
            return log(_SHARE_OF_COMMON)
    return _RARE
