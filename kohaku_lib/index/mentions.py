"""Entities that the leaves mention, found by rule: no model, no network."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa

from kohaku_lib.digests import digest
from kohaku_lib.settings import GraphSettings
from kohaku_lib.storage import StagePart
from kohaku_lib.tables import MENTIONS, StageReport, empty_table

ENTITY_TYPES = (
    "PERSON",
    "ORGANIZATION",
    "PRODUCT",
    "CLAUSE",
    "DATE",
    "MONEY",
    "PERCENTAGE",
    "LOCATION",
    "TECHNICAL_TERM",
    "REGULATION",
    "OTHER",
)

_MONTH = (
    r"(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sept?(?:ember)?|Oct(?:ober)?"
    r"|Nov(?:ember)?|Dec(?:ember)?)\.?"
)
# Repeats are bounded where a search may begin anew within them: text without blanks must not take its length squared.
_NUMBER = r"\d+(?:,\d{3}){0,8}(?:\.\d+)?"
_SCALE = r"(?:\s?(?:thousand|million|billion|trillion|[kKMBT]n?)\b)?"
_UNIT = (
    r"(?:[kMGT]?Wh|[kMGT]?W|kilowatt-?hours?|megawatt-?hours?|watts?|joules?|[kMG]J|J|kg|g|tons?|tonnes?|lbs?|pounds?"
    r"|tCO2e?q?|kgCO2e?q?|gCO2e?q?|CO2e?q?|liters?|litres?|L|ml|gallons?|hours?|days?|minutes?|seconds?|ms|years?|km|miles?"
    r"|[GMTK]B(?:/s|ps)?|[GM]b/s|[GMTPE]?FLOPS?|GHz|MHz|nm|GPUs?|TPUs?|GPU[- ]hours?|parameters|tokens)"
)
_WORD = r"[A-Z][\w’'&-]{1,60}"
_NAME_START = (  # words that open a sentence rather than a name
    r"(?!(?:The|This|That|These|Those|We|Our|In|On|At|For|From|With|As|It|Its|An?|And|But|Or|If|When|While|To|Of|By"
    r"|However|Although|Since|Thus|Hence|Figure|Fig|Table|Section|Appendix|Eq|Equation|Note|Each|Both|All|Many|Most"
    r"|Some|Such|More|Another|Given|Using|Based|Also|Finally|First|Second|Third|One|Two|Three)\b)"
)

# The first pattern that matches at a place wins, so the narrow ones stand first.
_RULES = (
    ("MONEY", 0.9, rf"(?:US|CA|AU)?[$€£¥]\s?{_NUMBER}{_SCALE}|{_NUMBER}{_SCALE}\s(?:dollars|euros|USD|EUR)\b"),
    ("PERCENTAGE", 0.95, rf"{_NUMBER}\s?(?:%|percent\b|per cent\b)"),
    ("DATE", 0.9, rf"(?:\d{{1,2}}\s)?{_MONTH}\s(?:\d{{1,2}},?\s)?(?:19|20)\d\d\b|(?:19|20)\d\d-[01]\d-[0-3]\d\b"),
    (
        "REGULATION",
        0.8,
        rf"{_NAME_START}(?:{_WORD}\s){{1,5}}(?:Act|Directive|Regulation|Treaty|Agreement)\b|\bGDPR\b|\bHIPAA\b",
    ),
    ("CLAUSE", 0.8, r"(?:Article|Section|Clause|Annex|Recital)\s(?:\d+(?:\.\d+)*|[IVX]+)(?:\(\w\))*"),
    ("TECHNICAL_TERM", 0.8, rf"{_NUMBER}{_SCALE}\s?{_UNIT}(?![\w])"),
    ("PRODUCT", 0.8, r"(?=[a-z]*[A-Z])[A-Za-z]+-?\d+(?:\.\d+)?[A-Za-z]*(?:-[A-Za-z\d.]+)*"),
    ("PRODUCT", 0.7, r"[A-Z][a-z]*[A-Z][A-Za-z]*(?:-\d+(?:\.\d+)?[A-Za-z]*)+"),
    (
        "ORGANIZATION",
        0.8,
        rf"{_NAME_START}(?:{_WORD}\s){{1,4}}(?:Inc|Corp|Corporation|Ltd|LLC|GmbH|Company|Agency|Commission|Department|Foundation)\b"
        rf"|{_NAME_START}(?:(?:{_WORD}\s){{1,3}}University|University\sof|Institute\sof|Department\sof|Ministry\sof)(?:\s{_WORD}){{0,3}}",
    ),
    ("PERSON", 0.7, rf"(?:Dr|Mr|Mrs|Ms|Prof)\.\s(?:{_WORD}\s?){{1,3}}|{_WORD}(?=\set\sal\.)"),
    ("TITLE_CASE", 0.6, rf"{_NAME_START}{_WORD}(?:\s(?:(?:of|and|for|the)\s)?{_WORD}){{1,5}}"),
    ("TECHNICAL_TERM", 0.7, r"[A-Z]{2,}s?(?:/[A-Z]{2,})*(?!\w)"),
    ("DATE", 0.6, r"(?<=[Ii]n\s)(?:19|20)\d\d"),
)
_PATTERN = re.compile("|".join(rf"(?P<r{at}>(?<![\w$€£-])(?:{pattern}))" for at, (_, _, pattern) in enumerate(_RULES)))
_TITLE_CASE_TYPES = (
    (
        "LOCATION",
        re.compile(
            r"\b(?:United States|United Kingdom|European Union|Europe|Asia|Africa|America|China|India|"
            r"Germany|France|Canada|Australia|Brazil|Japan|California|Virginia|Oregon|Iowa|Texas|"
            r"Washington|New York|North|South|East|West|Valley|River|City|County|Island)\b"
        ),
    ),
    (
        "ORGANIZATION",
        re.compile(r"\b(?:Google|Amazon|Microsoft|Meta|OpenAI|NVIDIA|Intel|Research|Lab|Labs|Cloud|Web)\b"),
    ),
    (
        "TECHNICAL_TERM",
        re.compile(
            r"\b(?:Learning|Network|Networks|Model|Models|Language|Processing|Energy|Power|Carbon|"
            r"Data|Training|Inference|Attention|Effectiveness|Emissions?|Intelligence)\b"
        ),
    ),
)
_FEWEST_CHARS = 2


@dataclass(frozen=True, slots=True)
class Mention:
    """An entity's name at a place of a text; confidence is 0 to 1."""

    entity_type: str
    text: str
    start: int
    end: int
    confidence: float


