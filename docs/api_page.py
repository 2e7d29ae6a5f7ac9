"""The page on the Python API: what may be relied on, with signatures, fields and docstrings."""

from __future__ import annotations

import dataclasses
import inspect
import re
import textwrap
from collections.abc import Callable, Iterator
from typing import Any

import kohaku_assets
import kohaku_lib
from kohaku_assets.operations.refresh import RefreshReport
from kohaku_lib import conversation, embedding, errors, project, tables, testing
from kohaku_lib.answering.citing import quotes
from kohaku_lib.documents.formats import interface as formats
from kohaku_lib.evaluation.metrics.answers import interface as answer_metrics
from kohaku_lib.evaluation.metrics.retrieval import interface as retrieval_metrics
from kohaku_lib.retrieval import rerank

_HEAD = """# Python API

Generated from the code by `make docs`. [From Python](python.md) shows them at work; what is not on this page may change
without notice."""

PUBLIC: dict[str, dict[str, Any]] = {  # module that it is imported from, to the names in their order
    "kohaku_assets": {
        "refresh": kohaku_assets.refresh,
        "build_defs": kohaku_assets.build_defs,
        "ProjectResource": kohaku_assets.ProjectResource,
    },
    "kohaku_assets.operations.refresh": {"RefreshReport": RefreshReport},
    "kohaku_lib": {"open_project": kohaku_lib.open_project},
    "kohaku_lib.project": {
        name: getattr(project, name) for name in ("OpenProject", "StoredTables", "SearchHit", "Answer")
    },
    "kohaku_lib.answering.citing.quotes": {"Citation": quotes.Citation},
    "kohaku_lib.tables": {name: getattr(tables, name) for name in ("RetrievalResult", "QueryPlan", "Match", "Snippet")},
    "kohaku_lib.conversation": {
        name: getattr(conversation, name) for name in conversation.__all__ if name != "TOOL_SCHEMA"
    },
    "kohaku_lib.embedding": {"embed_texts": embedding.embed_texts},
    "kohaku_lib.retrieval.rerank": {
        name: getattr(rerank, name) for name in ("RerankerKind", "RerankDependencies", "Reranker")
    },
    "kohaku_lib.documents.formats.interface": {"FormatKind": formats.FormatKind},
    "kohaku_lib.evaluation.metrics.answers.interface": {
        name: getattr(answer_metrics, name) for name in ("AnswerMetric", "AnswerCells", "AnswerParts")
    },
    "kohaku_lib.evaluation.metrics.retrieval.interface": {
        name: getattr(retrieval_metrics, name) for name in ("RetrievalMetric", "RankedContext")
    },
    "kohaku_lib.testing": {name: getattr(testing, name) for name in testing.__all__},
    "kohaku_lib.errors": {
        name: kind for name, kind in vars(errors).items() if isinstance(kind, type) and issubclass(kind, Exception)
    },
}


def api_page() -> str:
    """Return the reference of the Python API."""
    parts = [_HEAD]
    for module, names in PUBLIC.items():
        parts.append(f"## {module}")
        for name, thing in names.items():
            parts += _class(name, thing) if isinstance(thing, type) else _function(name, thing, "###")
    return "\n\n".join(parts) + "\n"


def _class(name: str, kind: type) -> Iterator[str]:
    yield f"### {name}"
    yield _docstring(kind)
    if dataclasses.is_dataclass(kind):
        rows = [
            f"| `{field.name}` | `{_escaped(str(field.type))}` | {_default(field)} |"
            for field in dataclasses.fields(kind)
        ]
        yield "| field | type | default |\n|---|---|---|\n" + "\n".join(rows)
    for own, member in vars(kind).items():
        if own.startswith("_"):
            continue
        if isinstance(member, property):
            yield f"#### {name}.{own}"
            yield _docstring(member)
        elif inspect.isfunction(member):
            yield from _function(f"{name}.{own}", member, "####")


def _function(name: str, function: Callable[..., Any], level: str) -> Iterator[str]:
    yield f"{level} {name}"
    signature = (
        re.sub(r"(: |-> )'([^']*)'", r"\1\2", str(inspect.signature(function)))
        .replace("(self, ", "(")
        .replace("(self)", "()")
    )
    yield f"`{name.rpartition('.')[2]}{signature}`"
    yield _docstring(function)


def _docstring(thing: object) -> str:
    """The docstring with its sections as bold words, entries as a list, and examples as blocks."""
    text = inspect.getdoc(thing) or ""
    text = re.sub(r"^(>>> .*?)(?=\n\n|\Z)", r"```python\n\1\n```", text, flags=re.MULTILINE | re.DOTALL)
    return re.sub(
        r"^(Args|Returns|Raises|Example):\n((?: {4}.*\n?|\n(?= ))*)", _section, text, flags=re.MULTILINE
    ).strip()


def _section(found: re.Match[str]) -> str:
    title, body = found[1], textwrap.dedent(found[2]).strip()
    if title == "Example":
        return f"```python\n{body}\n```\n"
    if title == "Returns":
        return f"**Returns** {body}\n"
    return f"**{title}**\n\n" + re.sub(r"^(\w+):", r"- `\1`:", body, flags=re.MULTILINE) + "\n"


def _default(field: dataclasses.Field[Any]) -> str:
    if field.default is not dataclasses.MISSING:
        return f"`{field.default!r}`"
    return "needed" if field.default_factory is dataclasses.MISSING else f"`{field.default_factory()!r}`"


def _escaped(text: str) -> str:
    return text.replace("|", "\\|")
