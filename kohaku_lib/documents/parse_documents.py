"""The stage `documents`: parse source files."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa

from kohaku_lib.digests import digest
from kohaku_lib.documents.corpus.citations import citation_payload
from kohaku_lib.documents.corpus.organisations import organisation_of
from kohaku_lib.documents.corpus.registry import READY
from kohaku_lib.documents.formats.interface import FormatKind, format_of, mime_type_of
from kohaku_lib.documents.language import detect_language
from kohaku_lib.documents.lost_parts import lost_parts
from kohaku_lib.documents.ocr import engine_identity, ocr_setting_names
from kohaku_lib.documents.payloads import document_text, payload_from_json, payload_to_json
from kohaku_lib.documents.worker.supervisor import ParseCrew, Reply, Task, parse_isolated, parse_task
from kohaku_lib.errors import InputFileError, ModelError
from kohaku_lib.settings import CorpusSettings, DocumentsSettings
from kohaku_lib.settings.renamed import with_first_names
from kohaku_lib.storage import RowCache
from kohaku_lib.tables import DOCUMENTS, TO_RETRY, StageReport
from kohaku_lib.text.shingles import sketch_of

PARSER_TAG = "documents.v3"
_MOST_PAGES = 2**31 - 1
_SURROGATES = re.compile("[\ud800-\udfff]")
DOCUMENT_ROW_CACHE_SCHEMA = pa.schema([field for field in DOCUMENTS if field.name not in {"org_id", "path"}])


def parse_documents(  # noqa: PLR0913 - callbacks and a switch, which most callers leave as they are
    sources: pa.Table,
    corpus: CorpusSettings,
    settings: DocumentsSettings,
    cache: RowCache | None = None,
    workers: int = 0,
    on_done: Callable[[int], object] = lambda done: None,
    on_problem: Callable[[str], object] = lambda problem: None,
    *,
    earlier_row: Callable[[Mapping[str, Any]], dict[str, Any] | None] = lambda source: None,
    retry_failures: bool = False,
    crew: ParseCrew | None = None,
) -> tuple[pa.Table, StageReport]:
    """Parse every ready source into one row, in order; a document that cannot be parsed is a row with its error.

    Rows are cached by file, id, metadata and settings; those of files that need more time or memory by the limits, too.
    New rows are added to `cache` as they complete, except failures that do not follow from these: a file that is missing,
    unreadable or changed. Those are counted as the metric "to_retry", and their rows of the last run stand.
    Values of metadata.csv override those in the document.

    Args:
        sources: The table of `list_sources`.
        corpus: The corpus settings.
        settings: The parser settings.
        cache: Rows of earlier runs, or None.
        workers: The maximum number of worker processes; 0 means one per core.
        on_done: Called with the number of finished documents, first with the number of reused ones.
        on_problem: Called with each sentence of the report's problems once its document has been read.
        earlier_row: Returns the row of a source in the last run, from the same bytes, if any.
        retry_failures: Parse again what failed in earlier runs, whatever the reason.
        crew: The actors that parse in place of worker processes here (`parse_crew`), or None.

    """
    ready = [row for row in sources.to_pylist() if row["status"] == READY]
    keys = [_cache_key(row, settings) for row in ready]
    limit_keys = [digest([key, settings.time_limit_s, settings.memory_limit_mb]) for key in keys]
    cached = cache.get_many([*keys, *limit_keys]).to_pylist() if cache is not None else []
    row_by_key = {row.pop("key"): row for row in cached}
    late = {key: row_by_key[own] for key, own in zip(keys, limit_keys, strict=True) if own in row_by_key}
    row_by_key = late | row_by_key
    if retry_failures:
        row_by_key = {key: row for key, row in row_by_key.items() if row["status"] == "parsed"}
    missing = [index for index, key in enumerate(keys) if key not in row_by_key]
    parse = partial(parse_isolated, workers=workers, crew=crew)
    replies = _replies_in_order([ready[index] for index in missing], corpus, settings, parse)
    fresh: dict[int, dict[str, Any]] = {}
    to_retry, outdated = 0, list[str]()
    on_done(len(ready) - len(missing))
    for index, reply in zip(missing, replies, strict=True):
        raise_fatal(reply)
        fresh[index] = _document_row(ready[index], reply)
        if "payload" not in reply and not reply.get("lasting") and not reply.get("limit"):
            to_retry += 1
            if (row := earlier_row(ready[index])) is not None:
                outdated.append(f"{ready[index]['path']}: {reply['error']}; it stays as it was read before")
                fresh[index] = row
        elif cache is not None:
            cache.add(limit_keys[index] if reply.get("limit") else keys[index], fresh[index])
        for problem in _problem_messages([{**fresh[index], "path": ready[index]["path"]}]):
            on_problem(problem)
        on_done(len(ready) - len(missing) + len(fresh))
    if cache is not None:
        cache.flush()
    rows = [
        {
            **(fresh[index] if index in fresh else row_by_key[keys[index]]),
            "path": source["path"],
            "org_id": organisation_of(source["path"], json.loads(source["metadata_json"]), corpus),
        }
        for index, source in enumerate(ready)
    ]
    table = pa.Table.from_pylist(rows, schema=DOCUMENTS)
    metrics = _status_counts(rows) | ({TO_RETRY: float(to_retry)} if to_retry else {})
    problems = (*outdated, *_problem_messages(rows))
    return table, StageReport(len(missing), len(ready) - len(missing), problems, metrics)


def _cache_key(source: Mapping[str, Any], settings: DocumentsSettings) -> str:
    suffix = Path(source["path"]).suffix.lower()
    kind = format_of(source["path"])
    chosen = _settings_read(kind, settings) if kind is not None else {}
    name = Path(source["path"]).name  # part of error messages and the fallback title
    return digest([PARSER_TAG, source["sha256"], source["document_id"], source["metadata_json"], suffix, name, chosen])


def _settings_read(kind: FormatKind, settings: DocumentsSettings) -> dict[str, Any]:
    """Return the effective setting values on this machine that payloads of this format depend on."""
    ocr = ocr_setting_names(settings) if kind.reads_by_ocr else ()
    chosen = settings.model_dump(mode="json", include={*kind.settings_keys, *ocr})
    by_key = with_first_names({f"documents.{name}": value for name, value in chosen.items()})
    values = {key.removeprefix("documents."): value for key, value in by_key.items()}
    return values | ({"ocr": engine_identity(settings.ocr)} if kind.reads_by_ocr else {})


def _replies_in_order(
    sources: Sequence[Mapping[str, Any]],
    corpus: CorpusSettings,
    settings: DocumentsSettings,
    parse: Callable[[Sequence[Task]], Iterator[Reply]],
) -> Iterator[Reply]:
    """Yield the reply to every source, in order; a source without a file yields its citation."""
    parsed = parse([_source_task(row, corpus, settings) for row in sources if row["path"]])
    for row in sources:
        yield next(parsed) if row["path"] else _citation_reply(row)
    yield from parsed  # lets the generator end its processes


def _citation_reply(source: Mapping[str, Any]) -> dict[str, Any]:
    facts = json.loads(source["metadata_json"])
    return {"payload": payload_to_json(citation_payload(source["document_id"], facts))}


def _source_task(source: Mapping[str, Any], corpus: CorpusSettings, settings: DocumentsSettings) -> dict[str, Any]:
    if corpus.documents is None:
        msg = "corpus.documents is not set, yet there are files to parse; set it to the folder they were listed from"
        raise InputFileError(msg)
    task = parse_task(corpus.documents / source["path"], settings)
    return {**task, "document_id": source["document_id"], "sha256": source["sha256"]}


def raise_fatal(reply: Mapping[str, Any]) -> None:
    """Raise ModelError where a worker's reply tells a fault of the environment rather than of the document."""
    if reply.get("fatal"):
        raise ModelError(reply["error"])


