"""The pictures of docs/images/ that are drawn from the code: the pipeline, and the tree of a document."""

from __future__ import annotations

import tempfile
from pathlib import Path

from drawing import draw_graph
from import_graph import without_detours

from kohaku_assets.pipeline.stages import STAGES
from kohaku_lib.documents import list_sources, parse_documents
from kohaku_lib.settings import CorpusSettings, Settings
from kohaku_lib.tables import IMAGE_CAPTIONS
from kohaku_lib.tree import build_tree

_DOCUMENT = """# Amber guide

## Care

Wipe amber with a soft cloth. Keep it away from perfume.

## Value

| stone | price |
|---|---|
| clear | 40 |
| with insect | 900 |
"""


def pipeline_picture() -> str:
    """Return the assets that are on by default and which reads which; what a longer path implies is left out."""
    on = {name: stage for name, stage in STAGES.items() if stage.is_on(None)}
    reads = {name: {parent for parent in stage.reads if parent in on} for name, stage in on.items()}
    reads = without_detours(reads)
    edges = {name: {other for other, parents in reads.items() if name in parents} for name in on}
    return draw_graph(edges, {name: stage.group for name, stage in on.items()})


def tree_picture() -> str:
    """Return the tree of a small document as it is built: document, sections, paragraphs, sentences and table rows."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "amber-guide.md").write_text(_DOCUMENT, encoding="utf-8")
        corpus = CorpusSettings(documents=Path(folder))
        documents, _ = parse_documents(list_sources(corpus)[0], corpus, Settings().documents)
    nodes, _ = build_tree(documents, IMAGE_CAPTIONS.empty_table(), Settings().tree)
    rows = nodes.to_pylist()
    edges = {
        row["node_id"]: [other["node_id"] for other in rows if other["parent_id"] == row["node_id"]] for row in rows
    }
    labels = {row["node_id"]: _label(row["node_id"], row["text"], row["kind"]) for row in rows}
    return draw_graph(edges, {row["node_id"]: row["kind"] for row in rows}, labels)


def _label(node_id: str, text: str, kind: str) -> str:
    own = node_id.rpartition(":")[2]
    return f"{own}  {text}" if kind == "sentence" else own
