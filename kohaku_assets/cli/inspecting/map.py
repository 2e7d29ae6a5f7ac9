"""`kohaku map`: draw the vectors of the index on a plane."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kohaku_assets.cli.shared.options import PATH, with_settings
from kohaku_assets.cli.shared.output import say
from kohaku_assets.cli.shared.verb import verb

if TYPE_CHECKING:
    from kohaku_assets.pipeline.project import Project


@click.command("map")
@click.option("--out", type=PATH, required=True, help="File to write: .png, .html or .json.")
@click.option("--method", type=click.Choice(("pca", "tsne")), default="pca", show_default=True)
@click.option("--kind", type=click.Choice(("sentence", "paragraph", "section", "document")), default="paragraph")
@click.option("--colour", type=click.Choice(("document", "kind")), default="document", show_default=True)
@click.option("--most", type=click.IntRange(min=1), default=500, show_default=True, help="Maximum number of nodes.")
@verb("kohaku map --out map.html")
@with_settings
def map_command(project: Project, out: Path, colour: Any, **how: Any) -> None:
    """Project the vectors of the published index onto a plane, coloured by document.

    tsne needs the extra [map]. If there are more nodes than --most, each document contributes an equal share.
    """
    from kohaku_assets.operations.inspection import map_nodes
    from kohaku_lib.errors import InputFileError
    from kohaku_lib.evaluation.embedding_map import map_html, map_json, map_picture
    from kohaku_lib.storage import write_atomically

    if out.suffix not in (".png", ".html", ".json"):
        msg = f"a map is a .png, .html or .json file, not {out.name!r}; change the suffix"
        raise InputFileError(msg)
    points = map_nodes(project, **how)
    title = f"{len(points)} {how['kind']}s by {how['method'].upper()}"
    if out.suffix == ".png":
        content = map_picture(points, title, colour)
    else:
        content = (map_json(points, title) if out.suffix == ".json" else map_html(points, title, colour)).encode()
    write_atomically(out, lambda path: path.write_bytes(content))
    say(f"{title} → {out}")