def _document_row(source: Mapping[str, Any], reply: Mapping[str, Any]) -> dict[str, Any]:
    facts = json.loads(source["metadata_json"])
    payload = reply.get("payload")
    text = document_text(payload_from_json(payload)) if payload else ""
    metadata = {
        **(_detected_language(text, payload, facts) if payload else {}),
        **(payload["metadata"] if payload else {}),
        **facts,
    }
    title = facts.get("title") or (payload or {}).get("title") or source["document_id"]
    pages = _page_count(payload["metadata"].get("pages")) if payload else None
    if payload:
        payload = {**payload, "title": title, "metadata": metadata}
    return {
        "document_id": source["document_id"],
        "sha256": source["sha256"],
        "mime_type": mime_type_of(source["path"]),
        "title": _encodable_text(title),
        "pages": pages,
        "status": "parsed" if payload else reply["status"],
        "error": reply.get("error"),
        "metadata_json": _encodable_text(json.dumps(metadata, ensure_ascii=False)),
        "payload_json": _encodable_text(json.dumps(payload, ensure_ascii=False)) if payload else None,
        "sketch": sketch_of(text).tobytes().hex() if payload else None,
    }


def _page_count(value: object) -> int | None:
    """Return the page count if it fits the table's column; front matter and external payloads may contain any value."""
    return value if type(value) is int and 0 <= value <= _MOST_PAGES else None


def _detected_language(text: str, payload: Mapping[str, Any], facts: Mapping[str, str]) -> dict[str, str]:
    """Detect the language of the text unless the metadata or the document states one."""
    if facts.get("language") or payload["metadata"].get("language"):
        return {}
    language = detect_language(text)
    return {"language": language} if language else {}


def _encodable_text(text: str) -> str:
    """Return `text` with lone surrogates, which UTF-8 cannot encode, replaced by U+FFFD."""
    return _SURROGATES.sub("\ufffd", text)


def _problem_messages(rows: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    problems = [f"{row['path']}: {row['error']}" for row in rows if row["error"]]
    for row in rows:
        metadata = json.loads(row["metadata_json"]) if row["payload_json"] else {}
        silent, formulas = metadata.get("pages_without_text"), metadata.get("formulas_without_value")
        if isinstance(silent, list) and silent:
            problems.append(f"{row['path']}: {len(silent)} of {row['pages']} pages have no text that can be used")
        problems += [f"{row['path']}: {sentence}" for sentence in lost_parts(metadata)]
        if isinstance(formulas, list) and formulas:
            first = "!".join(map(str, formulas[0])) if isinstance(formulas[0], list) else formulas[0]
            problems.append(
                f"{row['path']}: {len(formulas)} formulas have no stored value (the first is {first}) and are read as "
                "empty; open and save it in a spreadsheet program"
            )
    return tuple(problems)


def _status_counts(rows: Sequence[Mapping[str, Any]]) -> dict[str, float]:
    return {status: float(sum(row["status"] == status for row in rows)) for status in ("parsed", "needs_ocr", "failed")}