def extract_mentions(nodes: pa.Table, settings: GraphSettings) -> tuple[pa.Table, StageReport]:
    """Return what the searchable leaves of `nodes` mention, in their order; empty where `settings` say so.

    Rules find acronyms, runs of Title Case, names of models such as GPT-3, figures with units, dates, money and
    percentages. Entities are one where type and canonical name (NFKC, lower case, single blanks) agree; `name` is
    the first spelling. Bibliographies are passed over. `rows_computed` counts the leaves that were read.
    """
    if not settings.enabled or not nodes.num_rows:
        return empty_table(MENTIONS), StageReport(0)
    leaves = nodes.filter(pa.array(_is_leaf(nodes))).select(["node_id", "document_id", "text"])
    columns: dict[str, list[Any]] = {name: [] for name in MENTIONS.names}
    entities: dict[tuple[str, str], tuple[str, str]] = {}
    for node_id, document_id, text in zip(*(column.to_pylist() for column in leaves.columns), strict=True):
        for mention in find_mentions(text):
            canonical = canonical_name(mention.text)
            key = (mention.entity_type, canonical)
            entity_id, name = entities.setdefault(key, (digest(key), mention.text))
            row = (entity_id, mention.entity_type, name, canonical, node_id, document_id)
            place = (mention.text, mention.start, mention.end, mention.confidence)
            for column, value in zip(columns.values(), (*row, *place), strict=True):
                column.append(value)
    metrics = {"entities": float(len(entities)), "mentions": float(len(columns["node_id"]))}
    return pa.table(columns, schema=MENTIONS), StageReport(leaves.num_rows, metrics=metrics)


def with_first_names(parts: Iterable[StagePart]) -> Iterator[StagePart]:
    """Yield the MENTIONS of `parts`, which were found apart, with the names and metrics that they have as a whole."""
    names: dict[str, str] = {}
    mentions = 0
    for part in parts:
        ids, spans = (part.table[column].to_pylist() for column in ("entity_id", "span_text"))
        found = pa.array([names.setdefault(*pair) for pair in zip(ids, spans, strict=True)], pa.string())
        at = MENTIONS.get_field_index("name")
        table = part.table.set_column(at, MENTIONS.field(at), found)
        mentions += table.num_rows
        yield StagePart(table, replace(part.report, metrics={}), part.pieces)
    metrics = {"entities": float(len(names)), "mentions": float(mentions)}
    yield StagePart(empty_table(MENTIONS), StageReport(0, metrics=metrics))


def find_mentions(text: str) -> Iterator[Mention]:
    """Yield the mentions in `text`, from left to right, without overlap.

    >>> text = "In May 2021 training GPT-3 drew 1,287 MWh, 12% of all."
    >>> [(mention.entity_type, mention.text) for mention in find_mentions(text)]
    [('DATE', 'May 2021'), ('PRODUCT', 'GPT-3'), ('TECHNICAL_TERM', '1,287 MWh'), ('PERCENTAGE', '12%')]
    """
    for found in _PATTERN.finditer(text):
        kind, confidence, _ = _RULES[int((found.lastgroup or "r0")[1:])]
        start, end = found.span()
        name = text[start:end].rstrip()
        if kind == "TITLE_CASE":
            kind = _title_case_type(name)
        if len(name) >= _FEWEST_CHARS:
            yield Mention(kind, name, start, start + len(name), confidence)


def canonical_name(name: str) -> str:
    r"""Return the form by which names are compared: NFKC, lower case, single blanks.

    >>> canonical_name("  European\u00a0 Union")
    'european union'
    """
    return " ".join(unicodedata.normalize("NFKC", name).lower().split())


def _is_leaf(nodes: pa.Table) -> np.ndarray:
    parents = nodes["parent_row"].to_numpy()
    leaf = nodes["searchable"].to_numpy().copy()
    leaf[parents[parents >= 0]] = False
    return leaf & (np.array(nodes["content_type"].to_pylist(), dtype=object) != "reference")


def _title_case_type(name: str) -> str:
    return next((kind for kind, pattern in _TITLE_CASE_TYPES if pattern.search(name)), "OTHER")
