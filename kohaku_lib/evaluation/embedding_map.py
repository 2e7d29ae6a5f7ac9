"""A two-dimensional map of nodes by their vectors: sampling, projection, and rendering."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from colorsys import hls_to_rgb
from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np

from kohaku_lib.errors import KohakuError
from kohaku_lib.evaluation.report.picture import Picture
from kohaku_lib.html_pages import templates
from kohaku_lib.install_command import install_command

Method = Literal["pca", "tsne"]
Colour = Literal["document", "kind"]
_PERPLEXITY = 30.0
_MARKER_BY_KIND = {"document": "*", "section": "s", "paragraph": "o", "sentence": "."}
_MAX_LEGEND_GROUPS = 40  # groups that fit next to the picture
_AXIS_PERCENTILE = 99.0  # percentile of each axis that the picture spans
_TEXT_CHARS = 160


@dataclass(frozen=True, slots=True)
class Point:
    """A node on the map."""

    node_id: str
    document_id: str
    kind: str
    page: int | None
    text: str
    x: float
    y: float


def sample_rows(documents: Sequence[str], most: int, seed: int = 0) -> np.ndarray:
    """Return the sampled rows in order, at most `most`: an equal share of every document, at least one.

    >>> sample_rows(["a"] * 90 + ["b"] * 10, 10).tolist()[-1] >= 90
    True
    """
    if len(documents) <= most:
        return np.arange(len(documents))
    codes = np.unique(np.array(documents, dtype=object).astype(str), return_inverse=True)[1]
    draw = np.random.default_rng(seed)
    order = draw.permutation(len(documents))
    # The relative rank of each row within its document: the rows with the smallest form an even sample.
    by_document = order[np.argsort(codes[order], kind="stable")]
    sizes = np.bincount(codes)
    firsts = np.repeat(sizes.cumsum() - sizes, sizes)
    ranks = np.empty(len(documents))
    ranks[by_document] = (np.arange(len(documents)) - firsts) / np.repeat(sizes, sizes)
    return np.sort(np.lexsort((order.argsort(), ranks))[:most])


def project_vectors(vectors: np.ndarray, method: Method = "pca", seed: int = 0) -> np.ndarray:
    """Return `vectors`, (n, dim), on a plane, (n, 2) float64; fewer than three are always projected by PCA.

    `pca` uses the two directions of greatest variance, each with its largest loading positive, so that the result is
    deterministic. `tsne` has perplexity 30, less for few vectors.

    Raises:
        KohakuError: `tsne` without scikit-learn.

    Example:
        >>> project_vectors(np.array([[1.0, 0.0], [-1.0, 0.0], [0.0, 0.5]])).round(2).tolist()
        [[1.0, -0.17], [-1.0, -0.17], [0.0, 0.33]]

    """
    if method == "pca" or len(vectors) < 3:
        return _project_pca(vectors)
    try:
        return np.asarray(_project_tsne(vectors, seed), np.float64)
    except ImportError as error:
        msg = f"the map by 'tsne' needs scikit-learn; run {install_command('map')}, or choose 'pca'"
        raise KohakuError(msg) from error


def map_points(
    nodes: Sequence[Mapping[str, Any]], vectors: np.ndarray, method: Method = "pca", seed: int = 0
) -> list[Point]:
    """Return `nodes` (with node_id, document_id, kind, page, text) at the projections of their `vectors`, (n, dim)."""
    coordinates = project_vectors(vectors, method, seed)
    return [
        Point(
            node["node_id"],
            node["document_id"],
            node["kind"],
            node["page"],
            " ".join(node["text"].split())[:_TEXT_CHARS],
            float(x),
            float(y),
        )
        for node, (x, y) in zip(nodes, coordinates, strict=True)
    ]


def map_picture(points: Sequence[Point], title: str, colour: Colour = "document") -> bytes:
    """Return the map as PNG, with a marker shape per kind, clipped to the 99th percentile of each axis."""

    def draw(figure: Any) -> None:
        axes = figure.add_subplot()
        labelled_groups: set[str] = set()
        for number, (group, positions) in enumerate(_positions_by_group(points, colour).items()):
            for kind in dict.fromkeys(points[at].kind for at in positions):
                members = [points[at] for at in positions if points[at].kind == kind]
                style = {
                    "marker": _MARKER_BY_KIND.get(kind, "."),
                    "color": _group_colour(number),
                    "alpha": 0.7,
                    "linewidths": 0,
                }
                label = None if group in labelled_groups else group
                labelled_groups.add(group)
                axes.scatter([point.x for point in members], [point.y for point in members], s=18, label=label, **style)
        (left, right), (low, high) = (
            _axis_limits([point.x for point in points]),
            _axis_limits([point.y for point in points]),
        )
        axes.set(title=title, xlim=(left, right), ylim=(low, high), xticks=[], yticks=[])
        if len(labelled_groups) <= _MAX_LEGEND_GROUPS:
            axes.legend(
                fontsize=6, ncols=1 + (len(labelled_groups) - 1) // 20, loc="center left", bbox_to_anchor=(1.0, 0.5)
            )

    return Picture("map", title, (9.0, 6.5), draw).png(dpi=120)


def map_html(points: Sequence[Point], title: str, colour: Colour = "document") -> str:
    """Return the map as one HTML page without scripts; a point's tooltip has its node, page and text."""
    (left, right), (low, high) = (
        _axis_limits([point.x for point in points]),
        _axis_limits([point.y for point in points]),
    )
    groups = _positions_by_group(points, colour)
    circles = [
        {
            "x": np.clip((points[at].x - left) / (right - left), 0, 1) * 960 + 20,
            "y": 660 - np.clip((points[at].y - low) / (high - low), 0, 1) * 640,
            "colour": _group_colour(number),
            "point": points[at],
        }
        for number, places in enumerate(groups.values())
        for at in places
    ]
    keys = [(_group_colour(number), name, len(places)) for number, (name, places) in enumerate(groups.items())]
    page = templates(__package__ or "").get_template("embedding_map.html.j2")
    return page.render(title=title, circles=circles, keys=keys)


