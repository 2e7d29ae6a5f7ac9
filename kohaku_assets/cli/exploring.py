"""Verbs that look into the index: graph, map, tokens, check-citations."""

from __future__ import annotations

import sys
from dataclasses import asdict, astuple
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kohaku_assets.cli.common import FAILED_RUN, json_option, print_json, print_table, say, verb, with_settings

if TYPE_CHECKING:
    from kohaku_assets.project import Project

MOST_FAULTS = 20  # that are listed one by one


@click.command("graph")
@click.argument("name")
@click.option("--top-k", type=click.IntRange(min=1), default=10, show_default=True, help="Relations to list.")
@verb("kohaku graph Gintaras-M")
@json_option
@with_settings
def graph_command(project: Project, name: str, top_k: int, as_json: bool) -> None:
    """Show the entities of the published index that are called NAME: aliases, mentions and relations."""
    from kohaku_assets.indexes import open_published_index
    from kohaku_lib.errors import InputFileError
    from kohaku_lib.index.graph import describe_entities

    with open_published_index(project).connect() as connection:
        found = describe_entities(connection, name, project.settings.corpus.org_id, top_k)
    if not found:
        msg = f"nothing in the index is called {name!r}; 'kohaku search' finds other words"
        raise InputFileError(msg)
    if as_json:
        print_json(found)
        return
    for entity in found:
        relations = entity.pop("relations")
        print_table(entity["name"], ("field", "value"), [(key, _shown(value)) for key, value in entity.items()])
        columns = ("related to", "type", "relation", "confidence", "node")
        print_table("", columns, [tuple(relation.values()) for relation in relations])


@click.command("map")
@click.option("--out", type=click.Path(path_type=Path), required=True, help="File to write: .png, .html or .json.")
@click.option("--method", type=click.Choice(("pca", "tsne")), default="pca", show_default=True)
@click.option("--kind", type=click.Choice(("sentence", "paragraph", "section", "document")), default="paragraph")
@click.option("--colour", type=click.Choice(("document", "kind")), default="document", show_default=True)
@click.option("--most", type=click.IntRange(min=1), default=500, show_default=True, help="Nodes to draw, at most.")
@verb("kohaku map --out map.html")
@with_settings
def map_command(project: Project, out: Path, colour: Any, **how: Any) -> None:
    """Draw the vectors of the published index on a plane, each document in its colour.

    tsne needs the extra [map]. With more nodes than --most each document gives an equal share.
    """
    from kohaku_assets.inspection import map_nodes
    from kohaku_lib.errors import InputFileError
    from kohaku_lib.evaluation.embedding_map import map_html, map_json, map_picture
    from kohaku_lib.storage import write_atomically

    if out.suffix not in (".png", ".html", ".json"):
        msg = f"a map is a .png, .html or .json file, not {out.name!r}; name it so"
        raise InputFileError(msg)
    points = map_nodes(project, **how)
    title = f"{len(points)} {how['kind']}s by {how['method'].upper()}"
    if out.suffix == ".png":
        content = map_picture(points, title, colour)
    else:
        content = (map_json(points, title) if out.suffix == ".json" else map_html(points, title, colour)).encode()
    write_atomically(out, lambda path: path.write_bytes(content))
    say(f"{title} → {out}")


@click.command("tokens")
@click.option("--tokenizer", metavar="MODEL", help="minilm, a folder with tokenizer.json, or a name on the hub.")
@verb("kohaku tokens")
@json_option
@with_settings
def tokens_command(project: Project, tokenizer: str | None, as_json: bool) -> None:
    """Count the tokens of the published index, document by document, and of the contexts of the present answers.

    By the tokenizer of the embedding model unless another is named.
    """
    from kohaku_assets.inspection import count_tokens

    report = count_tokens(project, tokenizer)
    if as_json:
        print_json(asdict(report))
        return
    rows = [(name, *astuple(count)) for name, count in report.documents.items()]
    rows.append(("all", *astuple(report.corpus)))
    if report.contexts:
        rows.append(("contexts of the questions", *astuple(report.contexts)))
    title = f"tokens of the sentences, by the tokenizer of {report.tokenizer}"
    print_table(title, ("document", "texts", "tokens", "mean", "p95", "longest"), rows)


@click.command("check-citations")
@click.argument("answers", default="now")
@verb("kohaku check-citations")
@json_option
@with_settings
def check_citations_command(project: Project, answers: str, as_json: bool) -> None:
    """Check the ids, citations and addresses of the documents, and what ANSWERS cite and quote.

    ANSWERS is a file or whatever 'kohaku compare' takes; by default the present ones. Exits 1 where a rule is broken.
    """
    from kohaku_assets.inspection import check_citations
    from kohaku_lib.evaluation.citation_check import RULES

    faults = check_citations(project, answers)
    if as_json:
        print_json([asdict(fault) for fault in faults])
    else:
        rows = [(rule, meaning, sum(fault.rule == rule for fault in faults)) for rule, meaning in RULES.items()]
        print_table("", ("rule", "", "broken"), rows)
        if faults:
            shown = f", of which {MOST_FAULTS} are shown" if len(faults) > MOST_FAULTS else ""
            title = f"{len(faults)} faults{shown}"
            print_table(title, ("rule", "of", "how"), [astuple(fault) for fault in faults[:MOST_FAULTS]])
    if faults:
        sys.exit(FAILED_RUN)


def _shown(value: object) -> object:
    return ", ".join(map(str, value)) if isinstance(value, list) else value
