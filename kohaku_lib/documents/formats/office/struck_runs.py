"""Take the struck-out text out of slides."""

from __future__ import annotations

from itertools import groupby
from typing import Any

from kohaku_lib.documents.formats.shared.struck_text import remainder

_DRAW = "{http://schemas.openxmlformats.org/drawingml/2006/main}"


def take_struck_runs(part: Any) -> list[str]:
    """Empty the struck-out runs of the paragraphs below an element of DrawingML, and return their texts.

    >>> from lxml import etree
    >>> runs = '<a:r><a:t>24 or </a:t></a:r><a:r><a:rPr strike="sngStrike"/><a:t>30</a:t></a:r>'
    >>> part = etree.fromstring(f'<a:p xmlns:a="{_DRAW.strip("{}")}">{runs}</a:p>')
    >>> take_struck_runs(part), "".join(part.itertext())
    (['30'], '24 or ')
    """
    texts: list[str] = []
    for paragraph in part.iter(f"{_DRAW}p"):
        runs = [run for run in paragraph.iterchildren(f"{_DRAW}r", f"{_DRAW}fld") if run.findtext(f"{_DRAW}t")]
        stretches = [
            (is_struck, [run.find(f"{_DRAW}t") for run in group]) for is_struck, group in groupby(runs, _is_struck)
        ]
        for at, (is_struck, words) in enumerate(stretches):
            if is_struck:
                text = "".join(word.text for word in words)
                after = stretches[at + 1][1][0].text if at + 1 < len(stretches) else ""
                for word in words:
                    word.text = ""
                words[0].text = remainder(text, after)
                texts.append(" ".join(text.split()))
    return [text for text in texts if text]


def _is_struck(run: Any) -> bool:
    properties = run.find(f"{_DRAW}rPr")
    return properties is not None and properties.get("strike", "noStrike") != "noStrike"