def map_json(points: Sequence[Point], title: str) -> str:
    """Return the map as JSON: {"title", "points": [{"node_id", "document_id", "kind", "page", "text", "x", "y"}]}."""
    return json.dumps({"title": title, "points": [asdict(point) for point in points]}, ensure_ascii=False, indent=1)


def _project_pca(vectors: np.ndarray) -> np.ndarray:
    centred = np.asarray(vectors, np.float64) - (vectors.mean(axis=0) if len(vectors) else 0.0)
    plane = np.zeros((len(vectors), 2))
    if not len(vectors):
        return plane
    axes = np.linalg.svd(centred, full_matrices=False)[2][:2]
    signs = np.sign(axes[np.arange(len(axes)), np.abs(axes).argmax(axis=1)])
    plane[:, : len(axes)] = centred @ (axes * signs[:, None]).T
    return plane


def _project_tsne(vectors: np.ndarray, seed: int) -> Any:
    from sklearn.manifold import TSNE

    perplexity = min(_PERPLEXITY, (len(vectors) - 1) / 3)
    return TSNE(2, perplexity=perplexity, init="pca", random_state=seed, metric="cosine").fit_transform(vectors)


def _positions_by_group(points: Sequence[Point], colour: Colour) -> dict[str, list[int]]:
    groups: dict[str, list[int]] = {}
    for at, point in enumerate(points):
        groups.setdefault(point.document_id if colour == "document" else point.kind, []).append(at)
    return dict(sorted(groups.items()))


def _group_colour(number: int) -> str:
    """Return a colour; consecutive numbers differ strongly in hue, and every second one is dark."""
    parts = hls_to_rgb(number * 0.618034 % 1.0, 0.38 if number % 2 else 0.58, 0.75)
    return "#" + "".join(f"{round(part * 255):02x}" for part in parts)


def _axis_limits(values: Sequence[float]) -> tuple[float, float]:
    if not values:
        return -1.0, 1.0
    low, high = np.percentile(values, [100.0 - _AXIS_PERCENTILE, _AXIS_PERCENTILE])
    margin = 0.05 * (high - low) or 1.0
    return float(low - margin), float(high + margin)
