"""Language codes of documents, from their metadata."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

# ISO 639-2, the terminological and the bibliographic code, for the languages whose words or sentences have rules here.
_CODES = (
    "ar:ara ca:cat cs:ces,cze da:dan de:deu,ger el:ell,gre en:eng eo:epo es:spa et:est eu:eus,baq fa:fas,per fi:fin "
    "fr:fra,fre ga:gle hi:hin hu:hun hy:hye,arm id:ind it:ita ja:jpn ko:kor lt:lit nb:nob ne:nep nl:nld,dut nn:nno "
    "no:nor pl:pol pt:por ro:ron,rum ru:rus sr:srp st:sot sv:swe ta:tam tr:tur yi:yid zh:zho,chi"
)
_SHORT_BY_LONG = {
    long: short for short, _, longs in (pair.partition(":") for pair in _CODES.split()) for long in longs.split(",")
}
_CODE = re.compile(r"\s*([A-Za-z]{2,3})(?=\s*$|[-_])")


def language_of(metadata: Mapping[str, Any]) -> str | None:
    """Return the ISO 639 code in `language` of a document's metadata, without its region; None if there is none.

    A three-letter code is replaced by the two-letter code of the same language.

    >>> language_of({"language": "de-AT"}), language_of({"language": "eng"}), language_of({"language": "several"})
    ('de', 'en', None)
    """
    code = _CODE.match(str(metadata.get("language") or ""))
    return _SHORT_BY_LONG.get(code[1].lower(), code[1].lower()) if code else None
